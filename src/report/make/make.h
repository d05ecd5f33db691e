/* From witnesses of one trace to findings: names, places, locks, stacks of one frame, schedules,
 * source lines, ids. What a replay found out is added later (session.h of cli/).
 *
 * First every witness is announced, then the trace is walked once, then findings are made.
 */
#ifndef HD_REPORT_MAKE_MAKE_H
#define HD_REPORT_MAKE_MAKE_H

#include "build/build.h"
#include "model/witness.h"
#include "report/make/source.h"

struct hd_maker;

/* Report, trace and sources must outlive it. */
struct hd_maker *hd_maker_new(struct hd_report *r, const struct hd_trace *t, struct hd_sources *s);
void hd_maker_free(struct hd_maker *m); /* NULL is fine */
void hd_maker_announce(struct hd_maker *m, const struct hd_witness *w);
void hd_maker_walk(struct hd_maker *m);
/* What a race is on, as its finding will call it; "": not known. */
const char *hd_maker_variable(struct hd_maker *m, const struct hd_witness *w);
/* A finding with status predicted and no reason yet; witness, trace and input are left NULL. */
void hd_maker_finding(struct hd_maker *m, const struct hd_witness *w, struct hd_finding *f);

/* The deadlock that the recorded run itself came to: status observed. */
void hd_make_stuck(struct hd_report *r, const struct hd_build_info *info, struct hd_sources *s,
                   struct hd_finding *f);

/* "dir/file.c:12" is file and line; anything else names code without lines. */
struct hd_spot hd_make_spot(struct hd_report *r, const char *place);

/* A pair that follows from a race (docs/MODEL.md section 8), in words. */
const char *hd_maker_follow(struct hd_maker *m, const struct hd_witness *w);

#endif
