/* What is done with one recording of a session: predict, replay, make findings. */
#include "session/session_int.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "base/stop.h"
#include "build/details.h"
#include "build/load.h"
#include "detect/memory_order.h"
#include "explore/found.h"
#include "model/check.h"
#include "model/witness_json.h"
#include "predict/run/predict.h"
#include "recording/kept_inputs.h"
#include "replay/replay.h"
#include "report/format/words.h"
#include "report/make/frame_names.h"
#include "report/make/make.h"
#include "report/make/openmp_advice.h"
#include "report/make/replayed.h"
#include "report/make/stacked.h"
#include "session/analysis.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define PROCESSES 4 /* in which a finding is replayed */

/* ---- rules ---- */

/* The rules that the program brings along: the same in every run. */
static void take_rules(struct hd_session *s, const struct hd_build_info *info)
{
    static const char from[] = "__tsan_default_suppressions";
    for (uint32_t i = 0; s->o->suppressions && s->r->runs == 1 && i < info->rules.count; i++) {
        const char *why;
        if (!hd_suppress_line(s->o->suppressions, hd_names_text(&info->rules, i), from, i + 1,
                              &why))
            hd_report_add(
                s->r, &s->r->notes,
                hd_report_format(s->r, "%s:%u: %s; the line is left out", from, i + 1, why));
    }
}

/* ---- replay ---- */

enum hd_status hd_session_save_witness(struct hd_session *s, const struct hd_trace *t,
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
    enum hd_status status = hd_session_path(s, name, path, sizeof path);
    if (status == HD_OK)
        status = hd_outfile_open(path, &out, s->err);
    if (status != HD_OK)
        return status;
    if (!*s->digest)
        hd_digest_trace(t, s->digest);
    hd_witness_json_write_named(out.file, t, w, s->trace_name, s->digest);
    f->witness = hd_report_text(s->r, name);
    f->trace = hd_report_text(s->r, s->trace_name);
    return hd_outfile_commit(&out, s->err);
}

static bool same_spot(const struct hd_access *a, const struct hd_access *b)
{
    return a->at.file && b->at.file && !strcmp(a->at.file, b->at.file) && a->at.line == b->at.line;
}

/* Races of one variable at the same two lines, whichever thread reads or writes. */
static bool same_places(const struct hd_finding *f, const struct hd_finding *g)
{
    const struct hd_access *a = f->accesses, *b = g->accesses;
    if (f->property != HD_PROPERTY_RACE || g->property != HD_PROPERTY_RACE || f->n_accesses < 2 ||
        g->n_accesses < 2 || !f->variable || !g->variable || strcmp(f->variable, g->variable) != 0)
        return false;
    return (same_spot(&a[0], &b[0]) && same_spot(&a[1], &b[1])) ||
           (same_spot(&a[0], &b[1]) && same_spot(&a[1], &b[0]));
}

/* An earlier finding that is the same and leaves nothing to do. */
static struct hd_finding *find_confirmed(struct hd_session *s, const struct hd_finding *f)
{
    for (size_t i = 0; i < s->findings.len; i++) {
        struct hd_finding *other = hd_vec_at(&s->findings, i);
        bool same = !strcmp(other->fingerprint, f->fingerprint) || same_places(other, f);
        bool weaker = hd_words_unordered(other) && !hd_words_unordered(f);
        if (same && !weaker && other->status != HD_FINDING_PREDICTED)
            return other;
    }
    return NULL;
}

static bool is_new(const struct hd_session *s, const struct hd_finding *f)
{
    for (size_t i = 0; i < s->findings.len; i++)
        if (!strcmp(((struct hd_finding *)hd_vec_at(&s->findings, i))->fingerprint, f->fingerprint))
            return false;
    return true;
}

/* What the recorded run itself did, when no replay did it again. */
static void observe(struct hd_session *s, const struct hd_session_known *known,
                    struct hd_finding *f)
{
    struct hd_report *r = s->r;
    struct hd_effect *e = &f->effects[0];
    if (f->property != HD_PROPERTY_FAILURE || f->status != HD_FINDING_PREDICTED)
        return;
    const char *name = known->signal ? sigabbrev_np(known->signal) : NULL;
    f->status = HD_FINDING_OBSERVED;
    *e = (struct hd_effect){.exit_status = -1, .signal = known->signal};
    e->signal_name = name ? hd_report_format(r, "SIG%s", name) : NULL;
    if (known->assertion && *known->assertion) {
        e->assertion = hd_report_text(r, known->assertion);
        e->summary = hd_report_format(r, "assertion failed: %s", known->assertion);
    } else {
        e->summary = name ? hd_report_format(r, "killed by SIG%s", name) : "the run did not end";
    }
}

