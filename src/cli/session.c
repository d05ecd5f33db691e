#include "cli/session.h"

#include "base/interrupt.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "drive/load.h"
#include "drive/replay.h"
#include "model/check.h"
#include "model/witness_json.h"
#include "predict/violations.h"
#include "report/baseline.h"
#include "report/formats.h"
#include "report/ignore.h"
#include "report/make.h"
#include "report/replayed.h"
#include "trace/io.h"

#include <libgen.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>

struct session {
    const struct hd_session_options *o;
    struct hd_session_result *result;
    struct hd_report *r;
    struct hd_sources *sources;
    struct hd_vec findings; /* struct hd_finding, as they come up */
    struct hd_err *err;
    char trace_name[32]; /* of the run in hand */
};

static void tell(const struct session *s, const char *stage, uint64_t done, uint64_t total)
{
    if (s->o->progress)
        s->o->progress(s->o->progress_ctx, stage, done, total);
}

static enum hd_status path_in(const struct session *s, const char *name, char *path, size_t size)
{
    int n = snprintf(path, size, "%s/%s", s->o->dir, name);
    return n > 0 && (size_t)n < size
               ? HD_OK
               : hd_err_set(s->err, HD_ERR_IO, "the name of the folder is too long");
}

/* ---- record ---- */

/* The first run goes on as threads were created, which is nearest to what the programmer has in
 * mind; the others look elsewhere. */
static enum hd_policy_kind policy_of(const struct hd_session_options *o, uint64_t run)
{
    if (o->policy >= 0)
        return (enum hd_policy_kind)o->policy;
    return run == 0 ? HD_POLICY_FIFO : run % 2 ? HD_POLICY_RANDOM : HD_POLICY_PCT;
}

static void take_notes(struct session *s, const struct hd_record_result *rec)
{
    static const char mark[] = "not modelled: ";
    struct hd_report *r = s->r;
    for (uint32_t i = 0; i < rec->info.notes.count; i++) {
        const char *note = hd_names_text(&rec->info.notes, i);
        if (!strncmp(note, "deadlock: ", 10))
            continue; /* a finding of its own */
        const char *foreign = strstr(note, " is not instrumented");
        if (foreign)
            hd_report_add(r, &r->uninstrumented,
                          hd_report_format(r, "%.*s", (int)(foreign - note), note));
        if (!strncmp(note, mark, sizeof mark - 1))
            hd_report_add(r, &r->unmodelled, note + sizeof mark - 1);
        else
            hd_report_add(r, &r->notes, note);
    }
    if (rec->random_addresses)
        hd_report_add(r, &r->notes, "the kernel keeps addresses random: runs may differ");
    if (rec->info.lost)
        hd_report_add(r, &r->notes, "a trace is incomplete: it could not be written to the end");
    if (rec->info.broken)
        hd_report_add(r, &r->notes, "the end of a log was damaged by the program; it is left out");
    if (rec->info.outside_writes)
        hd_report_add(r, &r->notes,
                      "memory was written by code that is not instrumented; races "
                      "with such code can be missed");
}

static enum hd_status record(struct session *s, uint64_t run, const char *path)
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
    };
    struct hd_record_result rec;
    double started = hd_progress_now();
    tell(s, "recording", run, o->runs);
    enum hd_status status = hd_drive_record(&opts, &rec, s->err);
    s->r->record_seconds += hd_progress_now() - started;
    if (status == HD_OK) {
        s->r->runs++;
        s->r->threads = rec.threads > s->r->threads ? rec.threads : s->r->threads;
        take_notes(s, &rec);
        if (rec.info.waits.len) {
            struct hd_finding *f = hd_vec_push(&s->findings);
            hd_make_stuck(s->r, &rec.info, s->sources, f);
            f->trace = hd_report_text(s->r, s->trace_name);
            s->findings.len -= f->n_accesses == 0; /* nobody is known to wait */
        }
    }
    if (run == 0 && rec.ran) {
        s->result->ran = true;
        s->result->wait_status = rec.wait_status;
        s->r->signal = WIFSIGNALED(rec.wait_status) ? WTERMSIG(rec.wait_status) : 0;
        s->r->exit_status = WIFEXITED(rec.wait_status) ? WEXITSTATUS(rec.wait_status) : -1;
    }
    hd_record_result_fini(&rec);
    return status;
}

