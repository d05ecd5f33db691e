#include "cli/compile.h"

#include "base/alloc.h"
#include "base/process.h"
#include "base/vec.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool has_suffix(const char *name, const char *const *suffixes)
{
    const char *dot = strrchr(name, '.');
    for (; dot && *suffixes; suffixes++)
        if (!strcmp(dot, *suffixes))
            return true;
    return false;
}

static bool is_cxx(const char *name)
{
    static const char *const suffixes[] = {".cc", ".cpp", ".cxx", ".C", ".c++", NULL};
    return has_suffix(name, suffixes);
}

bool hd_compile_is_source(const char *name)
{
    static const char *const suffixes[] = {".c", NULL};
    return has_suffix(name, suffixes) || is_cxx(name);
}

static void push(struct hd_vec *words, const char *word)
{
    *(const char **)hd_vec_push(words) = word;
}

static enum hd_exit run_compiler(const struct hd_cli *cli, char **words)
{
    char self[4096];
    pid_t pid;
    struct hd_err err;
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n <= 0) {
        hd_cli_error(cli, "cannot find heddle itself: %s", strerror(errno));
        return HD_EXIT_UNSUPPORTED;
    }
    self[n] = 0;
    if (hd_process_start(&(struct hd_process){.file = self, .argv = words}, &pid, &err) != HD_OK) {
        hd_cli_error(cli, "the compiler: %s", err.text);
        return HD_EXIT_TOOL;
    }
    int status = hd_process_wait(pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == HD_EXIT_UNSUPPORTED)
        return HD_EXIT_UNSUPPORTED;
    if (status) {
        hd_cli_error(cli, "the compiler failed");
        return HD_EXIT_INPUT;
    }
    return HD_EXIT_OK;
}

enum hd_exit hd_compile_sources(const struct hd_cli *cli, const char *dir, int n, char **files,
                                const char *flags, char *program, size_t size)
{
    const char *slash = strrchr(files[0], '/'), *base = slash ? slash + 1 : files[0];
    struct hd_vec words = HD_VEC_INIT(const char *);
    size_t flags_len = flags ? strlen(flags) : 0;
    char *more = hd_strndup(flags ? flags : "", flags_len), *rest = NULL;
    bool cxx = false;
    int len = snprintf(program, size, "%s/%.*s", dir, (int)(strrchr(base, '.') - base), base);
    if (len < 0 || (size_t)len >= size || strrchr(base, '.') == base) {
        hd_cli_error(cli, "cannot name the program of '%s'", files[0]);
        hd_free(more, flags_len + 1);
        return HD_EXIT_INPUT;
    }
    for (int i = 0; i < n; i++)
        cxx = cxx || is_cxx(files[i]);
    push(&words, "heddle");
    push(&words, cxx ? "c++" : "cc");
    for (int i = 0; i < n; i++)
        push(&words, files[i]);
    push(&words, "-g");
    push(&words, "-pthread");
    for (char *word = strtok_r(more, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        push(&words, word);
    push(&words, "-o");
    push(&words, program);
    push(&words, NULL);
    enum hd_exit code = run_compiler(cli, words.data);
    hd_vec_fini(&words);
    hd_free(more, flags_len + 1);
    return code;
}
