/* What Heddle itself is made of, tried on a small program in a folder of its own. */
#include "cli/cc.h"
#include "cli/doctor.h"

#include "base/process.h"

#include "solve/solve.h"
#include "record/program.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char source[] = "#include <pthread.h>\n"
                             "static int x;\n"
                             "static void *run(void *p) { x++; return p; }\n"
                             "int main(void)\n"
                             "{\n"
                             "    pthread_t t;\n"
                             "    pthread_create(&t, 0, run, 0);\n"
                             "    pthread_join(t, 0);\n"
                             "    return x - 1;\n"
                             "}\n";

struct probe {
    char dir[PATH_MAX];
    char said[300]; /* the last command's first words on its standard error */
};

/* Runs this program again, in the probe's folder. */
static bool run_self(struct probe *p, const char *const argv[])
{
    int status = 1, null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const struct hd_process_fd fds[] = {{null, 0}, {null, 1}};
    const struct hd_process self = {.file = "/proc/self/exe",
                                    .argv = (char *const *)(uintptr_t)argv, /* stays as it is */
                                    .cwd = p->dir,
                                    .fds = fds,
                                    .n_fds = 2};
    enum hd_status s = hd_process_capture(&self, 2, p->said, sizeof p->said, &status, NULL);
    close(null);
    p->said[strcspn(p->said, "\n")] = 0;
    return s == HD_OK && status == 0;
}

static void path_of(const struct probe *p, const char *name, char *out, size_t size)
{
    snprintf(out, size, "%.*s/%s", (int)size - 40, p->dir, name);
}

static bool begin(struct probe *p)
{
    const char *tmp = getenv("TMPDIR");
    char path[PATH_MAX];
    snprintf(p->dir, sizeof p->dir, "%.3000s/heddle-doctor-XXXXXX", tmp && *tmp ? tmp : P_tmpdir);
    if (!mkdtemp(p->dir))
        return false;
    path_of(p, "probe.c", path, sizeof path);
    FILE *f = fopen(path, "w");
    if (!f)
        return false;
    bool good = fputs(source, f) >= 0;
    return fclose(f) == 0 && good;
}

static void end(const struct probe *p)
{
    static const char *const names[] = {"probe.c", "probe.o", "probe", "probe.hdr"};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_of(p, names[i], path, sizeof path);
        unlink(path);
    }
    rmdir(p->dir);
}

/* Does the object call our hooks? */
static bool calls_hooks(const struct probe *p)
{
    char path[PATH_MAX], bytes[1 << 16];
    path_of(p, "probe.o", path, sizeof path);
    FILE *f = fopen(path, "rb");
    size_t n = f ? fread(bytes, 1, sizeof bytes, f) : 0;
    if (f)
        fclose(f);
    return memmem(bytes, n, "__hd_module_init", 16) && memmem(bytes, n, "__hd_read", 9);
}

static bool look_at_plugin(struct probe *p, const struct hd_cc_clang *clang)
{
    static const char *const compile[] = {"heddle", "cc", "-c", "probe.c", "-o", "probe.o", NULL};
    char text[64];
    snprintf(text, sizeof text, "for LLVM %d, compiles a small program", clang->version);
    if (!run_self(p, compile))
        return hd_doctor_line("plugin", HD_DOCTOR_FAIL, p->said,
                              "build Heddle again for this compiler, or choose another with "
                              "HEDDLE_CLANG");
    if (!calls_hooks(p))
        return hd_doctor_line("plugin", HD_DOCTOR_FAIL, "it loads and adds nothing",
                              "build Heddle again for this compiler");
    return hd_doctor_line("plugin", HD_DOCTOR_OK, text, "");
}

static bool look_at_runtime(struct probe *p, const char *lib_dir)
{
    static const char *const link[] = {"heddle", "cc", "probe.o", "-o", "probe", NULL};
    static const char *const record[] = {"heddle",    "record", "-q",      "-o",
                                         "probe.hdr", "--",     "./probe", NULL};
    char text[PATH_MAX + 64];
    if (!run_self(p, link) || !run_self(p, record))
        return hd_doctor_line("runtime", HD_DOCTOR_FAIL, p->said, "build or install Heddle again");
    snprintf(text, sizeof text, "%s, records a small program", lib_dir);
    return hd_doctor_line("runtime", HD_DOCTOR_OK, text, "");
}

static void look_at_openmp(const char *lib_dir)
{
    char text[64];
    struct hd_names names = {0};
    hd_doctor_openmp(lib_dir, &names);
    size_t n = names.count;
    snprintf(text, sizeof text, "%zu entry points", n);
    hd_names_fini(&names);
    hd_doctor_line("OpenMP", n ? HD_DOCTOR_OK : HD_DOCTOR_NOTE, n ? text : "not there",
                   "programs with OpenMP need it: build Heddle with clang");
}

void hd_doctor_openmp(const char *lib_dir, struct hd_names *names)
{
    char path[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/libheddle_omp.so", lib_dir);
    hd_program_openmp(path, names);
}

/* Three events cannot come before one another in a circle; two can come in order. */
static bool look_at_solver(void)
{
    struct hd_solver *s = hd_solver_new((struct hd_solver_limits){.memory = HD_SOLVER_MEMORY});
    hd_ord a = hd_solver_order(s), b = hd_solver_order(s), c = hd_solver_order(s);
    hd_lit line[2] = {hd_solver_before(s, a, b), hd_solver_before(s, b, c)};
    hd_lit circle[3] = {line[0], line[1], hd_solver_before(s, c, a)};
    bool good = hd_solver_check(s, line, 2, 20) == HD_SAT_YES &&
                hd_solver_check(s, circle, 3, 20) == HD_SAT_NO;
    hd_solver_free(s);
    return hd_doctor_line("solver", good ? HD_DOCTOR_OK : HD_DOCTOR_FAIL, hd_solver_version(),
                          "it gives wrong answers or none; install another version of Z3");
}

bool hd_doctor_tools(void)
{
    char lib_dir[PATH_MAX] = "", text[PATH_MAX + 32];
    struct hd_cc_clang clang;
    struct probe p = {.dir = ""};
    const char *reason = "";
    bool found = hd_cc_find_lib_dir(lib_dir, sizeof lib_dir) &&
                 hd_cc_find_clang(lib_dir, false, &clang, &reason);
    if (found)
        snprintf(text, sizeof text, "%s (clang %d)", clang.path, clang.version);
    bool good = hd_doctor_line("compiler", found ? HD_DOCTOR_OK : HD_DOCTOR_FAIL,
                               found ? text : "none that Heddle can use",
                               *reason ? reason : "build or install Heddle again");
    if (found && !begin(&p)) {
        good = hd_doctor_line("plugin", HD_DOCTOR_FAIL, "no folder for temporary files",
                              "set TMPDIR to one that can be written");
    } else if (found) {
        good &= look_at_plugin(&p, &clang) && look_at_runtime(&p, lib_dir);
        look_at_openmp(lib_dir);
    }
    if (*p.dir)
        end(&p);
    good &= look_at_solver();
    return good;
}
