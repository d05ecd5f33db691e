/* heddle doctor: is everything here that Heddle needs? */
#include "cli/cmds.h"

#include "heddle/rt_apis.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

struct values {
    bool apis;
};

static const struct hd_opt options[] = {
    {0, "apis", HD_OPT_FLAG, offsetof(struct values, apis), NULL,
     "List the functions that the runtime models", NULL, 0, 0},
    {0, NULL, 0, 0, NULL, NULL, NULL, 0, 0},
};

static void list_apis(void)
{
#define HD_API_LINE(group, ret, name, params, text) printf("%-8s %-28s %s\n", #group, #name, text);
    HD_APIS(HD_API_LINE)
#undef HD_API_LINE
}

/* One line: what was looked at, how it is, and what to do about it. */
static bool line(const char *what, bool good, const char *found, const char *advice)
{
    printf("%-12s %-4s %s%s%s\n", what, good ? "ok" : "FAIL", found, good ? "" : ": ",
           good ? "" : advice);
    return good;
}

static bool first_line(const char *command, char *out, size_t size)
{
    FILE *p = popen(command, "r");
    *out = 0;
    if (!p)
        return false;
    bool got = fgets(out, (int)size, p) != NULL;
    out[strcspn(out, "\n")] = 0;
    return pclose(p) == 0 && got;
}

static bool look_at_clang(void)
{
    char text[200], *at;
    bool found = first_line("clang --version 2>/dev/null", text, sizeof text);
    int major = found && (at = strstr(text, "version ")) ? atoi(at + 8) : 0;
    if (!found)
        return line("clang", false, "not found", "install clang, 14 or newer");
    return line("clang", major >= 14, text, "Heddle needs clang 14 or newer");
}

/* The runtime stands at lib/heddle beside the tool, or one folder up when installed. */
static bool look_at_runtime(void)
{
    char tool[PATH_MAX], path[PATH_MAX + 64];
    ssize_t n = readlink("/proc/self/exe", tool, sizeof tool - 1);
    tool[n > 0 ? n : 0] = 0;
    char *slash = strrchr(tool, '/');
    if (slash)
        *slash = 0;
    static const char *const places[] = {"lib/heddle", "../lib/heddle"};
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s/libheddle_rt.so", tool, places[i]);
        if (access(path, R_OK) == 0)
            return line("runtime", true, path, "");
    }
    return line("runtime", false, "libheddle_rt.so is not there", "build or install Heddle again");
}

static bool look_at_kernel(void)
{
    struct utsname u;
    char text[160] = "unknown";
    if (uname(&u) == 0)
        snprintf(text, sizeof text, "%.60s %.60s %.30s", u.sysname, u.release, u.machine);
    return line("kernel", !strcmp(text, "unknown") || strstr(text, "x86_64"), text,
                "only Linux on x86_64 is supported");
}

static bool look_at_addresses(void)
{
    int now = personality(0xffffffff);
    bool good = now >= 0 && personality((unsigned)now | ADDR_NO_RANDOMIZE) >= 0;
    if (good)
        personality((unsigned)now);
    return line("addresses", good,
                good ? "randomisation can be switched off" : "randomisation stays on",
                "allow personality() in this container, or runs with the same seed may differ");
}

static bool look_at_disk(void)
{
    struct statvfs fs;
    char text[120];
    if (statvfs(".", &fs))
        return line("disk", false, strerror(errno), "change to a folder that can be written");
    unsigned long long mb = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    snprintf(text, sizeof text, "%llu MB free in this folder", mb);
    if (access(".", W_OK))
        return line("disk", false, "this folder cannot be written", "use -o with another folder");
    return line("disk", mb >= 1024, text, "traces of long runs need more: at least 1024 MB");
}

static bool look_at_cores(void)
{
    struct rlimit lim = {0, 0};
    getrlimit(RLIMIT_CORE, &lim);
    return line("core files", true,
                lim.rlim_cur ? "a crashing program leaves one"
                             : "none (ulimit -c unlimited to get one)",
                "");
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (v.apis) {
        list_apis();
        return hd_cli_finish(cli, HD_EXIT_OK);
    }
    bool good = look_at_clang();
    good &= look_at_runtime();
    good &= look_at_kernel();
    good &= look_at_addresses();
    good &= look_at_disk();
    good &= look_at_cores();
    good &= line("ptrace", true, "not needed", "");
    return hd_cli_finish(cli, good ? HD_EXIT_OK : HD_EXIT_UNSUPPORTED);
}

const struct hd_cmd hd_cmd_doctor = {
    .name = "doctor",
    .path = "doctor",
    .summary = "Check that this machine has what is needed",
    .args = "",
    .detail = "Looks at the compiler, the runtime, the kernel and the disk: one line each, with "
              "what to do "
              "when something is wrong. Exit status 77 tells that something is.",
    .options = options,
    .min_args = 0,
    .max_args = 0,
    .run = run,
};
