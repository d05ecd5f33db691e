/* heddle tutorial: from a flaky test to its fix, with the real commands in a folder of its own. */
#include "cli/cmds.h"

#include "base/process.h"
#include "cli/cc.h"
#include "cli/tutorial_assets.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct values {
    const char *dir;
    bool no_wait;
};

static const struct hd_opt options[] = {
    {0, "dir", HD_OPT_FILE, offsetof(struct values, dir), "DIR",
     "Work in this new folder (heddle-tutorial)", NULL, 0, 0},
    {0, "no-wait", HD_OPT_FLAG, offsetof(struct values, no_wait), NULL,
     "Do not wait for Enter before each command", NULL, 0, 0},
    {0, NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

#define GDB_COMMANDS "gdb-commands"

static const struct {
    const char *name;
    const unsigned char *text;
} files[] = {
    {"flaky_test.c", hd_asset_flaky},
    {"flaky_test_fixed.c", hd_asset_fixed},
    {GDB_COMMANDS, (const unsigned char *)"print left\nheddle-other\ncontinue\nquit\n"},
};

struct step {
    const char *title, *text;
    const char
        *words[8];     /* of the command; as no caller needs to quote them they are shown as such */
    const char *input; /* file for its standard input, or NULL */
    const char *needs; /* a program without which the step is only told, or NULL */
    int codes[2];      /* exit codes that fit the text */
};

static const struct step steps[] = {
    {"A flaky test",
     "Two threads sell a ticket each. The test fails now and then, and no one\n"
     "knows why. Can you see it?\n",
     {"cat", "flaky_test.c"},
     NULL,
     NULL,
     {0, 0}},
    {"Compile it",
     "'heddle cc' is clang that also prepares the program for recording. It takes\n"
     "the same options; in a Makefile, set CC=\"heddle cc\".\n",
     {"heddle", "cc", "-g", "flaky_test.c", "-o", "flaky_test", "-pthread"},
     NULL,
     NULL,
     {0, 0}},
    {"Run the test",
     "The program still runs as before. It passes nearly always.\n",
     {"./flaky_test"},
     NULL,
     NULL,
     {0, 1}},
    {"Find the race",
     "Heddle records a few runs, works out which other orders of the threads are\n"
     "possible, and tries the races that it finds there. The test may pass in every\n"
     "recorded run. Exit code 66 says that there is a race.\n",
     {"heddle", "run", "--", "./flaky_test"},
     NULL,
     NULL,
     {66, 66}},
    {"All about it",
     "'Schedule' is the order of the threads that leads to the race, 'Effect' is\n"
     "what happens then: in one of the two orders the test fails. Both threads read\n"
     "10, both write 9, and one sale is lost.\n",
     {"heddle", "show"},
     NULL,
     NULL,
     {0, 0}},
    {"Replay it",
     "The failure is no longer a matter of luck. A replay runs the test under the\n"
     "schedule, once for each order of the two accesses. It ends with 66 when the\n"
     "race was there again.\n",
     {"heddle", "replay"},
     NULL,
     NULL,
     {66, 66}},
    {"Look at it in gdb",
     "gdb stops where both threads stand before their accesses. The file\n"
     "'" GDB_COMMANDS "' holds what is typed there: 'print left', 'heddle-other' (let\n"
     "the other thread go first), 'continue', 'quit'. The test will fail. To type\n"
     "commands yourself, leave out '< " GDB_COMMANDS "'.\n",
     {"heddle", "replay", "--gdb"},
     GDB_COMMANDS,
     "gdb",
     {0, 0}},
    {"The fix",
     "'sold' is counted under the lock, 'left' was not. The corrected test counts\n"
     "both there. (diff ends with 1 when files differ.)\n",
     {"diff", "-u", "flaky_test.c", "flaky_test_fixed.c"},
     NULL,
     NULL,
     {1, 1}},
    {"The empty report",
     "'heddle run' also takes a source file and compiles it. Exit code 0: no race in\n"
     "any order of what these runs did, and nothing left undecided.\n",
     {"heddle", "run", "flaky_test_fixed.c"},
     NULL,
     NULL,
     {0, 0}},
};
enum { STEPS = sizeof steps / sizeof *steps };

static enum hd_exit check_compiler(const struct hd_cli *cli)
{
    char lib_dir[PATH_MAX] = "";
    struct hd_cc_clang clang;
    const char *reason = "";
    hd_cc_find_lib_dir(lib_dir, sizeof lib_dir);
    if (hd_cc_find_clang(lib_dir, false, &clang, &reason))
        return HD_EXIT_OK;
    hd_cli_error(cli, "%s", reason);
    return HD_EXIT_UNSUPPORTED;
}

/* Makes the folder with its files, and goes there. */
static enum hd_exit enter_folder(const struct hd_cli *cli, const char *dir)
{
    struct hd_outfile out;
    struct hd_err err = {0};
    bool made = mkdir(dir, 0777) == 0;
    if (!made && errno == EEXIST) {
        hd_cli_error(cli, "'%s' is there already: remove it, or choose a new folder with --dir",
                     dir);
        return HD_EXIT_INPUT;
    }
    if (!made || chdir(dir) != 0) {
        hd_cli_error(cli, "cannot make the folder '%s': %s", dir, strerror(errno));
        return HD_EXIT_TOOL;
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        if (hd_outfile_open(files[i].name, &out, &err) != HD_OK)
            return hd_cli_fail_output(cli, &err);
        fputs((const char *)files[i].text, out.file);
        if (hd_outfile_commit(&out, &err) != HD_OK)
            return hd_cli_fail_output(cli, &err);
    }
    return HD_EXIT_OK;
}

static void print_intro(const char *dir)
{
    char path[PATH_MAX];
    printf("This tutorial takes five minutes: %d commands, from a flaky test to its fix.\n"
           "Each one is run for you; to repeat it yourself, in another terminal:\n\n",
           STEPS);
    hd_cli_print(stdout, "    cd %s\n", dir);
    if (!hd_cc_find_program("heddle", path, sizeof path) && realpath("/proc/self/exe", path))
        hd_cli_print(stdout, "\n'heddle' is not in your PATH; it stands for\n    %s\n", path);
}

static void print_command(FILE *out, const struct step *s)
{
    for (const char *const *word = s->words; *word; word++)
        fprintf(out, "%s%s", word == s->words ? "" : " ", *word);
    if (s->input)
        fprintf(out, " < %s", s->input);
}

/* False: the user has had enough. */
static bool wait_for_enter(void)
{
    int c, first = 0;
    printf("\n[Enter runs it, q ends] ");
    fflush(stdout);
    while ((c = getchar()) != '\n' && c != EOF)
        first = first ? first : c;
    if (c == EOF)
        putchar('\n');
    return c != EOF && first != 'q' && first != 'Q';
}

/* Runs the command of a step; its exit code, -1 when it has none (told). Tied: Ctrl-C ends the
 * tutorial, and nothing of it goes on. */
static int run_command(const struct hd_cli *cli, const struct step *s)
{
    struct hd_err err = {0};
    pid_t pid;
    int input = open(s->input ? s->input : "/dev/null", O_RDONLY | O_CLOEXEC);
    const struct hd_process_fd fd = {input, 0};
    const struct hd_process p = {.file = strcmp(s->words[0], "heddle") != 0 ? s->words[0]
                                                                            : "/proc/self/exe",
                                 .argv = (char *const *)(uintptr_t)s->words, /* stays as it is */
                                 .fds = &fd,
                                 .n_fds = 1,
                                 .tied = true};
    enum hd_status started = hd_process_start(&p, &pid, &err);
    if (input >= 0)
        close(input);
    if (started != HD_OK) {
        hd_cli_error(cli, "%s: %s", s->words[0], err.text);
        return -1;
    }
    int status = hd_process_wait(pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static enum hd_exit check_code(const struct hd_cli *cli, int number, int code)
{
    const struct step *s = &steps[number - 1];
    if (code == s->codes[0] || code == s->codes[1])
        return HD_EXIT_OK;
    if (code == HD_EXIT_UNSUPPORTED) /* it said what is missing */
        return HD_EXIT_UNSUPPORTED;
    if (code < 0)
        hd_cli_error(cli, "step %d (%s) did not come to its end", number, s->title);
    else
        hd_cli_error(cli, "step %d (%s) ended with %d, not %d as it should: try 'heddle doctor'",
                     number, s->title, code, s->codes[0]);
    return HD_EXIT_TOOL;
}

/* *ended: the user does not want to go on. */
static enum hd_exit take_step(const struct hd_cli *cli, int number, bool waits, bool *ended)
{
    const struct step *s = &steps[number - 1];
    char path[PATH_MAX];
    printf("\n%s== %d of %d: %s ==%s\n\n%s\n    ", hd_term_style(cli->color_out, HD_STYLE_BOLD),
           number, STEPS, s->title, hd_term_style(cli->color_out, HD_STYLE_PLAIN), s->text);
    print_command(stdout, s);
    printf("\n");
    if (s->needs && !hd_cc_find_program(s->needs, path, sizeof path)) {
        printf("\n%s is not installed here: this step is left out.\n", s->needs);
        return HD_EXIT_OK;
    }
    if (waits && !wait_for_enter()) {
        *ended = true;
        return HD_EXIT_OK;
    }
    printf("\n");
    int code = run_command(cli, s);
    if (code >= 0)
        printf("%s[exit code %d]\n", s->input ? "\n" : "", code);
    return check_code(cli, number, code);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.dir = "heddle-tutorial"};
    enum hd_exit code;
    bool ended = false;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = check_compiler(cli);
    if (code == HD_EXIT_OK)
        code = enter_folder(cli, v.dir);
    if (code != HD_EXIT_OK)
        return code;
    print_intro(v.dir);
    bool waits = !v.no_wait && isatty(0) && isatty(1);
    for (int number = 1; number <= STEPS && code == HD_EXIT_OK && !ended; number++)
        code = take_step(cli, number, waits, &ended);
    if (code == HD_EXIT_OK && !ended)
        printf("\nThat is all. With a program of your own:\n\n"
               "    heddle cc -g prog.c -o prog -pthread\n"
               "    heddle run -- ./prog\n\n");
    hd_cli_print(stdout, "The files of the tutorial are in %s.\n", v.dir);
    return hd_cli_finish(cli, code);
}

const struct hd_cmd hd_cmd_tutorial = {
    .name = "tutorial",
    .path = "tutorial",
    .summary = "learn Heddle in five minutes, on an example",
    .args = "",
    .detail = "Makes a folder with a flaky test and its corrected version, and goes with real "
              "commands from the failure to the race, the replay, gdb, the fix and the empty "
              "report. On a terminal it waits for Enter before each command, and q ends it.",
    .options = options,
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
