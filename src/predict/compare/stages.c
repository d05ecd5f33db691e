#include "predict/compare/stages.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "predict/run/cycles.h"
#include "predict/run/visitor.h"
#include "predict/run/triples.h"
#include "predict/ucg/ucg.h"

/* Candidates of one group that the graph is asked about, and tuples of a cycle that are tried;
 * beyond that the group counts as left. */
enum { MAX_GRAPHS = 2000, MAX_TUPLES = 100000 };

struct counter {
    struct hd_world w; /* without must-clocks */
    struct hd_ucg_base *base;
    struct hd_ucg *graph;
    double deadline;
    bool lockset, mhb, both, ucg; /* what is left of the group in hand */
    uint32_t graphs;
    struct hd_u32vec queue; /* events of the candidates that wait for the graph */
    uint32_t lengths[HD_UCG_ASK], waiting;
    uint32_t ahead; /* how many it is asked about together */
    enum hd_property property;
};

static bool before(const struct counter *c, hd_eid a, hd_eid b)
{
    return hd_mhb_ordered(c->base->mhb, a, b);
}

static bool ordered(const struct counter *c, const struct hd_goal *g)
{
    if (g->then != HD_EID_NONE)
        return before(c, g->then, g->first) || before(c, g->stops[0], g->then);
    for (uint32_t i = 0; i < g->n_stops; i++) {
        hd_eid needs = hd_goal_needs(c->w.t, g, g->stops[i]);
        for (uint32_t k = 0; k < g->n_stops && needs != HD_EID_NONE; k++)
            if (i != k && before(c, g->stops[k], needs))
                return true;
    }
    return false;
}

/* True when the group can not be left by more filters than it is. */
static bool settled(const struct counter *c)
{
    return c->lockset && c->mhb && c->both && c->ucg;
}

static bool stopped(const struct counter *c)
{
    return hd_interrupt_requested() || (c->deadline != 0 && hd_progress_now() >= c->deadline);
}

static void leave_all(struct counter *c)
{
    c->lockset = c->mhb = c->both = c->ucg = true;
}

static void ask_graph(struct counter *c)
{
    struct hd_goal goals[HD_UCG_ASK];
    bool possible[HD_UCG_ASK];
    const hd_eid *events = c->queue.data;
    for (uint32_t i = 0; i < c->waiting; events += c->lengths[i++])
        goals[i] = hd_goal_of(c->property, events, c->lengths[i]);
    hd_ucg_ask(c->graph, goals, c->waiting, possible);
    for (uint32_t i = 0; i < c->waiting; i++)
        c->ucg |= possible[i];
    c->queue.len = c->waiting = 0;
    c->ahead = c->ahead < HD_UCG_ASK / 2 ? 2 * c->ahead : HD_UCG_ASK;
}