/* A confirmed finding comes up again. In another process it counts when a replay goes there, too;
 * a server with many alike need not be replayed in each. */
static void again(struct hd_session *s, const struct hd_trace *t, const struct hd_witness *w,
                  struct hd_finding *f, struct hd_finding *old)
{
    bool there = !*s->process;
    for (size_t i = 0; i < old->processes.n; i++)
        there = there || !strcmp(old->processes.items[i], s->process);
    old->duplicates++;
    if (there || old->processes.n >= PROCESSES)
        return;
    hd_session_try(s, t, w, f);
    if (f->status == HD_FINDING_CONFIRMED)
        hd_report_add(s->r, &old->processes, s->process);
}

/* The pairs that are unordered only because of this race. */
static void add_follows(struct hd_session *s, struct hd_maker *maker, const struct hd_trace *t,
                        const struct hd_witness *w, const struct hd_prediction *p,
                        struct hd_finding *f)
{
    if (w->property != HD_PROPERTY_RACE)
        return;
    uint32_t low = t->place[w->a], high = t->place[w->b];
    for (size_t i = 0; i < p->follows.len; i++) {
        const struct hd_followed *x = hd_vec_at(&p->follows, i);
        uint32_t write = t->place[x->write], read = t->place[x->read];
        if ((write == low && read == high) || (write == high && read == low))
            hd_report_add(s->r, &f->follows, hd_maker_follow(maker, &x->witness));
    }
}

static enum hd_status handle(struct hd_session *s, struct hd_maker *maker, const struct hd_trace *t,
                             const struct hd_witness *w, const struct hd_session_known *known,
                             const struct hd_prediction *p)
{
    struct hd_finding f;
    hd_maker_finding(maker, w, &f);
    add_follows(s, maker, t, w, p, &f);
    s->r->race++;
    f.shown_by = s->shown_by;
    struct hd_finding *old = find_confirmed(s, &f);
    HD_DEBUG_LINE(SESSION, "%s: witness of %zu events%s", f.id, w->n,
                  old ? "; confirmed before" : "");
    if (old) {
        again(s, t, w, &f, old);
        return HD_OK;
    }
    s->news += is_new(s, &f);
    enum hd_status status = hd_session_save_witness(s, t, w, &f);
    if (*s->process)
        hd_report_add(s->r, &f.processes, s->process);
    if (status == HD_OK)
        hd_session_try(s, t, w, &f);
    if (known)
        observe(s, known, &f);
    if (status == HD_OK)
        *(struct hd_finding *)hd_vec_push(&s->findings) = f;
    return status;
}

/* ---- analyse ---- */

static void predict_progress(void *ctx, uint64_t done, uint64_t total)
{
    hd_session_tell(ctx, HD_STAGE_ANALYSING, done, total);
}

/* A witness of ours that was rejected costs its pair; the report notes it. */
static void note_rejected(struct hd_report *r, const struct hd_rejected *rejected)
{
    if (rejected->n)
        hd_report_add(
            r, &r->notes,
            hd_report_format(r, "internal error, the rest stands: %s", rejected->first.text));
}

/* What a run made unasked leaves undecided because its share of time is over, or does not do for
 * all of its trace, leaves the rest as it is: that was decided without it. */
static bool left_out(struct hd_session *s, const struct hd_prediction *p)
{
    bool in_time = hd_progress_now() < s->analysis_end && !p->looked;
    if (!(p->open + p->cut) || !s->deadline || in_time)
        return false;
    hd_report_add(s->r, &s->r->notes,
                  hd_report_format(s->r,
                                   "%s: the share of time was over before all of this recording "
                                   "was decided (--runs N decides all)",
                                   s->shown_by));
    return true;
}

