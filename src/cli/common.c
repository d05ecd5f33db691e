#include "cli/common.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "base/stop.h"
#include "build/load.h"
#include "model/check.h"
#include "model/witness_json.h"
#include "trace/assume_waits.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

const char *hd_common_input_name(const char *path)
{
    return strcmp(path, "-") ? path : "<stdin>";
}

/* What a recording leaves out. */
static void say_missing(const struct hd_cli *cli, const char *path,
                        const struct hd_build_info *info)
{
    const char *name = hd_common_input_name(path);
    if (info->limit)
        hd_cli_error(cli,
                     "%s: the recording stops after %" PRIu64 " events (its --limit or --max-size)",
                     name, info->limit);
    if (info->lost)
        hd_cli_error(cli, "%s: warning: the recording is a prefix of the run: %s", name,
                     strerror((int)info->lost));
    if (info->broken)
        hd_cli_error(cli, "%s: warning: the end of the log is damaged; it is left out", name);
}

/* Loads for an analysis: reading may use half of the time, or a second, and half of the memory. */
static enum hd_status load(const char *path, double seconds, const struct hd_build_watch *watch,
                           struct hd_trace **t, struct hd_load_info *info,
                           struct hd_build_info *build, struct hd_err *err)
{
    bool bounded = seconds != 0;
    double part = seconds > 2 ? seconds / 2 : 1;
    struct hd_stop_scope around = hd_stop_begin(seconds > 0 ? hd_progress_now() + part : 0,
                                                bounded ? hd_alloc_limit() / 2 : 0);
    enum hd_status s = hd_load_watched(path, watch, t, info, build, err);
    hd_stop_end(around);
    info->cut = info->cut ? info->cut : build->cut;
    return s;
}

void hd_cli_reading(void *ctx, uint64_t done, uint64_t total)
{
    struct hd_cli_reading *r = ctx;
    if (!r->begun) {
        hd_cli_progress(r->cli, &r->progress, r->label, "KB", total);
        r->progress.hint = r->hint;
        if (r->stops)
            hd_interrupt_catch();
    }
    r->begun = true;
    r->progress.total = total;
    hd_progress_update(&r->progress, done);
}

void hd_cli_reading_end(struct hd_cli_reading *r)
{
    if (!r->begun)
        return;
    hd_progress_end(&r->progress);
    if (r->stops)
        hd_interrupt_release();
}

struct hd_trace *hd_common_load(const struct hd_cli *cli, const char *path, enum hd_exit *code)
{
    bool whole;
    return hd_common_load_whole(cli, path, 0, &whole, code);
}

/* What --lenient assumes is told, and the trace counts as incomplete. NULL: refused, told. */
static struct hd_trace *read_leniently(const struct hd_cli *cli, const char *path,
                                       struct hd_trace *t, bool *whole, enum hd_exit *code)
{
    struct hd_trace *mended;
    struct hd_err err = {0};
    uint64_t waits;
    enum hd_status s = hd_assume_waits(t, &mended, &waits, &err);
    hd_trace_free(t);
    if (s != HD_OK) {
        snprintf(err.file, sizeof err.file, "%s", hd_common_input_name(path));
        *code = hd_cli_fail_input(cli, &err);
        return NULL;
    }
    if (waits)
        hd_cli_error(cli,
                     "%s: %s assumed, where a thread takes a lock that another one holds: the "
                     "holder gives it up and takes it again before its next event. Who wakes it is "
                     "not in the trace, so a race may need an order that the program does not have",
                     hd_common_input_name(path), hd_common_plural(waits, "wait"));
    *whole = *whole && !waits;
    return mended;
}

