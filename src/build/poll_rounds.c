#include "build/poll_rounds.h"

#include "build/walk.h"
#include "recording/rawlog_rounds.h"

void hd_walk_polls_start(struct hd_walk *w)
{
    hd_polls_took(&w->polls.rounds, NULL);
    w->polls.cell = HD_CELL_NONE;
    w->polls.dropped = false;
    w->polls.last = (struct hd_walk_polled){0};
    w->own.times = 1;
}

static bool looks_for_rounds(const struct hd_walk *w)
{
    return !w->own.keep_all && w->info->from_pass;
}

/* The branch depends on these reads of the thread. */
static struct hd_dep_list reads_of(struct hd_walk *w, const struct hd_event *ev)
{
    for (unsigned role = 0; role < 3; role++) {
        const struct hd_u32vec *reads = &w->out.dep_reads[role];
        if (ev->deps.given && ev->deps.n == reads->len &&
            ev->deps.events == w->out.dep_list[role].data)
            return (struct hd_dep_list){true, ev->deps.n, reads->data};
    }
    return (struct hd_dep_list){0};
}

/* spot 0: it is in no round. */
static void describe(struct hd_walk *w, const struct hd_event *ev, struct hd_poll *e)
{
    bool alone = w->rec && !w->joined && !w->in_parts && !w->split.in_wide;
    bool known = ev->op == HD_OP_BRANCH || w->polls.cell != HD_CELL_NONE;
    e->ev = *ev;
    e->ev.thread = w->current;
    e->spot = alone && known ? w->rec->site : 0;
    e->read = (uint32_t)hd_walk_current(w)->reads.len;
    if (ev->op == HD_OP_BRANCH)
        e->ev.deps = reads_of(w, ev);
}

/* Cells know the number of their last access. */
static void number_cells(struct hd_walk *w)
{
    for (uint32_t i = 0; i < w->polls.rounds.held; i++)
        if (w->polls.held[i].cell != HD_CELL_NONE)
            ((struct hd_walk_cell *)hd_vec_at(&w->mem.list, w->polls.held[i].cell))->last =
                w->out.n_events + i;
}

/* All reads that are held are decided. */
static void forget_known(struct hd_walk *w, struct hd_walk_thread *t)
{
    struct hd_walk_known *known = t->known.data;
    size_t n = w->polls.known;
    for (size_t i = n; i < t->known.len; i++)
        if (known[i].ref & HD_WALK_SET || known[i].ref < w->polls.reads)
            known[n++] = known[i];
    t->known.len = w->polls.known = n;
    t->call_reads = t->call_reads < n ? t->call_reads : (uint32_t)n;
}

/* Two rounds are held: the first one is left out. */
static void drop(struct hd_walk *w, struct hd_walk_thread *t)
{
    struct hd_walk_polls *p = &w->polls;
    size_t each = (t->reads.len - p->reads) / 2;
    forget_known(w, t);
    if (!p->named)
        t->reads.len -= each;
    p->reads = t->reads.len - each;
    for (uint32_t i = 0; i < p->rounds.round; i++)
        p->held[i] = p->held[p->rounds.round + i];
    hd_polls_dropped(&p->rounds, !p->named);
    p->dropped = !p->named;
    p->named = false;
    number_cells(w);
}

static void hold(struct hd_walk *w, const struct hd_event *ev)
{
    struct hd_walk_polls *p = &w->polls;
    struct hd_walk_thread *t = hd_walk_current(w);
    bool reads = hd_op_reads(ev->op);
    if (p->rounds.held == 1) {
        p->thread = w->current;
        p->reads = t->reads.len;
        p->known = t->known.len;
        p->named = false;
    }
    p->held[p->rounds.held - 1] = (struct hd_walk_held){.site = w->rec->site,
                                                        .steps = t->steps,
                                                        .detail = w->names.detail,
                                                        .cell = reads ? p->cell : HD_CELL_NONE,
                                                        .kind = w->rec->kind};
    if (reads)
        hd_walk_add_read(w, t, 0);
    t->in_call = true;
}

static enum hd_status take_one(struct hd_walk *w, struct hd_walk_thread *t, uint32_t i)
{
    const struct hd_walk_held *held = &w->polls.held[i];
    const struct hd_poll *e = &w->polls.rounds.hold[i];
    struct hd_raw rec = {.kind = held->kind, .site = held->site};
    struct hd_event ev = e->ev;
    hd_eid list[HD_POLLS_ROUND];
    for (uint32_t k = 0; k < e->n_deps; k++) {
        uint32_t read = w->polls.rounds.hold[i - e->deps[k]].read;
        list[k] = ((const struct hd_walk_read *)hd_vec_at(&t->reads, read))->event;
    }
    if (ev.op == HD_OP_BRANCH)
        ev.deps = (struct hd_dep_list){true, e->n_deps, list};
    w->rec = &rec;
    t->steps = held->steps;
    w->names.detail = held->detail;
    if (hd_op_reads(ev.op))
        ((struct hd_walk_read *)hd_vec_at(&t->reads, e->read))->event =
            w->pass == HD_WALK_BUILD ? hd_walk_next_eid(w) : w->out.n_events;
    return hd_walk_put(w, &ev, true);
}