static void note_cut(struct hd_session *s, const struct hd_prediction *p)
{
    struct hd_report *r = s->r;
    const char *candidate = hd_candidate_names[p->property];
    r->cut = true;
    hd_report_add(
        r, &r->notes,
        p->candidates
            ? hd_report_format(r, "not all %ss of a run could be counted: %s", candidate,
                               hd_reason_texts[p->cut_why])
            : hd_report_format(r, "the %ss of a run could not be counted, and none is decided: %s",
                               candidate, hd_reason_texts[p->cut_why]));
}

static void note_undecided(struct hd_session *s, const struct hd_trace *t,
                           enum hd_property property, const struct hd_undecided *u)
{
    struct hd_report *r = s->r;
    const hd_eid *e = hd_undecided_events(u);
    const char *at = hd_trace_place_name(t, e[0]), *why = hd_reason_texts[u->why];
    hd_report_add(r, &r->undecided_why,
                  property == HD_PROPERTY_RACE
                      ? hd_report_format(r, "%s and %s: %s", at, hd_trace_place_name(t, e[1]), why)
                      : hd_report_format(r, "%s, %s: %s", hd_property_names[property], at, why));
}

static void count(struct hd_session *s, const struct hd_trace *t, const struct hd_prediction *p)
{
    struct hd_report *r = s->r;
    note_rejected(r, &p->rejected);
    for (int i = 0; i < HD_STEPS; i++)
        r->impossible += p->proved[i];
    if (left_out(s, p))
        return;
    r->undecided += p->open;
    r->skipped += p->skipped;
    s->late = s->late || hd_prediction_late(p);
    if (p->cut)
        note_cut(s, p);
    for (size_t i = 0; i < p->undecided.len; i++)
        note_undecided(s, t, p->property, hd_vec_at(&p->undecided, i));
}

/* What was predicted for each property. */
struct predicted {
    struct hd_prediction by_property[HD_PREDICTED_PROPERTIES];
    struct hd_vec witnesses; /* const struct hd_witness *: of all, in the order they are handled */
};

/* What the next property may use of the time of this recording. */
static double next_share(const struct hd_session *s, enum hd_property property)
{
    double now = hd_progress_now(), left = s->analysis_end - now;
    if (s->deadline) /* nothing is kept back for the others */
        return left > 0 ? left : -1;
    return s->analysis_end == 0
               ? s->o->predict.seconds
               : hd_analysis_share(left > 0 ? left : -1, now, s->o->properties >> property);
}

static enum hd_status predict(struct hd_session *s, const struct hd_trace *t, struct predicted *p)
{
    struct hd_predict_options options = s->o->predict;
    enum hd_status status = HD_OK;
    options.spots = hd_details_spots;
    options.progress = predict_progress;
    options.progress_ctx = s;
    for (int k = 0; k < HD_PREDICTED_PROPERTIES && status == HD_OK; k++) {
        struct hd_prediction *one = &p->by_property[k];
        if (!(s->o->properties >> k & 1))
            continue;
        options.seconds = next_share(s, (enum hd_property)k);
        status = hd_predict(t, (enum hd_property)k, &options, one, s->err);
        HD_DEBUG_LINE(SESSION, "%s: %zu found, %llu undecided, of %.3f s allowed",
                      hd_property_names[k], one->found.len, (unsigned long long)one->open,
                      options.seconds);
        if (status == HD_OK)
            count(s, t, one);
        for (size_t i = 0; i < one->found.len; i++)
            *(const struct hd_witness **)hd_vec_push(&p->witnesses) =
                &((struct hd_predicted *)hd_vec_at(&one->found, i))->witness;
    }
    return status;
}

/* Stacks for the findings of this recording: one more run for all of them. */
static void take_stacks(struct hd_session *s, const struct hd_trace *t, size_t first)
{
    struct hd_stacks_options opts = {.trace = t,
                                     .argv = s->o->argv,
                                     .dir = s->o->dir,
                                     .timeout = hd_session_execution_time(s, 1)};
    struct hd_stacked want;
    struct hd_stacks stacks;
    struct hd_err err = {0};
    if (hd_interrupt_requested() || s->o->times == 0)
        return;
    double started = hd_progress_now(), cpu = hd_session_cpu();
    hd_stacked_init(&want);
    for (size_t i = first; i < s->findings.len; i++)
        hd_stacked_want(&want, hd_vec_at(&s->findings, i));
    if (hd_stacked_ask(&want, &stacks)) {
        if (hd_stacks_record(&opts, &stacks, &err) != HD_OK)
            snprintf(stacks.reason, sizeof stacks.reason, "%s", err.text);
        for (size_t i = first; i < s->findings.len; i++)
            hd_stacked_apply(s->r, hd_vec_at(&s->findings, i), &stacks);
        hd_stacks_fini(&stacks);
    }
    hd_stacked_fini(&want);
    for (size_t i = first; i < s->findings.len; i++) {
        hd_openmp_advice_set(s->r, s->sources,
                             hd_vec_at(&s->findings, i)); /* names are better now */
        hd_frame_names_lift(s->r, hd_vec_at(&s->findings, i), s->sources);
    }
    s->r->replay_seconds += hd_progress_now() - started;
    s->replays.cpu += hd_session_cpu() - cpu;
}

