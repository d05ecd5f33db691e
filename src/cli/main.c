#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/memory.h"
#include "cli/cc.h"
#include "cli/cli.h"
#include "record/preload.h"

#include <fcntl.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static void log_line(enum hd_room room, enum hd_log_level level, const char *text)
{
    static const char *const names[] = {"", "warn", "info", "debug"};
    fprintf(stderr, "heddle: [%s %s] %s\n", hd_log_room_name(room), names[level], text);
}

/* A file that we open must not become stdout because the caller closed it: a closed stream is
 * replaced by one on which the wrong direction fails. */
static void guard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(HD_EXIT_TOOL);
}

static void too_large(int sig)
{
    (void)sig;
}

/* A limit that we meet is an error with a sentence, not a signal. A write beyond `ulimit -f` fails
 * when the signal has a handler; the programs that we start have none. */
static enum hd_exit guard_limits(const struct hd_cli *cli)
{
    enum { STACK = 1 << 20 };
    struct rlimit stack;
    struct sigaction act = {.sa_handler = too_large, .sa_flags = SA_RESTART};
    sigaction(SIGXFSZ, &act, NULL);
    if (getrlimit(RLIMIT_STACK, &stack) != 0 || stack.rlim_cur >= STACK)
        return HD_EXIT_OK;
    static const char tiny[] = "heddle: the stack is limited (ulimit -s), heddle needs 1024 kB\n";
    if (stack.rlim_cur < STACK / 16) /* printing would not fit */
        _exit(write(STDERR_FILENO, tiny, sizeof tiny - 1) < 0 ? HD_EXIT_TOOL : HD_EXIT_UNSUPPORTED);
    hd_cli_error(cli, "the stack is limited to %llu kB (ulimit -s), and heddle needs %d kB",
                 (unsigned long long)stack.rlim_cur / 1024, STACK / 1024);
    return HD_EXIT_UNSUPPORTED;
}

static enum hd_exit read_environment(const struct hd_cli *cli)
{
    const char *spec = getenv("HD_LOG");
    struct hd_err err = {0};
    hd_log_set_sink(log_line);
    if (!spec || hd_log_configure(spec, &err) == HD_OK)
        return HD_EXIT_OK;
    hd_cli_error(cli, "HD_LOG: %s", err.text);
    return HD_EXIT_USAGE;
}

/* Installed as heddle-cc and heddle-c++ too, for build systems that want the compiler in one word.
 */
static const struct hd_cmd *verb_of_name(const char *name)
{
    const char *slash = strrchr(name, '/');
    name = slash ? slash + 1 : name;
    if (strncmp(name, "heddle-", 7) != 0)
        return &hd_cmd_root;
    const struct hd_cmd *cmd = hd_cli_find(&hd_cmd_root, name + 7);
    return cmd ? cmd : &hd_cmd_root;
}

static void find_runtime(void)
{
    char dir[PATH_MAX], library[PATH_MAX + 32];
    if (!hd_cc_find_lib_dir(dir, sizeof dir))
        return;
    snprintf(library, sizeof library, "%s/libheddle_rt.so", dir);
    hd_preload_is_at(library);
}

/* Blocks of so many bytes go back to the system when they are freed. glibc would raise the bound
 * with each, and keep holes where columns were. */
#define LARGE (512 << 10)

int main(int argc, char **argv)
{
    struct hd_cli cli = {.color = HD_COLOR_AUTO};
    guard_streams();
    hd_interrupt_install();
    hd_alloc_set_limit(hd_memory_available() / 10 * 9);
    mallopt(M_MMAP_THRESHOLD, LARGE);
    signal(SIGPIPE,
           SIG_IGN); /* the exit code must tell what was found even when a pager quits early */
    cli.color_err = hd_term_use_color(HD_COLOR_AUTO, 2);
    enum hd_exit code = guard_limits(&cli);
    if (code == HD_EXIT_OK)
        code = read_environment(&cli);
    find_runtime();
    const struct hd_cmd *cmd = verb_of_name(argc > 0 ? argv[0] : "");
    if (code == HD_EXIT_OK)
        code = cmd->run(&cli, cmd, argc - 1, argv + 1);
    HD_DEBUG_LINE(CLI, "%s ends with exit code %d", cmd->name, (int)code);
    return hd_cli_finish(&cli, code);
}