/* ---- replay ---- */

static enum hd_status save_witness(struct session *s, const struct hd_trace *t,
                                   const struct hd_witness *w, struct hd_finding *f)
{
    char name[64], path[PATH_MAX];
    struct hd_outfile out = {0};
    snprintf(name, sizeof name, "witness-%.40s.json", f->id);
    for (size_t i = 0; i < s->findings.len; i++) { /* equal by chance: see hd_report_settle */
        const struct hd_finding *other = hd_vec_at(&s->findings, i);
        if (!strcmp(other->id, f->id) && strcmp(other->fingerprint, f->fingerprint) != 0)
            snprintf(name, sizeof name, "witness-R-%.40s.json", f->fingerprint);
    }
    enum hd_status status = path_in(s, name, path, sizeof path);
    if (status == HD_OK)
        status = hd_outfile_open(path, &out, s->err);
    if (status != HD_OK)
        return status;
    hd_witness_write_named(out.file, t, w, s->trace_name);
    f->witness = hd_report_text(s->r, name);
    f->trace = hd_report_text(s->r, s->trace_name);
    return hd_outfile_commit(&out, s->err);
}

static void replay(struct session *s, const struct hd_trace *t, const struct hd_witness *w,
                   struct hd_finding *f)
{
    struct hd_replay_options opts = {
        .trace = t,
        .witness = w,
        .argv = s->o->argv,
        .dir = s->o->dir,
        .orders =
            w->property == HD_PROPERTY_RACE ? HD_REPLAY_FIRST | HD_REPLAY_SECOND : HD_REPLAY_FIRST,
        .times = s->o->times,
        .timeout = s->o->timeout,
    };
    struct hd_replay_result result;
    struct hd_err err = {0};
    if (hd_interrupt_requested() || s->o->times == 0) {
        f->reason = s->o->times ? "not replayed: interrupted" : "replay was not asked for";
        return;
    }
    double started = hd_progress_now();
    enum hd_status status = hd_drive_replay(&opts, &result, &err);
    s->r->replay_seconds += hd_progress_now() - started;
    if (status == HD_OK)
        hd_replayed_apply(s->r, f, &result);
    else
        f->reason = status == HD_ERR_STOPPED ? "not replayed: interrupted"
                                             : hd_report_format(s->r, "not replayed: %s", err.text);
    /* What could not be given back to the program matters only when something went wrong. */
    for (uint32_t i = 0; f->status != HD_FINDING_CONFIRMED && i < result.notes.count; i++)
        hd_report_add(s->r, &s->r->notes, hd_names_text(&result.notes, i));
    hd_replay_result_fini(&result);
}

/* An earlier finding that is the same and leaves nothing to do. */
static struct hd_finding *find_confirmed(struct session *s, const struct hd_finding *f)
{
    for (size_t i = 0; i < s->findings.len; i++) {
        struct hd_finding *other = hd_vec_at(&s->findings, i);
        if (!strcmp(other->fingerprint, f->fingerprint) && other->status != HD_FINDING_PREDICTED)
            return other;
    }
    return NULL;
}

static enum hd_status handle(struct session *s, struct hd_maker *maker, const struct hd_trace *t,
                             const struct hd_witness *w)
{
    struct hd_finding f;
    hd_maker_finding(maker, w, &f);
    s->r->race++;
    struct hd_finding *old = find_confirmed(s, &f);
    if (old) {
        old->duplicates++;
        return HD_OK;
    }
    enum hd_status status = save_witness(s, t, w, &f);
    if (status == HD_OK)
        replay(s, t, w, &f);
    if (status == HD_OK)
        *(struct hd_finding *)hd_vec_push(&s->findings) = f;
    return status;
}

/* ---- analyse ---- */

static void predict_progress(void *ctx, uint64_t done, uint64_t total)
{
    tell(ctx, "analysing", done, total);
}