/* Which witnesses are of a variable that no other one before is of; returns how many. */
static size_t mark_firsts(struct hd_session *s, struct hd_maker *maker,
                          const struct hd_vec *witnesses, bool *first_of)
{
    const struct hd_witness *const *list = witnesses->data;
    size_t n = 0;
    for (size_t i = 0; i < witnesses->len; i++) {
        bool race = list[i]->property == HD_PROPERTY_RACE;
        first_of[i] =
            hd_session_replays_first(s, list[i], race ? hd_maker_variable(maker, list[i]) : NULL);
        n += first_of[i];
    }
    return n;
}

static enum hd_status handle_all(struct hd_session *s, const struct hd_trace *t,
                                 const struct predicted *p, const struct hd_session_known *known)
{
    struct hd_maker *maker = hd_maker_new(s->r, t, s->sources);
    const struct hd_witness *const *list = p->witnesses.data;
    enum hd_status status = HD_OK;
    size_t first = s->findings.len, n = p->witnesses.len;
    bool *first_of = hd_calloc(n, sizeof *first_of); /* its variable */
    for (size_t i = 0; i < n; i++)
        hd_maker_announce(maker, list[i]);
    hd_maker_walk(maker);
    s->replays.firsts = mark_firsts(s, maker, &p->witnesses, first_of);
    s->replays.waiting = n;
    s->replays.met = n > 1 && s->o->times ? hd_met_new(t, &p->witnesses) : NULL;
    for (size_t k = 0; k < 2 * n && status == HD_OK; k++) {
        size_t i = k % n;
        if (first_of[i] != (k < n))
            continue;
        hd_session_tell(s, HD_STAGE_REPLAYING, n - s->replays.waiting, n);
        s->replays.first = first_of[i];
        struct hd_witness whole = hd_witness_long(list[i], t, NULL);
        bool observed = known && known->witness == list[i];
        status =
            handle(s, maker, t, &whole, observed ? known : NULL, &p->by_property[HD_PROPERTY_RACE]);
        hd_witness_fini(&whole);
        s->replays.waiting--;
        s->replays.firsts -= first_of[i];
    }
    hd_met_free(s->replays.met);
    s->replays.met = NULL;
    hd_free(first_of, n * sizeof *first_of);
    hd_maker_free(maker);
    if (status == HD_OK)
        hd_session_others(s, t, first);
    if (status == HD_OK)
        take_stacks(s, t, first);
    return status;
}

static void predicted_fini(struct predicted *p)
{
    for (int i = 0; i < HD_PREDICTED_PROPERTIES; i++)
        hd_prediction_fini(&p->by_property[i]);
    hd_vec_fini(&p->witnesses);
}

static bool holds(const struct hd_access *a, const char *lock)
{
    for (size_t i = 0; i < a->n_locks; i++)
        if (!strcmp(a->locks[i].name, lock))
            return true;
    return false;
}

/* Both wait for the same kind of thing. A thread that has left a wait and waits for its lock is
 * said to do both by a prediction; of a run that hangs it is only known that it waits for the lock.
 */
static bool same_kind(const struct hd_access *a, const struct hd_access *b)
{
    const char *x = a->kind ? strstr(a->kind, "wait for") : NULL;
    const char *y = b->kind ? strstr(b->kind, "wait for") : NULL;
    return x && y && !strcmp(x, y);
}

