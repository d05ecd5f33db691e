/* The compiler wrapper: clang with the pass, debug info and the runtime. All words of the command
 * line are clang's; the process becomes clang, so that its exit status is clang's too. */
#include "base/alloc.h"
#include "cli/cc.h"
#include "cli/cli.h"
#include "cli/cmds.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words {
    char **list;
    size_t n, cap;
};

static void add(struct words *w, const char *fmt, const char *text)
{
    if (w->n + 1 >= w->cap) {
        size_t cap = w->cap ? 2 * w->cap : 32;
        w->list = hd_realloc_array(w->list, w->cap, cap, sizeof *w->list);
        w->cap = cap;
    }
    size_t size = strlen(fmt) + strlen(text) + 1;
    w->list[w->n] = hd_alloc(size);
    snprintf(w->list[w->n++], size, fmt, text);
    w->list[w->n] = NULL;
}

struct ours {
    bool links, concolic, openmp;
    bool no_macros; /* nothing shows the source that ThreadSanitizer is on */
};

/* Ours come first: a later option of the user wins where both speak, and the runtime comes before
 * every library of the link, so that its functions are found before theirs. Clang does not warn
 * about those it has no use for. */
static void add_ours(struct words *w, const char *lib_dir, int version, const struct ours *o)
{
    char plugin[PATH_MAX + 64], include[PATH_MAX];
    snprintf(plugin, sizeof plugin, "%s/heddle-pass-%d.so", lib_dir, version);
    add(w, "%s", "--start-no-unused-arguments");
    add(w, "-fpass-plugin=%s", plugin);
    if (!o->no_macros) {
        add(w, "%s", "-Xclang");
        add(w, "%s", "-fsanitize=thread");
        add(w, "%s", "-D__SANITIZE_THREAD__=1");
    }
    add(w, "%s", "-g");
    add(w, "%s", "-fno-omit-frame-pointer");
    add(w, "%s", "-D__HEDDLE__=1");
    if (hd_cc_find_include_dir(include, sizeof include)) { /* heddle/annotate.h */
        add(w, "-idirafter%s", include);
        add(w, "-cxx-isystem%s/heddle/libstdcxx", include); /* std::string with the program */
    } else {
        *include = 0;
    }
    add(w, "%s", "-pthread");
    if (o->concolic) { /* vectors have no expressions */
        add(w, "%s", "-fno-vectorize");
        add(w, "%s", "-fno-slp-vectorize");
        add(w, "%s", "-D_GLIBCXX_ASSERTIONS=1"); /* std::string is compiled with the program */
    }
    if (o->openmp) { /* threadprivate variables outlive the threads of a team */
        add(w, "%s", "-Xclang");
        add(w, "%s", "-fopenmp");
        add(w, "%s", "-Xclang");
        add(w, "%s", "-fnoopenmp-use-tls");
        add(w, "-idirafter%s/heddle/openmp", include); /* where clang has no omp.h of its own */
    }
    if (o->links) {
        add(w, "%s", "-Wl,--push-state,--no-as-needed");
        if (o->openmp)
            add(w, "%s/libheddle_omp.so", lib_dir);
        add(w, "%s/libheddle_rt.so", lib_dir);
        add(w, "%s", "-ldl");
        add(w, "%s", "-Wl,--pop-state");
        add(w, "-Wl,-rpath,%s", lib_dir);
    }
    add(w, "%s", "--end-no-unused-arguments");
}

static void add_users(struct words *w, int argc, char **argv)
{
    char text[4096];
    for (int i = 0; i < argc; i++) {
        switch (hd_cc_filter(argv[i], text, sizeof text)) {
        case HD_CC_KEEP:
            add(w, "%s", argv[i]);
            break;
        case HD_CC_REPLACE:
            add(w, "%s", text);
            break;
        case HD_CC_TO_FRONTEND:
            add(w, "%s", "-Xclang");
            add(w, "%s", argv[i]);
            break;
        case HD_CC_DROP:
            break;
        }
    }
}

static bool has_library(const char *lib_dir, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", lib_dir, name);
    return access(path, R_OK) == 0;
}

/* Refuses what cannot work before clang fails with something harder to read. */
static enum hd_exit check(const struct hd_cli *cli, const struct hd_cmd *cmd,
                          const struct hd_cc_line *line, const char *lib_dir)
{
    if (line->clash) {
        hd_cli_error(cli, "%s and heddle cannot be in one program: both replace the same functions",
                     line->clash);
        return HD_EXIT_USAGE;
    }
    if (line->links && line->is_static) {
        hd_cli_error(cli,
                     "heddle %s cannot link with -static: the runtime replaces functions of the "
                     "C library, which needs a dynamic link",
                     cmd->name);
        return HD_EXIT_USAGE;
    }
    if (line->links && !has_library(lib_dir, "libheddle_rt.so")) {
        hd_cli_error(cli, "the runtime %s/libheddle_rt.so is missing: install heddle again",
                     lib_dir);
        return HD_EXIT_UNSUPPORTED;
    }
    if (line->links && line->openmp && !has_library(lib_dir, "libheddle_omp.so")) {
        hd_cli_error(cli,
                     "OpenMP needs %s/libheddle_omp.so, which is made when heddle is built with a "
                     "clang: install heddle again",
                     lib_dir);
        return HD_EXIT_UNSUPPORTED;
    }
    return HD_EXIT_OK;
}

