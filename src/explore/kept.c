#include "explore/kept.h"

#include "base/alloc.h"
#include "build/origin.h"
#include "explore/found.h"
#include "model/matching.h"

#include <string.h>

struct keeping {
    const struct hd_trace *t;
    struct hd_origins origins;
    struct hd_witness *w;
    struct hd_err *err;
};

/* ---- from the runtime's events to the trace's ---- */

/* The thread that `parent` created as its n-th. */
static hd_tid nth_child(const struct hd_trace *t, hd_tid parent, uint32_t n)
{
    size_t len;
    const hd_eid *events = hd_trace_thread_events(t, parent, &len);
    for (size_t i = 0; i < len; i++)
        if (t->op[events[i]] == HD_OP_FORK && --n == 0)
            return t->obj[events[i]];
    return HD_TID_NONE;
}

static hd_tid thread_of(const struct hd_trace *t, const struct hd_exec *x, uint32_t name)
{
    struct hd_steer_thread path;
    if (name == 0)
        return t->n_events ? t->thread[0] : HD_TID_NONE;
    if (!hd_exec_thread(x, name, &path))
        return HD_TID_NONE;
    hd_tid parent = thread_of(t, x, path.parent);
    return parent == HD_TID_NONE ? HD_TID_NONE : nth_child(t, parent, path.child);
}

/* Events that step `count` of a thread became: the first, and behind the last. */
static bool events_of(const struct keeping *k, hd_tid u, uint32_t count, const hd_eid **from,
                      const hd_eid **to)
{
    size_t n;
    const hd_eid *e = hd_trace_thread_events(k->t, u, &n), *end = e + n;
    while (e < end && k->origins.step[*e] != count)
        e++;
    *from = e;
    while (e < end && k->origins.step[*e] == count)
        e++;
    *to = e;
    return *from < *to;
}

/* The two events that are in conflict, if the recording has them. */
static bool find_pair(struct keeping *k, const struct hd_explore_finding *f)
{
    const hd_eid *from[2], *to[2];
    for (int i = 0; i < 2; i++) {
        hd_tid u = thread_of(k->t, f->exec, f->ops[i].thread);
        if (u == HD_TID_NONE || !events_of(k, u, f->ops[i].count, &from[i], &to[i]))
            return false;
    }
    for (const hd_eid *a = from[0]; a < to[0]; a++)
        for (const hd_eid *b = from[1]; b < to[1]; b++)
            if (hd_property_conflict(k->t, *a, *b)) {
                k->w->a = *a;
                k->w->b = *b;
                return true;
            }
    return false;
}

/* ---- witnesses ---- */

static void push(struct hd_witness *w, hd_eid e)
{
    w->schedule[w->n++] = e;
}

/* Who is woken follows from the order of the recording. */
static void add_wakes(const struct keeping *k)
{
    struct hd_matching m = {0};
    hd_matching_check(k->t, &m);
    k->w->wakes = hd_alloc(k->w->n * sizeof *k->w->wakes);
    size_t room = k->w->n;
    for (size_t i = 0; i < k->w->n; i++) {
        hd_eid e = k->w->schedule[i];
        hd_tid u = k->t->op[e] == HD_OP_SIG ? hd_matching_woken(&m, e) : HD_TID_NONE;
        if (u != HD_TID_NONE)
            k->w->wakes[k->w->n_wakes++] = (struct hd_wake){e, u};
    }
    k->w->wakes =
        hd_realloc(k->w->wakes, room * sizeof *k->w->wakes, k->w->n_wakes * sizeof *k->w->wakes);
    hd_matching_fini(&m);
}

/* What the second thread does between both accesses, branches on the way to its own, comes before;
 * what the first one does after its access does not count. */
static void make_race(struct keeping *k)
{
    struct hd_witness *w = k->w;
    hd_eid last = w->a > w->b ? w->a : w->b;
    for (hd_eid e = 0; e < last; e++) {
        bool after_a = k->t->thread[e] == k->t->thread[w->a] && e >= w->a;
        bool after_b = k->t->thread[e] == k->t->thread[w->b] && e >= w->b;
        if (!after_a && !after_b)
            push(w, e);
    }
    push(w, w->a);
    push(w, w->b);
}

/* Only a run that does not end is longer and still makes a witness: behind so many events of it the
 * program goes on by itself. */
#define MOST_EVENTS 200000

/* Branches at the end are on the way to the failure: the thread takes them by itself, and an event
 * that does something tells more. */
static void make_failure(struct keeping *k)
{
    size_t n = k->t->n_events < MOST_EVENTS ? k->t->n_events : MOST_EVENTS;
    while (n > 1 && k->t->op[n - 1] == HD_OP_BRANCH)
        n--;
    for (hd_eid e = 0; e < n; e++)
        push(k->w, e);
    k->w->property = HD_PROPERTY_FAILURE;
    k->w->n_events = 1;
    k->w->events = hd_alloc(sizeof *k->w->events);
    k->w->events[0] = (hd_eid)(n - 1);
}