static void judge(struct counter *c, const hd_eid *events, uint32_t n, bool excluded)
{
    const struct hd_goal goal = hd_goal_of(c->property, events, n);
    bool apart = ordered(c, &goal);
    c->lockset |= !excluded;
    c->mhb |= !apart;
    c->both |= !excluded && !apart;
    if (excluded || apart || c->ucg)
        return;
    if (++c->graphs > MAX_GRAPHS || stopped(c)) {
        leave_all(c);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        hd_u32vec_push(&c->queue, events[i]);
    c->lengths[c->waiting++] = n;
    if (c->waiting >= c->ahead)
        ask_graph(c);
}

static void begin_group(struct counter *c, struct hd_stages *stages)
{
    stages->candidates++;
    c->lockset = c->mhb = c->both = c->ucg = false;
    c->graphs = 0;
    c->queue.len = c->waiting = 0;
    c->ahead = 1;
}

static void end_group(struct counter *c, struct hd_stages *stages)
{
    if (!c->ucg)
        ask_graph(c);
    stages->lockset += c->lockset;
    stages->mhb += c->mhb;
    stages->both += c->both;
    stages->ucg += c->ucg;
}

/* ---- atomicity ---- */

/* One pair with a class: the locks of r are the same for the whole class. */
static void judge_pair(struct counter *c, const struct hd_triples *s,
                       const struct hd_block_pair *pair, const struct hd_class *y)
{
    hd_eid events[] = {pair->c, s->c->events[y->start], pair->d};
    struct hd_goal goal = hd_goal_atomicity(events);
    bool excluded = hd_visitor_excluded(c->w.sections, &goal);
    for (uint32_t i = y->start; i < y->end && !settled(c); i++) {
        events[1] = s->c->events[i];
        if (before(c, pair->d, events[1])) { /* and so for all later ones */
            c->lockset |= !excluded;
            return;
        }
        judge(c, events, 3, excluded);
        if (excluded && c->mhb) /* the rest of the class adds nothing new */
            return;
    }
}

static void count_triples(struct counter *c, struct hd_stages *stages)
{
    struct hd_triples s;
    hd_triples_init(&s, &c->w, false);
    for (size_t g = 0; g + 1 < s.groups.len; g++) {
        begin_group(c, stages);
        for (uint32_t i = s.groups.data[g]; i < s.groups.data[g + 1] && !settled(c); i++) {
            const struct hd_triple_bundle *b = hd_vec_at(&s.bundles, i);
            for (uint32_t k = b->from; k < b->to && !settled(c); k++)
                judge_pair(c, &s, hd_vec_at(&s.pairs, k), hd_class_at(s.c, b->class));
            if (stopped(c))
                leave_all(c);
        }
        end_group(c, stages);
    }
    hd_triples_fini(&s);
}

/* ---- deadlocks ---- */

struct tuples {
    const struct hd_cycles *s;
    const struct hd_class_cycle *cycle;
    hd_eid *events;
    bool excluded;
    uint32_t tried;
};

static void judge_tuples(struct counter *c, struct tuples *k, uint32_t i)
{
    if (i == k->cycle->n) {
        struct hd_goal goal = hd_goal_deadlock(k->events, k->cycle->n);
        if (k->tried++ == 0)
            k->excluded = hd_visitor_excluded(c->w.sections, &goal);
        if (k->tried > MAX_TUPLES || stopped(c))
            leave_all(c);
        else
            judge(c, k->events, k->cycle->n, k->excluded);
        return;
    }
    const struct hd_request_class *x =
        hd_request_class_at(k->s, k->s->members.data[k->cycle->start + i]);
    for (uint32_t e = x->start; e < x->end && !settled(c); e++) {
        if (k->excluded && c->mhb)
            return;
        k->events[i] = k->s->events[e];
        judge_tuples(c, k, i + 1);
    }
}

static void count_cycles(struct counter *c, struct hd_stages *stages)
{
    struct hd_cycles s;
    hd_cycles_init(&s, &c->w, true);
    for (size_t g = 0; g + 1 < s.groups.len; g++) {
        begin_group(c, stages);
        for (uint32_t i = s.groups.data[g]; i < s.groups.data[g + 1] && !settled(c); i++) {
            struct tuples k = {.s = &s, .cycle = hd_vec_at(&s.cycles, i)};
            k.events = hd_alloc(k.cycle->n * sizeof *k.events);
            judge_tuples(c, &k, 0);
            hd_free(k.events, k.cycle->n * sizeof *k.events);
        }
        end_group(c, stages);
    }
    hd_cycles_done(&s);
}

void hd_stages_run(enum hd_property property, const struct hd_trace *t,
                   const struct hd_predict_options *options, struct hd_stages *stages)
{
    double started = hd_progress_now();
    struct counter c = {.w = {.t = t, .n_threads = hd_trace_n_threads(t)}};
    c.deadline = options->seconds > 0 ? started + options->seconds : 0;
    uint32_t *known = options->functions ? options->functions(t) : NULL;
    c.w.functions = known;
    c.w.sections = hd_sections_new(t, NULL, 0);
    c.w.locs = hd_accesses_new(t, HD_OBJ_LOC);
    c.w.conds = hd_accesses_new(t, HD_OBJ_COND);
    c.base = hd_ucg_base_new(t, c.w.sections, c.w.conds, NULL, HD_MHB_ANY_WAITER);
    c.graph = hd_ucg_new(c.base, !options->whole_graphs);
    hd_ucg_deadline(c.graph, c.deadline);
    c.property = property;
    *stages = (struct hd_stages){0};
    if (property == HD_PROPERTY_ATOMICITY)
        count_triples(&c, stages);
    else
        count_cycles(&c, stages);
    hd_ucg_free(c.graph);
    hd_u32vec_fini(&c.queue);
    hd_ucg_base_free(c.base);
    hd_accesses_free(c.w.conds);
    hd_accesses_free(c.w.locs);
    hd_sections_free(c.w.sections);
    hd_free(known, t->n_events * sizeof *known);
    stages->seconds = hd_progress_now() - started;
}
