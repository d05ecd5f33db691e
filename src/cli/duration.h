/* Durations on the command line: "90", "1.5s", "200ms", "10m", "2h". */
#ifndef HD_CLI_DURATION_H
#define HD_CLI_DURATION_H

#include "cli/cli.h"

#include <stdbool.h>
#include <stdint.h>

/* The value of --budget, as struct hd_predict_options wants it. NULL: what commands allow when
 * it was not given. False: usage error, already reported. */
bool hd_duration_budget(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *text,
                        double *seconds);
#define HD_CLI_BUDGET      300
#define HD_CLI_BUDGET_TEXT "5 minutes"

/* The value of an option that limits a time: "none" gives 0. False: as above. */
bool hd_duration_limit(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *option,
                       const char *text, double *seconds);

/* False when the text is not a duration. */
bool hd_duration_parse(const char *text, double *seconds);
/* Whole seconds, rounded up: for what counts in seconds. */
uint32_t hd_duration_seconds(double seconds);

#endif
