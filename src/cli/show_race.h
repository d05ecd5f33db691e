/* Parts of a race for people: the two accesses, why nothing orders them, and the schedule, a line
 * for each stretch of one thread. At most 80 columns, as far as names allow. */
#ifndef HD_CLI_SHOW_RACE_H
#define HD_CLI_SHOW_RACE_H

#include "cli/cli.h"
#include "predict/run/predict.h"

/* One access on a line: kind, thread, place, locks held. */
void hd_show_race_access(const struct hd_trace *t, hd_eid e);

/* The locks that the thread of e holds just before e, without a newline. */
void hd_show_race_locks(const struct hd_trace *t, hd_eid e);

/* The schedule of a witness of any property, with what it leads to. Requires w->n > 0. */
void hd_show_race_schedule(const struct hd_cli *cli, const struct hd_trace *t,
                           const struct hd_witness *w);

/* The two accesses and why they race. number: its place in the report, from 1. Requires the long
 * form of the witness. */
void hd_show_race(const struct hd_cli *cli, const struct hd_trace *t,
                  const struct hd_predicted *race, size_t number);

/* One race is shown for two places: which other variables they touch. */
void hd_show_race_others(const struct hd_trace *t, const struct hd_predicted *race);

/* A race on one line. */
void hd_show_race_line(const struct hd_trace *t, const struct hd_predicted *race, size_t number);

#endif
