#include "predict/orders/orders.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/progress.h"
#include "detect/memory_order.h"
#include "model/after.h"
#include "model/enumerate_order.h"
#include "predict/orders/order_cut.h"
#include "predict/orders/order_late.h"

#include <stdlib.h>

/* More pairs of events than this are not listed. */
#define MAX_PAIRS 1000000
/* Traces of so many events are enumerated, up to so many states. */
enum { SMALL = 24, MAX_STATES = 200000 };
/* Events that are walked over to try other schedules. */
#define MAX_WALKED 20000000

struct orders {
    const struct hd_trace *t;
    const struct hd_predict_options *options;
    const uint32_t *spots;
    struct hd_prediction *r;
    struct hd_map known;   /* pairs of places (or of events) that race or follow */
    struct hd_pairs found; /* events of the walk at hand */
    struct hd_order_cut cut;
    struct hd_checker *checker;
    struct hd_layout layout; /* for hd_after */
    struct hd_state state;
    struct hd_after after;
};

/* ---- does it matter ---- */

static bool is_weak(const struct hd_trace *t, hd_eid e)
{
    const struct hd_mem_order_info *order = &hd_mem_order_info[hd_trace_order(t, e)];
    return hd_op_is_atomic(t->op[e]) && ((hd_op_reads(t->op[e]) && !order->acquires) ||
                                         (hd_op_writes(t->op[e]) && !order->releases));
}

/* Could a notification be spent on a thread that timed out? Then there are both, and two waiters.
 */
static bool times_out(const struct hd_trace *t, uint32_t cond)
{
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, cond, &n);
    bool tmo = false, sig = false, several = false;
    hd_tid waiter = HD_TID_NONE;
    for (size_t i = 0; i < n; i++) {
        tmo |= t->op[events[i]] == HD_OP_TMO;
        sig |= t->op[events[i]] == HD_OP_SIG;
        if (t->op[events[i]] != HD_OP_WAIT)
            continue;
        several |= waiter != HD_TID_NONE && waiter != t->thread[events[i]];
        waiter = t->thread[events[i]];
    }
    return tmo && sig && several;
}

/* Whether some pair may stand alone without being simultaneous (docs/MODEL.md section 8): weak
 * atomics, failed tries, and time-outs beside notifications. */
static bool orders_matter(const struct hd_trace *t)
{
    for (size_t e = 0; e < t->n_events; e++) {
        if (t->op[e] == HD_OP_TRYFAIL)
            return true;
        if (t->flags[e] & HD_F_ORDER && is_weak(t, (hd_eid)e))
            return true;
    }
    for (uint32_t c = 0; c < hd_trace_n_objs(t, HD_OBJ_COND); c++)
        if (times_out(t, c))
            return true;
    return false;
}

/* ---- what is known ---- */

