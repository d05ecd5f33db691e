/* An input: what a program is given so that it takes a certain path.
 *
 * Objects are names with bytes ("argv1", "stdin", "rand#2"); places say which parts of the outside
 * world are objects ("input:argv:1:16", "call:rand"); words are the command line. Together they
 * repeat a run, and a file holds exactly that, as text:
 *
 *   heddle-input-1
 *   word "./prog"
 *   place "input:argv:1:16"
 *   object argv1 "1234\x00\x00"
 *
 * Bytes that are not printable ASCII, the quote and the backslash are written as \xHH. Lines that
 * start with # and blank lines are skipped.
 */
#ifndef HD_CONCOLIC_INPUT_H
#define HD_CONCOLIC_INPUT_H

#include "base/err.h"
#include "base/vec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hd_input_bytes {
    uint8_t *data; /* a zero follows */
    size_t len;
};

struct hd_input_object {
    struct hd_input_bytes name, bytes;
};

struct hd_input {
    struct hd_vec words;   /* struct hd_input_bytes */
    struct hd_vec places;  /* struct hd_input_bytes */
    struct hd_vec objects; /* struct hd_input_object, in order of first use, names differ */
};

void hd_input_init(struct hd_input *in);
void hd_input_fini(struct hd_input *in);
void hd_input_copy(struct hd_input *to, const struct hd_input *from); /* to is not initialised */
void hd_input_word(struct hd_input *in, const char *text);
void hd_input_place(struct hd_input *in, const char *text);
/* Sets an object, new or old. */
void hd_input_set(struct hd_input *in, const char *name, const void *bytes, size_t len);
const struct hd_input_object *hd_input_find(const struct hd_input *in, const char *name);

/* HD_ERR_IO when the system refuses, HD_ERR_INPUT with file and line when the content is wrong. */
enum hd_status hd_input_load(const char *path, struct hd_input *in, struct hd_err *err);
enum hd_status hd_input_save(const char *path, const struct hd_input *in, struct hd_err *err);

#endif
