/* --pairs-from FILE: warnings of another tool, answered one by one, for traces and for searches. */
#ifndef HD_CLI_PAIRS_FROM_H
#define HD_CLI_PAIRS_FROM_H

#include "base/json.h"
#include "cli/cli.h"
#include "report/data/report.h"
#include "session/answers.h"

/* HD_EXIT_OK, or the error was reported. The caller ends the list in any case. */
enum hd_exit hd_pairs_from_read(const struct hd_cli *cli, const char *path,
                                struct hd_warned_pairs *pairs);

void hd_pairs_from_print(const struct hd_warned_pairs *pairs, const struct hd_vec *answers,
                         const char *file);
void hd_pairs_from_json(struct hd_json *j, const struct hd_warned_pairs *pairs,
                        const struct hd_vec *answers);

/* Prints which of the pairs a search has found. complete: it ran every schedule. True: none is left
 * open. */
bool hd_pairs_from_report(const struct hd_cli *cli, const struct hd_warned_pairs *pairs,
                          const struct hd_report *r, bool complete);

#endif
