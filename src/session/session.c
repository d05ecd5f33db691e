#include "session/session_int.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "report/filter/baseline.h"
#include "report/filter/ignore.h"
#include "report/format/formats.h"

#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>

const char *const hd_stage_names[] = {
#define STAGE_NAME(name, text, unit) [HD_STAGE_##name] = text,
    HD_STAGES(STAGE_NAME)
#undef STAGE_NAME
};

const char *const hd_stage_units[] = {
#define STAGE_UNIT(name, text, unit) [HD_STAGE_##name] = unit,
    HD_STAGES(STAGE_UNIT)
#undef STAGE_UNIT
};

void hd_session_tell(const struct hd_session *s, enum hd_stage stage, uint64_t done, uint64_t total)
{
    if (s->o->progress)
        s->o->progress(s->o->progress_ctx, stage, done, total);
}

double hd_session_time_left(const struct hd_session *s)
{
    double left = s->deadline ? s->deadline - hd_progress_now() : 1e18;
    return left > 0.1 ? left : 0.1;
}

enum hd_status hd_session_path(const struct hd_session *s, const char *name, char *path,
                               size_t size)
{
    int n = snprintf(path, size, "%s/%s", s->o->dir, name);
    return n > 0 && (size_t)n < size
               ? HD_OK
               : hd_err_set(s->err, HD_ERR_IO, "the name of the folder is too long");
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

static bool has_place(const struct hd_finding *f, const struct hd_spot *at)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_spot *own = &f->accesses[i].at;
        if (at->file && own->file && !strcmp(own->file, at->file) && own->line == at->line)
            return true;
    }
    return false;
}

/* Does g show the end of the memory that f is about: its block, or a local that f uses dead? */
static bool shows_end(const struct hd_finding *g, const struct hd_finding *f)
{
    bool frees = false, leaves = false, same = false;
    for (size_t k = 0; k < g->n_accesses; k++) {
        frees |= hd_access_frees(&g->accesses[k]);
        leaves |= hd_access_leaves(&g->accesses[k]);
    }
    for (size_t k = 0; leaves && k < f->n_accesses; k++)
        same |= has_place(g, &f->accesses[k].at);
    return same || (frees && g->location && f->location && !strcmp(g->location, f->location));
}

static bool end_is_shown(const struct hd_session *s, const struct hd_finding *f)
{
    for (size_t i = 0; i < s->findings.len; i++)
        if (shows_end(hd_vec_at(&s->findings, i), f))
            return true;
    return false;
}

/* What the allocator writes into a block that is free, and code without hooks into a stack frame
 * that is dead, shows in a run that reads it there. With the end itself among the findings, that is
 * the same. */
static void drop_parts_of_ends(struct hd_session *s)
{
    struct hd_finding *all = s->findings.data;
    size_t kept = 0;
    for (size_t i = 0; i < s->findings.len; i++) {
        struct hd_finding *f = &all[i];
        bool unseen = f->verdict && !strcmp(f->verdict, "outside");
        char path[PATH_MAX];
        if (!unseen || !end_is_shown(s, f)) {
            all[kept++] = *f;
            continue;
        }
        HD_DEBUG_LINE(SESSION, "%s is dropped: the end of its memory is listed", f->id);
        if (hd_session_path(s, f->witness, path, sizeof path) == HD_OK)
            unlink(path);
    }
    s->findings.len = kept;
}

static void note_idle(struct hd_session *s)
{
    char who[256];
    if (hd_idle_list(&s->idle, who, sizeof who))
        hd_report_add(s->r, &s->r->notes,
                      hd_report_format(s->r,
                                       "no work was left for %s in any recording: what they would "
                                       "do beside others is not seen",
                                       who));
}

static enum hd_status write_report(struct hd_session *s)
{
    struct hd_report *r = s->r;
    drop_parts_of_ends(s);
    note_idle(s);
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
    if (!realpath(s->o->argv[0], folder)) /* of ./prog the folder above has no name */
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
    hd_idle_init(&s->idle);
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
    hd_session_fold_stuck(s);
    hd_session_replays_note(s);
    enum hd_status status = write_report(s);
    *result = (struct hd_session_result){
        .wait_status = s->wait_status, .ran = s->ran, .failed = s->failed, .late = s->late};
    result->cut_recording = s->ended_by && !hd_interrupt_requested();
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
    hd_idle_fini(&s->idle);
    hd_names_fini(&s->replays.variables);
    hd_free(s, sizeof *s);
}

void hd_session_name(uint64_t number, char *name, size_t size)
{
    HD_ASSERT(number > 0);
    if (number == 1)
        snprintf(name, size, "run.hdr");
    else
        snprintf(name, size, "run-%llu.hdr", (unsigned long long)number);
}

void hd_session_result_fini(struct hd_session_result *result)
{
    hd_report_free(result->report);
}
