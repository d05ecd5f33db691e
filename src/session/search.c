#include "session/search.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop.h"
#include "build/load.h"
#include "explore/found.h"
#include "explore/guided.h"
#include "explore/sweep.h"
#include "session/session_int.h"

#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Of the time: what is left serves other strategies when no warning leads anywhere. */
#define GUIDED_SHARE 0.6
/* The same for the first run, and for reading a recording beside its analysis. */
#define FIRST_SHARE 0.25
#define READ_SHARE  0.1

/* What a part of the search may use. */
struct limits {
    double seconds; /* 0: no limit */
    uint64_t runs;  /* 0: no limit */
};

struct search {
    const struct hd_search_options *o;
    struct hd_search_state *state;
    struct hd_session *session;
    struct hd_search_result *result;
    double started;
    uint64_t executions_before; /* of earlier parts */
    struct hd_texts later;      /* notes that come behind what sums up: there may be many */
};

static void tell(struct search *s, uint64_t executions, uint64_t states, uint64_t frontier)
{
    s->result->p = (struct hd_search_progress){executions, states, frontier};
    if (s->o->progress)
        s->o->progress(s->o->ctx, &s->result->p);
}

static void note(struct search *s, const char *text)
{
    struct hd_report *r = s->session->r;
    hd_report_add(r, &r->search_notes, hd_report_format(r, "search: %s", text));
}

/* ---- pct, random ---- */

static bool found_error(const struct search *s)
{
    for (size_t i = 0; i < s->session->findings.len; i++) {
        const struct hd_finding *f = hd_vec_at(&s->session->findings, i);
        if (f->status != HD_FINDING_PREDICTED)
            return true;
    }
    return false;
}

/* Predicts on a recording. It stays when something was found in it, and the first one always. */
static enum hd_status take(struct search *s, const char *path, const struct hd_session_known *known,
                           struct hd_err *err)
{
    const char *name = strrchr(path, '/') + 1;
    size_t before = hd_session_findings(s->session);
    enum hd_status status = hd_session_take(s->session, name, known, err);
    if (status == HD_ERR_INPUT) { /* one bad recording is not the end of the search */
        struct hd_report *r = s->session->r;
        hd_report_add(r, &r->notes, hd_report_format(r, "%s was left out: %s", name, err->text));
        status = HD_OK;
    }
    if (hd_session_findings(s->session) == before && strcmp(name, "run.hdr") != 0)
        unlink(path);
    return status == HD_OK && s->o->first && found_error(s) ? HD_ERR_STOPPED : status;
}

/* Reads a recording, or its beginning when a tenth of the budget is used up. */
static enum hd_status load(struct search *s, const char *path, struct hd_trace **t,
                           struct hd_err *err)
{
    double seconds = s->o->seconds * READ_SHARE;
    struct hd_build_info info;
    struct hd_stop_scope around =
        hd_stop_begin(seconds > 0 ? hd_progress_now() + seconds : 0, hd_alloc_limit() / 2);
    enum hd_status status = hd_load_trace(path, t, NULL, &info, err);
    hd_stop_end(around);
    s->session->r->cut = s->session->r->cut || info.cut;
    hd_build_info_fini(&info);
    return status;
}

static int signal_of(const struct hd_record_child *run)
{
    return WIFSIGNALED(run->wait_status) ? WTERMSIG(run->wait_status) : 0;
}

/* A run that crashed, deadlocked or did not end is its own witness. */
static enum hd_status take_failed(struct search *s, const char *path,
                                  const struct hd_record_child *run, struct hd_err *err)
{
    struct hd_session_known found = {NULL, run->assertion,
                                     run->ending == HD_END_TIMEOUT ? 0 : signal_of(run)};
    return take(s, path, &found, err);
}

static enum hd_status take_run(struct search *s, const char *path,
                               const struct hd_record_child *run, struct hd_err *err)
{
    hd_session_ended(s->session, run->wait_status);
    return run->ending == HD_END_EXIT ? take(s, path, NULL, err) : take_failed(s, path, run, err);
}

static enum hd_status take_sample(void *ctx, const struct hd_sampled *run, struct hd_err *err)
{
    if (run->fresh || run->run->ending != HD_END_TIMEOUT)
        return take_run(ctx, run->path, run->run, err);
    unlink(run->path);
    return HD_OK;
}

