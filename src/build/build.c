#include "build/build.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/stop.h"
#include "recording/kept_arrivals.h"
#include "recording/kept_inputs.h"
#include "build/walk.h"
#include "log/rt_shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LOOK_UP 1024  /* records between two looks whether we have to stop */
#define TELL    65536 /* the same, to tell how far we are; a multiple */

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
    if (HD_PSEUDO_KIND(rec->w[0]) == HD_PSEUDO_WIDE)
        w->in_wide = rec->kind == HD_LOG_ACQ;
    const struct hd_op_info *info = &hd_op_info[ev.op];
    if (info->kind != HD_OBJ_NONE)
        ev.obj = hd_walk_object(w, info->kind, rec->w[0]);
    ev.tries = (ev.op == HD_OP_ACQ || ev.op == HD_OP_RACQ) && rec->aux & HD_LOG_TRY;
    if (info->has_lock)
        ev.lock = hd_walk_object(w, HD_OBJ_LOCK, rec->w[1]);
    enum hd_status s = hd_walk_emit(w, &ev);
    if (s == HD_OK && (rec->kind == HD_LOG_POST || rec->kind == HD_LOG_SEM))
        s = hd_walk_count_changed(w, rec);
    return s;
}

/* Under `control all` a thread with a stale read does nothing more, and nobody can join it. If what
 * it did after its last read left no event, one that says nothing stands for it. */
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
    struct hd_event ev = {.op = sync_op[rec->kind], .obj = t->tid, .place = hd_walk_place(w, rec)};
    struct hd_walk_thread *me = hd_walk_current(w);
    if (rec->kind == HD_LOG_JOIN)
        me->forked = 0;
    else if (!me->forked)
        me->forked = w->n_events;
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
    return sem ? hd_builder_sem(w->builder, id, rec->w[1], w->err)
               : hd_builder_barrier(w->builder, id, rec->w[1], w->err);
}

static void on_memory(struct hd_walk *w, const struct hd_raw *rec)
{
    switch (rec->kind) {
    case HD_LOG_STACK:
        if (rec->w[2] > rec->w[1])
            hd_regions_add(&w->regions, HD_REGION_STACK, rec->w[1], rec->w[2] - rec->w[1],
                           (uint32_t)rec->w[0]);
        break;
    case HD_LOG_ALLOC:
        if (w->pass == HD_WALK_BUILD)
            hd_walk_origin(w, rec);
        hd_regions_add(&w->regions, HD_REGION_HEAP, rec->w[0], rec->w[1], 0);
        break;
    case HD_LOG_MAP:
        hd_regions_add(&w->regions, HD_REGION_MAP, rec->w[0], rec->w[1], 0);
        break;
    default:
        hd_regions_cut(&w->regions, rec->w[0], rec->w[1]);
    }
    if (rec->kind == HD_LOG_STACK)
        hd_walk_lines_forget(w, rec->w[1], rec->w[2]);
    else
        hd_walk_lines_forget(w, rec->w[0], rec->w[0] + rec->w[1]);
}

