#include "session/session_int.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "report/filter/baseline.h"
#include "report/format/formats.h"
#include "report/filter/ignore.h"

#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

void hd_session_tell(const struct hd_session *s, const char *stage, uint64_t done, uint64_t total)
{
    if (s->o->progress)
        s->o->progress(s->o->progress_ctx, stage, done, total);
}

enum hd_status hd_session_path(const struct hd_session *s, const char *name, char *path,
                               size_t size)
{
    int n = snprintf(path, size, "%s/%s", s->o->dir, name);
    return n > 0 && (size_t)n < size
               ? HD_OK
               : hd_err_set(s->err, HD_ERR_IO, "the name of the folder is too long");
}

/* ---- record ---- */

/* How long the analysis may go on when SIGTERM has ended the program. */
#define REST_MS 600

/* The first run goes on as threads were created, which is nearest to what the programmer has in
 * mind; the others look elsewhere. */
static enum hd_policy_kind policy_of(const struct hd_session_options *o, uint64_t run)
{
    if (o->policy >= 0)
        return (enum hd_policy_kind)o->policy;
    return run == 0 ? HD_POLICY_FIFO : run % 2 ? HD_POLICY_RANDOM : HD_POLICY_PCT;
}

void hd_session_ended(struct hd_session *s, int wait_status)
{
    if (s->ran)
        return;
    s->ran = true;
    s->wait_status = wait_status;
    s->r->signal = WIFSIGNALED(wait_status) ? WTERMSIG(wait_status) : 0;
    s->r->exit_status = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : -1;
}

static enum hd_status record(struct hd_session *s, uint64_t run, const char *path,
                             struct hd_names *family)
{
    const struct hd_session_options *o = s->o;
    struct hd_record_opts opts = {
        .out = path,
        .argv = o->argv,
        .policy = policy_of(o, run),
        .seed = o->seed + run,
        .quantum = o->quantum,
        .depth = o->depth,
        .steps = o->steps,
        .exit_steps = o->exit_steps,
        .max_size = o->max_size,
        .timeout = o->record_timeout,
        .family = family,
    };
    struct hd_record_result rec;
    double started = hd_progress_now();
    hd_session_tell(s, "recording", run, o->runs);
    enum hd_status status = hd_drive_record(&opts, &rec, s->err);
    s->r->record_seconds += hd_progress_now() - started;
    if (status == HD_OK) {
        hd_session_notes(s, &rec.info);
        if (rec.random_addresses)
            hd_report_add(s->r, &s->r->notes, "the kernel keeps addresses random: runs may differ");
    }
    if (rec.ran)
        hd_session_ended(s, rec.wait_status);
    if (rec.ended_by) {
        s->ended_by = rec.ended_by;
        s->r->interrupted = true;
    }
    if (rec.ended_by == SIGTERM)
        hd_interrupt_after(REST_MS);
    hd_record_result_fini(&rec);
    return status;
}

/* ---- report ---- */

static enum hd_status save_report(const struct hd_session *s, const char *name)
{
    char path[PATH_MAX];
    struct hd_outfile out = {0};
    enum hd_status status = hd_session_path(s, name, path, sizeof path);
    if (status == HD_OK)
        status = hd_outfile_open(path, &out, s->err);
    if (status != HD_OK)
        return status;
    char cwd[PATH_MAX];
    hd_formats_write(out.file, s->r, (enum hd_report_kind)hd_formats_of_name(name),
                     getcwd(cwd, sizeof cwd), false);
    return hd_outfile_commit(&out, s->err);
}

static enum hd_status write_report(struct hd_session *s)
{
    struct hd_report *r = s->r;
    r->n_findings = s->findings.len;
    r->findings = hd_report_array(r, r->n_findings, sizeof *r->findings);
    if (r->n_findings)
        memcpy(r->findings, s->findings.data, r->n_findings * sizeof *r->findings);
    hd_report_settle(r);
    if (s->o->baseline)
        hd_baseline_apply(s->o->baseline, s->o->baseline_name, r);
    if (s->o->suppressions)
        hd_suppress_apply(s->o->suppressions, r);
    hd_ignore_apply(r);
    static const char *const names[] = {"report.json", "report.txt", "report.html"};
    enum hd_status status = HD_OK;
    for (size_t i = 0; i < sizeof names / sizeof *names && status == HD_OK; i++)
        status = save_report(s, names[i]);
    return status;
}

/* ---- the object ---- */

