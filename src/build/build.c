#include "build/build.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "base/stop.h"
#include "build/lent_memory.h"
#include "build/walk.h"
#include "log/rt_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_UP 1024  /* records between two looks whether we have to stop */
#define REPORT  65536 /* the same, to report progress; a multiple */

static const enum hd_op sync_op[HD_LOG_KIND_COUNT] = {
    [HD_LOG_ACQ] = HD_OP_ACQ,     [HD_LOG_REL] = HD_OP_REL,         [HD_LOG_RACQ] = HD_OP_RACQ,
    [HD_LOG_RREL] = HD_OP_RREL,   [HD_LOG_TRYFAIL] = HD_OP_TRYFAIL, [HD_LOG_WAIT] = HD_OP_WAIT,
    [HD_LOG_WAKE] = HD_OP_WAKE,   [HD_LOG_TMO] = HD_OP_TMO,         [HD_LOG_SIG] = HD_OP_SIG,
    [HD_LOG_BCAST] = HD_OP_BCAST, [HD_LOG_POST] = HD_OP_POST,       [HD_LOG_SEM] = HD_OP_SEM,
    [HD_LOG_BARIN] = HD_OP_BARIN, [HD_LOG_BAROUT] = HD_OP_BAROUT,   [HD_LOG_FORK] = HD_OP_FORK,
    [HD_LOG_JOIN] = HD_OP_JOIN,   [HD_LOG_BEGIN] = HD_OP_BEGIN,     [HD_LOG_LAST_EVENT] = HD_OP_END,
    [HD_LOG_REL_FOR] = HD_OP_REL, [HD_LOG_RREL_FOR] = HD_OP_RREL,
};

static enum hd_status on_sync(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_event ev = {.op = sync_op[rec->kind], .place = hd_walk_place(w, rec)};
    if (HD_PSEUDO_KIND(rec->w[0]) == HD_PSEUDO_WIDE) {
        w->split.in_wide = rec->kind == HD_LOG_ACQ;
        ev.order = HD_ORDER_RLX;
    }
    const struct hd_op_info *info = &hd_op_info[ev.op];
    if (info->kind != HD_OBJ_NONE)
        ev.obj = hd_walk_object(w, info->kind, rec->w[0]);
    ev.tries = (ev.op == HD_OP_ACQ || ev.op == HD_OP_RACQ) && rec->aux & HD_LOG_TRY;
    if (info->has_lock)
        ev.lock = hd_walk_object(w, HD_OBJ_LOCK, rec->w[1]);
    enum hd_status s = hd_walk_lock_used(w, rec, false);
    if (s == HD_OK)
        s = hd_walk_emit(w, &ev);
    if (s == HD_OK && (rec->kind == HD_LOG_POST || rec->kind == HD_LOG_SEM))
        s = hd_walk_count_changed(w, rec);
    return s == HD_OK ? hd_walk_lock_used(w, rec, true) : s;
}

/* Under `control all` a thread with a stale read does nothing more, and no thread can join it. If
 * what it did after its last read left no event, one that says nothing stands for it. */
static enum hd_status add_check(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = hd_walk_place(w, rec)};
    uint32_t me = w->current;
    const struct hd_raw *at = w->rec;
    w->current = (uint32_t)rec->w[0];
    w->rec = NULL;
    enum hd_status s = hd_walk_emit(w, &ev);
    w->current = me;
    w->rec = at;
    return s;
}

static enum hd_status on_thread(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t;
    if (rec->w[0] >= HD_MAX_THREADS)
        return hd_err_set(w->err, HD_ERR_INPUT, "the raw log names a thread that cannot be");
    uint32_t parent = rec->kind == HD_LOG_FORK ? w->current : UINT32_MAX;
    enum hd_status s = hd_walk_thread_at(w, (uint32_t)rec->w[0], parent, &t);
    if (s != HD_OK)
        return s;
    if (rec->kind == HD_LOG_SWITCH)
        w->current = (uint32_t)rec->w[0];
    if (w->pass == HD_WALK_MARK)
        hd_walk_mark_sync(w, rec);
    if (w->pass == HD_WALK_MARK || rec->kind == HD_LOG_SWITCH)
        return HD_OK;
    s = t->checks && rec->kind == HD_LOG_JOIN ? add_check(w, rec) : HD_OK;
    if (s != HD_OK)
        return s;
    s = hd_walk_polls_end(w);
    if (s != HD_OK)
        return s;
    struct hd_event ev = {.op = sync_op[rec->kind], .obj = t->tid, .place = hd_walk_place(w, rec)};
    struct hd_walk_thread *me = hd_walk_current(w);
    if (rec->kind == HD_LOG_JOIN)
        me->forked = 0;
    else if (!me->forked)
        me->forked = w->out.n_events;
    return hd_walk_emit(w, &ev);
}

