/* The best name for a location: from the names at the accesses (details.h of drive/), the trace's
 * own name for it, and the origin of its heap block. */
#ifndef HD_REPORT_MAKE_VARIABLE_H
#define HD_REPORT_MAKE_VARIABLE_H

#include "build/details.h"
#include "report/data/report.h"

struct hd_variable {
    const char *name;     /* "queue.head", "heap block (64 bytes) from queue.c:33" */
    const char *location; /* "global", "local of main", "heap block (64 bytes) from queue.c:33" */
    const char *stable;   /* a name without line numbers, for ids */
};

/* events: accesses to one location. Texts live in the report. d may be NULL. */
void hd_variable_of(struct hd_report *r, const struct hd_trace *t, const struct hd_details *d,
                    const hd_eid *events, size_t n, struct hd_variable *out);

#endif
