#include "report/format/lanes.h"

#include "base/names.h"

#include <string.h>

const char *const hd_edge_names[HD_EDGE_KINDS] = {"lock",    "create", "join", "notify",
                                                  "barrier", "atomic", "weak"};

static bool is(const struct hd_schedule_step *s, const char *op)
{
    return !strcmp(s->op, op);
}

/* The lock that the step is about, or NULL. */
static const char *lock_of(const struct hd_schedule_step *s)
{
    return is(s, "wait") || is(s, "wake") || is(s, "tmo") ? s->lock : s->object;
}

static bool takes(const struct hd_schedule_step *s, bool *shared)
{
    *shared = is(s, "racq");
    return *shared || is(s, "acq") || is(s, "wake") || is(s, "tmo");
}

static bool gives(const struct hd_schedule_step *s, bool *shared)
{
    *shared = is(s, "rrel");
    return *shared || is(s, "rel") || is(s, "wait");
}

/* ---- lanes and bars ---- */

static void find_threads(struct hd_lanes *l, struct hd_arena *a)
{
    const struct hd_finding *f = l->finding;
    struct hd_names names = {0};
    for (size_t i = 0; i < f->n_steps; i++) {
        uint32_t s = f->recorded ? f->recorded[i] : (uint32_t)i;
        const char *thread = f->steps[s].thread;
        l->thread_of[s] = hd_names_add(&names, thread, strlen(thread));
    }
    for (size_t i = 0; i < f->n_accesses; i++)
        hd_names_add(&names, f->accesses[i].thread, strlen(f->accesses[i].thread));
    l->n_threads = names.count;
    l->threads = hd_arena_calloc(a, names.count + 1, sizeof *l->threads);
    for (uint32_t i = 0; i < names.count; i++)
        l->threads[i] = hd_arena_strndup(a, hd_names_text(&names, i), hd_names_len(&names, i));
    hd_names_fini(&names);
}

static struct hd_lane_hold *hold_at(const struct hd_lanes *l, uint32_t i)
{
    return hd_vec_at(&l->holds, i);
}

/* Ends the latest hold of the lock. Holds that began later stay above it in the list. */
static void end_hold(struct hd_lanes *l, uint32_t *top, uint32_t step, bool shared)
{
    const char *lock = lock_of(&l->finding->steps[step]);
    for (uint32_t h = *top; h != HD_LANES_NONE; h = hold_at(l, h)->below) {
        struct hd_lane_hold *hold = hold_at(l, h);
        if (hold->to == HD_LANES_NONE && hold->shared == shared && !strcmp(hold->lock, lock)) {
            hold->to = step;
            break;
        }
    }
    while (*top != HD_LANES_NONE && hold_at(l, *top)->to != HD_LANES_NONE)
        *top = hold_at(l, *top)->below;
}

static void find_holds(struct hd_lanes *l)
{
    const struct hd_finding *f = l->finding;
    struct hd_u32vec top = {0};
    for (size_t i = 0; i < l->n_threads; i++)
        hd_u32vec_push(&top, HD_LANES_NONE);
    for (uint32_t i = 0; i < f->n_steps; i++) {
        const struct hd_schedule_step *s = &f->steps[i];
        uint32_t thread = l->thread_of[i];
        const char *lock = lock_of(s);
        bool shared;
        l->held[i] = top.data[thread];
        /* The blocked lock call of a deadlock is not a lock that is held. */
        if (lock && !s->racing && takes(s, &shared)) {
            struct hd_lane_hold *h = hd_vec_push(&l->holds);
            *h = (struct hd_lane_hold){thread, i, HD_LANES_NONE, lock, shared, top.data[thread]};
            top.data[thread] = (uint32_t)l->holds.len - 1;
        } else if (lock && gives(s, &shared)) {
            end_hold(l, &top.data[thread], i, shared);
        }
    }
    hd_u32vec_fini(&top);
}

void hd_lanes_init(struct hd_lanes *l, const struct hd_finding *f, struct hd_arena *a)
{
    *l = (struct hd_lanes){.finding = f, .holds = HD_VEC_INIT(struct hd_lane_hold)};
    l->thread_of = hd_arena_calloc(a, f->n_steps + 1, sizeof *l->thread_of);
    l->held = hd_arena_calloc(a, f->n_steps + 1, sizeof *l->held);
    find_threads(l, a);
    find_holds(l);
}

void hd_lanes_fini(struct hd_lanes *l)
{
    hd_vec_fini(&l->holds);
}

/* ---- arrows ---- */

/* What happened last to each object, by the kind of thing that a later step can follow. */
enum last_kind { LAST_RELEASE, LAST_READ_RELEASE, LAST_NOTIFY, LAST_ARRIVAL, LAST_WRITE, LASTS };

struct tracker {
    const struct hd_lanes *l;
    struct hd_vec *edges;
    struct hd_names threads; /* the lanes, under their numbers */
    struct hd_names objects;
    struct hd_vec last;     /* uint32_t[LASTS], by object */
    struct hd_u32vec tail;  /* by thread: its last step */
    struct hd_u32vec maker; /* by thread: the step that created it, until its first step */
};

static void link_steps(struct tracker *t, uint32_t from, uint32_t to, enum hd_edge_kind kind)
{
    if (from == HD_LANES_NONE || t->l->thread_of[from] == t->l->thread_of[to])
        return;
    struct hd_lane_edge *e = hd_vec_push(t->edges);
    *e = (struct hd_lane_edge){from, to, kind};
}

