/* Ids of findings that stay the same when lines move, files are renamed or threads come in another
 * order: a hash of the variable and of the unordered set of accesses, each with its function, the
 * text of its line without spaces and its kind; of equal lines in one function, which one it is, so
 * that two races are never taken for one. Stable across machines and versions of Heddle: the
 * hash is part of the format of reports.
 */
#ifndef HD_REPORT_DATA_ID_H
#define HD_REPORT_DATA_ID_H

#include "report/make/source.h"

/* Sets f->id and f->fingerprint from f->property, f->variable and f->accesses. `stable_variable`
 * is the variable's name without line numbers. */
void hd_id_set(struct hd_report *r, struct hd_finding *f, const char *stable_variable,
               struct hd_sources *s);

#endif
