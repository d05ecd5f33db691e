#include "predict/orders/order_late.h"

#include "base/alloc.h"
#include "base/vec.h"

struct late {
    struct hd_state *s;
    const struct hd_matching *m;
    const struct hd_world *w; /* lean: which reads matter */
    hd_eid a, b;
    bool spare;    /* lean: the thread of a helps last */
    bool *stopped; /* by thread */
    struct hd_u32vec ran;
    struct hd_vec wakes; /* struct hd_wake */
    bool done;           /* b has run */
    uint64_t walked;     /* lean: events that were looked at */
};

/* Would the read return what it returned in the trace? */
static bool reads_the_same(const struct hd_state *s, hd_eid e)
{
    if (!hd_op_reads(s->t->op[e]))
        return true;
    struct hd_value v = hd_trace_read_value(s->t, e);
    const struct hd_cell *cell = &s->mem[s->t->obj[e]];
    return cell->kind == (v.unique ? HD_CELL_UNIQUE : HD_CELL_NUMBER) && cell->bits == v.bits;
}

/* Whom a sig wakes: the thread that it woke in the trace, if that waits; else any. */
static hd_tid choose(struct late *l, hd_eid sig, size_t *next)
{
    const struct hd_matching *m = l->m;
    hd_tid woken = hd_state_first_waiter(l->s, l->s->t->obj[sig]);
    while (*next < m->n && m->wakes[*next].sig < sig)
        (*next)++;
    if (*next < m->n && m->wakes[*next].sig == sig &&
        hd_state_waits(l->s, m->wakes[*next].thread, l->s->t->obj[sig]))
        woken = m->wakes[*next].thread;
    if (woken != HD_TID_NONE)
        *(struct hd_wake *)hd_vec_push(&l->wakes) = (struct hd_wake){sig, woken};
    return woken;
}

/* One walk along the trace. True: something ran. */
static bool walk(struct late *l, bool without_a)
{
    const struct hd_trace *t = l->s->t;
    size_t before = l->ran.len, next = 0;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        l->stopped[u] = false;
    hd_eid last = l->a < l->b ? l->b : l->a;
    for (hd_eid e = 0; e <= last && !l->done; e++) {
        hd_tid u = t->thread[e];
        if (l->stopped[u] || hd_state_ran(l->s, e))
            continue;
        bool wanted = !(without_a && (e == l->a || e == l->b));
        if (!wanted || !hd_state_enabled(l->s, e) || (e != l->b && !reads_the_same(l->s, e))) {
            l->stopped[u] = true;
            continue;
        }
        hd_tid woken = t->op[e] == HD_OP_SIG ? choose(l, e, &next) : HD_TID_NONE;
        hd_state_step(l->s, e, woken);
        hd_u32vec_push(&l->ran, e);
        l->done = e == l->b;
    }
    return l->ran.len > before;
}

/* The witness, if a and b run. */
static bool finish(struct late *l, bool runs, struct hd_witness *w)
{
    hd_state_rewind(l->s, l->ran.data, l->ran.len);
    *w = (struct hd_witness){.a = l->a, .b = l->b, .unordered = true};
    if (runs) {
        w->n = l->ran.len;
        w->schedule =
            hd_realloc(l->ran.data, l->ran.cap * sizeof *l->ran.data, w->n * sizeof *w->schedule);
        w->n_wakes = l->wakes.len;
        w->wakes =
            hd_realloc(l->wakes.data, l->wakes.cap * l->wakes.size, w->n_wakes * sizeof *w->wakes);
    } else {
        hd_u32vec_fini(&l->ran);
        hd_vec_fini(&l->wakes);
    }
    hd_free(l->stopped, hd_trace_n_threads(l->s->t) * sizeof *l->stopped);
    return runs;
}