/* Released by a thread that did not hold it: in the trace its holder releases it, here. */
static enum hd_status on_foreign_release(struct hd_walk *w, const struct hd_raw *rec)
{
    char name[256];
    uint32_t me = w->current;
    if (rec->w[1] >= w->threads.len)
        return hd_err_set(w->err, HD_ERR_INPUT, "the raw log names a thread that cannot be");
    if (w->pass == HD_WALK_BUILD) {
        hd_walk_address(w, rec->w[0], name, sizeof name);
        hd_remarks_add(&w->info->remarks, HD_REMARK_RELEASED_BY_OTHER, name);
    }
    w->current = (uint32_t)rec->w[1];
    enum hd_status s = on_sync(w, rec);
    w->current = me;
    return s;
}

static enum hd_status on_init(struct hd_walk *w, const struct hd_raw *rec)
{
    bool sem = rec->kind == HD_LOG_SEM_INIT;
    uint32_t id = hd_walk_new_life(w, sem ? HD_OBJ_SEM : HD_OBJ_BARRIER, rec->w[0]);
    if (sem)
        hd_walk_count_set(w, rec->w[0], rec->w[1]);
    if (w->pass != HD_WALK_BUILD)
        return HD_OK;
    return sem ? hd_builder_sem(w->out.builder, id, rec->w[1], w->err)
               : hd_builder_barrier(w->out.builder, id, rec->w[1], w->err);
}

static void on_memory(struct hd_walk *w, const struct hd_raw *rec)
{
    switch (rec->kind) {
    case HD_LOG_STACK:
        if (rec->w[2] > rec->w[1])
            hd_regions_add(&w->mem.regions, HD_REGION_STACK, rec->w[1], rec->w[2] - rec->w[1],
                           (uint32_t)rec->w[0]);
        break;
    case HD_LOG_ALLOC:
        if (w->pass == HD_WALK_BUILD)
            hd_walk_origin(w, rec);
        hd_regions_add(&w->mem.regions, HD_REGION_HEAP, rec->w[0], rec->w[1], 0);
        break;
    case HD_LOG_VIEW:
        hd_regions_view(&w->mem.regions, rec->w[0], rec->w[1], rec->w[2], rec->aux);
        return;
    case HD_LOG_MAP:
        hd_regions_add(&w->mem.regions, HD_REGION_MAP, rec->w[0], rec->w[1], 0);
        break;
    default:
        hd_regions_cut(&w->mem.regions, rec->w[0], rec->w[1]);
    }
    const uint64_t *changed = w->mem.regions.changed;
    hd_walk_lines_forget(w, changed[0], changed[1]);
    hd_walk_calm_forget(w, changed[0], changed[1] - changed[0]);
}

/* Records that every walk has to follow. */
static enum hd_status on_state(struct hd_walk *w, const struct hd_raw *rec)
{
    switch (rec->kind) {
    case HD_LOG_SWITCH:
        return on_thread(w, rec);
    case HD_LOG_STACK:
    case HD_LOG_ALLOC:
    case HD_LOG_VIEW:
    case HD_LOG_MAP:
    case HD_LOG_UNMAP:
        on_memory(w, rec);
        return HD_OK;
    case HD_LOG_SEM_INIT:
    case HD_LOG_BARRIER_INIT:
        return w->pass == HD_WALK_MARK ? HD_OK : on_init(w, rec);
    default:
        return HD_OK;
    }
}

static enum hd_status on_access(struct hd_walk *w, const struct hd_raw *rec)
{
    if (w->pass == HD_WALK_MARK)
        hd_walk_wide_mark(w, rec);
    if (w->pass == HD_WALK_MARK || !hd_walk_wide_is(w, rec))
        return hd_walk_access(w, rec);
    return hd_walk_wide_access(w, rec);
}

