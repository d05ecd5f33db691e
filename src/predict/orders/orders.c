#include "predict/orders/orders.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop.h"
#include "detect/memory_order.h"
#include "model/after.h"
#include "model/enumerate_order.h"
#include "predict/orders/certain_cases.h"
#include "predict/orders/coincide.h"
#include "predict/orders/order_cut.h"
#include "predict/orders/order_late.h"
#include "predict/run/crew.h"
#include "predict/run/share.h"

#include <stdlib.h>

/* More pairs of events than this are not listed. */
#define MAX_PAIRS 1000000
/* Traces of so many events are enumerated, up to so many states. */
enum { SMALL = 24, MAX_STATES = 200000 };
/* Events that are walked over to try other schedules. */
#define MAX_WALKED 20000000
/* The same to trace pairs to the race that they follow from; each is walked over several times. */
#define MAX_TRACED 4000000

struct orders {
    const struct hd_trace *t;
    const struct hd_world *w;
    const struct hd_predict_options *options;
    const uint32_t *spots;
    const struct hd_map *owners;
    struct hd_prediction *r;
    struct hd_map known;   /* pairs of places (or of events) that race or follow */
    struct hd_map told;    /* pairs of places (or of events) that are open */
    struct hd_pairs found; /* events of the walk at hand */
    struct hd_cases *cases;
    struct hd_order_cut cut;
    struct hd_checker *checker;
    struct hd_layout layout; /* for hd_after */
    struct hd_state state;
    struct hd_after after;
};

/* ---- what is known ---- */

static uint64_t key_of_two(uint64_t x, uint64_t y)
{
    return x < y ? x << 32 | y : y << 32 | x;
}

static uint64_t key_of_places(const struct orders *o, hd_eid a, hd_eid b)
{
    return o->spots ? key_of_two(o->spots[a], o->spots[b])
                    : key_of_two(o->t->place[a], o->t->place[b]);
}

static uint64_t key_of(const struct orders *o, hd_eid a, hd_eid b)
{
    return o->options->all_pairs ? key_of_two(a, b) : key_of_places(o, a, b);
}

/* Whether this shard answers for the pair. */
static bool is_ours(const struct orders *o, hd_eid a, hd_eid b)
{
    uint32_t owner = 0;
    if (!hd_share_divided(o->options))
        return true;
    hd_map_get(o->owners, key_of_places(o, a, b), &owner);
    return owner == o->options->shard;
}

static bool is_known(const struct orders *o, hd_eid a, hd_eid b)
{
    uint32_t unused;
    return hd_map_get(&o->known, key_of(o, a, b), &unused);
}

static void now_known(struct orders *o, hd_eid a, hd_eid b)
{
    bool fresh;
    hd_map_put(&o->known, key_of(o, a, b), &fresh);
}

/* A pair that was open has an answer now; the others of its places are passed over. */
static void close_undecided(struct orders *o, hd_eid a, hd_eid b)
{
    struct hd_vec *list = &o->r->undecided;
    uint64_t open = o->r->open;
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++) {
        struct hd_undecided *u = hd_vec_at(list, i);
        if (key_of(o, u->few[0], u->few[1]) == key_of(o, a, b))
            o->r->open -= u->goals;
        else
            *(struct hd_undecided *)hd_vec_at(list, kept++) = *u;
    }
    if (kept < list->len && !o->options->all_pairs)
        o->r->groups_undecided--;
    if (kept < list->len)
        o->r->skipped += open - o->r->open - 1;
    list->len = kept;
}

/* ---- witnesses ---- */

/* The observed order up to b: a short witness of it if model/ takes it, else the whole of it. */
static bool make_witness(struct orders *o, hd_eid a, hd_eid b, struct hd_witness *w)
{
    struct hd_err err;
    *w = hd_order_cut_make(&o->cut, a, b);
    if (hd_checker_check(o->checker, w, NULL, &err) == HD_OK)
        return true;
    hd_witness_fini(w);
    *w = (struct hd_witness){.a = a, .b = b, .prefix = b, .n = 1, .unordered = true};
    w->schedule = hd_alloc(sizeof *w->schedule);
    w->schedule[0] = b;
    if (hd_checker_check(o->checker, w, NULL, &err) == HD_OK)
        return true;
    if (!o->r->rejected.n++)
        o->r->rejected.first = err;
    hd_witness_fini(w);
    return false;
}