static uint32_t *last_of(struct tracker *t, const char *object)
{
    uint32_t id = hd_names_add(&t->objects, object, strlen(object));
    if (id == t->last.len) {
        uint32_t *fresh = hd_vec_push(&t->last);
        for (int k = 0; k < LASTS; k++)
            fresh[k] = HD_LANES_NONE;
    }
    return hd_vec_at(&t->last, id);
}

static void follow_thread_ops(struct tracker *t, const struct hd_schedule_step *s, uint32_t i)
{
    bool fork = is(s, "fork");
    if (!fork && !is(s, "join"))
        return;
    uint32_t lane;
    if (!hd_names_find(&t->threads, s->object, strlen(s->object), &lane))
        return;
    if (fork)
        t->maker.data[lane] = i;
    else
        link_steps(t, t->tail.data[lane], i, HD_EDGE_JOIN);
}

static void follow_locks(struct tracker *t, const struct hd_schedule_step *s, uint32_t i)
{
    bool shared;
    if (s->racing || !lock_of(s))
        return;
    uint32_t *last = last_of(t, lock_of(s));
    if (gives(s, &shared)) {
        last[shared ? LAST_READ_RELEASE : LAST_RELEASE] = i;
    } else if (takes(s, &shared)) {
        link_steps(t, last[LAST_RELEASE], i, HD_EDGE_LOCK);
        if (!shared)
            link_steps(t, last[LAST_READ_RELEASE], i, HD_EDGE_LOCK);
    }
}

/* Does the step release (or acquire), by its own order? */
static bool orders(const struct hd_schedule_step *s, bool releases)
{
    for (int i = 0; s->order && i < HD_ORDER_COUNT; i++)
        if (!strcmp(s->order, hd_mem_order_info[i].text))
            return releases ? hd_mem_order_info[i].releases : hd_mem_order_info[i].acquires;
    return true;
}

/* Or by a fence of its thread, before a write and after a read? */
static bool is_fenced(const struct hd_lanes *l, uint32_t step, bool releases)
{
    const struct hd_finding *f = l->finding;
    uint32_t from = releases ? 0 : step, to = releases ? step : (uint32_t)f->n_steps;
    for (uint32_t i = from; i < to; i++)
        if (l->thread_of[i] == l->thread_of[step] && is(&f->steps[i], "fence") &&
            orders(&f->steps[i], releases))
            return true;
    return false;
}

static enum hd_edge_kind atomic_kind(const struct hd_lanes *l, uint32_t write, uint32_t read)
{
    const struct hd_schedule_step *steps = l->finding->steps;
    bool strong =
        write == HD_LANES_NONE || ((orders(&steps[write], true) || is_fenced(l, write, true)) &&
                                   (orders(&steps[read], false) || is_fenced(l, read, false)));
    return strong ? HD_EDGE_ATOMIC : HD_EDGE_WEAK;
}

static void follow_rest(struct tracker *t, const struct hd_schedule_step *s, uint32_t i,
                        uint32_t *last)
{
    if (is(s, "wake") || is(s, "sem"))
        link_steps(t, last[LAST_NOTIFY], i, HD_EDGE_NOTIFY);
    else if (is(s, "sig") || is(s, "bcast") || is(s, "post"))
        last[LAST_NOTIFY] = i;
    else if (is(s, "barin"))
        last[LAST_ARRIVAL] = i;
    else if (is(s, "barout"))
        link_steps(t, last[LAST_ARRIVAL], i, HD_EDGE_BARRIER);
    if (!s->racing && (is(s, "ar") || is(s, "rmw")))
        link_steps(t, last[LAST_WRITE], i, atomic_kind(t->l, last[LAST_WRITE], i));
    if (is(s, "aw") || is(s, "rmw"))
        last[LAST_WRITE] = i;
}

void hd_lanes_edges(const struct hd_lanes *l, const uint32_t *order, struct hd_vec *edges)
{
    const struct hd_finding *f = l->finding;
    struct tracker t = {.l = l, .edges = edges};
    t.last.size = LASTS * sizeof(uint32_t);
    for (size_t i = 0; i < l->n_threads; i++) {
        hd_names_add(&t.threads, l->threads[i], strlen(l->threads[i]));
        hd_u32vec_push(&t.tail, HD_LANES_NONE);
        hd_u32vec_push(&t.maker, HD_LANES_NONE);
    }
    for (uint32_t k = 0; k < f->n_steps; k++) {
        uint32_t i = order ? order[k] : k, lane = l->thread_of[i];
        const struct hd_schedule_step *s = &f->steps[i];
        link_steps(&t, t.maker.data[lane], i, HD_EDGE_CREATE);
        t.maker.data[lane] = HD_LANES_NONE;
        if (s->object) {
            follow_thread_ops(&t, s, i);
            follow_locks(&t, s, i);
            follow_rest(&t, s, i, last_of(&t, s->object));
        }
        t.tail.data[lane] = i;
    }
    hd_names_fini(&t.threads);
    hd_names_fini(&t.objects);
    hd_vec_fini(&t.last);
    hd_u32vec_fini(&t.tail);
    hd_u32vec_fini(&t.maker);
}

size_t hd_lanes_keep(const struct hd_finding *f, size_t max, bool *keep)
{
    size_t n = 0;
    for (size_t i = 0; i < f->n_steps; i++)
        keep[i] = false;
    for (int round = 0; round < 3; round++)
        for (size_t i = f->n_steps; i-- > 0 && n < max;) {
            const struct hd_schedule_step *s = &f->steps[i];
            int of = s->racing ? 0 : s->essential ? 1 : 2;
            if (of == round) {
                keep[i] = true;
                n++;
            }
        }
    return f->n_steps - n;
}
