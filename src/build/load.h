/* Traces from files, recordings included: what everybody uses who may include this room. */
#ifndef HD_BUILD_LOAD_H
#define HD_BUILD_LOAD_H

#include "build/build.h"
#include "trace/trace_io.h"

/* As hd_trace_io_load_info. A recording is built into a trace; built, which may be NULL, is what
 * was found then (zeroed for other forms), and needs hd_build_info_fini in any case. */
enum hd_status hd_load_trace(const char *path, struct hd_trace **trace, struct hd_load_info *info,
                             struct hd_build_info *built, struct hd_err *err);
/* The same for a file that may be long; watch: see build.h. */
enum hd_status hd_load_watched(const char *path, const struct hd_build_watch *watch,
                               struct hd_trace **trace, struct hd_load_info *info,
                               struct hd_build_info *built, struct hd_err *err);

#endif
