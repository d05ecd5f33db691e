/* Recordings of the other processes of a program: forked children, and programs that recorded ones
 * became by exec. Each gets a file beside the first one's. */
#ifndef HD_DRIVE_FAMILY_H
#define HD_DRIVE_FAMILY_H

#include "base/names.h"

/* logs: start of the names of their logs (heddle/rt_log.h); these are removed. out: the recording
 * of the first process. What there is, and what went wrong, is added to notes. */
void hd_family_keep(const char *logs, const char *out, struct hd_names *notes);

#endif