/* Whether b waits as a does: for the same at the same place, and holds what a holds. */
static bool same_wait(const struct hd_access *a, const struct hd_access *b)
{
    const char *x = a->at.file, *y = b->at.file;
    bool same = same_kind(a, b) && a->value && b->value && !strcmp(a->value, b->value) &&
                a->at.line == b->at.line && (x == y || (x && y && !strcmp(x, y)));
    for (size_t i = 0; same && i < a->n_locks; i++)
        same = holds(b, a->locks[i].name);
    return same;
}

static bool waits_in(const struct hd_access *a, const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        if (same_wait(a, &f->accesses[i]))
            return true;
    return false;
}

/* A deadlock that is known and is all of why this one is: the others wait for those in it. */
static struct hd_finding *find_within(struct hd_session *s, const struct hd_finding *f)
{
    for (size_t i = 0; i < s->findings.len; i++) {
        struct hd_finding *g = hd_vec_at(&s->findings, i);
        size_t common = 0;
        while (common < g->n_accesses && waits_in(&g->accesses[common], f))
            common++;
        if (g->property == HD_PROPERTY_DEADLOCK && g->status == HD_FINDING_CONFIRMED &&
            g->n_accesses > 1 && common == g->n_accesses)
            return g;
    }
    return NULL;
}

void hd_session_fold_stuck(struct hd_session *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->findings.len; i++) {
        const struct hd_finding f = *(struct hd_finding *)hd_vec_at(&s->findings, i);
        bool stuck = f.property == HD_PROPERTY_DEADLOCK && f.status == HD_FINDING_OBSERVED;
        struct hd_finding *within = stuck ? find_within(s, &f) : NULL;
        if (!within) {
            *(struct hd_finding *)hd_vec_at(&s->findings, kept++) = f;
            continue;
        }
        HD_DEBUG_LINE(SESSION, "%s is the hang of %s", f.id, within->id);
        within->duplicates += 1 + f.duplicates;
    }
    s->findings.len = kept;
}

/* The deadlock that the run itself came to. Equal ones are counted. */
static enum hd_status take_stuck(struct hd_session *s, const struct hd_trace *t,
                                 const struct hd_build_info *info, const struct hd_witness *known)
{
    struct hd_finding f;
    hd_make_stuck(s->r, info, s->sources, &f);
    if (f.n_accesses == 0)
        return HD_OK; /* no thread is known to wait */
    f.trace = hd_report_text(s->r, s->trace_name);
    f.shown_by = s->shown_by;
    hd_frame_names_lift(s->r, &f, s->sources);
    struct hd_finding *old = find_confirmed(s, &f);
    old = old ? old : find_within(s, &f);
    if (old) {
        old->duplicates++;
        return HD_OK;
    }
    s->news += is_new(s, &f);
    enum hd_status status = known ? hd_session_save_witness(s, t, known, &f) : HD_OK;
    if (status == HD_OK && known)
        hd_session_try(s, t, known, &f);
    if (f.status == HD_FINDING_PREDICTED)
        f.status = HD_FINDING_OBSERVED;
    if (status == HD_OK)
        *(struct hd_finding *)hd_vec_push(&s->findings) = f;
    return status;
}

static enum hd_status examine(struct hd_session *s, const struct hd_trace *t,
                              const struct hd_session_known *known)
{
    struct predicted p = {.witnesses = HD_VEC_INIT(const struct hd_witness *)};
    double started = hd_progress_now();
    s->r->events += t->n_events;
    /* Less than reading, which had half of the time; without it there is no answer. */
    struct hd_stop_scope around = hd_stop_begin(0, 0);
    enum hd_status status = hd_check_trace(t, NULL, s->err);
    hd_stop_end(around);
    if (status == HD_OK)
        status = predict(s, t, &p);
    s->r->analyze_seconds += hd_progress_now() - started;
    if (known)
        *(const struct hd_witness **)hd_vec_push(&p.witnesses) = known->witness;
    if (status == HD_OK)
        status = handle_all(s, t, &p, known);
    predicted_fini(&p);
    return status;
}

static void read_progress(void *ctx, uint64_t done, uint64_t total)
{
    hd_session_tell(ctx, HD_STAGE_READING, done, total);
}

