/* What the commands share that run a program and report on it: `heddle run`, `heddle explore`. */
#ifndef HD_CLI_RUN_OPTIONS_H
#define HD_CLI_RUN_OPTIONS_H

#include "cli/cli.h"
#include "report/data/report.h"

/* The words of the command line, `before` of them before --. Source files are compiled into dir and
 * replaced by the program, whose path goes to `program`. *argc and *argv are the program and its
 * arguments afterwards, ended by NULL. */
enum hd_exit hd_run_options_program(const struct hd_cli *cli, const struct hd_cmd *cmd,
                                    const char *dir, const char *cflags, int before, int *argc,
                                    char ***argv, char *program, size_t size);

/* Where a report goes. */
struct hd_runs_output {
    const char *json;            /* file, or NULL; --json without a file is "-" until checked */
    struct hd_opt_files reports; /* files, by their endings */
    int format;                  /* enum hd_report_kind of what is printed */
    int rules;                   /* --gen-suppressions: 0 none, 1 of errors, 2 of all findings */
    bool full;                   /* --full-stacks */
    bool whole;                  /* --verbose */
};
/* Refuses endings that stand for no format, and two formats to print; --json alone is --format
 * json. */
enum hd_exit hd_run_options_check_output(const struct hd_cli *cli, const struct hd_cmd *cmd,
                                         struct hd_runs_output *out);
/* Once the folder of the run is there, and before the program runs: can all files be written? */
enum hd_exit hd_run_options_check_paths(const struct hd_cli *cli, const struct hd_runs_output *out);
/* Prints to the standard error, since the standard output is the program's, and writes the files;
 * the first failure counts. HD_EXIT_RACE when all went well and the report has errors. */
enum hd_exit hd_run_options_report(const struct hd_cli *cli, const struct hd_runs_output *out,
                                   struct hd_report *report);

#endif
