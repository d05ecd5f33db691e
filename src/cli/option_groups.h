/* Options that several commands have: rows of an option table, with one name, type and text
 * everywhere. Each macro takes the member of the command's `struct values`. */
#ifndef HD_CLI_OPTION_GROUPS_H
#define HD_CLI_OPTION_GROUPS_H

#include "cli/cli.h"
#include "report/format/formats.h"

/* clang-format off */

#define HD_OPTION_JOBS(member)                                                                     \
    {'j', "jobs", HD_OPT_COUNT, offsetof(struct values, member), "N", "Use N cores (all)", NULL,   \
     1, 1024}

/* ---- the program that runs ---- */

/* Runs of a program that uses files or ports may disturb each other, so this is not --jobs. */
#define HD_OPTION_AT_ONCE(member)                                                                  \
    {0, "at-once", HD_OPT_COUNT, offsetof(struct values, member), "N",                             \
     "Let N runs of the program go on at the same time (1)", NULL, 1, 256}

#define HD_OPTION_EXIT_STEPS(member)                                                               \
    {0, "exit-steps", HD_OPT_COUNT, offsetof(struct values, member), "N",                          \
     "Threads that can still run when the process ends do N steps first (50000)", NULL, 0, 0}
#define HD_OPTION_KEEP_ALL_EVENTS(member)                                                          \
    {0, "keep-all-events", HD_OPT_FLAG, offsetof(struct values, member), NULL,                     \
     "Accesses to memory that threads do not share are events, too", NULL, 0, 0}
#define HD_OPTION_PRELOAD(member)                                                                  \
    {0, "preload", HD_OPT_FLAG, offsetof(struct values, member), NULL,                             \
     "The program itself is not linked with heddle cc: load the runtime first", NULL, 0, 0}
#define HD_OPTION_DEPTH(member)                                                                    \
    {0, "depth", HD_OPT_COUNT, offsetof(struct values, member), "N",                               \
     "pct: number of priority changes plus one (3)", NULL, 1, 64}
#define HD_OPTION_CFLAGS(member)                                                                   \
    {0, "cflags", HD_OPT_TEXT, offsetof(struct values, member), "FLAGS",                           \
     "Flags for the compiler, separated by spaces", NULL, 0, 0}

/* ---- what is found and what counts ---- */

#define HD_OPTION_PROPERTY(member)                                                                 \
    {0, "property", HD_OPT_TEXT, offsetof(struct values, member), "LIST",                          \
     "What to look for: race, deadlock, atomicity (race,deadlock)", NULL, 0, 0}
#define HD_OPTION_SC(member)                                                                       \
    {0, "sc", HD_OPT_FLAG, offsetof(struct values, member), NULL,                                  \
     "Take every atomic operation as seq_cst: no unordered races", NULL, 0, 0}
#define HD_OPTION_PAIRS_FROM(member)                                                               \
    {0, "pairs-from", HD_OPT_FILE, offsetof(struct values, member), "FILE",                        \
     "Answer the warnings of another tool: TSan, Helgrind, SARIF, file:line", NULL, 0, 0}
#define HD_OPTION_TIMES(member)                                                                    \
    {'t', "times", HD_OPT_COUNT, offsetof(struct values, member), "N",                             \
     "Replay each order of each finding N times (3); 0 predicts only", NULL, 0, 1000000}
#define HD_OPTION_CONFIRMED_ONLY(member)                                                           \
    {0, "confirmed-only", HD_OPT_FLAG, offsetof(struct values, member), NULL,                      \
     "What is predicted and not confirmed is no error", NULL, 0, 0}
#define HD_OPTION_ALLOW_UNDECIDED(member)                                                          \
    {0, "allow-undecided", HD_OPT_FLAG, offsetof(struct values, member), NULL,                     \
     "Do not exit 5 when nothing is found but something is undecided or cut", NULL, 0, 0}
#define HD_OPTION_SUPPRESSIONS(member)                                                             \
    {'s', "suppressions", HD_OPT_FILES, offsetof(struct values, member), "FILE",                   \
     "Hide findings that the rules in FILE name; may be repeated", NULL, 0, 0}
#define HD_OPTION_BASELINE(member)                                                                 \
    {0, "baseline", HD_OPT_FILE, offsetof(struct values, member), "FILE",                          \
     "Findings of this report.json are known and no error", NULL, 0, 0}

/* ---- the report; `output` is a struct hd_runs_output ---- */

#define HD_OPTION_FULL_STACKS(member)                                                              \
    {0, "full-stacks", HD_OPT_FLAG, offsetof(struct values, member), NULL,                         \
     "Show the frames of libraries, too", NULL, 0, 0}
#define HD_OPTION_WHOLE(member)                                                                    \
    {'v', "verbose", HD_OPT_FLAG, offsetof(struct values, member), NULL,                           \
     "Print all about each finding, not ten lines", NULL, 0, 0}
#define HD_OPTIONS_REPORT(output)                                                                  \
    {0, "gen-suppressions", HD_OPT_CHOICE, offsetof(struct values, output.rules), "WHICH",         \
     "Print rules that hide findings: no (none), errors (the new confirmed) or all",               \
     "no|errors|all", 0, 0},                                                                       \
    HD_OPTION_JSON(output.json),                                                                   \
    {'f', "format", HD_OPT_CHOICE, offsetof(struct values, output.format), "FORMAT",               \
     "Print the report in this format", HD_FORMAT_NAMES, 0, 0},                                    \
    HD_OPTION_FULL_STACKS(output.full),                                                            \
    HD_OPTION_WHOLE(output.whole),                                                                 \
    {'r', "report", HD_OPT_FILES, offsetof(struct values, output.reports), "FILE",                 \
     "Write the report to FILE, too, as its ending says; may be repeated", NULL, 0, 0}

/* clang-format on */

#endif