static void begin(struct hd_session *s)
{
    char folder[PATH_MAX];
    struct hd_report *r = s->r;
    r->tool_version = hd_report_text(r, HD_VERSION);
    r->directory = hd_report_text(r, s->o->dir);
    r->allow_undecided = s->o->allow_undecided;
    r->program.n = 0;
    while (s->o->argv[r->program.n])
        r->program.n++;
    r->program.items = hd_report_array(r, r->program.n, sizeof *r->program.items);
    for (size_t i = 0; i < r->program.n; i++)
        r->program.items[i] = hd_report_text(r, s->o->argv[i]);
    snprintf(folder, sizeof folder, "%s", s->o->argv[0]);
    hd_sources_folder(s->sources, dirname(folder));
    hd_sources_folder(s->sources, dirname(folder)); /* programs are often built one folder below */
}

struct hd_session *hd_session_new(const struct hd_session_options *options,
                                  struct hd_report *earlier)
{
    struct hd_session *s = hd_calloc(1, sizeof *s);
    s->o = options;
    s->started = hd_progress_now();
    s->r = earlier ? earlier : hd_report_new();
    s->sources = hd_sources_new();
    s->findings = HD_VEC_INIT(struct hd_finding);
    for (size_t i = 0; i < s->r->n_findings; i++)
        *(struct hd_finding *)hd_vec_push(&s->findings) = s->r->findings[i];
    s->earlier_seconds = s->r->seconds;
    s->r->interrupted = false;
    begin(s);
    return s;
}

size_t hd_session_findings(const struct hd_session *s)
{
    return s->findings.len;
}

enum hd_status hd_session_finish(struct hd_session *s, struct hd_session_result *result,
                                 struct hd_err *err)
{
    s->err = err;
    s->r->interrupted = s->r->interrupted || hd_interrupt_requested();
    s->r->seconds = s->earlier_seconds + hd_progress_now() - s->started;
    enum hd_status status = write_report(s);
    *result = (struct hd_session_result){
        .wait_status = s->wait_status, .ran = s->ran, .failed = s->failed};
    result->ended_by = s->ended_by ? s->ended_by : hd_interrupt_signal();
    if (status == HD_OK) {
        result->report = s->r;
        s->r = NULL;
    }
    return status;
}

void hd_session_free(struct hd_session *s)
{
    if (!s)
        return;
    hd_report_free(s->r);
    hd_sources_free(s->sources);
    hd_vec_fini(&s->findings);
    hd_free(s, sizeof *s);
}

/* ---- heddle run ---- */

/* One recorded run, with all its processes. */
static enum hd_status run_once(struct hd_session *s, uint64_t run, struct hd_err *err)
{
    char name[32], path[PATH_MAX];
    struct hd_names family = {0};
    hd_session_name(run + 1, name, sizeof name);
    enum hd_status status = hd_session_path(s, name, path, sizeof path);
    if (status == HD_OK)
        status = record(s, run, path, &family);
    if (status == HD_OK)
        status = hd_session_take(s, name, NULL, err);
    for (uint32_t i = 0; status == HD_OK && i < family.count && !hd_interrupt_requested(); i++) {
        const char *file = hd_names_text(&family, i), *slash = strrchr(file, '/');
        status = hd_session_take(s, slash ? slash + 1 : file, NULL, err);
    }
    hd_names_fini(&family);
    return status;
}

static enum hd_status run_all(struct hd_session *s, struct hd_err *err)
{
    enum hd_status status = HD_OK;
    s->err = err;
    for (uint64_t i = 0; i < s->o->runs && status == HD_OK; i++) {
        status = run_once(s, i, err);
        if (hd_interrupt_requested())
            break;
    }
    return status;
}

void hd_session_name(uint64_t number, char *name, size_t size)
{
    if (number == 1)
        snprintf(name, size, "trace.hdt");
    else
        snprintf(name, size, "trace-%llu.hdt", (unsigned long long)number);
}

enum hd_status hd_session_run(const struct hd_session_options *options,
                              struct hd_session_result *result, struct hd_err *err)
{
    *result = (struct hd_session_result){0};
    struct hd_session *s = hd_session_new(options, NULL);
    enum hd_status status = run_all(s, err);
    if (status == HD_OK)
        status = hd_session_finish(s, result, err);
    hd_session_free(s);
    return status;
}

void hd_session_result_fini(struct hd_session_result *result)
{
    hd_report_free(result->report);
}