static enum hd_status make_witness(struct keeping *k, const struct hd_explore_finding *f)
{
    size_t room = k->t->n_events + 2;
    if (!k->t->n_events || (f->kind == HD_EXPLORE_RACE && !find_pair(k, f)))
        return hd_err_set(k->err, HD_ERR_LIMIT,
                          "the recorded execution does not come to what was found");
    k->w->schedule = hd_alloc(room * sizeof *k->w->schedule);
    if (f->kind == HD_EXPLORE_RACE)
        make_race(k);
    else
        make_failure(k);
    k->w->schedule =
        hd_realloc(k->w->schedule, room * sizeof *k->w->schedule, k->w->n * sizeof *k->w->schedule);
    add_wakes(k);
    enum hd_status s = hd_witness_check(k->t, k->w, NULL, k->err);
    if (s == HD_OK)
        return s;
    return hd_err_set(k->err, HD_ERR_LIMIT, "the recorded execution gives no witness: %s",
                      k->err->text);
}

enum hd_status hd_explored_failure(const struct hd_trace *t, struct hd_witness *w,
                                   struct hd_err *err)
{
    struct keeping k = {.t = t, .w = w, .err = err};
    const struct hd_explore_finding f = {.kind = HD_EXPLORE_CRASH};
    *w = (struct hd_witness){0};
    return make_witness(&k, &f);
}

/* A run that does not end is not kept for ever: so many events behind the choices. */
#define MORE_EVENTS 20000

static bool ends_so(enum hd_explore_kind kind, enum hd_exec_end end)
{
    switch (kind) {
    case HD_EXPLORE_DEADLOCK:
        return end == HD_EXEC_DEADLOCK;
    case HD_EXPLORE_ASSERTION:
    case HD_EXPLORE_CRASH:
        return end == HD_EXEC_CRASH || end == HD_EXEC_DIED;
    case HD_EXPLORE_HANG:
        return end == HD_EXEC_TIMEOUT;
    default:
        return true; /* what both orders of a race lead to is another question */
    }
}

static uint64_t limit_of(const struct hd_explore_finding *f)
{
    uint32_t until[HD_STEER_THREADS] = {0};
    uint64_t n = MORE_EVENTS;
    for (size_t i = 0; i < f->n_choices; i++)
        until[f->choices[i].thread % HD_STEER_THREADS] = f->choices[i].until;
    for (unsigned i = 0; i < HD_STEER_THREADS; i++)
        n += until[i];
    return f->kind == HD_EXPLORE_HANG ? n : 0;
}

static enum hd_status record(const struct hd_explore_finding *f, const char *path,
                             struct hd_err *err)
{
    enum hd_exec_end end;
    struct hd_vec choices = HD_VEC_INIT(struct hd_steer_choice);
    for (size_t i = 0; i < f->n_choices; i++)
        *(struct hd_steer_choice *)hd_vec_push(&choices) = f->choices[i];
    for (int i = 0; f->kind == HD_EXPLORE_RACE && i < 2; i++)
        *(struct hd_steer_choice *)hd_vec_push(&choices) =
            (struct hd_steer_choice){f->ops[i].thread, f->ops[i].count, HD_STEER_NOBODY};
    struct hd_exec_plan plan = {
        .choices = choices.data, .n_choices = choices.len, .first = HD_EXEC_NOBODY};
    enum hd_status s = hd_exec_record(f->exec, &plan, path, limit_of(f), &end, err);
    hd_vec_fini(&choices);
    if (s == HD_OK && !ends_so(f->kind, end))
        s = hd_err_set(err, HD_ERR_LIMIT, "the recorded execution ended otherwise: %s",
                       hd_exec_end_names[end]);
    return s;
}

enum hd_status hd_kept_save(const struct hd_explore_finding *f, const char *path,
                            struct hd_trace **trace, struct hd_witness *w, struct hd_err *err)
{
    struct keeping k = {.w = w, .err = err};
    *trace = NULL;
    *w = (struct hd_witness){0};
    enum hd_status s = record(f, path, err);
    if (s == HD_OK)
        s = hd_kept_load(path, trace, err);
    if (s == HD_OK) {
        k.t = *trace;
        s = hd_origins_load(k.t, &k.origins, err);
        if (s == HD_OK)
            s = make_witness(&k, f);
        hd_origins_fini(&k.origins);
    }
    if (s != HD_OK && *trace) {
        hd_trace_free(*trace);
        *trace = NULL;
    }
    return s;
}