static enum hd_status on_event(struct hd_walk *w, const struct hd_raw *rec)
{
    if (rec->kind == HD_LOG_FREE)
        return hd_walk_free_block(w, rec);
    if (rec->kind == HD_LOG_GONE)
        return hd_walk_local_ends(w, rec);
    if (rec->kind >= HD_LOG_READ && rec->kind <= HD_LOG_RANGE_WRITE)
        return on_access(w, rec);
    if (rec->kind == HD_LOG_FORK)
        return on_thread(w, rec); /* in every walk: it names the child */
    if (w->pass == HD_WALK_MARK) {
        hd_walk_look_mark(w, rec);
        hd_walk_wide_mark(w, rec);
        hd_walk_mark_lock(w, rec);
        hd_walk_mark_sync(w, rec);
        return HD_OK;
    }
    if (rec->kind == HD_LOG_LOOK || rec->kind == HD_LOG_SET)
        return hd_walk_look(w, rec);
    if (rec->kind == HD_LOG_BRANCH)
        return w->info->from_pass ? hd_walk_branch(w, rec, rec->w[0]) : HD_OK;
    return rec->kind == HD_LOG_JOIN ? on_thread(w, rec) : on_sync(w, rec);
}

/* What goes beside the events: each kind is taken in one walk only. */
static void on_extra(struct hd_walk *w, const struct hd_raw *rec)
{
    if (rec->kind == HD_LOG_ARRIVAL && w->pass == HD_WALK_MARK)
        hd_kept_arrivals_add(&w->in.arrivals, hd_walk_current(w)->name, rec);
    else if (rec->kind == HD_LOG_NOTE && w->pass == HD_WALK_BUILD)
        hd_walk_on_note(w, rec);
    else if (rec->kind != HD_LOG_ARRIVAL && w->pass == HD_WALK_BUILD)
        hd_walk_on_deadlock(w, rec);
}

/* A record that is an event of the runtime, in a walk that builds. */
static enum hd_status on_step(struct hd_walk *w, const struct hd_raw *rec)
{
    uint32_t before = w->out.n_events, made = hd_walk_current(w)->made;
    w->rec = rec;
    hd_walk_find_call(w, rec);
    enum hd_status s = on_event(w, rec);
    if (w->own.hand)
        hd_lent_memory_use(w, rec, made);
    /* A thread without events could be joined before it was created; and where a call ends must be
     * known, because the thread cannot stop inside. */
    bool in_call = w->joined && !w->own.hand; /* a skeleton is not replayed */
    bool bare = w->out.n_events == before && (in_call || !hd_walk_current(w)->begun);
    if (s == HD_OK && bare && !w->own.keep_all) {
        struct hd_event ev = {.op = HD_OP_BRANCH, .place = hd_walk_place(w, rec)};
        ev.deps.given = true;
        s = hd_walk_emit(w, &ev);
    }
    w->rec = NULL;
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!w->split.in_wide) /* extra tokens are for all that the runtime does under its lock */
        t->more[0].len = t->more[1].len = 0;
    if (!w->split.in_wide)
        t->order = 0;
    return s;
}

/* The same, unless there is nothing to do for it. */
static enum hd_status take_step(struct hd_walk *w, const struct hd_raw *rec)
{
    if (hd_walk_lent_turns(hd_walk_current(w)))
        hd_lent_memory_turn(w);
    bool noted, quick = hd_walk_leave_quick(w, rec, &noted);
    bool nothing = quick && (!w->sieve.making || hd_walk_sieve_skip(w, rec));
    if (w->sieve.making && !nothing)
        hd_walk_sieve_keep(w, rec, hd_walk_current(w)->steps + !quick);
    if (nothing && !noted)
        hd_walk_calm_add(w, rec);
    return quick ? HD_OK : on_step(w, rec);
}

/* A fence, or the order of the thread's next record. */
static enum hd_status on_order(struct hd_walk *w, const struct hd_raw *rec)
{
    if (!(rec->w[0] & HD_LOG_FENCE)) {
        hd_walk_current(w)->order = (unsigned)rec->w[0] + 1;
        return HD_OK;
    }
    if (w->pass == HD_WALK_MARK)
        return HD_OK;
    struct hd_event ev = {.op = HD_OP_FENCE,
                          .order = hd_walk_order((unsigned)(rec->w[0] & ~(uint64_t)HD_LOG_FENCE)),
                          .place = hd_walk_place(w, rec)};
    return hd_walk_emit(w, &ev);
}

