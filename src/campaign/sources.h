/* What units a campaign has: each function adds those of one source to a plan. Units that a source
 * cannot give (a test that is not instrumented) are named in `left_out`, for the user. */
#ifndef HD_CAMPAIGN_SOURCES_H
#define HD_CAMPAIGN_SOURCES_H

#include "campaign/unitplan.h"

struct hd_source_options {
    struct hd_unitplan *plan;
    uint64_t runs;            /* units of each test */
    uint64_t seed;            /* of the first */
    int policy;               /* enum hd_policy_kind, or -1: fifo, sync, then pct and random */
    uint64_t steps, quantum;  /* of pct and random; 0: several in turn */
    struct hd_texts options;  /* words for heddle behind the command */
    uint64_t explore, hunt;   /* a search in so many parts instead of runs; 0: none */
    uint64_t executions;      /* of each part of a search; 0: no limit */
    const char *strategy;     /* of explore: "pct", "random", "dpor" or "guided" */
    struct hd_texts left_out; /* result: sentences */
};

/* HD_ERR_INPUT: a file cannot be read, or a program is not there. */

/* One program and its arguments, run where we are. */
enum hd_status hd_source_program(struct hd_source_options *o, char **argv, struct hd_err *err);
/* Each line of a file is a command; # begins a comment. */
enum hd_status hd_source_tests(struct hd_source_options *o, const char *path, struct hd_err *err);
/* Each test of a CMake build folder, as ctest lists them. */
enum hd_status hd_source_ctest(struct hd_source_options *o, const char *build, struct hd_err *err);
/* The program with each file of a folder: in place of @@ in its arguments, or as its standard
 * input.
 */
enum hd_status hd_source_inputs(struct hd_source_options *o, const char *folder, char **argv,
                                struct hd_err *err);
/* One trace, its candidates divided into so many parts. */
enum hd_status hd_source_shards(struct hd_source_options *o, const char *trace, uint64_t shards,
                                struct hd_err *err);

/* Shared by the sources: adds the units of one test, whose test, program, environment and folder
 * are set. HD_ERR_INPUT: the program is not there or cannot be read. */
enum hd_status hd_source_add(struct hd_source_options *o, struct hd_unit *test, struct hd_err *err);

/* Splits a line into words as a shell does: blanks, quotes, backslashes; nothing else means
 * anything. The rest of the line behind a word that begins with # is a comment. NULL, or what is
 * wrong. */
const char *hd_source_words(struct hd_unitplan *p, const char *line, struct hd_texts *words);

#endif
