/* Durations on the command line: "90", "1.5s", "200ms", "10m", "2h". */
#ifndef HD_CLI_DURATION_H
#define HD_CLI_DURATION_H

#include <stdbool.h>
#include <stdint.h>

/* False when the text is not a duration. */
bool hd_cli_duration(const char *text, double *seconds);
/* Whole seconds, rounded up: for what counts in seconds. */
uint32_t hd_cli_seconds(double seconds);

#endif