/* A choice may be left out where one thread waits (docs/MODEL.md D14). */
static hd_tid woken_by(const struct orders *o, const struct hd_witness *w, hd_eid e)
{
    for (size_t i = 0; i < w->n_wakes; i++)
        if (w->wakes[i].sig == e)
            return w->wakes[i].thread;
    return hd_state_first_waiter(&o->state, o->t->obj[e]);
}

/* Runs the schedule from the first event on, and watches the given one. Of each read that reads, in
 * conflict, what comes after the watched event, *reads gets the event. The marks of b. */
static unsigned follow(struct orders *o, const struct hd_witness *w, hd_eid watched,
                       struct hd_u32vec *reads)
{
    const struct hd_trace *t = o->t;
    bool begun = false;
    unsigned marks = 0;
    size_t ran = 0;
    for (size_t i = 0; i < w->n; i++) {
        hd_eid e = w->schedule[i];
        hd_tid woken = t->op[e] == HD_OP_SIG ? woken_by(o, w, e) : HD_TID_NONE;
        if (e == w->b) {
            marks = hd_after_marks(&o->after, &o->state, e);
            break;
        }
        if (begun && reads && hd_after_racy_read(&o->after, e))
            hd_u32vec_push(reads, e);
        if (begun)
            hd_after_step(&o->after, &o->state, e, woken);
        else if (e == watched)
            hd_after_begin(&o->after, &o->state, e);
        begun |= e == watched;
        hd_state_step(&o->state, e, woken);
        ran = i + 1;
    }
    hd_after_clear(&o->after, w->schedule, ran);
    hd_state_rewind(&o->state, w->schedule, ran);
    return marks;
}

/* The last write before the read in the schedule. */
static hd_eid source_of(const struct orders *o, const struct hd_witness *w, hd_eid read)
{
    hd_eid source = HD_EID_NONE;
    for (size_t i = 0; i < w->n && w->schedule[i] != read; i++)
        if (hd_op_writes(o->t->op[w->schedule[i]]) && o->t->obj[w->schedule[i]] == o->t->obj[read])
            source = w->schedule[i];
    return source;
}

/* The race that the pair follows from: the first read in the schedule that reads, in conflict, from
 * what comes after a by hb, and that b comes after by hb+ (docs/MODEL.md D27). */
static bool find_root(struct orders *o, struct hd_followed *f)
{
    struct hd_witness whole = hd_witness_long(&f->witness, o->t, &o->cut.matching);
    struct hd_u32vec reads = {0};
    bool found = false;
    follow(o, &whole, whole.a, &reads);
    for (size_t i = 0; i < reads.len && !found; i++) {
        f->read = reads.data[i];
        f->write = source_of(o, &whole, f->read);
        found = f->write != HD_EID_NONE && follow(o, &whole, f->read, NULL) & HD_AFTER_PLUS;
    }
    hd_u32vec_fini(&reads);
    hd_witness_fini(&whole);
    return found;
}

/* ---- the walks ---- */

static void note(void *ctx, hd_eid a, hd_eid b)
{
    struct orders *o = ctx;
    if (is_ours(o, a, b) && !is_known(o, a, b))
        hd_pairs_push(&o->found, a, b);
}

/* One walk; what is new is in o->found. */
static bool walk(struct orders *o, enum hd_order_by by)
{
    double left = hd_stop_left();
    struct hd_detect_opts opts = {.pairs = o->options->all_pairs,
                                  .max_pairs = MAX_PAIRS,
                                  .spots = o->options->all_pairs ? NULL : o->spots,
                                  .deadline = left > 0 ? hd_progress_now() + left : 0,
                                  .unordered = note,
                                  .ctx = o};
    struct hd_detect_result result = {0};
    struct hd_err err;
    o->found.len = 0;
    enum hd_status status = hd_memory_order_detect(o->t, &opts, by, &result, &err);
    for (size_t i = 0; i < result.pairs.len; i++)
        note(o, result.pairs.data[i].a, result.pairs.data[i].b);
    hd_detect_result_fini(&result);
    hd_pairs_sort(&o->found);
    return status == HD_OK && hd_stop_now() == HD_STOP_NO; /* else not all are found */
}

