#include "replay/schedule.h"

#include "base/alloc.h"
#include "base/log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Events [from, to) of a thread, by position: one event of the runtime, with the events that it is
 * not but that follow it (writes from outside). */
struct raw {
    uint32_t step, from, to, origin;
};

/* Raws [from, to) of a thread. */
struct unit {
    uint32_t from, to;
    size_t first, last; /* places in the witness of its first and last event; SIZE_MAX: none */
    bool branch;        /* branches only */
    bool whole;         /* the witness runs all of its events */
};

struct thread {
    bool used;
    struct hd_vec raws;  /* struct raw */
    struct hd_vec units; /* struct unit */
    uint32_t want;       /* events of it that matter, from the start */
    uint32_t stop;       /* race: unit of the access; else UINT32_MAX */
    uint32_t run;        /* units that run */
    uint32_t done;       /* of them, in the schedule so far */
    uint32_t number;     /* in the schedule, or UINT32_MAX */
    uint32_t step;       /* last one in the schedule so far */
    uint32_t pos;        /* events run so far by the check */
};

struct plan {
    const struct hd_trace *t;
    const struct hd_origins *o;
    const struct hd_witness *w;
    struct hd_schedule *s;
    struct thread *threads;
    size_t n_threads;
    size_t n_prefix;     /* entries of the witness before the accesses of a race */
    bool in_property;    /* the entries that are put are those of the property */
    struct hd_map woken; /* sig: the thread that it wakes */
    struct hd_err *err;
};

enum form {
    BOTH_STAND, /* of a race: both threads before their units; of other properties: all */
    A_THEN_B,   /* of a race: the unit of a runs, later that of b */
    B_THEN_A,
};

struct choice {
    enum form form;
    bool late; /* a unit stands where its last event stood */
    bool up;   /* a unit that was begun is run */
};

/* A unit in the order of the schedule. */
struct slot {
    size_t key;
    hd_tid thread;
    uint32_t unit;
};

static const struct hd_origin *origin_of(const struct plan *p, const struct raw *r)
{
    return hd_vec_at(&p->o->table, r->origin);
}

/* ---- the units of a thread ---- */

static void find_raws(struct plan *p, hd_tid u)
{
    struct thread *th = &p->threads[u];
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t step = p->o->step[events[i]];
        struct raw *last = th->raws.len ? hd_vec_at(&th->raws, th->raws.len - 1) : NULL;
        bool fresh = step && (!last || step != last->step);
        if (fresh) {
            const struct hd_origin *o = hd_vec_at(&p->o->table, p->o->origin[events[i]]);
            if (i >= th->want && !(o->joined && last))
                break;
            last = hd_vec_push(&th->raws);
            *last = (struct raw){step, th->raws.len == 1 ? 0 : i, 0, p->o->origin[events[i]]};
        }
        if (last)
            last->to = i + 1;
    }
}

/* Nothing else, as the model sees it: also an access that is left out of the trace and has an empty
 * branch in its place. */
static bool only_branches(const struct plan *p, hd_tid u, const struct raw *r)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    for (uint32_t i = r->from; i < r->to; i++)
        if (p->t->op[events[i]] != HD_OP_BRANCH)
            return false;
    return true;
}

static void find_units(struct plan *p, hd_tid u)
{
    struct thread *th = &p->threads[u];
    for (uint32_t i = 0; i < th->raws.len; i++) {
        const struct raw *r = hd_vec_at(&th->raws, i);
        const struct hd_origin *o = origin_of(p, r);
        if (!i || !o->joined)
            *(struct unit *)hd_vec_push(&th->units) =
                (struct unit){i, i, SIZE_MAX, SIZE_MAX, true, true};
        struct unit *unit = hd_vec_at(&th->units, th->units.len - 1);
        unit->to = i + 1;
        unit->branch = unit->branch && (o->kind == HD_LOG_BRANCH || only_branches(p, u, r));
    }
}

static uint32_t events_end(const struct thread *th, const struct unit *unit)
{
    return ((const struct raw *)hd_vec_at(&th->raws, unit->to - 1))->to;
}

static uint32_t events_start(const struct thread *th, const struct unit *unit)
{
    return ((const struct raw *)hd_vec_at(&th->raws, unit->from))->from;
}

