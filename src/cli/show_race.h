/* A race for people: the two accesses, why nothing orders them, and the schedule, a line for each
 * stretch of one thread. At most 80 columns, as far as names allow. */
#ifndef HD_CLI_SHOW_RACE_H
#define HD_CLI_SHOW_RACE_H

#include "cli/cli.h"
#include "predict/predict.h"

/* number: its place in the report, from 1. */
void hd_cli_show_race(const struct hd_cli *cli, const struct hd_trace *t,
                      const struct hd_race *race, size_t number);

#endif
