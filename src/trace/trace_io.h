/* Traces from and to files: the one door for every command.
 *
 * Loading finds the form by content, never by name: .hdt, text, and both inside zstd or gzip.
 * Saving to a regular file is all or nothing: a temporary name beside the target, fsync, rename;
 * when anything fails the temporary is removed and an old file is left as it was. Devices and pipes
 * are written in place.
 */
#ifndef HD_TRACE_TRACE_IO_H
#define HD_TRACE_TRACE_IO_H

#include "base/err.h"
#include "base/stop.h"
#include "trace/pack.h"
#include "trace/trace.h"

#include <stdbool.h>

enum hd_format { HD_FORMAT_TEXT, HD_FORMAT_STD, HD_FORMAT_HDT, HD_FORMAT_OTHER };

struct hd_load_info {
    enum hd_format format; /* TEXT, HDT or OTHER: plain STD is text */
    enum hd_packing pack;  /* how it was packed outside */
    bool truncated;        /* an .hdt cut short: the trace is the part that is whole */
    enum hd_stop cut; /* TIME or MEMORY: reading stopped there, and the trace is what came before.
                         Only where a scope with such a bound is open. */
    uint64_t bytes;   /* size of the input as it was stored */
};

/* Loads a trace; path "-" is standard input. HD_ERR_IO when the system refuses, HD_ERR_INPUT or
 * HD_ERR_LIMIT with file and line when the content does, HD_ERR_STOPPED when a scope of base/stop.h
 * reports that the user asked for it. The caller frees the trace. info may be
 * NULL; hd_trace_io_load does not return whether a file was cut short, so commands use the other
 * and warn.
 */
enum hd_status hd_trace_io_load(const char *path, struct hd_trace **trace, struct hd_err *err);
enum hd_status hd_trace_io_load_info(const char *path, struct hd_trace **trace,
                                     struct hd_load_info *info, struct hd_err *err);

/* A form that this room does not know: is() judges the first bytes, read() makes the trace of the
 * whole. mapped: data is the file's, mapped to be read only. */
struct hd_form {
    bool (*is)(const char *data, size_t len);
    enum hd_status (*read)(void *ctx, const char *name, const char *data, size_t len, bool mapped,
                           struct hd_trace **trace, struct hd_err *err);
    void *ctx;
};

/* The same as hd_trace_io_load_info, for one more form. other may be NULL. */
enum hd_status hd_trace_io_load_form(const char *path, const struct hd_form *other,
                                     struct hd_trace **trace, struct hd_load_info *info,
                                     struct hd_err *err);

/* Saves a trace; path "-" is standard output. A suffix .zst or .gz packs it. HD_ERR_INPUT when the
 * form cannot say the trace, HD_ERR_IO with the path and the reason in the text when the system
 * refuses. */
enum hd_status hd_trace_io_save(const struct hd_trace *t, const char *path, enum hd_format format,
                                struct hd_err *err);

/* The form that a file name asks for, looking through .zst and .gz: .hdt, .std, .txt or .trace
 * (text). Returns false when the suffix is none of these. */
bool hd_format_by_suffix(const char *path, enum hd_format *format);

#endif