/* The unit that holds the event at this position; the thread has it. */
static uint32_t unit_at(const struct thread *th, uint32_t pos)
{
    size_t low = 0, high = th->units.len;
    while (high - low > 1) {
        size_t mid = low + (high - low) / 2;
        if (events_start(th, hd_vec_at(&th->units, mid)) <= pos)
            low = mid;
        else
            high = mid;
    }
    return (uint32_t)low;
}

static enum hd_status refuse(const struct plan *p, const char *why)
{
    HD_DEBUG_LINE(REPLAY, "no schedule for events %u and %u: %s", p->w->a + 1, p->w->b + 1, why);
    return hd_err_set(p->err, HD_ERR_LIMIT, "the witness cannot be replayed: %s", why);
}

static enum hd_status find_stops(struct plan *p)
{
    const hd_eid pair[2] = {p->w->a, p->w->b};
    for (int i = 0; i < 2; i++) {
        struct thread *th = &p->threads[p->t->thread[pair[i]]];
        uint32_t step = p->o->step[pair[i]];
        p->s->outside = !step;
        if (!step)
            return refuse(p, "one of the accesses was not made by the program itself");
        if (i == 1 || !p->w->unordered) /* after a its thread goes on, in an unordered race */
            th->stop = unit_at(th, p->t->pos[pair[i]]);
        p->s->at[i].thread = hd_trace_thread_name(p->t, p->t->thread[pair[i]]);
        p->s->at[i].step = step;
    }
    return HD_OK;
}

static enum hd_status find_all(struct plan *p)
{
    const struct hd_witness *w = p->w;
    bool race = w->property == HD_PROPERTY_RACE;
    p->n_prefix = race ? w->n - (w->unordered ? 1 : 2) : w->n;
    for (size_t i = 0; i < w->n; i++) {
        struct thread *th = &p->threads[p->t->thread[w->schedule[i]]];
        th->used = true;
        uint32_t end = p->t->pos[w->schedule[i]] + 1;
        th->want = th->want < end ? end : th->want;
    }
    for (hd_tid u = 0; u < p->n_threads; u++) {
        if (!p->threads[u].used)
            continue;
        find_raws(p, u);
        find_units(p, u);
        if (!p->threads[u].units.len)
            p->threads[u].used = false; /* all from outside */
    }
    enum hd_status s = race ? find_stops(p) : HD_OK;
    for (size_t i = 0; s == HD_OK && i < p->n_prefix; i++) {
        hd_eid e = w->schedule[i];
        struct thread *th = &p->threads[p->t->thread[e]];
        if (!th->used || !p->o->step[e])
            continue;
        struct unit *unit = hd_vec_at(&th->units, unit_at(th, p->t->pos[e]));
        unit->first = unit->first == SIZE_MAX ? i : unit->first;
        unit->last = i;
        unit->whole = false;
    }
    return s;
}

/* ---- the order ---- */

static int by_key(const void *a, const void *b)
{
    const struct slot *x = a, *y = b;
    return (x->key > y->key) - (x->key < y->key);
}

/* How many units of the thread run: all that the witness begins, or all that it ends. */
static uint32_t units_to_run(const struct thread *th, struct choice c)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < th->units.len && i < th->stop; i++) {
        const struct unit *unit = hd_vec_at(&th->units, i);
        if (unit->first != SIZE_MAX)
            n = i + 1;
    }
    if (th->stop != UINT32_MAX)
        return c.form == BOTH_STAND ? th->stop : th->stop + 1;
    if (!n || c.up)
        return n;
    const struct unit *last = hd_vec_at(&th->units, n - 1);
    return events_end(th, last) > th->want ? n - 1 : n;
}

/* Where the unit stands in the order; SIZE_MAX: nowhere, others of its thread bring it along. */
static size_t key_of(const struct plan *p, hd_tid u, uint32_t i, struct choice c)
{
    const struct unit *unit = hd_vec_at(&p->threads[u].units, i);
    hd_eid last = c.form == A_THEN_B ? p->w->b : p->w->a;
    if (i == p->threads[u].stop && u == p->t->thread[last])
        return p->n_prefix + 1;
    if (i == p->threads[u].stop && unit->first == SIZE_MAX)
        return p->n_prefix;
    return unit->branch ? SIZE_MAX : c.late ? unit->last : unit->first;
}