struct hd_trace *hd_common_load_whole(const struct hd_cli *cli, const char *path, double seconds,
                                      bool *whole, enum hd_exit *code)
{
    struct hd_trace *t;
    struct hd_load_info info;
    struct hd_build_info build;
    struct hd_err err = {0};
    struct hd_cli_reading reading = {.cli = cli, .label = "reading", .stops = true};
    struct hd_build_watch watch = {
        .progress = hd_cli_reading, .ctx = &reading, .keep_all = cli->keep_all};
    enum hd_status s = load(path, seconds, &watch, &t, &info, &build, &err);
    hd_cli_reading_end(&reading);
    if (s == HD_OK)
        say_missing(cli, path, &build);
    *whole =
        s == HD_OK && !build.limit && !build.lost && !build.broken && !info.truncated && !info.cut;
    hd_build_info_fini(&build);
    if (s == HD_ERR_STOPPED) {
        hd_cli_error(cli, "%s: interrupted while reading", hd_common_input_name(path));
        int sig = hd_interrupt_signal() ? hd_interrupt_signal() : SIGINT;
        signal(sig, SIG_DFL);
        raise(sig);
    }
    if (s != HD_OK) {
        *code = hd_cli_fail_input(cli, &err);
        return NULL;
    }
    if (info.cut)
        hd_cli_error(cli, "%s: %s while reading: only the first %zu events are analysed",
                     hd_common_input_name(path),
                     info.cut == HD_STOP_TIME ? "half of the time budget was used up"
                                              : "half of the memory was used up",
                     t->n_events);
    else if (info.truncated)
        hd_cli_error(cli, "%s: warning: the file is cut short; using the %zu events that are whole",
                     hd_common_input_name(path), t->n_events);
    return cli->lenient ? read_leniently(cli, path, t, whole, code) : t;
}

bool hd_common_check(const struct hd_cli *cli, const char *path, const struct hd_trace *t)
{
    struct hd_err err = {0};
    hd_eid bad;
    if (hd_check_trace(t, &bad, &err) == HD_OK)
        return true;
    snprintf(err.file, sizeof err.file, "%s", hd_common_input_name(path));
    err.line = bad == HD_EID_NONE ? 0 : hd_trace_line(t, bad);
    hd_cli_fail_input(cli, &err);
    return false;
}

bool hd_common_out_format(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *path,
                          int chosen, enum hd_format *format)
{
    *format = chosen >= 0 ? (enum hd_format)chosen : HD_FORMAT_TEXT;
    if (chosen >= 0 || !strcmp(path, "-") || hd_format_by_suffix(path, format))
        return true;
    hd_cli_usage(cli, cmd, "cannot tell the format from the name '%s'; give --to text, std or hdt",
                 path);
    return false;
}

enum hd_exit hd_common_save(const struct hd_cli *cli, const struct hd_trace *t, const char *path,
                            enum hd_format format)
{
    struct hd_err err = {0};
    enum hd_status status = hd_trace_io_save(t, path, format, &err);
    bool to_stdout = !strcmp(path, "-");
    if (status == HD_OK || (to_stdout && status == HD_ERR_IO && ferror(stdout)))
        return HD_EXIT_OK;
    if (!err.file[0])
        snprintf(err.file, sizeof err.file, "%s", to_stdout ? "<stdout>" : path);
    return hd_cli_fail_output(cli, &err);
}

const char *hd_common_plural(uint64_t n, const char *noun)
{
    static char texts[8][64];
    static unsigned next;
    char *text = texts[next++ % 8];
    size_t head = strcspn(noun, " "); /* "pair of places" becomes "pairs of places" */
    if (strncmp(noun + head, " of ", 4))
        head = strlen(noun);
    snprintf(text, sizeof texts[0], "%llu %.*s%s%s", (unsigned long long)n, (int)head, noun,
             n == 1 ? "" : "s", noun + head);
    return text;
}

void hd_common_json_trace(struct hd_json *j, const struct hd_trace *t)
{
    hd_json_key(j, "trace");
    hd_json_begin_object(j);
    hd_json_key(j, "events");
    hd_json_uint(j, t->n_events);
    hd_json_key(j, "threads");
    hd_json_uint(j, hd_trace_n_threads(t));
    hd_json_key(j, "locations");
    hd_json_uint(j, hd_trace_n_objs(t, HD_OBJ_LOC));
    hd_json_key(j, "locks");
    hd_json_uint(j, hd_trace_n_objs(t, HD_OBJ_LOCK));
    hd_json_end_object(j);
}