/* Takes over the witness. */
static void keep_race(struct orders *o, const struct hd_witness *w)
{
    *(struct hd_predicted *)hd_vec_push(&o->r->found) =
        (struct hd_predicted){.witness = *w, .found_by = HD_STEP_ORDER};
    HD_DEBUG_LINE(PREDICT, "events %u and %u: an unordered race", w->a + 1, w->b + 1);
    now_known(o, w->a, w->b);
    close_undecided(o, w->a, w->b);
    o->r->found_by[HD_STEP_ORDER]++;
    o->r->groups_found += !o->options->all_pairs;
}

static void add_race(struct orders *o, hd_eid a, hd_eid b)
{
    struct hd_witness w;
    if (make_witness(o, a, b, &w))
        keep_race(o, &w);
}

static void add_follow(struct orders *o, hd_eid a, hd_eid b)
{
    struct hd_followed f;
    if (!make_witness(o, a, b, &f.witness))
        return;
    if (find_root(o, &f))
        *(struct hd_followed *)hd_vec_push(&o->r->follows) = f;
    else
        hd_witness_fini(&f.witness);
    now_known(o, a, b);
}

/* Each costs a walk over what comes before it: of a variable with a thousand places not all are
 * traced to their race. */
static void add_follows(struct orders *o)
{
    uint64_t walked = 0;
    for (size_t i = 0; i < o->found.len; i++) {
        if (walked >= MAX_TRACED || hd_stop_now() != HD_STOP_NO) {
            o->r->more_follows = o->found.len - i;
            return;
        }
        add_follow(o, o->found.data[i].a, o->found.data[i].b);
        walked += o->found.data[i].b;
    }
}

/* Which schedule is tried: a as late as it can, or as little as possible of all (order_late.h). */
enum schedule { LATE, LEAN, SPARE, SCHEDULES };

/* A schedule in which b runs after a. */
static void try_pair(struct orders *o, hd_eid a, hd_eid b, enum schedule kind, uint64_t *walked)
{
    struct hd_witness w;
    struct hd_err err;
    const struct hd_matching *m = &o->cut.matching;
    if (is_known(o, a, b))
        return;
    if (!(kind == LATE ? hd_order_late(&o->state, m, a, b, &w)
                       : hd_order_late_lean(&o->state, m, o->w, a, b, kind == SPARE, &w, walked)))
        return;
    if (hd_checker_check(o->checker, &w, NULL, &err) == HD_OK &&
        !(follow(o, &w, a, NULL) & HD_AFTER_PLUS))
        keep_race(o, &w);
    else
        hd_witness_fini(&w);
}

/* Six other schedules for each pair. */
static void try_late(struct orders *o)
{
    uint64_t walked = 0;
    for (size_t i = 0; i < o->found.len && walked < MAX_WALKED && hd_stop_now() == HD_STOP_NO;
         i++) {
        hd_eid a = o->found.data[i].a, b = o->found.data[i].b;
        for (int kind = LATE; kind < SCHEDULES; kind++) {
            try_pair(o, a, b, (enum schedule)kind, &walked);
            try_pair(o, b, a, (enum schedule)kind, &walked);
        }
        walked += 4 * (uint64_t)b;
    }
}

static void note_open(void *ctx, hd_eid a, hd_eid b)
{
    struct orders *o = ctx;
    uint32_t unused;
    bool fresh;
    if (!is_ours(o, a, b) || is_known(o, a, b) || hd_map_get(&o->told, key_of(o, a, b), &unused) ||
        hd_cases_ordered(o->cases, a, b))
        return;
    hd_map_put(&o->told, key_of(o, a, b), &fresh);
    hd_pairs_push(&o->found, a, b);
}

/* What no rule orders in every schedule, and no schedule that was tried leaves unordered, is
 * undecided; in a trace without weak atomics it is passed over. */
