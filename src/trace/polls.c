#include "trace/polls.h"

#include <string.h>

void hd_polls_init(struct hd_poll_rounds *p, uint32_t patience)
{
    memset(p, 0, sizeof *p);
    p->patience = patience;
    p->writes = HD_VEC_INIT(struct hd_poll_writes);
}

void hd_polls_fini(struct hd_poll_rounds *p)
{
    hd_u32vec_fini(&p->of);
    hd_vec_fini(&p->writes);
}

/* ---- who writes a location ---- */

static struct hd_poll_writes *writes_of(struct hd_poll_rounds *p, uint32_t loc)
{
    while (p->of.len <= loc)
        hd_u32vec_push(&p->of, 0);
    if (!p->of.data[loc]) {
        memset(hd_vec_push(&p->writes), 0, p->writes.size);
        p->of.data[loc] = (uint32_t)p->writes.len;
    }
    return hd_vec_at(&p->writes, p->of.data[loc] - 1);
}

/* Between two reads of the thread that find the same value there was no other value: of other
 * threads one alone writes, always the same. */
static bool is_steady(const struct hd_poll_writes *w, hd_tid poller)
{
    uint32_t others = 0;
    bool single = true;
    for (unsigned i = 0; i < 2; i++) {
        if (!w->thread[i] || w->thread[i] == poller + 1)
            continue;
        others++;
        single &= w->single[i];
    }
    return !w->banned && !w->many && others <= 1 && single;
}

/* A constant, by a write that orders as the others do. */
static bool is_like(const struct hd_event *first, const struct hd_event *ev)
{
    return ev->op != HD_OP_RMW && ev->has_value && ev->deps.given && !ev->deps.n &&
           ev->op == first->op && ev->order == first->order && ev->value == first->value;
}

static void add_write(struct hd_poll_writes *w, const struct hd_event *ev)
{
    unsigned i = 0;
    while (i < 2 && w->thread[i] && w->thread[i] != ev->thread + 1)
        i++;
    if (i == 2) {
        w->many = true;
        return;
    }
    if (!w->thread[i]) {
        w->thread[i] = ev->thread + 1;
        w->first[i] = *ev;
        w->single[i] = true;
    }
    w->single[i] &= is_like(&w->first[i], ev);
}

bool hd_polls_wrote(struct hd_poll_rounds *p, const struct hd_event *ev, bool known)
{
    struct hd_poll_writes *w = writes_of(p, ev->obj);
    if (known)
        add_write(w, ev);
    else
        w->many = true;
    if (!w->folder || w->banned || is_steady(w, w->folder - 1))
        return false;
    w->banned = true;
    return true;
}

/* May rounds with these reads be left out? */
static bool may_leave(struct hd_poll_rounds *p)
{
    const struct hd_event *first = NULL;
    bool steady = true;
    p->mixed = false;
    for (uint32_t i = 0; i < p->round; i++) {
        const struct hd_event *ev = &p->seen[i].ev;
        if (!hd_op_reads(ev->op))
            continue;
        const struct hd_poll_writes *w = writes_of(p, ev->obj);
        steady &= is_steady(w, p->thread) && (!w->folder || w->folder == p->thread + 1);
        first = first ? first : ev;
        p->mixed |= first->obj != ev->obj || first->op != ev->op || first->order != ev->order;
    }
    return !p->mixed || (steady && p->count >= p->patience);
}

static void note_left_out(struct hd_poll_rounds *p)
{
    p->left_out += p->round;
    for (uint32_t i = 0; p->mixed && i < p->round; i++)
        if (hd_op_reads(p->seen[i].ev.op))
            writes_of(p, p->seen[i].ev.obj)->folder = p->thread + 1;
}

/* ---- rounds ---- */

static bool can_be_polled(const struct hd_poll *e)
{
    const struct hd_event *ev = &e->ev;
    if (!e->spot)
        return false;
    if (ev->op == HD_OP_BRANCH)
        return ev->deps.given && ev->deps.n && ev->deps.n <= HD_POLLS_ROUND;
    return (ev->op == HD_OP_READ || ev->op == HD_OP_AREAD) && ev->has_value && !ev->addr.n;
}

