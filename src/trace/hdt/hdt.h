/* The binary trace format .hdt (docs/TRACE_FORMAT.md): reader and writer.
 *
 * The reader takes the whole file as bytes in memory (mapped or read) and gives a finished trace.
 * It trusts nothing: every length, id, op, dependence and checksum is verified before use, and
 * memory is bounded by the length of the file. A file that was cut off reads up to its last whole
 * chunk and is reported as truncated; any other damage is refused with the chunk and its offset.
 *
 * Writing and reading back gives an equal trace: names and their order, directives, values and
 * which of them were left out, dependences, places.
 */
#ifndef HD_TRACE_HDT_HDT_H
#define HD_TRACE_HDT_HDT_H

#include "base/err.h"
#include "base/stop.h"
#include "trace/trace.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct hd_hdt_info {
    unsigned version;
    bool truncated;    /* the end chunk is missing: the trace is a prefix of what was recorded */
    enum hd_stop cut;  /* not HD_STOP_NO: reading stopped there for that (base/stop.h) */
    size_t chunks;     /* whole chunks read, of any type */
    size_t skipped;    /* of these: optional ones that say nothing about events */
    size_t used_bytes; /* of the file; the rest is a torn chunk */
};

/* Does this look like an .hdt file? Looks at the first bytes only. */
bool hd_hdt_is(const void *data, size_t len);

/* Reads a file of len bytes called name (for messages). On HD_OK the caller owns *trace. info may
 * be NULL; it is filled as far as reading came. */
enum hd_status hd_hdt_read(const void *data, size_t len, const char *name, struct hd_trace **trace,
                           struct hd_hdt_info *info, struct hd_err *err);

/* Writes the trace to out and flushes it. Each write is checked; the caller owns and closes out. */
enum hd_status hd_hdt_write(const struct hd_trace *t, FILE *out, struct hd_err *err);

/* The same with a chosen number of events in a chunk, 1 to HD_HDT_MAX_EVENTS: small chunks lose
 * less when a file is cut off, large ones pack better. */
enum hd_status hd_hdt_write_chunks(const struct hd_trace *t, FILE *out, uint32_t chunk_events,
                                   struct hd_err *err);

#endif
