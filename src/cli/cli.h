/* The frame of the command line: what a command is, how it ends, how it speaks.
 *
 * A command is one file, cmd_<name>.c, with its option table, its own struct of option values and
 * its run function: parse, call one room, print. Results go to stdout, everything else to stderr.
 * Help, shell completion and the check of the manual pages are made from the tables, so an option
 * exists in one place only.
 */
#ifndef HD_CLI_CLI_H
#define HD_CLI_CLI_H

#include "base/err.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "base/term.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes; documented in docs/man/heddle.1.md. A race never shares its code with a failure. */
enum hd_exit {
    HD_EXIT_OK = 0,           /* done; nothing found */
    HD_EXIT_USAGE = 2,        /* the command line is wrong */
    HD_EXIT_INPUT = 3,        /* an input cannot be read, is malformed or is inconsistent */
    HD_EXIT_TOOL = 4,         /* the tool could not do its work: disk full, out of memory, a bug */
    HD_EXIT_UNDECIDED = 5,    /* nothing found, but something was left undecided or is missing */
    HD_EXIT_DIVERGED = 6,     /* a replay diverged or did not confirm */
    HD_EXIT_RACE = 66,        /* a race was found */
    HD_EXIT_UNSUPPORTED = 77, /* this machine lacks something that is needed */
};

enum hd_opt_type {
    HD_OPT_FLAG,  /* bool, no argument */
    HD_OPT_TEXT,  /* const char * */
    HD_OPT_FILE,  /* const char *, completed as a file name */
    HD_OPT_FILES, /* struct hd_opt_files: the same, may be repeated */
    HD_OPT_COUNT, /* uint64_t: decimal or 0x hexadecimal, k, M and G multiply by 10^3, 10^6, 10^9 */
    HD_OPT_TIME,  /* double, seconds: 90, 1.5s, 200ms, 10m, 2h; min 1: 0 is refused */
    HD_OPT_RESULT, /* const char *: --name is "-", --name=FILE is FILE; never takes the next word */
    HD_OPT_CHOICE, /* int: index into the words of `choices` */
};

struct hd_opt {
    char letter;      /* short form, or 0 */
    const char *name; /* long form without dashes; NULL ends a table */
    enum hd_opt_type type;
    size_t offset;       /* of its variable in the command's struct of values */
    const char *arg;     /* what help calls the argument: "N", "FILE"; NULL for flags */
    const char *help;    /* one sentence, no full stop */
    const char *choices; /* "auto|always|never" */
    uint64_t min, max;   /* COUNT; max 0 means no upper bound */
};

#define HD_OPT_MAX_FILES 64
struct hd_opt_files {
    const char *items[HD_OPT_MAX_FILES];
    unsigned n;
};

struct hd_cli {
    bool quiet;
    int color; /* enum hd_color */
    bool color_out, color_err;
    bool keep_all; /* of recordings that are read: see build/build.h */
    bool lenient;  /* of traces without wait(): see trace/assume_waits.h */
};

struct hd_cmd {
    const char *name;                 /* "check" */
    const char *path;                 /* "trace check" */
    const char *summary;              /* one line, no full stop, at most 50 characters */
    const char *args;                 /* "FILE", "IN OUT", "" */
    const char *detail;               /* paragraphs for `heddle help` */
    const struct hd_opt *options;     /* ends with a NULL name; NULL when there are none */
    const struct hd_cmd *const *subs; /* ends with NULL; NULL when it is not a group */
    int min_args, max_args;
    enum hd_exit (*run)(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv);
};

extern const struct hd_cmd hd_cmd_root; /* its subs are the verbs */

/* Runs a group: finds the subcommand in argv[0] and runs it, or explains what is wrong. */
enum hd_exit hd_cli_run_group(struct hd_cli *cli, const struct hd_cmd *group, int argc,
                              char **argv);

/* Parses options and positional arguments: argv holds what follows the command's name. Values land
 * in the struct at `values`, which holds the defaults before. On true, *argc and argv are the
 * positional arguments, in order. On false the command returns *code at once: help was asked for
 * and printed, or the usage was wrong and the reason is on stderr. */
bool hd_cli_parse(struct hd_cli *cli, const struct hd_cmd *cmd, void *values, int *argc,
                  char **argv, enum hd_exit *code);

/* The options that every command has (--help, --quiet, --color). Their values are in struct hd_cli.
 */
extern const struct hd_opt hd_cli_common_options[];

/* Texts that a program or a file brings along: nothing in them acts on the terminal. Lines stay
 * lines. Our own styles go out by themselves. */
void hd_cli_print(FILE *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Messages on stderr. Each ends the line itself. */
void hd_cli_error(const struct hd_cli *cli, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
enum hd_exit hd_cli_usage(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *fmt, ...)
    __attribute__((format(printf, 3, 4))); /* returns HD_EXIT_USAGE */
/* Prints err ("heddle: file:line: reason") and returns the exit code for it. */
enum hd_exit hd_cli_fail_input(const struct hd_cli *cli, const struct hd_err *err);
enum hd_exit hd_cli_fail_output(const struct hd_cli *cli, const struct hd_err *err);

/* A progress line that obeys --quiet and the terminal. */
void hd_cli_progress(const struct hd_cli *cli, struct hd_progress *p, const char *label,
                     const char *unit, uint64_t total);

/* Where the result goes: --json prints JSON instead of text, --json=FILE writes it to a file beside
 * the text. */
#define HD_OPTION_JSON(member)                                                                     \
    {                                                                                              \
        0, "json", HD_OPT_RESULT, offsetof(struct values, member), "FILE",                         \
            "Print JSON instead of text; with =FILE, write it there beside the text", NULL, 0, 0   \
    }
struct hd_cli_json {
    FILE *out; /* NULL: no JSON */
    bool text; /* text on stdout */
    struct hd_outfile file;
};
/* path: the option's value, NULL when it was not given. HD_EXIT_OK, or the file cannot be opened
 * and the reason is on stderr. To be ended in both cases. */
enum hd_exit hd_cli_json_begin(const struct hd_cli *cli, const char *path, struct hd_cli_json *j);
/* Ends the last line; a file appears if code means that the work was done. Returns code, or
 * HD_EXIT_TOOL when the file cannot be written. */
enum hd_exit hd_cli_json_end(const struct hd_cli *cli, struct hd_cli_json *j, enum hd_exit code);

/* Flushes stdout. A reader that went away is not an error; a full disk turns code into
 * HD_EXIT_TOOL. */
enum hd_exit hd_cli_finish(const struct hd_cli *cli, enum hd_exit code);

/* help.c: full help of a command on stdout; the one-screen help of the tool for the root. */
void hd_cli_print_help(const struct hd_cmd *cmd);

/* The first subcommand called `name`, or NULL. */
const struct hd_cmd *hd_cli_find(const struct hd_cmd *group, const char *name);

/* buildid.c: the linker's build id of this program in hexadecimal, or "" when it has none. */
const char *hd_cli_build_id(void);

#endif
