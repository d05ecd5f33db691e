/* What users of OpenMP do about a race: clauses and directives, named with their places. */
#ifndef HD_REPORT_MAKE_OPENMP_ADVICE_H
#define HD_REPORT_MAKE_OPENMP_ADVICE_H

#include "report/make/source.h"

/* Sets advice_text and adds to the location of a race between two accesses that both lie in OpenMP
 * constructs; else nothing. May be called again when the name of the variable has become better. */
void hd_openmp_advice_set(struct hd_report *r, struct hd_sources *s, struct hd_finding *f);

#endif