static void try_open(struct orders *o, bool weak)
{
    struct hd_vec *list = &o->r->undecided;
    struct hd_certain *c = hd_certain_new(o->w);
    bool fresh;
    for (size_t i = 0; i < list->len; i++) {
        const struct hd_undecided *u = hd_vec_at(list, i);
        hd_map_put(&o->told, key_of(o, u->few[0], u->few[1]), &fresh);
    }
    o->found.len = 0;
    o->cases = c ? hd_cases_new(c, &o->cut.matching) : NULL;
    if (c)
        hd_certain_open(c, o->w, note_open, o);
    hd_cases_free(o->cases);
    hd_certain_free(c);
    try_late(o);
    for (size_t i = 0; weak && i < o->found.len; i++) {
        const hd_eid pair[] = {o->found.data[i].a, o->found.data[i].b};
        if (is_known(o, pair[0], pair[1]))
            continue;
        hd_undecided_push(list, pair, 2, HD_WHY_ORDERS, 1);
        o->r->open++;
        o->r->groups_undecided += !o->options->all_pairs;
    }
}

/* Small traces: every schedule is looked at. False: there are too many. */
static bool enumerate(struct orders *o)
{
    struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
    struct hd_err err;
    if (hd_enumerate_order(o->t, MAX_STATES, &pairs, &err) != HD_OK)
        return false;
    for (size_t i = 0; i < pairs.len; i++) {
        struct hd_unordered *x = hd_vec_at(&pairs, i);
        if (!x->alone || !is_ours(o, x->a, x->b) || is_known(o, x->a, x->b))
            continue;
        keep_race(o, &x->witness);
        x->witness = (struct hd_witness){0};
    }
    hd_enumerate_order_fini(&pairs);
    return true;
}

static void orders_init(struct orders *o)
{
    hd_order_cut_init(&o->cut, o->t);
    o->checker = hd_checker_new(o->t);
    hd_layout_init(&o->layout, o->t);
    hd_state_init(&o->state, &o->layout);
    hd_after_init(&o->after, o->t);
    for (size_t i = 0; i < o->r->found.len; i++) {
        const struct hd_predicted *race = hd_vec_at(&o->r->found, i);
        now_known(o, race->witness.a, race->witness.b);
    }
}

static void orders_fini(struct orders *o)
{
    hd_order_cut_fini(&o->cut);
    hd_checker_free(o->checker);
    hd_after_fini(&o->after);
    hd_state_fini(&o->state);
    hd_layout_fini(&o->layout);
    hd_map_fini(&o->known);
    hd_map_fini(&o->told);
    hd_pairs_fini(&o->found);
}

/* What the walk at hand found, and what other schedules leave unordered. */
static void find_unordered(struct orders *o, bool weak)
{
    for (size_t i = 0; i < o->found.len && hd_stop_now() == HD_STOP_NO; i++)
        add_race(o, o->found.data[i].a, o->found.data[i].b);
    if (o->t->n_events > SMALL || !enumerate(o))
        try_open(o, weak);
    hd_prediction_sort(o->r);
}

/* Where each pair of places has a race, nothing else is left to follow from it. */
static bool may_follow(const struct hd_prediction *r, const struct hd_predict_options *options)
{
    bool each = !options->all_pairs && !options->n_beside && r->groups_found == r->groups;
    return r->found.len && !hd_share_divided(options) && !each;
}

static void look(struct orders *o, bool weak, bool matter)
{
    if (matter && walk(o, HD_BY_PLUS))
        find_unordered(o, weak);
    if (may_follow(o->r, o->options) && walk(o, HD_BY_HB))
        add_follows(o);
}

void hd_orders_predict(const struct hd_world *w, const struct hd_predict_options *options,
                       const struct hd_map *owners, double started, struct hd_prediction *result)
{
    const struct hd_trace *t = w->t;
    double begun = hd_progress_now();
    /* Whether some pair may stand alone without being simultaneous: docs/MODEL.md section 8. */
    bool weak = !hd_coincide_by_atomics(w), matter = weak || !hd_coincide_by_waits(t);
    if (!matter && !may_follow(result, options))
        return;
    struct hd_stop_scope around = hd_crew_scope(options, t, started, true);
    struct orders o = {
        .t = t, .w = w, .options = options, .spots = w->spots, .owners = owners, .r = result};
    if (hd_stop_now() == HD_STOP_NO) {
        orders_init(&o);
        look(&o, weak, matter);
        orders_fini(&o);
    }
    enum hd_stop why = hd_stop_end(around);
    if (matter && why != HD_STOP_NO && !result->cut) {
        result->cut = true;
        result->cut_why = hd_predict_stopped(why);
    }
    result->step_seconds[HD_STEP_ORDER] += hd_progress_now() - begun;
}