static size_t order(struct plan *p, struct choice c, struct slot **slots)
{
    size_t n = 0, cap = 0;
    for (hd_tid u = 0; u < p->n_threads; u++)
        cap += p->threads[u].units.len;
    *slots = hd_alloc(cap * sizeof **slots);
    for (hd_tid u = 0; u < p->n_threads; u++) {
        struct thread *th = &p->threads[u];
        th->run = th->used ? units_to_run(th, c) : 0;
        for (uint32_t i = 0; i < th->run; i++) {
            size_t key = key_of(p, u, i, c);
            if (key != SIZE_MAX)
                (*slots)[n++] = (struct slot){key, u, i};
        }
    }
    if (n)
        qsort(*slots, n, sizeof **slots, by_key);
    return n;
}

/* ---- does the model still accept it? ---- */

static hd_tid woken_by(const struct plan *p, const struct hd_state *s, hd_eid e)
{
    if (p->t->op[e] != HD_OP_SIG || !s->n_waiting[p->t->obj[e]])
        return HD_TID_NONE;
    uint32_t chosen;
    if (hd_map_get(&p->woken, e, &chosen))
        return chosen;
    return hd_state_first_waiter(s, p->t->obj[e]);
}

static bool step(struct plan *p, struct hd_state *s, hd_eid e, struct hd_u32vec *ran)
{
    if (!hd_state_enabled(s, e))
        return false;
    hd_tid woken = woken_by(p, s, e);
    if (woken != HD_TID_NONE && !hd_state_waits(s, woken, p->t->obj[e]))
        return false;
    hd_state_step(s, e, woken);
    hd_u32vec_push(ran, e);
    return true;
}

/* Branches at the end of a thread stand nowhere in the order; who joins it waits for them, too. */
static bool run_last_branches(struct plan *p, struct hd_state *s, hd_tid u, struct hd_u32vec *ran)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    struct thread *th = &p->threads[u];
    for (; th->used && th->pos < n && p->t->op[events[th->pos]] == HD_OP_BRANCH; th->pos++)
        if (!step(p, s, events[th->pos], ran))
            return false;
    return true;
}

static bool run_events(struct plan *p, struct hd_state *s, hd_tid u, uint32_t upto,
                       struct hd_u32vec *ran)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    struct thread *th = &p->threads[u];
    for (; th->pos < upto; th->pos++) {
        hd_eid e = events[th->pos];
        if (p->t->op[e] == HD_OP_JOIN && !run_last_branches(p, s, p->t->obj[e], ran))
            return false;
        if (!step(p, s, e, ran))
            return false;
    }
    return true;
}

/* The thread stands before its access: what the access needs holds. */
static bool stands(struct plan *p, struct hd_state *s, hd_tid u, struct hd_u32vec *ran)
{
    struct thread *th = &p->threads[u];
    const struct unit *unit = hd_vec_at(&th->units, th->stop);
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    if (!run_events(p, s, u, events_start(th, unit), ran))
        return false;
    while (th->pos < events_end(th, unit) && p->t->op[events[th->pos]] == HD_OP_BRANCH)
        if (!run_events(p, s, u, th->pos + 1, ran))
            return false;
    return th->pos >= events_end(th, unit) || hd_state_enabled(s, events[th->pos]);
}

static bool accepts(struct plan *p, struct choice c, struct hd_state *s, const struct slot *slots,
                    size_t n, struct hd_u32vec *ran)
{
    for (hd_tid u = 0; u < p->n_threads; u++)
        p->threads[u].pos = 0;
    for (size_t i = 0; i < n; i++) {
        const struct thread *th = &p->threads[slots[i].thread];
        const struct unit *unit = hd_vec_at(&th->units, slots[i].unit);
        if (!run_events(p, s, slots[i].thread, events_end(th, unit), ran))
            return false;
    }
    if (p->w->property != HD_PROPERTY_RACE || c.form != BOTH_STAND)
        return true;
    return stands(p, s, p->t->thread[p->w->a], ran) && stands(p, s, p->t->thread[p->w->b], ran);
}

/* ---- the entries ---- */