static void count(struct session *s, const struct hd_trace *t, const struct hd_prediction *p)
{
    struct hd_report *r = s->r;
    r->events += t->n_events;
    for (int i = 0; i < HD_STEPS; i++)
        r->impossible += p->proved[i];
    r->undecided += p->open;
    r->skipped += p->skipped;
    for (size_t i = 0; i < p->undecided.len; i++) {
        const struct hd_undecided *u = hd_vec_at(&p->undecided, i);
        hd_report_add(r, &r->undecided_why,
                      hd_report_format(r, "%s and %s: %s", hd_trace_place_name(t, u->a),
                                       hd_trace_place_name(t, u->b), hd_reason_texts[u->why]));
    }
}

static void count_violations(struct session *s, const struct hd_trace *t,
                             const struct hd_violations *v)
{
    struct hd_report *r = s->r;
    for (int i = 0; i < HD_STEPS; i++)
        r->impossible += v->proved[i];
    r->undecided += v->open;
    r->skipped += v->skipped;
    for (size_t i = 0; i < v->undecided.len; i++) {
        const struct hd_open_goal *u = hd_vec_at(&v->undecided, i);
        const char *at = u->n ? hd_trace_place_name(t, u->events[0]) : "everywhere";
        hd_report_add(r, &r->undecided_why,
                      hd_report_format(r, "%s, %s: %s", hd_property_names[v->property], at,
                                       hd_reason_texts[u->why]));
    }
}

/* What was predicted for each property. */
struct predicted {
    struct hd_prediction races;
    struct hd_violations others[HD_PROPERTIES];
    struct hd_vec witnesses; /* const struct hd_witness *: of all, in the order they are handled */
};

static enum hd_status predict_violations(struct session *s, const struct hd_trace *t,
                                         const struct hd_predict_options *options,
                                         enum hd_property property, struct predicted *p)
{
    struct hd_violations *v = &p->others[property];
    if (!(s->o->properties >> property & 1))
        return HD_OK;
    enum hd_status status = property == HD_PROPERTY_ATOMICITY
                                ? hd_predict_atomicity(t, options, v, s->err)
                                : hd_predict_deadlocks(t, options, v, s->err);
    if (status != HD_OK)
        return status;
    count_violations(s, t, v);
    for (size_t i = 0; i < v->found.len; i++)
        *(const struct hd_witness **)hd_vec_push(&p->witnesses) =
            &((struct hd_violation *)hd_vec_at(&v->found, i))->witness;
    return HD_OK;
}

static enum hd_status predict(struct session *s, const struct hd_trace *t, struct predicted *p)
{
    struct hd_predict_options options = s->o->predict;
    enum hd_status status = HD_OK;
    options.progress = predict_progress;
    options.progress_ctx = s;
    if (s->o->properties >> HD_PROPERTY_RACE & 1) {
        status = hd_predict(t, &options, &p->races, s->err);
        if (status == HD_OK)
            count(s, t, &p->races);
        for (size_t i = 0; status == HD_OK && i < p->races.races.len; i++)
            *(const struct hd_witness **)hd_vec_push(&p->witnesses) =
                &((struct hd_race *)hd_vec_at(&p->races.races, i))->witness;
    }
    if (status == HD_OK)
        status = predict_violations(s, t, &options, HD_PROPERTY_ATOMICITY, p);
    if (status == HD_OK)
        status = predict_violations(s, t, &options, HD_PROPERTY_DEADLOCK, p);
    return status;
}

static enum hd_status handle_all(struct session *s, const struct hd_trace *t,
                                 const struct predicted *p)
{
    struct hd_maker *maker = hd_maker_new(s->r, t, s->sources);
    const struct hd_witness *const *list = p->witnesses.data;
    enum hd_status status = HD_OK;
    for (size_t i = 0; i < p->witnesses.len; i++)
        hd_maker_announce(maker, list[i]);
    hd_maker_walk(maker);
    for (size_t i = 0; i < p->witnesses.len && status == HD_OK; i++) {
        tell(s, "replaying", i, p->witnesses.len);
        status = handle(s, maker, t, list[i]);
    }
    hd_maker_free(maker);
    return status;
}

