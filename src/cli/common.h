/* What several trace commands do: load and say what is odd about the file, check, describe. */
#ifndef HD_CLI_COMMON_H
#define HD_CLI_COMMON_H

#include "base/json.h"
#include "cli/cli.h"
#include "log/rt_log.h"
#include "model/witness.h"
#include "trace/trace_io.h"
#include "trace/trace.h"

/* A progress line for a recording that is read: hd_cli_reading is the function of a struct
 * hd_build_watch, this its context. It begins with the first call. */
struct hd_cli_reading {
    const struct hd_cli *cli;
    const char *label, *hint; /* of the line */
    bool stops;               /* Ctrl-C ends the reading: it is caught meanwhile */
    bool begun;
    struct hd_progress progress;
};
void hd_cli_reading(void *ctx, uint64_t done, uint64_t total);
void hd_cli_reading_end(struct hd_cli_reading *r);

/* Loads a trace ("-": standard input). Warns when the file was cut short. On failure the reason is
 * on stderr, *code is set and the result is NULL. The caller frees the trace. */
struct hd_trace *hd_common_load(const struct hd_cli *cli, const char *path, enum hd_exit *code);
/* The same; *whole is false when the trace is known to be a part of what ran. Not 0: it is read for
 * an analysis that may take so many seconds (negative: as long as it takes), and cut where half of
 * them or half of the memory is used up. */
struct hd_trace *hd_common_load_whole(const struct hd_cli *cli, const char *path, double seconds,
                                      bool *whole, enum hd_exit *code);

/* Judges the order of a loaded trace. False, with the reason (and the line of the event when the
 * input was text) on stderr, when it is not possible. */
bool hd_common_check(const struct hd_cli *cli, const char *path, const struct hd_trace *t);

/* The format for an output: the one chosen with --to (-1: none), else by the suffix; text for "-".
 * False, with a usage error on stderr, when neither is given. */
bool hd_common_out_format(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *path,
                          int chosen, enum hd_format *format);

/* Saves a trace ("-": standard output). A failure to write stdout is left to hd_cli_finish. */
enum hd_exit hd_common_save(const struct hd_cli *cli, const struct hd_trace *t, const char *path,
                            enum hd_format format);

/* How messages and results name an input: "-" is "<stdin>". */
const char *hd_common_input_name(const char *path);

/* "17 events, 2 threads": n and its noun, with an s unless n is 1. The text is one of a few static
 * buffers in turn; use it at once. */
const char *hd_common_plural(uint64_t n, const char *noun);

/* The "trace" object of docs/MODEL.md section 6, key included. */
void hd_common_json_trace(struct hd_json *j, const struct hd_trace *t);

/* Writes a witness as DIR/witness-A-B.json, or witness-PROPERTY-A-B-....json, with the way to the
 * file of its trace; DIR is made if it is missing. On failure the reason is on stderr and the exit
 * code for it is returned. */
enum hd_exit hd_common_save_witness(const struct hd_cli *cli, const char *dir, const char *trace,
                                    const struct hd_trace *t, const struct hd_witness *w);

/* Adds the properties named in a list ("race,deadlock") to a set of 1 << enum hd_property. False: a
 * name is unknown (reported). */
bool hd_common_properties(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *list,
                          unsigned *properties);

/* What --policy offers, and the policy of a choice. */
#define HD_CLI_POLICY_NAME(kind, name, number) #name
#define HD_CLI_POLICIES                        HD_POLICIES_CHOSEN(HD_CLI_POLICY_NAME, "|")
enum hd_policy_kind hd_common_policy(int choice);

/* Words that follow the first "--"; before hd_cli_parse. */
int hd_common_words_after(int argc, char **argv);

/* Ends as a program with this status (of waitpid) ended: by its exit code, or by its signal. */
enum hd_exit hd_common_end_like(int wait_status);

#endif
