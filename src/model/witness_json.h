/* Witness files (docs/MODEL.md section 6): one JSON object
 *
 *   {"schema": "heddle-witness-1", "digest": "hd1-...", "property": "race", "pair": [3, 9],
 *    "schedule": [1, 2, ..., 3, 9], "wakes": {"7": "t2"}}
 *
 * A long schedule stands in "runs" instead of "schedule" (model/witness_runs.h). "prefix": N means
 * that the first N events of the trace come before "schedule", with their choices of model/
 * matching.h; it is read as the long form.
 * "property" may be left out for a race. An atomicity violation has "triple": [c, r, c'] and a
 * deadlock "cycle": [...] in place of "pair". Event numbers are 1-based; wakes maps a sig of the
 * schedule to the name of the thread that it wakes and may be left out when empty; digest is that
 * of the trace (trace/digest.h); "trace" may name its file. Fields that are not named here are
 * ignored, so that later versions may add some. Reading checks the form and the digest; whether it
 * is a witness is hd_witness_check's question.
 */
#ifndef HD_MODEL_WITNESS_JSON_H
#define HD_MODEL_WITNESS_JSON_H

#include "base/json.h"
#include "model/witness.h"

#include <stdio.h>

/* Reads a witness for t; path "-" is standard input. HD_ERR_IO when the system refuses;
 * HD_ERR_INPUT with file (and line, when it is no JSON) when the content does, or when it belongs
 * to another trace. The caller ends *w with hd_witness_fini. */
enum hd_status hd_witness_json_load(const char *path, const struct hd_trace *t,
                                    struct hd_witness *w, struct hd_err *err);

/* The same from text of len bytes; name stands in errors. */
enum hd_status hd_witness_json_parse(const char *text, size_t len, const char *name,
                                     const struct hd_trace *t, struct hd_witness *w,
                                     struct hd_err *err);

/* The fields property, pair (triple, cycle), schedule and wakes, inside an object that the caller
 * has begun: an element of `witnesses` has these alone. */
void hd_witness_json_write_fields(struct hd_json *j, const struct hd_trace *t,
                                  const struct hd_witness *w);

/* A whole witness file with a final newline. Stream errors stay in the stream (ferror). */
void hd_witness_json_write(FILE *out, const struct hd_trace *t, const struct hd_witness *w);
/* The same with a field "trace": the path of the trace, relative to the file's folder. digest: that
 * of the trace (trace/digest.h), or NULL: to make one takes a walk over all events. */
void hd_witness_json_write_named(FILE *out, const struct hd_trace *t, const struct hd_witness *w,
                                 const char *trace, const char *digest);

/* The path that stands under "trace", as seen from here. HD_ERR_INPUT when there is none. */
enum hd_status hd_witness_json_trace(const char *path, char *out, size_t size, struct hd_err *err);

#endif