static enum hd_status number_of(struct plan *p, const char *name, size_t len, uint32_t *number)
{
    hd_tid u;
    struct hd_schedule *s = p->s;
    bool known = hd_names_find(&p->t->threads, name, len, &u);
    if (known && p->threads[u].number != UINT32_MAX) {
        *number = p->threads[u].number;
        return HD_OK;
    }
    const char *dot = memrchr(name, '.', len);
    uint32_t parent = 0;
    bool main_thread = len == 2 && !memcmp(name, "T1", 2);
    if (!dot && !main_thread)
        return refuse(p, "a thread in it was not created by instrumented code");
    enum hd_status status = main_thread ? HD_OK : number_of(p, name, (size_t)(dot - name), &parent);
    if (status != HD_OK)
        return status;
    *number = (uint32_t)s->threads.len;
    struct hd_sched_thread *th = hd_vec_push(&s->threads);
    *th = (struct hd_sched_thread){parent, main_thread ? 0 : (uint32_t)strtoul(dot + 1, NULL, 10)};
    hd_u32vec_push(&s->tids, known ? u : UINT32_MAX);
    if (known)
        p->threads[u].number = *number;
    return HD_OK;
}

static enum hd_status name_threads(struct plan *p)
{
    uint32_t number;
    enum hd_status s = number_of(p, "T1", 2, &number); /* the runtime expects it to be 0 */
    for (hd_tid u = 0; s == HD_OK && u < p->n_threads; u++)
        if (p->threads[u].used)
            s = number_of(p, hd_names_text(&p->t->threads, u), hd_names_len(&p->t->threads, u),
                          &number);
    return s;
}

static void put_entry(struct plan *p, const struct hd_sched_entry *e, hd_eid event)
{
    *(struct hd_sched_entry *)hd_vec_push(&p->s->entries) = *e;
    hd_u32vec_push(&p->s->events, event);
}

/* Whom the signal wakes, as the schedule numbers threads. */
static uint32_t wakes_of(const struct plan *p, hd_eid e)
{
    uint32_t chosen;
    uint32_t number = hd_map_get(&p->woken, e, &chosen) ? p->threads[chosen].number : UINT32_MAX;
    return number == UINT32_MAX ? HD_SCHED_NO_THREAD : number;
}

/* Steps of the thread before this one that left no event in the trace. */
static void put_gap(struct plan *p, hd_tid u, uint32_t step)
{
    struct thread *th = &p->threads[u];
    struct hd_sched_entry e = {.thread = th->number,
                               .module = HD_SCHED_NO_MODULE,
                               .wakes = HD_SCHED_NO_THREAD,
                               .kind = HD_SCHED_ANY};
    while (th->step + 1 < step) {
        e.count = p->in_property ? 1 : step - 1 - th->step;
        put_entry(p, &e, HD_EID_NONE);
        th->step += e.count;
    }
}

static void put_raw(struct plan *p, hd_tid u, const struct raw *r)
{
    struct thread *th = &p->threads[u];
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    const struct hd_origin *o = origin_of(p, r);
    put_gap(p, u, r->step);
    struct hd_sched_entry e = {
        .thread = th->number, .module = HD_SCHED_NO_MODULE, .wakes = HD_SCHED_NO_THREAD};
    th->step = r->step;
    hd_eid event = HD_EID_NONE;
    for (uint32_t i = r->from; i < r->to; i++)
        if (p->o->step[events[i]] == r->step)
            event = events[i]; /* the last: branches that were put in come first */
    e.kind = o->kind;
    if (o->module != UINT32_MAX) {
        e.module = (uint16_t)o->module;
        e.offset = o->offset;
    }
    if (o->kind == HD_LOG_SIG)
        e.wakes = wakes_of(p, event);
    put_entry(p, &e, event);
}

/* See run_last_branches. */
static void put_last_branches(struct plan *p, hd_tid u)
{
    struct thread *th = &p->threads[u];
    for (; th->done < th->units.len; th->done++) {
        const struct unit *unit = hd_vec_at(&th->units, th->done);
        for (uint32_t i = unit->from; unit->branch && i < unit->to; i++)
            put_raw(p, u, hd_vec_at(&th->raws, i));
        if (!unit->branch)
            return;
    }
}