/* Reads the recording, with half of the time and half of the memory at most. */
static enum hd_status load(struct hd_session *s, const char *path, struct hd_trace **t,
                           struct hd_build_info *info)
{
    const struct hd_build_watch watch = {.progress = read_progress, .ctx = s};
    double now = hd_progress_now(), seconds = s->o->predict.seconds;
    if (s->end != 0) { /* and a quarter of what is left is for replays */
        double most = (s->end - now) * 3 / 4;
        seconds = seconds > 0 && seconds < most ? seconds : most > 0.1 ? most : 0.1;
    }
    if (s->deadline && (seconds == 0 || seconds > hd_session_time_left(s)))
        seconds = hd_session_time_left(s);
    s->analysis_end = seconds > 0 ? now + seconds : 0;
    struct hd_stop_scope around =
        hd_stop_begin(seconds > 0 ? now + seconds / 2 : 0, hd_alloc_limit() / 2);
    struct hd_load_info file = {0};
    enum hd_status status = hd_load_watched(path, &watch, t, &file, info, s->err);
    hd_stop_end(around);
    if (status == HD_OK) { /* of a trace that is no recording, only the file is known */
        info->cut = info->cut ? info->cut : file.cut;
        if (file.truncated && !info->cut)
            info->lost = ENODATA;
    }
    return status;
}

/* The recording may have been read in part only: what is known must lie in that part. A run that is
 * its own witness gets one, in `own`. False: nothing is known of this trace. */
static bool known_here(struct hd_session *s, const struct hd_trace *t,
                       struct hd_session_known *known, struct hd_witness *own)
{
    struct hd_err err;
    if (!known->witness) {
        known->witness = own;
        return hd_explored_failure(t, own, &err) == HD_OK;
    }
    const struct hd_witness *w = known->witness;
    bool pair = w->property == HD_PROPERTY_RACE;
    bool here = w->prefix <= t->n_events && (!pair || (w->a < t->n_events && w->b < t->n_events));
    for (size_t i = 0; i < w->n && here; i++)
        here = w->schedule[i] < t->n_events;
    for (size_t i = 0; i < w->n_events && here; i++)
        here = w->events[i] < t->n_events;
    if (!here)
        hd_report_add(s->r, &s->r->notes,
                      "what was found in a recording could not be taken: it was read in part only");
    return here;
}

/* All about a recording that was read. */
static enum hd_status take_trace(struct hd_session *s, const struct hd_trace *t,
                                 const struct hd_build_info *info,
                                 const struct hd_session_known *known)
{
    enum hd_status status = HD_OK;
    struct hd_witness own = {0};
    struct hd_session_known here = known ? *known : (struct hd_session_known){0};
    size_t threads = hd_trace_n_threads(t);
    bool stuck = info->waits.len > 0;
    if (known && !known_here(s, t, &here, &own))
        known = NULL;
    s->r->runs += !hd_inputs_process(t, s->process, sizeof s->process);
    s->r->threads = threads > s->r->threads ? threads : s->r->threads;
    hd_session_notes(s, info);
    take_rules(s, info);
    if (!*s->process && !hd_session_is_part(info)) /* else more may follow */
        hd_idle_look(&s->idle, t);
    if (stuck)
        status = take_stuck(s, t, info, known ? here.witness : NULL);
    if (status == HD_OK)
        status = examine(s, t, stuck || !known ? NULL : &here);
    if (status == HD_ERR_STOPPED) {
        s->r->cut = s->r->cut || !s->deadline;
        s->late = s->late || !s->deadline;
        hd_report_add(s->r, &s->r->notes, "a recording could not be analysed in the time given");
        status = HD_OK;
    }
    hd_witness_fini(&own);
    return status;
}

enum hd_status hd_session_take(struct hd_session *s, const char *name,
                               const struct hd_session_known *known, struct hd_err *err)
{
    struct hd_trace *t = NULL;
    struct hd_build_info info = {0};
    char path[PATH_MAX];
    s->err = err;
    snprintf(s->trace_name, sizeof s->trace_name, "%s", name);
    *s->digest = '\0';
    hd_session_tell(s, HD_STAGE_ANALYSING, 0, 0);
    enum hd_status status = hd_session_path(s, name, path, sizeof path);
    if (status == HD_OK)
        status = load(s, path, &t, &info);
    if (status == HD_ERR_STOPPED) {
        hd_report_add(s->r, &s->r->notes, "interrupted while a recording was read: not analysed");
        status = HD_OK;
    } else if (status == HD_OK) {
        status = take_trace(s, t, &info, known);
    }
    hd_build_info_fini(&info);
    hd_trace_free(t);
    return status;
}