static enum hd_status on_outside(struct hd_walk *w, const struct hd_raw *rec)
{
    if (w->pass == HD_WALK_MARK) {
        hd_walk_mark_outside(w);
        return HD_OK;
    }
    enum hd_status s = hd_walk_polls_end(w);
    hd_walk_returned(w, rec);
    if (w->own.hand)
        hd_walk_hand_outside(w);
    return s;
}

static enum hd_status on_record(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (rec->kind <= HD_LOG_LAST_EVENT && w->pass == HD_WALK_MARK) {
        w->rec = rec;
        enum hd_status s = on_event(w, rec);
        w->rec = NULL;
        hd_walk_current(w)->order = 0;
        return s;
    }
    if (rec->kind <= HD_LOG_LAST_EVENT)
        return take_step(w, rec);
    if (w->sieve.making)
        hd_walk_sieve_keep(w, rec, 0);
    switch (rec->kind) {
    case HD_LOG_MORE:
        if (w->pass != HD_WALK_MARK &&
            (hd_walk_more_matters(w, rec) || hd_walk_sieve_counts(w, rec)))
            *(hd_tok *)hd_vec_push(&t->more[rec->w[0] & 1]) = rec->w[1];
        return HD_OK;
    case HD_LOG_ORDER:
        return on_order(w, rec);
    case HD_LOG_SITES:
        hd_walk_sites(w, rec);
        w->info->from_pass = true;
        return HD_OK;
    case HD_LOG_REL_FOR:
    case HD_LOG_RREL_FOR:
        if (w->pass != HD_WALK_MARK)
            return on_foreign_release(w, rec);
        hd_walk_mark_sync(w, rec);
        return HD_OK;
    case HD_LOG_OUTSIDE:
        return on_outside(w, rec);
    case HD_LOG_NAME:
        hd_walk_on_name(w, rec);
        return HD_OK;
    case HD_LOG_ARRIVAL:
    case HD_LOG_NOTE:
    case HD_LOG_HOLDS:
    case HD_LOG_WAITS:
    case HD_LOG_FRAMES:
        on_extra(w, rec);
        return HD_OK;
    default:
        return on_state(w, rec);
    }
}

/* A record of the parent, before the fork: only what it left behind counts. */
static enum hd_status on_inherited(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_region *g;
    /* Its id may be in a token; its reads are no events here. */
    t->steps += rec->kind <= HD_LOG_LAST_EVENT && w->pass != HD_WALK_MARK;
    t->inherited = t->steps;
    switch (rec->kind) {
    case HD_LOG_FORK:
        return rec->w[0] < HD_MAX_THREADS
                   ? hd_walk_thread_at(w, (uint32_t)rec->w[0], w->current, &t)
                   : HD_OK;
    case HD_LOG_FREE:
        g = hd_regions_block(&w->mem.regions, rec->w[0]);
        if (g)
            hd_walk_set_freed(w, g);
        return HD_OK;
    case HD_LOG_SITES:
        hd_walk_sites(w, rec);
        w->info->from_pass = true;
        return HD_OK;
    case HD_LOG_NAME:
        hd_walk_on_name(w, rec);
        return HD_OK;
    case HD_LOG_SEM_INIT:
    case HD_LOG_BARRIER_INIT:
        return HD_OK;
    default:
        return rec->kind > HD_LOG_LAST_EVENT ? on_state(w, rec) : HD_OK;
    }
}

/* Do we have to stop, or to report progress? When time or memory are used up, this walk and
 * those after it end here. */
static enum hd_status look_up(struct hd_walk *w, bool telling)
{
    enum hd_stop why = hd_stop_now();
    if (hd_interrupt_requested())
        return hd_err_set(w->err, HD_ERR_STOPPED, "interrupted");
    if (why) {
        w->info->cut = why;
        w->log.limit = w->log.events ? w->log.events : 1;
    }
    if (telling)
        hd_walk_tell(w);
    return HD_OK;
}

/* *passed: more for each one before it that changes nothing. */
static bool next_record(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed)
{
    if (w->sieve.reading)
        return hd_walk_sieve_next(w, rec);
    if (w->polls.dropped)
        *passed += hd_walk_polls_skip(w);
    if (w->own.times > 1 && hd_walk_mark_times(w))
        return hd_rawlog_next(&w->log, rec);
    bool more = w->pass == HD_WALK_MARK ? hd_walk_mark_pass(w, rec, passed)
                                        : hd_walk_calm_pass(w, rec, passed);
    return more || hd_rawlog_next(&w->log, rec);
}

