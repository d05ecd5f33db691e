/* Writes that were not seen: memory holds another value than the last access left there.
 *
 * Who wrote? If one thread only was in code without hooks since, in calls with no synchronisation
 * between them, it was that one, there; but the owner of a stack may have written it anywhere, and
 * so may any thread what is mapped of a file. Else it is not known, and the write must not be laid
 * to anyone: it stands right before the read that shows it, in the reader's thread, behind all that
 * threads did that may have made it, and every other access to the memory stays on its side of it.
 * That is said with semaphores, one for each pair of threads. See docs/algorithms/building.md. */
#include "build/walk.h"

void hd_walk_returned(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_walk_window now = {w->out.n_events, t->syncs, rec->w[0] == 0};
    if (t->windows[0].last && t->windows[0].syncs == now.syncs)
        now.exact &= t->windows[0].exact;
    else
        t->windows[1] = t->windows[0];
    t->windows[0] = now;
}

/* Threads by number, modulo: two that share a bit are taken as one set. */
static uint32_t bit_of(uint32_t thread)
{
    return UINT32_C(1) << thread % 32;
}

static bool is_since(const struct hd_walk_window *window, uint32_t event)
{
    return window->last > event;
}

/* What thread a did up to the event comes before what b does from `before` on. */
static void keep_behind(struct hd_walk *w, uint32_t a, uint32_t event, uint32_t b, uint32_t before)
{
    hd_walk_insert(
        w, &(struct hd_walk_insert){.after = event, .op = HD_OP_POST, .thread = a, .what = b});
    hd_walk_insert(
        w, &(struct hd_walk_insert){.after = before - 1, .op = HD_OP_SEM, .thread = b, .what = a});
}

/* The write stands in the reader's thread. any: also a thread that was in no such call may have
 * written. */
static void pin(struct hd_walk *w, struct hd_walk_cell *cell, uint32_t id, uint64_t value, bool any)
{
    uint32_t me = w->current, since = cell->last;
    bool known = false; /* each thread that may have written was in such a call */
    for (uint32_t i = 0; i < w->threads.len && !any; i++) {
        const struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        known |= t->name && is_since(&t->windows[0], since);
    }
    for (uint32_t i = 0; i < w->threads.len; i++) {
        const struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        bool may = known ? is_since(&t->windows[0], since) : t->last_event > since;
        if (i == me || !t->name || !t->last_event || !(may || cell->users & bit_of(i)))
            continue;
        uint32_t last = t->last_event - t->waits; /* nothing can be put behind a wait */
        keep_behind(w, i, may && known ? t->windows[0].last - 1 : last, me, w->out.n_events);
    }
    hd_walk_insert(w, &(struct hd_walk_insert){.after = w->out.n_events - 1,
                                               .op = HD_OP_WRITE,
                                               .thread = me,
                                               .what = id,
                                               .value = value});
    cell->pinned = true;
    cell->writer = me;
    cell->write = w->out.n_events;
    cell->after = bit_of(me);
}

void hd_walk_outside(struct hd_walk *w, uint32_t id, uint64_t value, const struct hd_region *g)
{
    struct hd_walk_cell *cell = hd_vec_at(&w->mem.list, id);
    bool own = g->kind == HD_REGION_STACK && g->number == w->current;
    uint32_t n = 0, author = 0;
    if (g->view) {
        pin(w, cell, id, value, true);
        return;
    }
    for (uint32_t i = 0; i < w->threads.len; i++) {
        const struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        if (t->name && is_since(&t->windows[0], cell->last)) {
            author = i;
            n++;
        }
    }
    const struct hd_walk_thread *t = hd_vec_at(&w->threads, author);
    struct hd_walk_insert in = {
        .op = HD_OP_WRITE, .thread = w->current, .what = id, .value = value};
    in.after = w->out.n_events - 1;
    bool only = n == 1 && t->windows[0].exact && !is_since(&t->windows[1], cell->last);
    if (only && !(own && author != w->current)) {
        in.after = t->windows[0].last - 1;
        in.thread = author;
    } else if (n > 1 || cell->users & ~bit_of(w->current) || (n == 1 && author != w->current)) {
        pin(w, cell, id, value, false);
        return;
    }
    hd_walk_insert(w, &in);
}

bool hd_walk_outside_stays(const struct hd_walk *w, const struct hd_walk_cell *cell)
{
    return cell->pinned && w->current != cell->writer && !(cell->after & bit_of(w->current));
}

void hd_walk_outside_touch(struct hd_walk *w, uint32_t id)
{
    struct hd_walk_cell *cell = hd_vec_at(&w->mem.list, id);
    uint32_t bit = bit_of(w->current);
    cell->users |= bit;
    if (!hd_walk_outside_stays(w, cell))
        return;
    cell->after |= bit;
    keep_behind(w, cell->writer, cell->write - 1, w->current, w->out.n_events);
}