static enum hd_exit become_clang(const struct hd_cli *cli, const char *path, struct words *w)
{
    signal(SIGPIPE, SIG_DFL);
    execv(path, w->list);
    hd_cli_error(cli, "%s: %s", path, strerror(errno));
    return HD_EXIT_UNSUPPORTED;
}

/* Takes one of our options out of the line. A variable of the environment asks for it too, for
 * build systems. */
static bool take(const char *option, const char *variable, int *argc, char **argv)
{
    const char *asked = getenv(variable);
    bool found = asked && *asked && strcmp(asked, "0") != 0;
    int kept = 0;
    for (int i = 0; i < *argc; i++) {
        if (strcmp(argv[i], option) == 0)
            found = true;
        else
            argv[kept++] = argv[i];
    }
    *argc = kept;
    return found;
}

/* The pass hears of it through the environment. */
static void set_for_pass(const char *variable, bool on)
{
    if (on)
        setenv(variable, "1", 1);
    else
        unsetenv(variable);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], "--help") == 0) {
        hd_cli_print_help(cmd);
        return HD_EXIT_OK;
    }
    char lib_dir[PATH_MAX] = "";
    struct hd_cc_clang clang;
    const char *reason = "";
    bool cplusplus = cmd == &hd_cmd_cxx;
    struct ours ours = {.concolic = take("--concolic", "HEDDLE_CONCOLIC", &argc, argv)};
    bool atomic = take("--volatile-atomic", "HEDDLE_VOLATILE_ATOMIC", &argc, argv);
    ours.no_macros = take("--no-tsan-macros", "HEDDLE_NO_TSAN_MACROS", &argc, argv);
    hd_cc_find_lib_dir(lib_dir, sizeof lib_dir);
    if (!hd_cc_find_clang(lib_dir, cplusplus, &clang, &reason)) {
        hd_cli_error(cli, "%s", reason);
        return HD_EXIT_UNSUPPORTED;
    }
    struct hd_cc_line line = hd_cc_classify(argc, argv);
    enum hd_exit code = check(cli, cmd, &line, lib_dir);
    if (code != HD_EXIT_OK)
        return code;
    const char *option, *object = line.links ? hd_cc_objects_clash(argc, argv, &option) : NULL;
    if (object) {
        hd_cli_error(cli,
                     "%s was compiled with %s, which cannot be in one program with heddle: both "
                     "replace the same functions; compile it with heddle %s",
                     object, option, cmd->name);
        return HD_EXIT_INPUT;
    }
    struct words w = {0};
    add(&w, "%s", clang.path);
    ours.links = line.links;
    ours.openmp = line.openmp;
    add_ours(&w, lib_dir, clang.version, &ours);
    add_users(&w, argc, argv);
    set_for_pass("HEDDLE_PASS_CONCOLIC", ours.concolic);
    set_for_pass("HEDDLE_PASS_VOLATILE_ATOMIC", atomic);
    set_for_pass("HEDDLE_PASS_MARKED", !ours.no_macros); /* it may trust the front end's marks */
    return become_clang(cli, clang.path, &w);
}

#define DETAIL                                                                                     \
    "Everything on the command line is clang's. Added are the compiler pass, -g and, when "        \
    "linking, "                                                                                    \
    "the runtime. -fsanitize=thread is replaced by our instrumentation; -flto is left out. "       \
    "__HEDDLE__ "                                                                                  \
    "and __SANITIZE_THREAD__ are defined.\n\n"                                                     \
    "With --concolic the program can be searched by heddle hunt. With --volatile-atomic volatile " \
    "accesses are atomic. With --no-tsan-macros nothing tells the source that ThreadSanitizer is " \
    "on (__SANITIZE_THREAD__, __has_feature(thread_sanitizer)).\n\n"                               \
    "HEDDLE_CLANG chooses the compiler (clang-14, clang-19, a path).\n\n"                          \
    "For build systems that want one word there are heddle-cc and heddle-c++."

const struct hd_cmd hd_cmd_cc = {
    .name = "cc",
    .path = "cc",
    .summary = "compile C for recording, as clang does",
    .args = "CLANG-ARGUMENTS...",
    .detail = "For example: ./configure CC=\"heddle cc\"\n\n" DETAIL,
    .run = run,
};

const struct hd_cmd hd_cmd_cxx = {
    .name = "c++",
    .path = "c++",
    .summary = "compile C++ for recording, as clang++ does",
    .args = "CLANG-ARGUMENTS...",
    .detail = "For example: cmake -DCMAKE_CXX_COMPILER=heddle-c++ .\n\n" DETAIL,
    .run = run,
};