static void start_thread(struct hd_walk_thread *t)
{
    t->reads.len = t->known.len = 0;
    t->steps = t->holds = t->call_step = 0;
    t->made = t->point = t->blocks = t->block = 0;
    t->begun = t->reads_last = t->waits = t->checks = false;
    t->branched = t->call_reads = t->forked = t->inherited = t->order = 0;
    t->last_site = 0;
    t->syncs = t->last_event = 0;
    t->windows[0] = t->windows[1] = (struct hd_walk_window){0};
    t->last_kind = t->last_aux = 0;
    t->in_call = t->in_stdio = false;
    t->ignores = 0;
    t->more[0].len = t->more[1].len = 0;
}

static enum hd_status walk_log(struct hd_walk *w, enum hd_walk_pass pass)
{
    struct hd_raw rec;
    struct hd_walk_thread *t;
    w->pass = pass;
    w->number++;
    w->out.n_events = 0;
    w->current = 0;
    hd_walk_sieve_start(w);
    if (!w->sieve.reading)
        hd_rawlog_rewind(&w->log);
    w->log.events = w->log.in_rounds = 0;
    hd_walk_foresee(w);
    hd_regions_rewind(&w->mem.regions);
    hd_map_clear(&w->state.counts);
    hd_names_fini(&w->names.lives);
    w->names.lives = (struct hd_names){0};
    memset(w->names.named, 0, sizeof w->names.named);
    w->out.next_insert = w->names.sites_seen = 0;
    w->anchors = w->joined = false;
    hd_walk_polls_start(w);
    hd_walk_lines_clear(w);
    hd_walk_calm_clear(w);
    hd_lent_memory_start(w);
    w->own.segment = hd_owners_segment(&w->own.owners, 0);
    hd_cells_forget_sets(&w->mem.cells);
    for (size_t i = 0; i < w->threads.len; i++)
        start_thread(hd_vec_at(&w->threads, i));
    enum hd_status s = hd_walk_thread_at(w, 0, UINT32_MAX, &t);
    for (uint32_t n = 1, old = 0; s == HD_OK && next_record(w, &rec, &n); n++) {
        s = rec.inherited ? on_inherited(w, &rec) : on_record(w, &rec);
        if (n / LOOK_UP != old / LOOK_UP && s == HD_OK) {
            s = look_up(w, n / REPORT != old / REPORT);
            hd_walk_mark_rounds(w);
        }
        old = n;
        if (w->log.limit && w->log.events >= w->log.limit)
            break;
    }
    if (s == HD_OK)
        s = hd_walk_polls_end(w);
    hd_walk_sieve_end(w, s == HD_OK && !w->info->cut && !w->hand.failed);
    w->progress.before += w->progress.share;
    w->info->broken = w->log.broken;
    w->info->events = w->log.events;
    return s;
}

/* A walk that may use a part of the time that is left; the others come after it. */
static enum hd_status walk(struct hd_walk *w, enum hd_walk_pass pass)
{
    double now = hd_progress_now(), share = pass == HD_WALK_MARK ? 1.0 / 3 : w->settled ? 1 : 0.5;
    double left = hd_stop_left();
    struct hd_stop_scope around = hd_stop_begin(left > 0 ? now + left * share : 0, 0);
    enum hd_status s = walk_log(w, pass);
    hd_stop_end(around);
    static const char *const names[] = {"mark", "replay", "build"};
    HD_DEBUG_LINE(BUILD,
                  "walk %u (%s): %llu records (%llu in rounds), %u events, %zu cells, %.3f s%s",
                  w->number, names[pass], (unsigned long long)w->log.events,
                  (unsigned long long)w->log.in_rounds, w->out.n_events, w->mem.list.len,
                  hd_progress_now() - now, w->log.broken ? "; the log is damaged" : "");
    return s;
}

