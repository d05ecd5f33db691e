/* The other processes of a program: forked children, and programs that recorded ones became by
 * exec. Each has a log of its own (log/rt_log.h) and gets a recording beside the first one's.
 *
 * A process is named by the way to it from the first one: ".2.x.1" is the first child of the
 * program that the second child became.
 */
#ifndef HD_RECORD_FORKED_H
#define HD_RECORD_FORKED_H

#include "base/err.h"
#include "log/rt_log.h"
#include "recording/remarks.h"

/* logs: start of the names of their logs; these are removed. out: the recording of the first
 * process. The paths of the new recordings are added to recordings, parents first; what went wrong
 * is added to remarks, what they had from outside (enum hd_took) to *took. */
void hd_forked_keep(const char *logs, const char *out, bool all_events, struct hd_names *recordings,
                    struct hd_remarks *remarks, uint32_t *took);
/* What those recordings hold, for the user. */
void hd_forked_tell(const struct hd_names *recordings, struct hd_remarks *remarks);

/* A run whose logs are still there, and the mapped recording of its first process: puts that of
 * another process in its place (mapped; NULL when it cannot be had), and that one's header.
 * HD_ERR_LIMIT: there was no such process; HD_ERR_IO. */
enum hd_status hd_forked_read(const char *logs, const char *process, void **data, size_t *len,
                              struct hd_log_header *header, struct hd_err *err);

#endif