static void sample_progress(void *ctx, uint64_t runs, uint64_t behaviours)
{
    tell(ctx, runs, behaviours, 0);
}

static struct hd_sample_options sample_options(struct search *s, const struct limits *l)
{
    const struct hd_search_options *o = s->o;
    return (struct hd_sample_options){
        .argv = o->session.argv,
        .dir = o->session.dir,
        .input = o->input,
        .policy = o->strategy == HD_SEARCH_RANDOM ? HD_POLICY_RANDOM : HD_POLICY_PCT,
        .seed = s->state->seed,
        .last = l->runs ? s->state->sample.done + l->runs : 0,
        .seconds = l->seconds,
        .timeout = o->timeout,
        .jobs = o->jobs,
        .take = take_sample,
        .progress = sample_progress,
        .ctx = s,
    };
}

static enum hd_status sample(struct search *s, const struct limits *l, struct hd_err *err)
{
    struct hd_sample_options options = sample_options(s, l);
    uint64_t before = s->state->sample.done;
    enum hd_status status = hd_sample(&options, &s->state->sample, err);
    s->state->executions += s->state->sample.done - before;
    s->state->sampled += s->state->sample.done - before;
    tell(s, s->state->executions, s->state->sample.seen.list.len, 0);
    note(s,
         hd_report_format(s->session->r, "%llu runs, %zu different behaviours",
                          (unsigned long long)s->state->sampled, s->state->sample.seen.list.len));
    return status;
}

/* ---- what guided and dpor find ---- */

static enum hd_status take_explored(void *ctx, const struct hd_explored *e, bool *led,
                                    struct hd_err *err)
{
    struct search *s = ctx;
    uint64_t before = s->session->r->race + hd_session_findings(s->session);
    struct hd_session_known known = {e->witness, e->text, e->signal};
    enum hd_status status = take(s, e->path, e->witness ? &known : NULL, err);
    *led = s->session->r->race + hd_session_findings(s->session) > before;
    return status;
}

static void tell_lost(void *ctx, const char *kind, const char *why)
{
    struct search *s = ctx;
    note(s, hd_report_format(s->session->r, "a %s could not be had again: %s", kind, why));
}

static void explored_progress(void *ctx, uint64_t executions, uint64_t states, uint64_t open)
{
    struct search *s = ctx;
    tell(s, s->state->executions + executions, states, open);
}

/* ---- dpor ---- */

static void dpor_progress(void *ctx, uint64_t executions, uint64_t states, uint64_t open)
{
    struct search *s = ctx;
    tell(s, s->state->executions - s->state->dpor_executions + executions, states, open);
}

static void note_dpor(struct search *s, const struct hd_sweep_result *result)
{
    struct hd_report *r = s->session->r;
    const struct hd_schedule_share *share = &s->o->share;
    const char *of = share->of > 1 ? hd_report_format(r, " of share %" PRIu32 " of %" PRIu32,
                                                      share->number + 1, share->of)
                                   : "";
    if (result->complete)
        note(s,
             hd_report_format(r, "all %" PRIu64 " schedules%s explored, in %" PRIu64 " executions",
                              result->schedules, of, result->executions));
    else
        note(s, hd_report_format(r, "%" PRIu64 " schedules%s explored, not all: %s",
                                 result->schedules, of, result->why));
}

/* A run to predict on. */
static enum hd_status record_one(struct search *s, enum hd_policy_kind policy, const char *name,
                                 struct hd_err *err)
{
    char path[PATH_MAX], output[PATH_MAX];
    struct hd_record_child run;
    enum hd_status status = hd_session_path(s->session, name, path, sizeof path);
    if (status == HD_OK)
        status = hd_session_path(s->session, "output.txt", output, sizeof output);
    if (status != HD_OK)
        return status;
    struct hd_record_child_opts opts = {.record = {.out = path, .argv = s->o->session.argv},
                                        .output = output,
                                        .input = s->o->input,
                                        .seconds = s->o->timeout,
                                        .real = s->o->session.budget * FIRST_SHARE};
    opts.record.policy = policy;
    opts.record.seed = opts.record.quantum = opts.record.depth = opts.record.steps = 1;
    opts.record.exit_steps = s->o->session.exit_steps;
    opts.record.keep_all = true; /* other runs may not order what this one does */
    status = hd_record_child_start(&run, &opts, err);
    if (status == HD_OK)
        status = hd_record_child_wait(&run, err);
    if (status == HD_OK) {
        s->state->sample.done++;
        status = take_run(s, path, &run, err);
    }
    hd_record_child_kill(&run);
    unlink(output);
    return status;
}

