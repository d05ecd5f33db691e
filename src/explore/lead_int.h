/* What lead.c and warnings.c share. */
#ifndef HD_EXPLORE_LEAD_INT_H
#define HD_EXPLORE_LEAD_INT_H

#include "explore/lead.h"

/* Appends struct hd_warning, each with its candidates. */
void hd_lead_warnings(const struct hd_trace *t, struct hd_vec *warnings);

#endif
