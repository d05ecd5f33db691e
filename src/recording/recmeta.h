/* The META block of a recording: lines "key value". A key may come more than once; the order is
 * kept. Newlines, percent signs and control characters of values are written as %xx. Readers skip
 * keys that they do not know. docs/TRACE_FORMAT.md lists the keys.
 */
#ifndef HD_RECORDING_RECMETA_H
#define HD_RECORDING_RECMETA_H

#include "base/err.h"
#include "base/vec.h"
#include "recording/recfile.h"

#include <stdbool.h>
#include <stdint.h>

struct hd_recmeta {
    struct hd_vec text; /* char: the block as stored */
};

void hd_recmeta_init(struct hd_recmeta *m);
void hd_recmeta_fini(struct hd_recmeta *m);
void hd_recmeta_add(struct hd_recmeta *m, const char *key, const char *value);
void hd_recmeta_add_number(struct hd_recmeta *m, const char *key, uint64_t value);
enum hd_status hd_recmeta_read(const struct hd_rec *rec, struct hd_recmeta *m, struct hd_err *err);
/* The n-th value (from 0) of a key, decoded into out and cut if need be. False: there is none. */
bool hd_recmeta_get(const struct hd_recmeta *m, const char *key, size_t n, char *out, size_t size);
uint64_t hd_recmeta_number(const struct hd_recmeta *m, const char *key); /* 0 when there is none */

#endif