/* Each thread until it blocks: guided looks at the lockset violations of this run, which is kept.
 */
static enum hd_status record_first(struct search *s, struct hd_err *err)
{
    return record_one(s, HD_POLICY_FIFO, "run.hdr", err);
}

/* With a switch after each synchronisation: there the workers of a pool share the work. */
static enum hd_status record_sync(struct search *s, struct hd_err *err)
{
    const char *name =
        hd_report_format(s->session->r, "run-%" PRIu64 ".hdr", s->state->sample.done + 1);
    return record_one(s, HD_POLICY_SYNC, name, err);
}

static enum hd_status dpor(struct search *s, const struct limits *l, bool whole, struct hd_err *err)
{
    const struct hd_search_options *o = s->o;
    struct hd_sweep_result result;
    char path[PATH_MAX];
    enum hd_status status = hd_session_path(s->session, HD_DPOR_FILE, path, sizeof path);
    if (status != HD_OK)
        return status;
    struct hd_sweep_options options = {
        .argv = o->session.argv,
        .dir = o->session.dir,
        .input = o->input,
        .first = s->state->sample.done + 1,
        .jobs = o->jobs,
        .runs = l->runs,
        .seconds = l->seconds,
        .timeout = o->timeout,
        .preemptions = o->strategy == HD_SEARCH_DPOR ? o->preemptions : UINT32_MAX,
        .share = o->share,
        .state = path,
        .resume = s->state->dpor_executions > 0,
        .whole = whole,
        .taker = {take_explored, tell_lost, s},
        .progress = dpor_progress,
        .ctx = s,
    };
    status = hd_sweep(&options, &result, err);
    s->state->executions += result.executions - s->state->dpor_executions;
    s->state->dpor_executions = result.executions;
    s->state->sample.done += result.recordings;
    s->result->complete = result.complete;
    s->result->exhausted = result.complete && o->share.of < 2;
    tell(s, s->state->executions, result.states, result.open);
    note_dpor(s, &result);
    /* The sweep sees accesses that are enabled together. What memory orders alone leave unordered
     * shows in a recording, and there is one only if it found something. */
    if (status == HD_OK && !s->state->sample.done && !hd_interrupt_requested())
        status = record_first(s, err);
    return status;
}

/* ---- guided ---- */

static bool is_place(const char *place, const struct hd_spot *at)
{
    size_t n = at->file ? strlen(at->file) : 0;
    char line[16];
    snprintf(line, sizeof line, ":%" PRIu32, at->line);
    return n && !strncmp(place, at->file, n) && !strcmp(place + n, line);
}

static bool is_known(void *ctx, const char *place1, const char *place2)
{
    const struct search *s = ctx;
    for (size_t i = 0; i < s->session->findings.len; i++) {
        const struct hd_finding *f = hd_vec_at(&s->session->findings, i);
        if (f->property != HD_PROPERTY_RACE || f->n_accesses < 2 || !f->accesses[0].stack.n ||
            !f->accesses[1].stack.n)
            continue;
        /* The innermost places, which may lie in a library: those are what the trace names. */
        const struct hd_spot *a = &f->accesses[0].stack.frames[0].at;
        const struct hd_spot *b = &f->accesses[1].stack.frames[0].at;
        if ((is_place(place1, a) && is_place(place2, b)) ||
            (is_place(place1, b) && is_place(place2, a)))
            return true;
    }
    return false;
}

static void settle(void *ctx, const char *place1, const char *place2, enum hd_guided_end how)
{
    struct search *s = ctx;
    struct hd_report *r = s->session->r;
    char key[1024];
    if (how == HD_GUIDED_NOT_REACHED)
        hd_report_add(r, &s->later,
                      hd_report_format(r,
                                       "%s and %s hold no common lock; no race was reached with "
                                       "%" PRIu32 " preemptions",
                                       place1, place2, s->o->preemptions));
    if (how == HD_GUIDED_OPEN)
        return;
    hd_guided_key(place1, place2, s->o->preemptions, key, sizeof key);
    hd_names_add(&s->state->settled, key, strlen(key));
}