/* A thread without events is in no slot of the schedule, but has to run to its end all the same. */
static void name_joined(struct plan *p, hd_tid u)
{
    size_t n;
    uint32_t number;
    hd_trace_thread_events(p->t, u, &n);
    if (n == 0 && number_of(p, hd_names_text(&p->t->threads, u), hd_names_len(&p->t->threads, u),
                            &number) != HD_OK)
        p->threads[u].number = UINT32_MAX; /* not created by instrumented code: it runs by itself */
}

/* A thread that is joined runs to its end before. */
static void put_ends(struct plan *p, const struct thread *th, hd_tid u, const struct unit *unit)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(p->t, u, &n);
    for (uint32_t i = events_start(th, unit); i < events_end(th, unit); i++) {
        if (p->t->op[events[i]] != HD_OP_JOIN)
            continue;
        const struct thread *other = &p->threads[p->t->obj[events[i]]];
        struct hd_sched_entry e = {
            .module = HD_SCHED_NO_MODULE, .wakes = HD_SCHED_NO_THREAD, .kind = HD_SCHED_ENDS};
        put_last_branches(p, p->t->obj[events[i]]);
        name_joined(p, p->t->obj[events[i]]);
        e.thread = other->number;
        if (other->number != UINT32_MAX)
            put_entry(p, &e, HD_EID_NONE);
    }
}

/* Units up to and with this one that are not in the schedule yet. */
static void put_units(struct plan *p, hd_tid u, uint32_t upto)
{
    struct thread *th = &p->threads[u];
    if (upto > th->done)
        put_ends(p, th, u, hd_vec_at(&th->units, upto - 1));
    for (; th->done < upto; th->done++) {
        const struct unit *unit = hd_vec_at(&th->units, th->done);
        for (uint32_t i = unit->from; i < unit->to; i++)
            put_raw(p, u, hd_vec_at(&th->raws, i));
    }
}

static void put_all(struct plan *p, struct choice c, const struct slot *slots, size_t n)
{
    for (size_t i = 0; i < n; i++)
        put_units(p, slots[i].thread, slots[i].unit + 1);
    p->s->in_turn = c.form != BOTH_STAND;
    p->s->turn = c.form == B_THEN_A;
    if (p->w->property != HD_PROPERTY_RACE || c.form != BOTH_STAND)
        return;
    hd_tid pair[2] = {p->t->thread[p->w->a], p->t->thread[p->w->b]};
    for (int i = 0; i < 2; i++) {
        const struct thread *th = &p->threads[pair[i]];
        const struct unit *unit = hd_vec_at(&th->units, th->stop);
        put_units(p, pair[i], th->stop);
        put_gap(p, pair[i], ((const struct raw *)hd_vec_at(&th->raws, unit->from))->step);
    }
    uint32_t *count[2] = {&p->s->n_first, &p->s->n_second};
    p->in_property = true;
    for (int i = 0; i < 2; i++) {
        size_t before = p->s->entries.len;
        put_units(p, pair[i], p->threads[pair[i]].stop + 1);
        *count[i] = (uint32_t)(p->s->entries.len - before);
    }
}

/* Whether the entries fit into a part of the memory: each event of the runtime may have one before
 * it for the steps that left nothing. */
static bool fits(const struct plan *p)
{
    uint64_t entries = 0;
    for (size_t u = 0; u < p->n_threads; u++)
        entries += 2 * (uint64_t)p->threads[u].raws.len;
    uint64_t bytes = entries * (sizeof(struct hd_sched_entry) + sizeof(hd_eid));
    return !hd_alloc_limit() || bytes <= hd_alloc_limit() / 4;
}