/* *out becomes e as the one behind the n events of the list. */
static void relate(const struct hd_poll *e, const struct hd_poll *list, uint32_t n,
                   struct hd_poll *out)
{
    *out = *e;
    out->ev.deps = out->ev.addr = (struct hd_dep_list){0};
    out->n_deps = 0;
    for (uint32_t i = 0; e->ev.op == HD_OP_BRANCH && i < e->ev.deps.n; i++) {
        uint32_t at = n;
        while (at &&
               !(hd_op_reads(list[at - 1].ev.op) && list[at - 1].read == e->ev.deps.events[i]))
            at--;
        if (!at || n - at + 1 > HD_POLLS_ROUND) {
            out->n_deps = HD_POLLS_FAR;
            return;
        }
        out->deps[out->n_deps++] = (uint8_t)(n - at + 1);
    }
}

static bool is_same(const struct hd_poll *a, const struct hd_poll *b)
{
    return a->spot == b->spot && a->ev.op == b->ev.op && a->ev.place == b->ev.place &&
           a->n_deps == b->n_deps && a->n_deps != HD_POLLS_FAR &&
           !memcmp(a->deps, b->deps, a->n_deps) &&
           (a->ev.op == HD_OP_BRANCH ||
            (a->ev.obj == b->ev.obj && a->ev.value == b->ev.value && a->ev.order == b->ev.order));
}

/* Its branches depend on its own reads, and on each of them. */
static bool is_whole(const struct hd_poll *round, uint32_t n)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (hd_op_reads(round[i].ev.op))
            open |= UINT32_C(1) << i;
        for (uint32_t k = 0; k < round[i].n_deps; k++) {
            if (round[i].deps[k] > i)
                return false;
            open &= ~(UINT32_C(1) << (i - round[i].deps[k]));
        }
    }
    return !open;
}

static bool is_repeated(const struct hd_poll_rounds *p, uint32_t n)
{
    const struct hd_poll *end = p->seen + p->n_seen;
    for (uint32_t i = 1; i <= n; i++)
        if (!is_same(end - i, end - i - n))
            return false;
    return is_whole(end - n, n);
}

/* The last event seen is a branch: is it the end of the second of two equal rounds? */
static void find_round(struct hd_poll_rounds *p)
{
    for (uint32_t n = 2; n <= HD_POLLS_ROUND && 2 * n <= p->n_seen; n++) {
        if (!is_repeated(p, n))
            continue;
        memmove(p->seen, p->seen + p->n_seen - n, n * sizeof *p->seen);
        p->count = p->length == n && p->since == n ? p->count + 1 : 2;
        p->length = p->n_seen = p->round = n;
        p->since = 0;
        if (!may_leave(p))
            p->round = 0;
        return;
    }
}

enum hd_polls_next hd_polls_next(struct hd_poll_rounds *p, const struct hd_poll *e)
{
    if (!p->round || e->ev.thread != p->thread || !can_be_polled(e))
        return HD_POLLS_TAKE;
    uint32_t at = p->held % p->round;
    struct hd_poll *to = &p->hold[p->held];
    relate(e, p->hold + p->held - at, at, to);
    if (!is_same(to, &p->seen[at]))
        return HD_POLLS_TAKE;
    p->held++;
    return p->held == 2 * p->round ? HD_POLLS_DROP : HD_POLLS_HOLD;
}

void hd_polls_dropped(struct hd_poll_rounds *p, bool renamed)
{
    note_left_out(p);
    for (uint32_t i = 0; i < p->round; i++) {
        uint32_t name = p->hold[i].read;
        p->hold[i] = p->hold[p->round + i];
        if (renamed)
            p->hold[i].read = name;
    }
    p->held = p->round;
}

void hd_polls_took(struct hd_poll_rounds *p, const struct hd_poll *e)
{
    bool polled = e && can_be_polled(e);
    if (p->round || !polled || e->ev.thread != p->thread)
        p->n_seen = p->length = p->count = 0;
    p->round = p->held = 0;
    if (!polled)
        return;
    p->thread = e->ev.thread;
    if (p->n_seen == HD_POLLS_HELD) {
        p->n_seen = HD_POLLS_ROUND;
        memmove(p->seen, p->seen + HD_POLLS_ROUND, HD_POLLS_ROUND * sizeof *p->seen);
    }
    relate(e, p->seen, p->n_seen, &p->seen[p->n_seen]);
    p->n_seen++;
    p->since++;
    if (e->ev.op == HD_OP_BRANCH)
        find_round(p);
}
