/* The source around the steps of a schedule, so that a report can show where each thread is. */
#ifndef HD_REPORT_MAKE_STEPSOURCE_H
#define HD_REPORT_MAKE_STEPSOURCE_H

#include "report/make/source.h"

/* Sets f->sources from f->steps, essential ones only: pieces of files, by file and line, each with
 * the lines around a step. Places that a piece or the source of an access shows already need no
 * further one. */
void hd_stepsource_set(struct hd_report *r, struct hd_finding *f, struct hd_sources *s);

#endif