/* From the folder dir, which exists, to the file path. False: no such file. */
static bool relative_to(const char *dir, const char *path, char *out, size_t size)
{
    char from[PATH_MAX], to[PATH_MAX];
    if (!realpath(dir, from) || !realpath(path, to))
        return false;
    size_t same = 0, at = 0;
    for (size_t i = 0; from[i] == to[i] || (!from[i] && to[i] == '/'); i++) {
        if (to[i] == '/')
            same = i;
        if (!from[i] || !to[i])
            break;
    }
    *out = 0;
    const char *rest = from + same;
    for (; *rest; rest += 1 + strcspn(rest + 1, "/"))
        if (rest[1] && at + 4 < size)
            at += (size_t)snprintf(out + at, size - at, "../");
    return at + strlen(to + same + 1) < size && snprintf(out + at, size - at, "%s", to + same + 1);
}

/* A race is named by its pair, everything else by its property and its first events. */
static int witness_path(const char *dir, const struct hd_witness *w, char *path, size_t size)
{
    if (w->property == HD_PROPERTY_RACE)
        return snprintf(path, size, "%s/witness-%u-%u.json", dir, w->a + 1, w->b + 1);
    int len = snprintf(path, size, "%s/witness-%s", dir, hd_property_names[w->property]);
    for (size_t i = 0; i < w->n_events && i < 8 && len < (int)size; i++)
        len += snprintf(path + len, size - (size_t)len, "-%u", w->events[i] + 1);
    return len < (int)size ? len + snprintf(path + len, size - (size_t)len, ".json") : len;
}

enum hd_exit hd_common_save_witness(const struct hd_cli *cli, const char *dir, const char *trace,
                                    const struct hd_trace *t, const struct hd_witness *w)
{
    struct hd_err err = {0};
    struct hd_outfile out;
    char path[4096];
    int len = witness_path(dir, w, path, sizeof path);
    mkdir(dir, 0700); /* if that fails, so does opening a file in it */
    enum hd_status status = len < (int)sizeof path
                                ? hd_outfile_open(path, &out, &err)
                                : hd_err_set(&err, HD_ERR_IO, "the name of the folder is too long");
    if (status == HD_OK) {
        char relative[PATH_MAX];
        bool named = relative_to(dir, trace, relative, sizeof relative);
        hd_witness_json_write_named(out.file, t, w, named ? relative : NULL, NULL);
        status = hd_outfile_commit(&out, &err);
    }
    return status == HD_OK ? HD_EXIT_OK : hd_cli_fail_output(cli, &err);
}

enum hd_exit hd_common_end_like(int wait_status)
{
    if (!WIFSIGNALED(wait_status))
        return (enum hd_exit)WEXITSTATUS(wait_status);
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none); /* the program's own core, if any, is the interesting one */
    signal(WTERMSIG(wait_status), SIG_DFL);
    raise(WTERMSIG(wait_status));
    return (enum hd_exit)(128 + WTERMSIG(wait_status));
}

enum hd_policy_kind hd_common_policy(int choice)
{
#define POLICY_KIND(kind, name, number) HD_POLICY_##kind,
    static const enum hd_policy_kind kinds[] = {HD_POLICIES_CHOSEN(POLICY_KIND, )};
#undef POLICY_KIND
    return kinds[choice];
}

int hd_common_words_after(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (!strcmp(argv[i], "--"))
            return argc - i - 1;
    return 0;
}

bool hd_common_properties(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *list,
                          unsigned *properties)
{
    size_t size = strlen(list) + 1;
    char *words = hd_strndup(list, size - 1), *rest = words, *word;
    bool ok = true;
    while (ok && (word = strsep(&rest, ","))) {
        int k = 0;
        while (k < HD_PREDICTED_PROPERTIES && strcmp(word, hd_property_names[k]))
            k++;
        ok = k < HD_PREDICTED_PROPERTIES;
        if (ok)
            *properties |= 1u << k;
        else
            hd_cli_usage(cli, cmd, "--property wants some of race, atomicity, deadlock, not '%s'",
                         word);
    }
    hd_free(words, size);
    return ok;
}
