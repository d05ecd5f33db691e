/* Atomicity violations and deadlocks for people and as JSON. */
#ifndef HD_CLI_SHOW_VIOLATION_H
#define HD_CLI_SHOW_VIOLATION_H

#include "base/json.h"
#include "cli/cli.h"
#include "predict/run/violations.h"

/* All of them, then what is undecided, then a line of figures. name: the trace. */
void hd_cli_show_violations(const struct hd_cli *cli, const char *name, const struct hd_trace *t,
                            const struct hd_violations *v);

/* "atomicity": [[c, r, c'], ...] or "deadlocks": [[...], ...]. */
void hd_cli_json_violations(struct hd_json *j, const struct hd_violations *v);

/* Elements for the arrays "undecided" and "witnesses", which the caller has begun. */
void hd_cli_json_open_goals(struct hd_json *j, const struct hd_violations *v);
void hd_cli_json_violation_witnesses(struct hd_json *j, const struct hd_trace *t,
                                     const struct hd_violations *v);

/* The figures, as one member of the object "properties". */
void hd_cli_json_violation_counts(struct hd_json *j, const struct hd_violations *v);

#endif
