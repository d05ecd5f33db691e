#include "predict/compare/published_frame.h"

#include "base/alloc.h"

/* All frames are kept: so many events and threads at most. */
enum { MOST_EVENTS = 100000, MOST_THREADS = 12 };
/* What one pair may cost, as in closure.h. */
enum { MOST_NODES = 50 };
#define MOST_STEPS UINT64_C(300000)

struct frame {
    struct hd_trace t;
    struct hd_world *w;             /* NULL: not made yet */
    struct hd_protocols *protocols; /* NULL: not needed yet */
    struct hd_sim *sim;
    struct hd_plan plan;
};

struct hd_published_frames {
    const struct hd_trace *t;
    const struct hd_matching *matching;
    size_t threads;
    struct frame *frames; /* by smaller thread * threads + larger */
};

struct hd_published_frames *hd_published_frames_new(const struct hd_trace *t,
                                                    const struct hd_matching *matching)
{
    size_t threads = hd_trace_n_threads(t);
    if (t->n_events > MOST_EVENTS || threads > MOST_THREADS)
        return NULL;
    struct hd_published_frames *f = hd_calloc(1, sizeof *f);
    *f = (struct hd_published_frames){t, matching, threads, NULL};
    f->frames = hd_calloc(threads * threads, sizeof *f->frames);
    return f;
}

static void frame_fini(struct frame *x)
{
    if (!x->w)
        return;
    hd_protocols_free(x->protocols);
    hd_sim_free(x->sim);
    hd_plan_fini(&x->plan);
    hd_world_free(x->w);
    hd_free(x->t.dep, x->t.n_events * sizeof *x->t.dep);
}

void hd_published_frames_free(struct hd_published_frames *f)
{
    if (!f)
        return;
    for (size_t i = 0; i < f->threads * f->threads; i++)
        frame_fini(&f->frames[i]);
    hd_free(f->frames, f->threads * f->threads * sizeof *f->frames);
    hd_free(f, sizeof *f);
}

/* The branches of the two threads need all reads before them, others none; a written value depends
 * on all reads of its thread before it. */
static void frame_init(struct frame *x, const struct hd_published_frames *f, hd_tid u, hd_tid v)
{
    static uint32_t pool[3] = {0, 1, 0}; /* 0: nothing is given; 1: an empty set (see trace.c) */
    x->t = *f->t;
    x->t.control = HD_CONTROL_BRANCHES;
    x->t.dep = hd_calloc(f->t->n_events, sizeof *x->t.dep);
    x->t.dep_pool = pool;
    x->t.n_dep_pool = 3;
    for (hd_eid e = 0; e < f->t->n_events; e++)
        x->t.dep[e] =
            f->t->op[e] == HD_OP_BRANCH && f->t->thread[e] != u && f->t->thread[e] != v ? 1 : 0;
    x->w = hd_world_new(&x->t);
    x->sim = hd_sim_new(x->w, f->matching);
    hd_plan_init(&x->plan, x->w);
}

static struct frame *frame_of(struct hd_published_frames *f, hd_eid a, hd_eid b)
{
    hd_tid u = f->t->thread[a], v = f->t->thread[b];
    struct frame *x = &f->frames[u < v ? u * f->threads + v : v * f->threads + u];
    if (!x->w)
        frame_init(x, f, u, v);
    return x;
}

bool hd_published_frames_ordered(struct hd_published_frames *f, hd_eid a, hd_eid b)
{
    const struct frame *x = frame_of(f, a, b);
    return hd_sections_exclude(x->w->sections, a, b) || hd_world_before(x->w, a, b) ||
           hd_world_before(x->w, b, a);
}

bool hd_published_frames_keep_apart(struct hd_published_frames *f, hd_eid a, hd_eid b)
{
    struct frame *x = frame_of(f, a, b);
    struct hd_stand p, q;
    size_t frames = f->threads * (f->threads - 1) / 2;
    if (!x->protocols)
        x->protocols = hd_protocols_new(x->w, HD_PROTOCOLS_STATES / frames, HD_PROTOCOL_STATES);
    hd_protocols_stand(x->protocols, a, &p);
    hd_protocols_stand(x->protocols, b, &q);
    return hd_protocols_apart(x->protocols, &p, &q);
}

bool hd_published_frames_exclude(struct hd_published_frames *f, hd_eid a, hd_eid b, double deadline)
{
    struct frame *x = frame_of(f, a, b);
    const struct hd_closure_budget budget = {MOST_NODES, MOST_STEPS, deadline};
    const hd_eid pair[] = {a, b};
    struct hd_goal goal = hd_goal_race(pair);
    return !hd_plan_start(&x->plan, &goal) ||
           hd_closure_decide(x->sim, &x->plan, budget) == HD_IMPOSSIBLE;
}