static void note_guided(struct search *s, const struct hd_guided_result *result)
{
    if (!result->warnings) {
        note(s, "the recorded run gives no lockset warning to start from");
        return;
    }
    note(s, hd_report_format(s->session->r,
                             "%" PRIu64 " executions, %" PRIu64 " states; of %" PRIu64
                             " lockset warnings %" PRIu64 " led to races, %" PRIu64
                             " were not reached, %" PRIu64 " were known, %" PRIu64 " are open",
                             s->state->executions, result->states, result->warnings,
                             result->ends[HD_GUIDED_FOUND], result->ends[HD_GUIDED_NOT_REACHED],
                             result->ends[HD_GUIDED_KNOWN], result->ends[HD_GUIDED_OPEN]));
    if (s->o->share.of > 1)
        note(s, hd_report_format(s->session->r,
                                 "share %" PRIu32 " of %" PRIu32 ": %" PRIu64
                                 " warnings are those of other shares",
                                 s->o->share.number + 1, s->o->share.of,
                                 result->ends[HD_GUIDED_ELSEWHERE]));
}

static enum hd_status search_guided(struct search *s, const struct hd_trace *t,
                                    const struct limits *l, struct hd_err *err)
{
    const struct hd_search_options *o = s->o;
    struct hd_guided_result result = {0};
    struct hd_names settled = {0};
    for (uint32_t i = 0; i < s->state->settled.count; i++)
        hd_names_add(&settled, hd_names_text(&s->state->settled, i),
                     hd_names_len(&s->state->settled, i));
    char path[PATH_MAX];
    enum hd_status status = hd_session_path(s->session, HD_GUIDED_FILE, path, sizeof path);
    struct hd_guided_options options = {
        .trace = t,
        .state = path,
        .resume = access(path, R_OK) == 0,
        .argv = o->session.argv,
        .dir = o->session.dir,
        .input = o->input,
        .first = s->state->sample.done + 1,
        .jobs = o->jobs,
        .runs = l->runs,
        .seconds = l->seconds,
        .timeout = o->timeout,
        .preemptions = o->preemptions,
        .aim = (enum hd_aim)o->aim,
        .share = o->share,
        .settled = &settled,
        .known = is_known,
        .taker = {take_explored, tell_lost, s},
        .settle = settle,
        .progress = explored_progress,
        .ctx = s,
    };
    if (status == HD_OK)
        status = hd_guided(&options, &result, err);
    s->state->executions += result.executions;
    s->state->sample.done += result.recordings;
    s->result->complete = status == HD_OK && result.ends[HD_GUIDED_OPEN] == 0;
    tell(s, s->state->executions, result.states, result.open);
    note_guided(s, &result);
    if (result.why)
        note(s, hd_report_format(s->session->r, "not all was searched: %s", result.why));
    hd_names_fini(&settled);
    return status;
}

/* What is left of what the user allows; false: nothing. */
static bool left_over(const struct search *s, struct limits *l)
{
    uint64_t used = s->state->executions - s->executions_before;
    double passed = hd_progress_now() - s->started;
    *l = (struct limits){s->o->seconds > 0 ? s->o->seconds - passed : 0, 0};
    HD_DEBUG_LINE(SESSION, "search, part %d: %.3f s and %llu executions used", (int)s->state->part,
                  passed, (unsigned long long)used);
    if (s->o->runs)
        l->runs = s->o->runs > used ? s->o->runs - used : 0;
    return !hd_interrupt_requested() && (s->o->seconds <= 0 || l->seconds > 0) &&
           (!s->o->runs || l->runs > 0);
}