/* Records that every walk has to follow. */
static enum hd_status on_state(struct hd_walk *w, const struct hd_raw *rec)
{
    switch (rec->kind) {
    case HD_LOG_SWITCH:
        return on_thread(w, rec);
    case HD_LOG_STACK:
    case HD_LOG_ALLOC:
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
    enum hd_status s = hd_walk_wide_lock(w, rec, true);
    if (s == HD_OK)
        s = rec->kind == HD_LOG_RMW ? hd_walk_wide_rmw(w, rec) : hd_walk_access(w, rec);
    return s == HD_OK ? hd_walk_wide_lock(w, rec, false) : s;
}

static enum hd_status on_event(struct hd_walk *w, const struct hd_raw *rec)
{
    if (rec->kind == HD_LOG_FREE)
        return hd_walk_free_block(w, rec);
    if (rec->kind >= HD_LOG_READ && rec->kind <= HD_LOG_RANGE_WRITE)
        return on_access(w, rec);
    if (rec->kind == HD_LOG_FORK)
        return on_thread(w, rec); /* in every walk: it names the child */
    if (w->pass == HD_WALK_MARK) {
        hd_walk_look_mark(w, rec);
        hd_walk_wide_mark(w, rec);
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
        hd_arrivals_add(&w->arrivals, hd_walk_current(w)->name, rec);
    else if (rec->kind == HD_LOG_NOTE && w->pass == HD_WALK_BUILD)
        hd_walk_on_note(w, rec);
    else if (rec->kind != HD_LOG_ARRIVAL && w->pass == HD_WALK_BUILD)
        hd_walk_on_deadlock(w, rec);
}

/* A record that is an event of the runtime, in a walk that builds. */
static enum hd_status on_step(struct hd_walk *w, const struct hd_raw *rec)
{
    uint32_t before = w->n_events;
    w->rec = rec;
    hd_walk_find_call(w, rec);
    enum hd_status s = on_event(w, rec);
    /* A thread without events could be joined before it was created; and where a call ends must be
     * known, because the thread cannot stop inside. */
    bool bare = w->n_events == before && (w->joined || !hd_walk_current(w)->begun);
    if (s == HD_OK && bare && !w->keep_all) {
        struct hd_event ev = {.op = HD_OP_BRANCH, .place = hd_walk_place(w, rec)};
        ev.deps.given = true;
        s = hd_walk_emit(w, &ev);
    }
    w->rec = NULL;
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!w->in_wide) /* extra tokens are for all that the runtime does under its lock */
        t->more[0].len = t->more[1].len = 0;
    if (!w->in_wide)
        t->order = 0;
    return s;
}

/* A fence, or the order of the thread's next record. */
static enum hd_status on_order(struct hd_walk *w, const struct hd_raw *rec)
{
    if (w->pass == HD_WALK_MARK)
        return HD_OK;
    if (!(rec->w[0] & HD_LOG_FENCE)) {
        hd_walk_current(w)->order = (unsigned)rec->w[0] + 1;
        return HD_OK;
    }
    struct hd_event ev = {.op = HD_OP_FENCE,
                          .order = hd_walk_order((unsigned)(rec->w[0] & ~(uint64_t)HD_LOG_FENCE)),
                          .place = hd_walk_place(w, rec)};
    return hd_walk_emit(w, &ev);
}

static enum hd_status on_record(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (rec->kind <= HD_LOG_LAST_EVENT && w->pass == HD_WALK_MARK) {
        if (hd_walk_mark_quick(w, rec))
            return HD_OK;
        w->rec = rec;
        enum hd_status s = on_event(w, rec);
        w->rec = NULL;
        return s;
    }
    if (rec->kind <= HD_LOG_LAST_EVENT)
        return hd_walk_leave_quick(w, rec) ? HD_OK : on_step(w, rec);
    switch (rec->kind) {
    case HD_LOG_MORE:
        if (w->pass != HD_WALK_MARK)
            *(hd_tok *)hd_vec_push(&t->more[rec->w[0] & 1]) = rec->w[1];
        return HD_OK;
    case HD_LOG_ORDER:
        return on_order(w, rec);
    case HD_LOG_SITES:
        if (w->pass == HD_WALK_MARK)
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
        if (w->pass == HD_WALK_MARK)
            hd_walk_mark_outside(w);
        else
            hd_walk_returned(w, rec);
        return HD_OK;
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
        g = hd_regions_block(&w->regions, rec->w[0]);
        if (g)
            g->freed = true;
        return HD_OK;
    case HD_LOG_SITES:
        if (w->pass == HD_WALK_MARK)
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

/* A walk that marks takes about as long as one that builds. */
enum { PARTS_MARK = 1, PARTS_BUILD = 1, PARTS_ALL = 2 };

static uint64_t work(unsigned parts, uint64_t bytes)
{
    return bytes / 1024 * parts / PARTS_ALL;
}

static void plan(struct hd_walk *w, unsigned parts)
{
    w->total += work(parts, hd_rawlog_bytes(&w->log));
}

/* Do we have to stop, or to tell how far we are? When time or memory are used up, this walk and
 * those after it end here. */
static enum hd_status look_up(struct hd_walk *w, uint32_t n)
{
    const struct hd_build_watch *watch = w->watch;
    enum hd_stop why = hd_stop_now();
    if (hd_interrupt_requested())
        return hd_err_set(w->err, HD_ERR_STOPPED, "interrupted");
    if (why) {
        w->info->cut = why;
        w->log.limit = w->log.events ? w->log.events : 1;
    }
    if (watch && watch->progress && n % TELL == 0)
        watch->progress(watch->ctx, w->before + work(w->parts, w->log.before + w->log.pos),
                        w->total);
    return HD_OK;
}

static enum hd_status walk_log(struct hd_walk *w, enum hd_walk_pass pass)
{
    struct hd_raw rec;
    struct hd_walk_thread *t;
    w->pass = pass;
    w->parts = pass == HD_WALK_MARK ? PARTS_MARK : PARTS_BUILD;
    w->number++;
    w->n_events = 0;
    w->current = 0;
    hd_rawlog_rewind(&w->log);
    hd_regions_rewind(&w->regions);
    hd_map_clear(&w->counts);
    hd_names_fini(&w->lives);
    w->lives = (struct hd_names){0};
    memset(w->named, 0, sizeof w->named);
    w->next_insert = 0;
    w->anchors = w->joined = false;
    hd_walk_lines_clear(w);
    w->segment = hd_owners_segment(&w->owners, 0);
    hd_cells_forget_sets(&w->cells);
    for (size_t i = 0; i < w->threads.len; i++) {
        t = hd_vec_at(&w->threads, i);
        t->reads.len = t->known.len = 0;
        t->steps = t->holds = t->call_step = 0;
        t->begun = t->reads_last = t->waits = t->checks = false;
        t->branched = t->call_reads = 0;
        t->forked = t->inherited = 0;
        t->last_site = 0;
        t->syncs = t->last_event = 0;
        t->windows[0] = t->windows[1] = (struct hd_walk_window){0};
        t->last_kind = t->last_aux = 0;
        t->in_call = t->in_stdio = false;
        t->ignores = 0;
        t->more[0].len = t->more[1].len = 0;
    }
    enum hd_status s = hd_walk_thread_at(w, 0, UINT32_MAX, &t);
    for (uint32_t n = 1; s == HD_OK && hd_rawlog_next(&w->log, &rec); n++) {
        s = rec.inherited ? on_inherited(w, &rec) : on_record(w, &rec);
        if (n % LOOK_UP == 0 && s == HD_OK)
            s = look_up(w, n);
        if (w->log.limit && w->log.events >= w->log.limit)
            break;
    }
    w->before += work(w->parts, w->log.before + w->log.pos);
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
    w->inserts.len = 0;
    for (size_t i = 0; i < w->memory.len; i++) {
        struct hd_walk_cell *cell = hd_vec_at(&w->memory, i);
        *cell = (struct hd_walk_cell){.loc = cell->loc, .benign = cell->benign};
    }
}

/* free writes the cells of its block that have ids. Where some get theirs later, a replay that only
 * gives ids comes first: both walks after it have to see the same events. */
static enum hd_status give_ids(struct hd_walk *w)
{
    plan(w, PARTS_BUILD);
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
    hd_builder_restart(w->builder);
    hd_details_restart(w->details);
    hd_origin_fini(&w->origins);
    forget_waits(w->info);
    w->info->stuck = 0;
}

/* Again, when memory turned out to carry something from thread to thread: see leave.c. */
static enum hd_status build(struct hd_walk *w)
{
    w->found = false;
    enum hd_status s = walk(w, HD_WALK_BUILD);
    while (s == HD_OK && w->found) {
        w->found = false;
        forget_events(w);
        forget_memory(w);
        plan(w, PARTS_BUILD);
        s = walk(w, HD_WALK_BUILD);
    }
    return s;
}

static enum hd_status walk_all(struct hd_walk *w)
{
    plan(w, PARTS_ALL);
    enum hd_status s = walk(w, HD_WALK_MARK);
    hd_walk_wide_settle(w);
    hd_cells_drop_marks(&w->cells);
    if (s == HD_OK && w->late)
        s = give_ids(w);
    if (s == HD_OK)
        s = hd_builder_control(w->builder,
                               w->info->from_pass ? HD_CONTROL_BRANCHES : HD_CONTROL_ALL, w->err);
    if (s == HD_OK)
        s = build(w);
    if (s != HD_OK || !w->inserts.len)
        return s;
    qsort(w->inserts.data, w->inserts.len, w->inserts.size, by_position);
    w->info->outside_writes = 0;
    for (size_t i = 0; i < w->inserts.len; i++)
        w->info->outside_writes +=
            ((const struct hd_walk_insert *)hd_vec_at(&w->inserts, i))->op == HD_OP_WRITE;
    w->settled = true;
    forget_events(w);
    plan(w, PARTS_BUILD);
    return walk(w, HD_WALK_BUILD);
}

static void walk_init(struct hd_walk *w, struct hd_build_info *info, struct hd_err *err)
{
    w->info = info;
    w->err = err;
    hd_regions_init(&w->regions);
    hd_cells_init(&w->cells);
    hd_owners_init(&w->owners);
    hd_depsets_init(&w->sets);
    w->builder = hd_builder_new();
    w->details = hd_details_writer_new();
    w->threads = HD_VEC_INIT(struct hd_walk_thread);
    w->memory = HD_VEC_INIT(struct hd_walk_cell);
    w->inserts = HD_VEC_INIT(struct hd_walk_insert);
    w->sites = HD_VEC_INIT(struct hd_walk_sites);
    w->atomic_list = HD_VEC_INIT(struct hd_walk_atomic);
    w->benign = HD_VEC_INIT(struct hd_walk_benign);
    w->modules = HD_VEC_INIT(struct hd_origin_module);
}

/* What only the walks need: a trace that is finished has no room for it beside. */
static void drop_walks(struct hd_walk *w)
{
    for (size_t i = 0; i < w->threads.len; i++) {
        struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        hd_vec_fini(&t->reads);
        hd_vec_fini(&t->known);
        hd_vec_fini(&t->more[0]);
        hd_vec_fini(&t->more[1]);
    }
    hd_regions_fini(&w->regions);
    hd_cells_fini(&w->cells);
    hd_owners_fini(&w->owners);
    hd_depsets_fini(&w->sets);
    hd_vec_fini(&w->memory);
    hd_vec_fini(&w->inserts);
    hd_u32vec_fini(&w->places);
    hd_u32vec_fini(&w->detail_of);
    hd_map_fini(&w->wide);
    hd_map_fini(&w->atomics);
    hd_vec_fini(&w->atomic_list);
    hd_map_fini(&w->looked);
    hd_vec_fini(&w->benign);
    hd_map_fini(&w->benign_seen);
    hd_map_fini(&w->counts);
    hd_map_fini(&w->makers);
    hd_names_fini(&w->used);
    hd_names_fini(&w->lives);
    for (unsigned i = 0; i < 3; i++) {
        hd_u32vec_fini(&w->dep_reads[i]);
        hd_u32vec_fini(&w->dep_list[i]);
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
    hd_builder_free(w->builder);
    hd_vec_fini(&w->threads);
    for (size_t i = 0; i < w->sites.len; i++) {
        struct hd_walk_sites *s = hd_vec_at(&w->sites, i);
        hd_free(s->sites, s->count * sizeof *s->sites);
        hd_free(s->strings, s->strings_size + 1);
    }
    hd_vec_fini(&w->sites);
    hd_details_writer_free(w->details);
    hd_origin_fini(&w->origins);
    hd_origin_modules_fini(&w->modules);
    hd_recnames_fini(&w->debug);
    hd_recmeta_fini(&w->meta);
    hd_rec_close(&w->rec_file);
    hd_bytes_fini(&w->arrivals);
}

bool hd_drive_is_recording(const char *data, size_t len)
{
    return hd_rec_is(data, len);
}

/* "module BIAS ID PATH" */
static void read_modules(struct hd_walk *w)
{
    char line[4400];
    for (size_t i = 0; hd_recmeta_get(&w->meta, "module", i, line, sizeof line); i++) {
        char *id, *path = NULL;
        uint64_t bias = strtoull(line, &id, 16);
        if (*id == ' ' && (path = strchr(++id, ' ')))
            *path++ = 0;
        if (path)
            *(struct hd_origin_module *)hd_vec_push(&w->modules) = (struct hd_origin_module){
                hd_strndup(path, strlen(path)), hd_strndup(id, strlen(id)), bias};
    }
}

enum hd_status hd_walk_open(struct hd_walk *w, const char *name, const char *data, size_t len,
                            struct hd_build_info *info, struct hd_err *err)
{
    walk_init(w, info, err);
    enum hd_status s = hd_rec_open(name, data, len, &w->rec_file, w->err);
    if (s == HD_OK)
        s = hd_recnames_read(&w->rec_file, &w->debug, w->err);
    if (s == HD_OK)
        s = hd_recmeta_read(&w->rec_file, &w->meta, w->err);
    if (s != HD_OK)
        return s;
    hd_rectypes_read(&w->rec_file, &w->types);
    hd_rawlog_init(&w->log, &w->rec_file, w->debug.keys.data, (uint32_t)w->debug.keys.len);
    w->log.limit = hd_recmeta_number(&w->meta, "limit");
    char number[16];
    for (size_t i = 0; i < HD_RAW_LEVELS; i++)
        if (hd_recmeta_get(&w->meta, "fork", i, number, sizeof number))
            w->log.forks[i] = (unsigned)strtoul(number, NULL, 10);
    w->log.pending = (struct hd_log_pending){
        .pc = hd_recmeta_number(&w->meta, "pending-pc"),
        .addr = hd_recmeta_number(&w->meta, "pending-address"),
        .len = hd_recmeta_number(&w->meta, "pending-bytes"),
        .kind = hd_recmeta_number(&w->meta, "pending-kind"),
    };
    read_modules(w);
    w->keep_all |= hd_recmeta_number(&w->meta, "keep-all") != 0;
    w->info->lost = (uint32_t)hd_recmeta_number(&w->meta, "lost");
    return HD_OK;
}

/* Entries: key ended by a zero byte, varint length, contents. */
static enum hd_status read_inputs(struct hd_walk *w, struct hd_trace *t)
{
    char *data;
    size_t len;
    if (!hd_rec_has(&w->rec_file, HD_REC_INPUTS))
        return HD_OK;
    enum hd_status s = hd_rec_get(&w->rec_file, HD_REC_INPUTS, &data, &len, w->err);
    if (s != HD_OK)
        return s;
    struct hd_bytes_cur c = {(const uint8_t *)data, (const uint8_t *)data + len, false};
    while (c.p < c.end && !c.bad) {
        const char *key = (const char *)c.p;
        c.p += strlen(key) + 1; /* the block is followed by a zero byte */
        uint64_t n = hd_bytes_get(&c);
        if (c.bad || n > (uint64_t)(c.end - c.p))
            break;
        hd_trace_meta_add(t, key, c.p, n);
        c.p += n;
    }
    hd_free(data, len + 1);
    return HD_OK;
}

static void save_titles(const struct hd_walk *w, struct hd_trace *trace)
{
    hd_tid n = hd_trace_n_threads(trace);
    const char **titles = hd_calloc(n, sizeof *titles);
    for (size_t i = 0; i < w->threads.len; i++) {
        const struct hd_walk_thread *t = hd_vec_at(&w->threads, i);
        if (t->name && t->tid < n)
            titles[t->tid] = t->title;
    }
    hd_trace_meta_add(trace, "threads", NULL, 0);
    for (hd_tid u = 0; u < n; u++)
        hd_trace_meta_add(trace, "threads", titles[u] ? titles[u] : "",
                          titles[u] ? strlen(titles[u]) + 1 : 1);
    hd_free(titles, n * sizeof *titles);
}

/* What the user was told about the trace stays with it. */
static void save_notes(const struct hd_walk *w, struct hd_trace *trace)
{
    char note[HD_REMARK_SIZE];
    struct hd_remarks *remarks = &w->info->remarks;
    for (size_t i = 0; hd_recmeta_get(&w->meta, "unmodelled", i, note, sizeof note); i++)
        hd_remarks_add(remarks, HD_REMARK_UNMODELLED, note);
    for (size_t i = 0; hd_recmeta_get(&w->meta, "note", i, note, sizeof note); i++)
        hd_remarks_add(remarks, HD_REMARK_OTHER, note); /* in recordings of earlier versions */
    hd_trace_meta_add(trace, "notes", NULL, 0);
    for (size_t i = 0; i < hd_remarks_count(remarks); i++) {
        const char *text = hd_remarks_text(remarks, i, note);
        hd_trace_meta_add(trace, "notes", text, strlen(text) + 1);
    }
}

enum hd_status hd_drive_build(const char *name, const char *data, size_t len,
                              const struct hd_build_watch *watch, struct hd_trace **trace,
                              struct hd_build_info *info, struct hd_err *err)
{
    struct hd_walk w = {.watch = watch, .keep_all = watch && watch->keep_all};
    *trace = NULL;
    *info = (struct hd_build_info){.waits = HD_VEC_INIT(struct hd_build_wait)};
    enum hd_status s = hd_walk_open(&w, name, data, len, info, err);
    if (s == HD_OK)
        s = walk_all(&w);
    if (s == HD_OK && !info->cut && w.log.limit && w.log.events == w.log.limit)
        info->limit = w.log.limit;
    if (s == HD_OK) {
        drop_walks(&w);
        s = hd_builder_finish(w.builder, trace, err);
        w.builder = NULL;
        if (s == HD_OK)
            hd_details_finish(w.details, *trace);
    }
    if (s == HD_OK)
        s = read_inputs(&w, *trace);
    if (s == HD_OK) {
        hd_inputs_save_process(*trace, &w.meta);
        hd_arrivals_save(&w.arrivals, *trace);
        hd_origin_save(&w.origins, &w.modules, *trace);
        save_titles(&w, *trace);
        save_notes(&w, *trace);
    }
    hd_walk_close(&w);
    return s;
}

enum hd_status hd_drive_count(const char *name, const char *data, size_t len,
                              const struct hd_build_watch *watch, struct hd_build_info *info,
                              struct hd_err *err)
{
    struct hd_walk w = {.watch = watch};
    struct hd_raw rec;
    *info = (struct hd_build_info){0};
    enum hd_status s = hd_walk_open(&w, name, data, len, info, err);
    if (s == HD_OK) {
        plan(&w, w.parts = PARTS_ALL);
        hd_rawlog_rewind(&w.log);
        for (uint32_t n = 1; s == HD_OK && hd_rawlog_next(&w.log, &rec); n++)
            if (n % LOOK_UP == 0)
                s = look_up(&w, n);
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
