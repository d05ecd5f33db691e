/* A streaming JSON writer. Reading JSON is jansson's work; writing is ours because results can hold
 * hundreds of thousands of pairs and must come out in a fixed order without a tree in memory.
 *
 * The writer inserts commas itself. Inside an object every value is preceded by hd_json_key;
 * calls that would make malformed JSON are assertion failures. Write errors stay in the FILE
 * (ferror). Invalid UTF-8 in strings comes out as U+FFFD, so the output always parses.
 */
#ifndef HD_BASE_JSON_H
#define HD_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hd_json {
    FILE *out;
    uint64_t has_item;  /* bit d: something stands before us at depth d */
    uint64_t is_object; /* bit d: depth d is an object, not an array */
    unsigned depth;     /* at most 63 */
    bool after_key;
};

void hd_json_init(struct hd_json *j, FILE *out);
void hd_json_begin_object(struct hd_json *j);
void hd_json_end_object(struct hd_json *j);
void hd_json_begin_array(struct hd_json *j);
void hd_json_end_array(struct hd_json *j);
void hd_json_key(struct hd_json *j, const char *key);
void hd_json_string(struct hd_json *j, const char *text);
void hd_json_uint(struct hd_json *j, uint64_t value);
void hd_json_int(struct hd_json *j, int64_t value);
void hd_json_double(struct hd_json *j,
                    double value); /* fixed notation, 6 decimals; null if not finite */
void hd_json_bool(struct hd_json *j, bool value);
void hd_json_null(struct hd_json *j);

#endif
