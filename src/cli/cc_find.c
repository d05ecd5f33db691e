#include "cli/cc.h"

#include "base/process.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OLDEST = 14, NEWEST = 20 };

/* The folder that is called `installed` from the folder of this program in an installed tree and
 * `built` in the build folder. */
static bool find_beside(const char *installed, const char *built, char *dir, unsigned size)
{
    const char *const places[] = {installed, built};
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return false;
    self[n] = 0;
    char *slash = strrchr(self, '/');
    *slash = 0;
    for (unsigned i = 0; i < 2; i++) {
        char path[PATH_MAX + 64], real[PATH_MAX];
        snprintf(path, sizeof path, "%s/%s", self, places[i]);
        if (realpath(path, real) && strlen(real) < size) {
            strcpy(dir, real);
            return true;
        }
    }
    return false;
}

bool hd_cc_find_lib_dir(char *dir, unsigned size)
{
    return find_beside(HD_LIB_FROM_BIN, "lib/heddle", dir, size);
}

bool hd_cc_find_include_dir(char *dir, unsigned size)
{
    return find_beside(HD_INCLUDE_FROM_BIN "/heddle/..", "include", dir, size);
}

static bool has_plugin(const char *lib_dir, int version)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/heddle-pass-%d.so", lib_dir, version);
    return access(path, R_OK) == 0;
}

bool hd_cc_find_program(const char *name, char *path, size_t size)
{
    if (strchr(name, '/')) {
        snprintf(path, size, "%s", name);
        return access(path, X_OK) == 0;
    }
    const char *at = getenv("PATH");
    while (at && *at) {
        size_t len = strcspn(at, ":");
        int n = snprintf(path, size, "%.*s/%s", (int)len, at, name);
        if (n > 0 && (size_t)n < size && access(path, X_OK) == 0)
            return true;
        at += len + (at[len] == ':');
    }
    return false;
}

/* The number that a name like /usr/bin/clang-19 ends with, or 0. */
static int version_in_name(const char *name)
{
    const char *dash = strrchr(name, '-');
    char *end;
    long v = dash ? strtol(dash + 1, &end, 10) : 0;
    return dash && end > dash + 1 && *end == 0 && v > 0 && v < 1000 ? (int)v : 0;
}

static int version_asked(const char *path)
{
    char ask[] = "-dumpversion", name[PATH_MAX], answer[64];
    int status = 0, null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    const struct hd_process_fd quiet = {null, 2};
    snprintf(name, sizeof name, "%s", path);
    char *argv[] = {name, ask, NULL};
    const struct hd_process clang = {.file = path, .argv = argv, .fds = &quiet, .n_fds = 1};
    enum hd_status s = hd_process_capture(&clang, 1, answer, sizeof answer, &status, NULL);
    close(null);
    return s == HD_OK ? atoi(answer) : 0;
}

/* The C++ driver that belongs to a C driver: clang-14 -> clang++-14. */
static void name_of_driver(const char *name, bool cplusplus, char *out, size_t size)
{
    const char *slash = strrchr(name, '/');
    const char *at = strstr(slash ? slash : name, "clang");
    if (cplusplus && at && at[5] != '+')
        snprintf(out, size, "%.*s++%s", (int)(at + 5 - name), name, at + 5);
    else
        snprintf(out, size, "%s", name);
}

static bool take(const char *name, bool cplusplus, struct hd_cc_clang *clang)
{
    char driver[PATH_MAX];
    name_of_driver(name, cplusplus, driver, sizeof driver);
    if (!hd_cc_find_program(driver, clang->path, sizeof clang->path))
        return false;
    clang->version = version_in_name(name);
    if (clang->version == 0)
        clang->version = version_asked(clang->path);
    return true;
}

static bool take_chosen(const char *lib_dir, const char *name, bool cplusplus,
                        struct hd_cc_clang *clang, const char **reason)
{
    static char text[PATH_MAX + 128];
    *reason = text;
    if (!take(name, cplusplus, clang)) {
        snprintf(text, sizeof text, "HEDDLE_CLANG: '%s' was not found", name);
        return false;
    }
    if (!has_plugin(lib_dir, clang->version)) {
        snprintf(text, sizeof text,
                 "HEDDLE_CLANG: '%s' is clang %d, for which this heddle has no plugin", name,
                 clang->version);
        return false;
    }
    return true;
}

bool hd_cc_find_clang(const char *lib_dir, bool cplusplus, struct hd_cc_clang *clang,
                      const char **reason)
{
    const char *chosen = getenv("HEDDLE_CLANG");
    if (chosen && *chosen)
        return take_chosen(lib_dir, chosen, cplusplus, clang, reason);
    bool plugin = false;
    for (int v = OLDEST; v <= NEWEST; v++) {
        char name[32];
        snprintf(name, sizeof name, "clang-%d", v);
        if (!has_plugin(lib_dir, v))
            continue;
        plugin = true;
        if (take(name, cplusplus, clang))
            return true;
    }
    if (plugin && take("clang", cplusplus, clang) && has_plugin(lib_dir, clang->version))
        return true;
    *reason = plugin ? "clang was not found; install it (Debian: apt-get install clang) or name it "
                       "in HEDDLE_CLANG"
                     : "this heddle was built without the compiler pass; build it again where "
                       "LLVM's development files are installed (Debian: llvm-14-dev)";
    return false;
}