static enum hd_status choose(struct plan *p)
{
    static const struct choice all_ways[] = {{BOTH_STAND, false, true},  {BOTH_STAND, true, true},
                                             {BOTH_STAND, false, false}, {BOTH_STAND, true, false},
                                             {A_THEN_B, false, true},    {B_THEN_A, false, true},
                                             {A_THEN_B, true, true},     {B_THEN_A, true, true}};
    static const struct choice one_way[] = {{A_THEN_B, false, true},
                                            {A_THEN_B, true, true},
                                            {A_THEN_B, false, false},
                                            {A_THEN_B, true, false}};
    bool race = p->w->property == HD_PROPERTY_RACE, unordered = race && p->w->unordered;
    const struct choice *choices = unordered ? one_way : all_ways;
    size_t forms = race && !unordered ? sizeof all_ways / sizeof *all_ways : 4;
    struct hd_layout layout;
    struct hd_state state;
    struct hd_u32vec ran = {0};
    bool found = false;
    hd_layout_init(&layout, p->t);
    hd_state_init(&state, &layout);
    for (size_t i = 0; !found && i < forms; i++) {
        struct slot *slots;
        size_t cap = 0;
        for (hd_tid u = 0; u < p->n_threads; u++)
            cap += p->threads[u].units.len;
        size_t n = order(p, choices[i], &slots);
        found = accepts(p, choices[i], &state, slots, n, &ran);
        hd_state_rewind(&state, ran.data, ran.len);
        ran.len = 0;
        if (found)
            put_all(p, choices[i], slots, n);
        HD_DEBUG_LINE(REPLAY, "schedule form %zu of %zu: %s, %zu units", i + 1, forms,
                      found ? "accepted" : "not possible", n);
        hd_free(slots, cap * sizeof *slots);
    }
    hd_u32vec_fini(&ran);
    hd_state_fini(&state);
    hd_layout_fini(&layout);
    return found ? HD_OK
                 : refuse(p, "it stops a thread inside one access of several variables, or inside "
                             "one call");
}

#ifdef HD_DEBUG
/* What the runtime takes for granted: threads are made by earlier ones, entries name threads. */
static void check(const struct hd_schedule *s)
{
    for (size_t i = 1; i < s->threads.len; i++)
        HD_ASSERT(((const struct hd_sched_thread *)hd_vec_at(&s->threads, i))->parent < i);
    HD_ASSERT(s->events.len == s->entries.len && s->tids.len == s->threads.len);
    HD_ASSERT((size_t)s->n_first + s->n_second <= s->entries.len);
    for (size_t i = 0; i < s->entries.len; i++) {
        const struct hd_sched_entry *e = hd_vec_at(&s->entries, i);
        HD_ASSERT(e->thread < s->threads.len);
        HD_ASSERT(e->wakes == HD_SCHED_NO_THREAD || e->wakes < s->threads.len);
        HD_ASSERT(e->kind != HD_SCHED_ANY || e->count);
    }
}
#endif

enum hd_status hd_schedule_make(const struct hd_trace *t, const struct hd_origins *o,
                                const struct hd_witness *w, struct hd_schedule *s,
                                struct hd_err *err)
{
    size_t n = hd_trace_n_threads(t);
    struct plan p = {.t = t, .o = o, .w = w, .s = s, .n_threads = n, .err = err};
    *s = (struct hd_schedule){.entries = HD_VEC_INIT(struct hd_sched_entry),
                              .threads = HD_VEC_INIT(struct hd_sched_thread),
                              .stays = w->property == HD_PROPERTY_FAILURE};
    p.threads = hd_calloc(n, sizeof *p.threads);
    for (size_t i = 0; i < n; i++) {
        p.threads[i].raws = HD_VEC_INIT(struct raw);
        p.threads[i].units = HD_VEC_INIT(struct unit);
        p.threads[i].stop = p.threads[i].number = UINT32_MAX;
    }
    for (size_t i = 0; i < w->n_wakes; i++)
        *hd_map_put(&p.woken, w->wakes[i].sig, NULL) = w->wakes[i].thread;
    enum hd_status status = find_all(&p);
    if (status == HD_OK)
        status = name_threads(&p);
    if (status == HD_OK && !fits(&p))
        status = refuse(&p, "its steps do not fit into the memory");
    if (status == HD_OK)
        status = choose(&p);
    if (status == HD_OK)
        HD_SELF_CHECK(check(s));
    for (size_t i = 0; i < n; i++) {
        hd_vec_fini(&p.threads[i].raws);
        hd_vec_fini(&p.threads[i].units);
    }
    hd_free(p.threads, n * sizeof *p.threads);
    hd_map_fini(&p.woken);
    return status;
}

void hd_schedule_fini(struct hd_schedule *s)
{
    hd_vec_fini(&s->entries);
    hd_vec_fini(&s->threads);
    hd_u32vec_fini(&s->events);
    hd_u32vec_fini(&s->tids);
}