static uint64_t key_of(const struct orders *o, hd_eid a, hd_eid b)
{
    uint64_t x = a, y = b;
    if (!o->options->all_pairs) {
        x = o->spots ? o->spots[a] : o->t->place[a];
        y = o->spots ? o->spots[b] : o->t->place[b];
    }
    return x < y ? x << 32 | y : y << 32 | x;
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

/* A pair that was open has an answer now. */
static void close_undecided(struct orders *o, hd_eid a, hd_eid b)
{
    struct hd_vec *list = &o->r->undecided;
    size_t kept = 0;
    for (size_t i = 0; i < list->len; i++) {
        struct hd_undecided *u = hd_vec_at(list, i);
        if (key_of(o, u->a, u->b) == key_of(o, a, b))
            o->r->open -= u->pairs;
        else
            *(struct hd_undecided *)hd_vec_at(list, kept++) = *u;
    }
    if (kept < list->len && !o->options->all_pairs)
        o->r->places_undecided--;
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

static hd_tid woken_by(const struct hd_witness *w, hd_eid e)
{
    for (size_t i = 0; i < w->n_wakes; i++)
        if (w->wakes[i].sig == e)
            return w->wakes[i].thread;
    return HD_TID_NONE;
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
        hd_tid woken = t->op[e] == HD_OP_SIG ? woken_by(w, e) : HD_TID_NONE;
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
    if (!is_known(o, a, b))
        hd_pairs_push(&o->found, a, b);
}

/* One walk; what is new is in o->found. */
static bool walk(struct orders *o, unsigned how)
{
    struct hd_detect_opts opts = {.pairs = o->options->all_pairs,
                                  .max_pairs = MAX_PAIRS,
                                  .spots = o->options->all_pairs ? NULL : o->spots,
                                  .unordered = note,
                                  .ctx = o};
    struct hd_detect_result result = {0};
    struct hd_err err;
    o->found.len = 0;
    enum hd_status status = hd_detect_order(o->t, &opts, how, &result, &err);
    for (size_t i = 0; i < result.pairs.len; i++)
        note(o, result.pairs.data[i].a, result.pairs.data[i].b);
    hd_detect_result_fini(&result);
    hd_pairs_sort(&o->found);
    return status == HD_OK;
}

/* Takes over the witness. */
static void keep_race(struct orders *o, const struct hd_witness *w)
{
    *(struct hd_race *)hd_vec_push(&o->r->races) =
        (struct hd_race){.witness = *w, .found_by = HD_STEP_ORDER};
    now_known(o, w->a, w->b);
    close_undecided(o, w->a, w->b);
    o->r->found[HD_STEP_ORDER]++;
    o->r->places_raced += !o->options->all_pairs;
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

/* Pairs that the observed order orders by turns at locks alone: one other schedule for each. */
static void try_late(struct orders *o)
{
    uint64_t walked = 0;
    for (size_t i = 0; i < o->found.len && walked < MAX_WALKED; i++) {
        hd_eid a = o->found.data[i].a, b = o->found.data[i].b;
        struct hd_witness w;
        struct hd_err err;
        walked += b;
        if (is_known(o, a, b) || !hd_order_late(&o->state, &o->cut.matching, a, b, &w))
            continue;
        if (hd_checker_check(o->checker, &w, NULL, &err) == HD_OK &&
            !(follow(o, &w, a, NULL) & HD_AFTER_PLUS))
            keep_race(o, &w);
        else
            hd_witness_fini(&w);
    }
}

/* Small traces: every schedule is looked at, unless there are too many. */
static void enumerate(struct orders *o)
{
    struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
    struct hd_err err;
    if (hd_enumerate_unordered(o->t, MAX_STATES, &pairs, &err) != HD_OK)
        return;
    for (size_t i = 0; i < pairs.len; i++) {
        struct hd_unordered *x = hd_vec_at(&pairs, i);
        if (!x->alone || is_known(o, x->a, x->b))
            continue;
        keep_race(o, &x->witness);
        x->witness = (struct hd_witness){0};
    }
    hd_unordered_fini(&pairs);
}

static int by_pair(const void *x, const void *y)
{
    const struct hd_witness *p = &((const struct hd_race *)x)->witness;
    const struct hd_witness *q = &((const struct hd_race *)y)->witness;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return p->b < q->b ? -1 : p->b > q->b;
}

static void orders_init(struct orders *o)
{
    hd_order_cut_init(&o->cut, o->t);
    o->checker = hd_checker_new(o->t);
    hd_layout_init(&o->layout, o->t);
    hd_state_init(&o->state, &o->layout);
    hd_after_init(&o->after, o->t);
    for (size_t i = 0; i < o->r->races.len; i++) {
        const struct hd_race *race = hd_vec_at(&o->r->races, i);
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
    hd_pairs_fini(&o->found);
}

void hd_predict_orders(const struct hd_trace *t, const struct hd_predict_options *options,
                       const uint32_t *spots, struct hd_prediction *result)
{
    double started = hd_progress_now();
    bool matter = orders_matter(t);
    if (!matter && !result->races.len)
        return;
    struct orders o = {.t = t, .options = options, .spots = spots, .r = result};
    orders_init(&o);
    if (matter && walk(&o, HD_BY_PLUS)) {
        for (size_t i = 0; i < o.found.len; i++)
            add_race(&o, o.found.data[i].a, o.found.data[i].b);
        if (t->n_events <= SMALL)
            enumerate(&o);
        else if (walk(&o, HD_BY_PLUS | HD_NO_LOCKS))
            try_late(&o);
        if (result->races.len)
            qsort(result->races.data, result->races.len, sizeof(struct hd_race), by_pair);
    }
    if (result->races.len && walk(&o, 0))
        for (size_t i = 0; i < o.found.len; i++)
            add_follow(&o, o.found.data[i].a, o.found.data[i].b);
    orders_fini(&o);
    result->seconds[HD_STEP_ORDER] += hd_progress_now() - started;
}