bool hd_order_late(struct hd_state *s, const struct hd_matching *m, hd_eid a, hd_eid b,
                   struct hd_witness *w)
{
    size_t threads = hd_trace_n_threads(s->t);
    struct late l = {.s = s, .m = m, .a = a, .b = b, .wakes = HD_VEC_INIT(struct hd_wake)};
    l.stopped = hd_calloc(threads, sizeof *l.stopped);
    while (walk(&l, true))
        continue;
    while (!l.done && walk(&l, false))
        continue;
    return finish(&l, l.done && hd_state_ran(s, a), w);
}

/* ---- lean ---- */

/* A read may return another value if nothing needs it: in the thread of b, nothing up to b. */
static bool may_run(const struct late *l, hd_eid e)
{
    const struct hd_trace *t = l->s->t;
    uint32_t needed = l->w->needed_at[e];
    bool free = e == l->b || needed == UINT32_MAX ||
                (t->thread[e] == t->thread[l->b] && needed > t->pos[l->b]);
    return hd_state_enabled(l->s, e) && (free || reads_the_same(l->s, e));
}

static void run(struct late *l, hd_eid e)
{
    size_t next = 0;
    hd_tid woken = l->s->t->op[e] == HD_OP_SIG ? choose(l, e, &next) : HD_TID_NONE;
    hd_state_step(l->s, e, woken);
    hd_u32vec_push(&l->ran, e);
}

/* Lets the goal's thread run on, up to the goal at most. */
static void advance(struct late *l, hd_eid goal)
{
    hd_tid u = l->s->t->thread[goal];
    size_t n;
    const hd_eid *events = hd_trace_thread_events(l->s->t, u, &n);
    while (!hd_state_ran(l->s, goal) && may_run(l, events[l->s->thread[u].next]))
        run(l, events[l->s->thread[u].next]);
}

/* One event of the thread of a, which is not a goal any more. */
static bool help_once(struct late *l)
{
    const struct hd_trace *t = l->s->t;
    hd_tid u = t->thread[l->a];
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    uint32_t next = l->s->thread[u].next;
    if (next == n || !may_run(l, events[next]))
        return false;
    run(l, events[next]);
    return true;
}

/* The others run one event after the other, in the order of the trace, until the goal has run.
 * True: something ran. */
static bool help(struct late *l, hd_eid goal)
{
    const struct hd_trace *t = l->s->t;
    hd_eid last = l->a < l->b ? l->b : l->a;
    size_t before = l->ran.len;
    bool spared = l->spare && goal == l->b;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
        l->stopped[u] = u == t->thread[goal] || (spared && u == t->thread[l->a]);
    for (hd_eid e = 0; e <= last && !hd_state_ran(l->s, goal); e++) {
        hd_tid u = t->thread[e];
        l->walked++;
        if (l->stopped[u] || hd_state_ran(l->s, e))
            continue;
        l->stopped[u] = e == l->b || !may_run(l, e);
        if (l->stopped[u])
            continue;
        run(l, e);
        advance(l, goal);
    }
    if (l->ran.len > before)
        return true;
    bool helped = spared && help_once(l);
    advance(l, goal);
    return helped;
}

/* Runs the goal. Where its thread cannot go on, the others help. */
static bool reach(struct late *l, hd_eid goal)
{
    advance(l, goal);
    while (!hd_state_ran(l->s, goal) && help(l, goal))
        continue;
    return hd_state_ran(l->s, goal);
}

bool hd_order_late_lean(struct hd_state *s, const struct hd_matching *m,
                        const struct hd_world *world, hd_eid a, hd_eid b, bool spare,
                        struct hd_witness *w, uint64_t *walked)
{
    struct late l = {.s = s,
                     .m = m,
                     .w = world,
                     .a = a,
                     .b = b,
                     .spare = spare,
                     .wakes = HD_VEC_INIT(struct hd_wake)};
    l.stopped = hd_calloc(hd_trace_n_threads(s->t), sizeof *l.stopped);
    bool runs = reach(&l, a) && reach(&l, b);
    *walked += l.walked;
    return finish(&l, runs, w);
}