/* Lists of dependences that were made meanwhile name what is held. */
static void relist(struct hd_walk *w, const struct hd_walk_thread *t)
{
    for (unsigned role = 0; role < 3; role++) {
        struct hd_u32vec *list = &w->out.dep_list[role];
        const struct hd_u32vec *reads = &w->out.dep_reads[role];
        for (size_t i = 0; i < list->len && i < reads->len; i++)
            if (reads->data[i] < t->reads.len)
                list->data[i] =
                    ((const struct hd_walk_read *)hd_vec_at(&t->reads, reads->data[i]))->event;
    }
}

static enum hd_status take(struct hd_walk *w)
{
    struct hd_walk_polls *p = &w->polls;
    if (!p->rounds.held)
        return HD_OK;
    struct hd_walk_thread *t = hd_vec_at(&w->threads, p->thread);
    const struct hd_raw *rec = w->rec;
    uint32_t current = w->current, steps = t->steps, detail = w->names.detail;
    bool joined = w->joined, in_call = t->in_call;
    enum hd_status s = HD_OK;
    w->current = p->thread;
    w->joined = false;
    for (uint32_t i = 0; s == HD_OK && i < p->rounds.held; i++)
        s = take_one(w, t, i);
    if (current == p->thread)
        relist(w, t);
    w->current = current;
    w->rec = rec;
    w->joined = joined;
    w->names.detail = detail;
    t->steps = steps;
    t->in_call = in_call;
    return s;
}

enum hd_status hd_walk_polls_end(struct hd_walk *w)
{
    if (!w->polls.rounds.round)
        return HD_OK;
    enum hd_status s = take(w);
    hd_polls_took(&w->polls.rounds, NULL);
    return s;
}

enum hd_status hd_walk_polls_hold(struct hd_walk *w, const struct hd_event *ev, bool *held)
{
    struct hd_poll_rounds *rounds = &w->polls.rounds;
    struct hd_poll e;
    bool can = ev->op == HD_OP_READ || ev->op == HD_OP_AREAD || ev->op == HD_OP_BRANCH;
    *held = false;
    if (!looks_for_rounds(w) || (!can && !rounds->n_seen && !rounds->round))
        return HD_OK;
    if (!can) {
        enum hd_status s = take(w);
        hd_polls_took(rounds, NULL);
        return s;
    }
    describe(w, ev, &e);
    enum hd_polls_next next = hd_polls_next(rounds, &e);
    if (next == HD_POLLS_TAKE) {
        enum hd_status s = take(w);
        e.read = (uint32_t)hd_walk_current(w)->reads.len;
        hd_polls_took(rounds, &e);
        return s;
    }
    *held = true;
    hold(w, ev);
    if (next == HD_POLLS_DROP)
        drop(w, hd_walk_current(w));
    else
        number_cells(w);
    return HD_OK;
}

void hd_walk_polls_wrote(struct hd_walk *w, const struct hd_event *ev, bool known)
{
    if (!looks_for_rounds(w))
        return;
    struct hd_event by = *ev;
    by.thread = w->current;
    if (!hd_polls_wrote(&w->polls.rounds, &by, known) || w->own.hand)
        return; /* a skeleton may do without */
    HD_ASSERT(!w->settled);
    w->own.found = w->polls.needed = true;
    w->pass = HD_WALK_REPLAY; /* what was built lacks rounds */
}

void hd_walk_polls_named(struct hd_walk *w, const struct hd_u32vec *reads)
{
    struct hd_walk_polls *p = &w->polls;
    if (p->rounds.held && reads->len && reads->data[reads->len - 1] >= p->reads)
        p->named = true;
}

/* Only where nothing is noted but what the trace needs. */
static bool may_skip(const struct hd_walk *w)
{
    const struct hd_poll_rounds *rounds = &w->polls.rounds;
    return !w->own.hand && !w->sieve.making && !w->sieve.reading && !w->in.whole_log &&
           rounds->round && rounds->held == rounds->round;
}

/* The log repeats the round that was just left out: to take it again changes the count of steps
 * alone, in the thread and in what is held. The last one is taken, which sets these. */
uint32_t hd_walk_polls_skip(struct hd_walk *w)
{
    struct hd_walk_polled before = w->polls.last, *last = &w->polls.last;
    struct hd_walk_thread *t = hd_walk_current(w);
    w->polls.dropped = false;
    *last = (struct hd_walk_polled){.at = hd_rawlog_at(&w->log), .steps = t->steps};
    if (!may_skip(w))
        return 0;
    uint64_t bytes = last->at - before.at;
    uint32_t events = hd_rawlog_round(&w->log, bytes);
    if (!events)
        return 0;
    last->bytes = (uint32_t)bytes;
    last->events = events;
    if (before.bytes != bytes || before.events != events || before.steps + events != t->steps ||
        !hd_rawlog_rounds_repeat(&w->log, (size_t)bytes))
        return 0;
    struct hd_rawlog_rounds rounds = hd_rawlog_rounds(&w->log, (uint32_t)bytes, events);
    uint64_t most = (t->turn_at - t->steps) / events; /* lent_memory.c: such a step is a turn */
    most = rounds.times < most ? rounds.times : most;
    if (most < 2)
        return 0;
    hd_rawlog_rounds_skip(&w->log, &rounds, most - 1);
    t->steps += (uint32_t)(most - 1) * events;
    *last = (struct hd_walk_polled){.at = hd_rawlog_at(&w->log), .steps = t->steps};
    return (uint32_t)(most - 1) * events;
}