static enum hd_status search_from_warnings(struct search *s, struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_trace *t = NULL;
    struct limits l;
    enum hd_status status = s->state->sample.done ? HD_OK : record_first(s, err);
    if (status == HD_OK && (hd_interrupt_requested() || (s->o->first && found_error(s))))
        status = HD_ERR_STOPPED;
    if (status == HD_OK)
        status = hd_session_path(s->session, "run.hdr", path, sizeof path);
    if (status == HD_OK)
        status = load(s, path, &t, err);
    if (status == HD_OK && !left_over(s, &l))
        l = (struct limits){1e-3, 1}; /* it reports how many warnings there are */
    l.seconds *= GUIDED_SHARE;
    if (status == HD_OK)
        status = search_guided(s, t, &l, err);
    hd_trace_free(t);
    return status;
}

/* Whether what has been found ends the search. */
static bool is_enough(const struct search *s)
{
    return !s->o->on && found_error(s);
}

/* A run that switches often; then every schedule if there are few, which half of what is left has
 * to show; else samples. */
static enum hd_status fall_back(struct search *s, struct hd_err *err)
{
    struct limits l;
    enum hd_status status = HD_OK;
    if (s->state->part == HD_PART_GUIDED) {
        s->state->part = HD_PART_DPOR;
        status = record_sync(s, err);
        if (status != HD_OK || is_enough(s))
            return status;
    }
    if (s->state->part == HD_PART_DPOR && left_over(s, &l)) {
        struct limits half = {l.seconds / 2, (l.runs + 1) / 2};
        note(s, found_error(s) ? "each schedule was run for the pairs that are asked for (dpor)"
                               : "no warning led to a finding, so each schedule was run (dpor)");
        status = dpor(s, &half, true, err);
        if (!s->result->complete && status == HD_OK)
            s->state->part = HD_PART_PCT;
    }
    if (status != HD_OK || s->state->part != HD_PART_PCT || !left_over(s, &l))
        return status;
    note(s, "these are too many or not all can be told apart, so samples were run (pct)");
    l.runs = s->o->samples && (!l.runs || l.runs > s->o->samples) ? s->o->samples : l.runs;
    return sample(s, &l, err);
}

static enum hd_status guided(struct search *s, struct hd_err *err)
{
    struct limits l;
    enum hd_status status = HD_OK;
    if (s->state->part == HD_PART_GUIDED)
        status = search_from_warnings(s, err);
    /* A share has its warnings; all schedules and samples have strategies of their own. */
    bool alone = s->o->share.of < 2;
    if (status == HD_OK && alone && !is_enough(s) && left_over(s, &l))
        status = fall_back(s, err);
    return status;
}

/* ---- all ---- */

static void measure(struct hd_search_state *state, double started)
{
    struct rusage use;
    state->milliseconds += (uint64_t)((hd_progress_now() - started) * 1000);
    if (getrusage(RUSAGE_SELF, &use) == 0 && (uint64_t)use.ru_maxrss > state->peak_kilobytes)
        state->peak_kilobytes = (uint64_t)use.ru_maxrss;
}

enum hd_status hd_search(const struct hd_search_options *o, struct hd_search_state *state,
                         struct hd_report *earlier, struct hd_search_result *result,
                         struct hd_err *err)
{
    char path[PATH_MAX];
    double started = hd_progress_now();
    *result = (struct hd_search_result){0};
    struct search s = {.o = o,
                       .state = state,
                       .result = result,
                       .started = started,
                       .executions_before = state->executions};
    const struct limits l = {o->seconds, o->runs};
    s.session = hd_session_new(&o->session, earlier);
    s.session->end = o->session.budget > 0 ? started + o->session.budget : 0;
    s.session->r->search_notes.n = 0; /* of an earlier part: they are made anew */
    enum hd_status status = o->strategy == HD_SEARCH_GUIDED ? guided(&s, err)
                            : o->strategy == HD_SEARCH_DPOR ? dpor(&s, &l, false, err)
                                                            : sample(&s, &l, err);
    for (size_t i = 0; i < s.later.n; i++)
        note(&s, s.later.items[i]);
    if (status == HD_ERR_STOPPED)
        status = HD_OK; /* what is known is reported */
    s.session->r->searched = true;
    if (status == HD_OK)
        status = hd_session_finish(s.session, &result->session, err);
    if (status == HD_OK)
        status = hd_session_path(s.session, HD_SEARCH_FILE, path, sizeof path);
    state->complete = result->complete;
    measure(state, started);
    if (status == HD_OK)
        status = hd_search_state_save(state, path, err);
    hd_session_free(s.session);
    return status;
}
