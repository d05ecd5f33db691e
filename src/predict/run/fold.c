#include "predict/run/fold.h"

#include "base/alloc.h"
#include "base/progress.h"
#include "predict/run/crew.h"

/* The must-order of so many threads takes time that grows with the trace alone. */
enum { FEW_THREADS = 256 };

void hd_fold_init(struct hd_fold *f, const struct hd_trace *t,
                  const struct hd_predict_options *options, bool wanted)
{
    struct hd_err err;
    *f = (struct hd_fold){.t = t, .in = t};
    struct hd_stop_scope around = hd_crew_scope(options, t, hd_progress_now(), true);
    if (wanted && hd_chains_make(t, options->fold_from, &f->chains, &err) == HD_OK && f->chains.t)
        f->in = f->chains.t;
    hd_stop_end(around);
    f->few = hd_trace_n_threads(f->in) <= FEW_THREADS;
}

void hd_fold_fini(struct hd_fold *f)
{
    hd_chains_fini(&f->chains);
}

uint32_t *hd_fold_numbers(const struct hd_fold *f, uint32_t *by_event)
{
    if (f->in == f->t || !by_event)
        return by_event;
    uint32_t *numbers = hd_calloc(f->in->n_events, sizeof *numbers);
    for (size_t e = 0; e < f->in->n_events; e++)
        if (f->chains.from.data[e] != HD_EID_NONE)
            numbers[e] = by_event[f->chains.from.data[e]];
    hd_free(by_event, f->t->n_events * sizeof *by_event);
    return numbers;
}

static hd_eid back(const struct hd_fold *f, hd_eid e)
{
    return f->chains.from.data[e];
}

/* How many events of t are among the first so many of the chains: their order is the same. */
static size_t prefix_back(const struct hd_fold *f, size_t prefix)
{
    while (prefix > 0 && back(f, (hd_eid)prefix - 1) == HD_EID_NONE)
        prefix--;
    return prefix ? back(f, (hd_eid)prefix - 1) + (size_t)1 : 0;
}

/* The thread of t that waits in a chain when the sig runs: that of the chain's last event before.
 * The schedule is still that of the chains. */
static hd_tid waiter(const struct hd_fold *f, const struct hd_witness *w,
                     const struct hd_wake *wake)
{
    const struct hd_trace *in = f->in;
    size_t at = 0;
    hd_eid last = HD_EID_NONE;
    while (at < w->n && w->schedule[at] != wake->sig)
        at++;
    while (at-- > 0 && last == HD_EID_NONE)
        if (in->thread[w->schedule[at]] == wake->thread)
            last = w->schedule[at];
    size_t n;
    const hd_eid *events = hd_trace_thread_events(in, wake->thread, &n);
    for (size_t i = n; i-- > 0 && last == HD_EID_NONE;)
        if (events[i] < w->prefix)
            last = events[i];
    if (last == HD_EID_NONE || back(f, last) == HD_EID_NONE)
        return HD_TID_NONE;
    return f->t->thread[back(f, last)];
}

static void witness_back(const struct hd_fold *f, struct hd_witness *w)
{
    size_t kept = 0, n = w->n;
    for (size_t i = 0; i < w->n_wakes; i++)
        w->wakes[i].thread = waiter(f, w, &w->wakes[i]);
    for (size_t i = 0; i < w->n_wakes; i++)
        w->wakes[i].sig = back(f, w->wakes[i].sig);
    for (size_t i = 0; i < n; i++)
        if (back(f, w->schedule[i]) != HD_EID_NONE)
            w->schedule[kept++] = back(f, w->schedule[i]);
    if (n)
        w->schedule = hd_realloc(w->schedule, n * sizeof *w->schedule, kept * sizeof *w->schedule);
    w->n = kept;
    w->prefix = prefix_back(f, w->prefix);
    if (w->property == HD_PROPERTY_RACE) {
        w->a = back(f, w->a);
        w->b = back(f, w->b);
    }
    for (size_t i = 0; i < w->n_events; i++)
        w->events[i] = back(f, w->events[i]);
}

static bool accepted(struct hd_checker *judge, const struct hd_witness *w, struct hd_rejected *r)
{
    struct hd_err err;
    if (!w->schedule || hd_checker_check(judge, w, NULL, &err) == HD_OK)
        return true;
    if (!r->n++)
        r->first = err;
    return false;
}

/* A witness that does not hold in the trace itself: a fault of this tool. */
static void reject(struct hd_prediction *result, struct hd_predicted *found)
{
    size_t n;
    const hd_eid *events = hd_witness_events(&found->witness, &n);
    hd_undecided_push(&result->undecided, events, n, HD_WHY_REJECTED, 1);
    result->found_by[found->found_by]--;
    result->open++;
    result->groups_found--;
    result->groups_undecided++;
    hd_witness_fini(&found->witness);
}

static void found_back(const struct hd_fold *f, struct hd_checker *judge,
                       struct hd_prediction *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->found.len; i++) {
        struct hd_predicted one = *(struct hd_predicted *)hd_vec_at(&result->found, i);
        witness_back(f, &one.witness);
        if (accepted(judge, &one.witness, &result->rejected))
            *(struct hd_predicted *)hd_vec_at(&result->found, kept++) = one;
        else
            reject(result, &one);
    }
    result->found.len = kept;
}

static void follows_back(const struct hd_fold *f, struct hd_checker *judge,
                         struct hd_prediction *result)
{
    size_t kept = 0;
    for (size_t i = 0; i < result->follows.len; i++) {
        struct hd_followed x = *(struct hd_followed *)hd_vec_at(&result->follows, i);
        witness_back(f, &x.witness);
        x.write = back(f, x.write);
        x.read = back(f, x.read);
        if (accepted(judge, &x.witness, &result->rejected))
            *(struct hd_followed *)hd_vec_at(&result->follows, kept++) = x;
        else
            hd_witness_fini(&x.witness);
    }
    result->follows.len = kept;
}

void hd_fold_back(const struct hd_fold *f, struct hd_prediction *result)
{
    if (f->in == f->t)
        return;
    for (size_t i = 0; i < result->undecided.len; i++) {
        struct hd_undecided *u = hd_vec_at(&result->undecided, i);
        hd_eid *events = u->many ? u->many : u->few;
        for (uint32_t k = 0; k < u->n; k++)
            events[k] = back(f, events[k]);
    }
    struct hd_checker *judge = hd_checker_new(f->t);
    found_back(f, judge, result);
    follows_back(f, judge, result);
    hd_checker_free(judge);
}