static void predicted_fini(struct predicted *p)
{
    hd_prediction_fini(&p->races);
    for (int i = HD_PROPERTY_ATOMICITY; i < HD_PROPERTIES; i++)
        hd_violations_fini(&p->others[i]);
    hd_vec_fini(&p->witnesses);
}

static enum hd_status analyse(struct session *s, const char *path)
{
    struct hd_trace *t = NULL;
    struct predicted p = {.witnesses = HD_VEC_INIT(const struct hd_witness *)};
    double started = hd_progress_now();
    tell(s, "analysing", 0, 0);
    enum hd_status status = hd_drive_load(path, &t, NULL, NULL, s->err);
    if (status == HD_OK)
        status = hd_check_trace(t, NULL, s->err);
    if (status == HD_OK) {
        status = predict(s, t, &p);
        s->r->analyze_seconds += hd_progress_now() - started;
        if (status == HD_OK)
            status = handle_all(s, t, &p);
        predicted_fini(&p);
    }
    hd_trace_free(t);
    return status;
}

/* ---- report ---- */

static enum hd_status save_report(const struct session *s, const char *name)
{
    char path[PATH_MAX];
    struct hd_outfile out = {0};
    enum hd_status status = path_in(s, name, path, sizeof path);
    if (status == HD_OK)
        status = hd_outfile_open(path, &out, s->err);
    if (status != HD_OK)
        return status;
    hd_formats_write(out.file, s->r, (enum hd_report_kind)hd_formats_of_name(name), NULL, false);
    return hd_outfile_commit(&out, s->err);
}

static enum hd_status finish(struct session *s)
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

static enum hd_status run_all(struct session *s)
{
    enum hd_status status = HD_OK;
    for (uint64_t i = 0; i < s->o->runs && status == HD_OK; i++) {
        char path[PATH_MAX];
        if (i == 0)
            snprintf(s->trace_name, sizeof s->trace_name, "trace.hdt");
        else
            snprintf(s->trace_name, sizeof s->trace_name, "trace-%llu.hdt",
                     (unsigned long long)(i + 1));
        status = path_in(s, s->trace_name, path, sizeof path);
        if (status == HD_OK)
            status = record(s, i, path);
        if (status == HD_OK)
            status = analyse(s, path);
        s->r->interrupted = s->r->interrupted || hd_interrupt_requested();
        if (s->r->interrupted)
            break;
    }
    return status;
}

static void begin(struct session *s)
{
    char folder[PATH_MAX];
    struct hd_report *r = s->r;
    r->tool_version = hd_report_text(r, s->o->version);
    r->directory = hd_report_text(r, s->o->dir);
    while (s->o->argv[r->program.n])
        r->program.n++;
    r->program.items = hd_report_array(r, r->program.n, sizeof *r->program.items);
    for (size_t i = 0; i < r->program.n; i++)
        r->program.items[i] = hd_report_text(r, s->o->argv[i]);
    snprintf(folder, sizeof folder, "%s", s->o->argv[0]);
    hd_sources_folder(s->sources, dirname(folder));
    hd_sources_folder(s->sources, dirname(folder)); /* programs are often built one folder below */
}

enum hd_status hd_session_run(const struct hd_session_options *options,
                              struct hd_session_result *result, struct hd_err *err)
{
    struct session s = {.o = options, .result = result, .err = err};
    double started = hd_progress_now();
    *result = (struct hd_session_result){0};
    s.r = hd_report_new();
    s.sources = hd_sources_new();
    s.findings = HD_VEC_INIT(struct hd_finding);
    begin(&s);
    enum hd_status status = run_all(&s);
    s.r->seconds = hd_progress_now() - started;
    if (status == HD_OK)
        status = finish(&s);
    if (status == HD_OK)
        result->report = s.r;
    else
        hd_report_free(s.r);
    hd_sources_free(s.sources);
    hd_vec_fini(&s.findings);
    return status;
}

void hd_session_result_fini(struct hd_session_result *result)
{
    hd_report_free(result->report);
}