static int by_position(const void *a, const void *b)
{
    const struct hd_walk_insert *x = a, *y = b;
    if (x->after != y->after)
        return x->after < y->after ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

static void forget_memory(struct hd_walk *w)
{
    w->out.inserts.len = 0;
    for (size_t i = 0; i < w->mem.list.len; i++) {
        struct hd_walk_cell *cell = hd_vec_at(&w->mem.list, i);
        *cell = (struct hd_walk_cell){.loc = cell->loc, .benign = cell->benign};
    }
}

/* free writes the cells of its block that have ids. Where some get theirs later, a replay that only
 * gives ids comes first: both walks after it have to see the same events. */
static enum hd_status give_ids(struct hd_walk *w)
{
    enum hd_status s = walk(w, HD_WALK_REPLAY);
    forget_memory(w);
    return s;
}

static void forget_waits(struct hd_build_info *info)
{
    for (size_t i = 0; i < info->waits.len; i++) {
        struct hd_build_wait *wait = hd_vec_at(&info->waits, i);
        hd_u32vec_fini(&wait->frames);
        hd_u32vec_fini(&wait->holds);
    }
    info->waits.len = 0;
}

/* Names stay: the next walk gives the same ones, in the same order. */
static void forget_events(struct hd_walk *w)
{
    hd_builder_restart(w->out.builder);
    hd_details_restart(w->names.details);
    hd_origin_fini(&w->out.origins);
    forget_waits(w->info);
    w->info->stuck = 0;
}

enum hd_status hd_walk_build(struct hd_walk *w)
{
    enum hd_status s = hd_builder_control(
        w->out.builder, w->info->from_pass ? HD_CONTROL_BRANCHES : HD_CONTROL_ALL, w->err);
    for (bool again = false; s == HD_OK; again = true) {
        if (again) {
            HD_DEBUG_LINE(BUILD, "again: %s",
                          w->polls.needed ? "rounds of polling were left out that are needed"
                                          : "memory that was left out carries values");
            forget_events(w);
            forget_memory(w);
        }
        if (w->own.hand)
            hd_walk_hand_restart(w);
        w->own.found = w->polls.needed = false;
        s = walk(w, HD_WALK_BUILD);
        if (!w->own.found)
            break;
    }
    return s;
}

static enum hd_status mark(struct hd_walk *w)
{
    enum hd_status s = walk(w, HD_WALK_MARK);
    hd_walk_wide_settle(w);
    hd_sole_writer_settle(w);
    return s;
}

static enum hd_status walk_rest(struct hd_walk *w)
{
    enum hd_status s = HD_OK;
    hd_cells_drop_marks(&w->mem.cells);
    if (w->own.late) {
        HD_DEBUG_LINE(BUILD, "a block was used after it was freed: cells get their ids first");
        s = give_ids(w);
    }
    if (s == HD_OK)
        s = hd_walk_build(w);
    if (s != HD_OK || !w->out.inserts.len)
        return s;
    qsort(w->out.inserts.data, w->out.inserts.len, w->out.inserts.size, by_position);
    w->info->outside_writes = 0;
    for (size_t i = 0; i < w->out.inserts.len; i++)
        w->info->outside_writes +=
            ((const struct hd_walk_insert *)hd_vec_at(&w->out.inserts, i))->op == HD_OP_WRITE;
    HD_DEBUG_LINE(BUILD, "again: %zu events for writes that were not seen", w->out.inserts.len);
    w->settled = true;
    forget_events(w);
    return walk(w, HD_WALK_BUILD);
}

static void walk_init(struct hd_walk *w, struct hd_build_info *info, struct hd_err *err)
{
    w->info = info;
    w->err = err;
    hd_regions_init(&w->mem.regions);
    hd_cells_init(&w->mem.cells);
    w->mem.calm = hd_walk_calm_new();
    w->mem.lent = hd_lent_memory_new();
    hd_owners_init(&w->own.owners);
    hd_depsets_init(&w->own.sets);
    hd_walk_hand_init(w);
    hd_polls_init(&w->polls.rounds, HD_WALK_PATIENCE);
    w->out.builder = hd_builder_new();
    w->names.details = hd_details_writer_new();
    w->threads = HD_VEC_INIT(struct hd_walk_thread);
    w->mem.list = HD_VEC_INIT(struct hd_walk_cell);
    w->out.inserts = HD_VEC_INIT(struct hd_walk_insert);
    w->names.sites = HD_VEC_INIT(struct hd_walk_sites);
    w->split.atomic_list = HD_VEC_INIT(struct hd_walk_atomic);
    w->mem.benign = HD_VEC_INIT(struct hd_walk_benign);
    w->in.modules = HD_VEC_INIT(struct hd_origin_module);
}

/* What only the walks need: a trace that is finished has no room for it beside. */
static void drop_walks(struct hd_walk *w)
{
    for (size_t i = 0; i < w->threads.len; i++) {
        struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        hd_vec_fini(&t->reads);
        hd_vec_fini(&t->known);
        hd_vec_fini(&t->locks);
        hd_vec_fini(&t->more[0]);
        hd_vec_fini(&t->more[1]);
        hd_u32vec_fini(&t->tainted);
    }
    hd_regions_fini(&w->mem.regions);
    hd_cells_fini(&w->mem.cells);
    hd_walk_calm_free(w->mem.calm);
    w->mem.calm = NULL;
    hd_lent_memory_free(w->mem.lent);
    w->mem.lent = NULL;
    hd_owners_fini(&w->own.owners);
    hd_names_fini(&w->own.holdings);
    hd_depsets_fini(&w->own.sets);
    hd_walk_hand_fini(w);
    hd_polls_fini(&w->polls.rounds);
    hd_bytes_fini(&w->sieve.kept);
    hd_vec_fini(&w->mem.list);
    hd_vec_fini(&w->out.inserts);
    hd_u32vec_fini(&w->names.places);
    hd_u32vec_fini(&w->names.detail_of);
    hd_map_fini(&w->split.wide);
    hd_map_fini(&w->split.atomics);
    hd_vec_fini(&w->split.atomic_list);
    hd_map_fini(&w->state.looked);
    hd_vec_fini(&w->mem.benign);
    hd_map_fini(&w->mem.benign_seen);
    hd_map_fini(&w->state.counts);
    hd_map_fini(&w->names.makers);
    hd_names_fini(&w->names.used);
    hd_names_fini(&w->names.lives);
    for (unsigned i = 0; i < 3; i++) {
        hd_u32vec_fini(&w->out.dep_reads[i]);
        hd_u32vec_fini(&w->out.dep_list[i]);
    }
    hd_rawlog_fini(&w->log);
    hd_walk_objlocks_fini(w);
}

void hd_walk_close(struct hd_walk *w)
{
    drop_walks(w);
    for (size_t i = 0; i < w->threads.len; i++) {
        struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        if (t->name)
            hd_free(t->name, strlen(t->name) + 1);
    }
    hd_builder_free(w->out.builder);
    hd_vec_fini(&w->threads);
    for (size_t i = 0; i < w->names.sites.len; i++) {
        struct hd_walk_sites *s = hd_vec_at(&w->names.sites, i);
        hd_free(s->sites, s->count * sizeof *s->sites);
        hd_free(s->strings, s->strings_size + 1);
    }
    hd_vec_fini(&w->names.sites);
    hd_details_writer_free(w->names.details);
    hd_origin_fini(&w->out.origins);
    hd_origin_modules_fini(&w->in.modules);
    hd_recnames_fini(&w->in.debug);
    hd_recmeta_fini(&w->in.meta);
    hd_rec_close(&w->in.file);
    hd_kept_arrivals_fini(&w->in.arrivals);
}

bool hd_build_is_recording(const char *data, size_t len)
{
    return hd_rec_is(data, len);
}

/* "module BIAS ID PATH" */
static void read_modules(struct hd_walk *w)
{
    char line[4400];
    for (size_t i = 0; hd_recmeta_get(&w->in.meta, "module", i, line, sizeof line); i++) {
        char *id, *path = NULL;
        uint64_t bias = strtoull(line, &id, 16);
        if (*id == ' ' && (path = strchr(++id, ' ')))
            *path++ = 0;
        if (path)
            *(struct hd_origin_module *)hd_vec_push(&w->in.modules) = (struct hd_origin_module){
                hd_strndup(path, strlen(path)), hd_strndup(id, strlen(id)), bias};
    }
}

enum hd_status hd_walk_open(struct hd_walk *w, const char *name, const char *data, size_t len,
                            struct hd_build_info *info, struct hd_err *err)
{
    bool mapped = w->progress.watch && w->progress.watch->mapped;
    walk_init(w, info, err);
    enum hd_status s =
        (mapped ? hd_rec_open_mapped : hd_rec_open)(name, data, len, &w->in.file, w->err);
    if (s == HD_OK)
        s = hd_recnames_read(&w->in.file, &w->in.debug, w->err);
    if (s == HD_OK)
        s = hd_recmeta_read(&w->in.file, &w->in.meta, w->err);
    if (s != HD_OK)
        return s;
    hd_rectypes_read(&w->in.file, &w->in.types);
    hd_rawlog_init(&w->log, &w->in.file, w->in.debug.keys.data, (uint32_t)w->in.debug.keys.len);
    w->log.limit = hd_recmeta_number(&w->in.meta, "limit");
    char number[16];
    for (size_t i = 0; i < HD_RAW_LEVELS; i++)
        if (hd_recmeta_get(&w->in.meta, "fork", i, number, sizeof number))
            w->log.forks[i] = (unsigned)strtoul(number, NULL, 10);
    w->log.pending = (struct hd_log_pending){
        .pc = hd_recmeta_number(&w->in.meta, "pending-pc"),
        .addr = hd_recmeta_number(&w->in.meta, "pending-address"),
        .len = hd_recmeta_number(&w->in.meta, "pending-bytes"),
        .kind = hd_recmeta_number(&w->in.meta, "pending-kind"),
    };
    read_modules(w);
    w->own.keep_all |= hd_recmeta_number(&w->in.meta, "keep-all") != 0;
    w->in.whole_log = hd_recmeta_number(&w->in.meta, "whole-log") != 0;
    uint64_t from = hd_recmeta_number(&w->in.meta, "handed-from");
    w->hand.from = from ? from : w->hand.from;
    w->info->lost = (uint32_t)hd_recmeta_number(&w->in.meta, "lost");
    return HD_OK;
}

/* What every schedule hands over is no longer shared. What the skeleton's walks report about
 * the run, those that make the trace report again. */
static enum hd_status leave_out_handed(struct hd_walk *w)
{
    struct hd_build_info *info = w->info, aside = {.waits = HD_VEC_INIT(struct hd_build_wait),
                                                   .from_pass = info->from_pass};
    uint64_t limit = w->log.limit;
    w->info = &aside;
    w->sieve.wanted = !w->in.whole_log;
    enum hd_status s = hd_walk_hand_find(w);
    hd_build_info_fini(&aside);
    w->info = info;
    w->log.limit = limit;
    w->sieve.wanted = !w->in.whole_log;
    return s == HD_OK ? hd_walk_renew(w) : s;
}

enum hd_status hd_build_trace(const char *name, const char *data, size_t len,
                              const struct hd_build_watch *watch, struct hd_trace **trace,
                              struct hd_build_info *info, struct hd_err *err)
{
    struct hd_walk w = {.progress.watch = watch, .own.keep_all = watch && watch->keep_all};
    *trace = NULL;
    *info = (struct hd_build_info){.waits = HD_VEC_INIT(struct hd_build_wait)};
    enum hd_status s = hd_walk_open(&w, name, data, len, info, err);
    if (s == HD_OK)
        s = mark(&w);
    if (s == HD_OK && hd_walk_hand_pays(&w))
        s = leave_out_handed(&w);
    if (s == HD_OK)
        s = walk_rest(&w);
    if (s == HD_OK && !info->cut && w.log.limit && w.log.events == w.log.limit)
        info->limit = w.log.limit;
    if (s == HD_OK) {
        drop_walks(&w);
        s = hd_builder_finish(w.out.builder, trace, err);
        w.out.builder = NULL;
        if (s == HD_OK)
            hd_details_finish(w.names.details, *trace);
    }
    if (s == HD_OK)
        s = hd_walk_save_extras(&w, *trace);
    hd_walk_close(&w);
    return s;
}

enum hd_status hd_build_count(const char *name, const char *data, size_t len,
                              const struct hd_build_watch *watch, struct hd_build_info *info,
                              struct hd_err *err)
{
    struct hd_walk w = {.progress.watch = watch};
    struct hd_raw rec;
    *info = (struct hd_build_info){0};
    enum hd_status s = hd_walk_open(&w, name, data, len, info, err);
    if (s == HD_OK) {
        w.progress.share = 1;
        hd_rawlog_rewind(&w.log);
        for (uint32_t n = 1; s == HD_OK && hd_rawlog_next(&w.log, &rec); n++)
            if (n % LOOK_UP == 0)
                s = look_up(&w, n % REPORT == 0);
        info->events = w.log.events;
        info->broken = w.log.broken;
    }
    hd_walk_close(&w);
    return s;
}

void hd_build_info_fini(struct hd_build_info *info)
{
    forget_waits(info);
    hd_vec_fini(&info->waits);
    hd_names_fini(&info->words);
    hd_remarks_fini(&info->remarks);
    hd_names_fini(&info->rules);
}
