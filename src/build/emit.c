#include "build/walk.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Thread names are paths of creation: T1 is the main thread, T1.2 the second one that it creates.
 */
enum hd_status hd_walk_thread_at(struct hd_walk *w, uint32_t number, uint32_t parent,
                                 struct hd_walk_thread **out)
{
    if (number >= HD_MAX_THREADS)
        return hd_err_set(w->err, HD_ERR_INPUT, "the raw log names thread %u", number);
    while (w->threads.len <= number) {
        struct hd_walk_thread *t = hd_vec_push(&w->threads);
        *t = (struct hd_walk_thread){.turn_at = UINT32_MAX};
        t->more[0] = t->more[1] = HD_VEC_INIT(hd_tok);
        t->reads = HD_VEC_INIT(struct hd_walk_read);
        t->known = HD_VEC_INIT(struct hd_walk_known);
        t->locks = HD_VEC_INIT(uint64_t);
        *(uint64_t *)hd_vec_push(&t->locks) = w->threads.len - 1;
    }
    struct hd_walk_thread *t = hd_vec_at(&w->threads, number);
    *out = t;
    if (t->name)
        return HD_OK;
    char text[256];
    if (number == 0) {
        snprintf(text, sizeof text, "T1");
    } else if (parent == UINT32_MAX) {
        snprintf(text, sizeof text, "X%u", number);
        hd_remarks_add(&w->info->remarks, HD_REMARK_STARTED_UNSEEN, text);
    } else {
        struct hd_walk_thread *p = hd_vec_at(&w->threads, parent);
        snprintf(text, sizeof text, "%.200s.%u", p->name, ++p->children);
    }
    t->name = hd_strndup(text, strlen(text));
    return hd_builder_thread(w->out.builder, text, strlen(text), &t->tid, w->err);
}

void hd_walk_insert(struct hd_walk *w, const struct hd_walk_insert *in)
{
    struct hd_walk_insert *to = hd_vec_push(&w->out.inserts);
    *to = *in;
    to->order = (uint32_t)w->out.inserts.len;
    w->pass = HD_WALK_REPLAY; /* what was built since then is wrong */
    if (in->op == HD_OP_WRITE)
        hd_walk_polls_wrote(
            w,
            &(struct hd_event){
                .obj = ((const struct hd_walk_cell *)hd_vec_at(&w->mem.list, in->what))->loc},
            false);
}

static uint32_t order_of(struct hd_walk *w, uint32_t from, uint32_t to)
{
    char text[700];
    const struct hd_walk_thread *a = hd_vec_at(&w->threads, from), *b = hd_vec_at(&w->threads, to);
    int len = snprintf(text, sizeof text, "outside:%s>%s", a->name, b->name);
    return hd_builder_obj(w->out.builder, HD_OBJ_SEM, text, (size_t)len);
}

static enum hd_status add_insert(struct hd_walk *w, const struct hd_walk_insert *in)
{
    const struct hd_walk_thread *t = hd_vec_at(&w->threads, in->thread);
    static const char place[] = HD_BUILD_OUTSIDE;
    struct hd_event ev = {.op = in->op, .thread = t->tid};
    if (in->op == HD_OP_WRITE) {
        const struct hd_walk_cell *cell = hd_vec_at(&w->mem.list, in->what);
        ev.obj = cell->loc;
        ev.has_value = true;
        ev.value = in->value;
        ev.deps.given = true; /* it did happen: nothing that we know of makes it happen otherwise */
    } else {
        bool posts = in->op == HD_OP_POST;
        ev.obj = order_of(w, posts ? in->thread : in->what, posts ? in->what : in->thread);
    }
    ev.place = hd_builder_place(w->out.builder, place, sizeof place - 1);
    hd_origin_add(&w->out.origins, t->tid, ev.place, 0, NULL, false);
    hd_details_event(w->names.details, UINT32_MAX);
    return hd_builder_add(w->out.builder, &ev, w->err);
}

uint32_t hd_walk_next_eid(const struct hd_walk *w)
{
    return (uint32_t)hd_builder_count(w->out.builder);
}

/* The replay keeps the same lists, with its own numbers: it has to decide alike everywhere. */
void hd_walk_add_read(struct hd_walk *w, struct hd_walk_thread *t, uint32_t number)
{
    struct hd_walk_read *read = hd_vec_push(&t->reads);
    *read = (struct hd_walk_read){.event = w->pass == HD_WALK_BUILD ? hd_walk_next_eid(w) : number};
    *(struct hd_walk_known *)hd_vec_push(&t->known) =
        (struct hd_walk_known){t->steps, (uint32_t)t->reads.len - 1};
}

static enum hd_status anchor(struct hd_walk *w)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!w->anchors || !w->rec)
        return HD_OK;
    struct hd_raw first = {
        .kind = t->call.kind, .aux = t->call.aux, .slot = t->call.slot, .site = t->call.site};
    const struct hd_raw *rec = w->rec;
    uint32_t steps = t->steps, detail = w->names.detail;
    struct hd_event ev = {.op = HD_OP_BRANCH,
                          .place = hd_walk_place(w, first.site ? &first : w->rec)};
    ev.deps.given = true;
    w->anchors = false;
    w->rec = &first;
    t->steps = t->call_step;
    enum hd_status s = hd_walk_emit(w, &ev);
    t->steps = steps;
    w->rec = rec;
    w->names.detail = detail;
    w->joined = true;
    return s;
}

enum hd_status hd_walk_ready(struct hd_walk *w)
{
    enum hd_status s = anchor(w);
    return s == HD_OK ? hd_walk_polls_end(w) : s;
}

enum hd_status hd_walk_emit(struct hd_walk *w, struct hd_event *ev)
{
    HD_DCHECK(w->pass != HD_WALK_MARK);
    bool held = false;
    enum hd_status s = anchor(w);
    if (s == HD_OK)
        s = hd_walk_polls_hold(w, ev, &held);
    if (s != HD_OK || held)
        return s;
    if (hd_op_writes(ev->op))
        hd_walk_polls_wrote(w, ev, true);
    return hd_walk_put(w, ev, false);
}

enum hd_status hd_walk_put(struct hd_walk *w, struct hd_event *ev, bool listed)
{
    enum hd_status s = HD_OK;
    struct hd_walk_thread *t = hd_walk_current(w);
    uint32_t number = w->out.n_events++;
    t->last_event = number;
    t->made++;
    if (w->own.hand)
        hd_walk_hand_event(w, t, ev->op);
    t->begun = true;
    t->checks = false;
    t->reads_last = hd_op_reads(ev->op);
    t->waits = ev->op == HD_OP_WAIT;
    t->syncs += !hd_op_reads(ev->op) && !hd_op_writes(ev->op) && ev->op != HD_OP_BRANCH;
    if (w->out.n_events == HD_MAX_EVENTS)
        return hd_err_set(w->err, HD_ERR_LIMIT, "the run has more events than a trace can hold");
    if (hd_op_reads(ev->op) && !listed)
        hd_walk_add_read(w, t, number);
    t->in_call = t->in_call || w->rec;
    if (w->pass != HD_WALK_BUILD)
        return HD_OK;
    ev->thread = t->tid;
    hd_origin_add(&w->out.origins, t->tid, ev->place, w->rec ? t->steps - t->inherited : 0, w->rec,
                  w->joined);
    hd_details_event(w->names.details, w->names.detail);
    s = hd_builder_add(w->out.builder, ev, w->err);
    while (s == HD_OK && w->out.next_insert < w->out.inserts.len) {
        const struct hd_walk_insert *in = hd_vec_at(&w->out.inserts, w->out.next_insert);
        if (in->after != number)
            break;
        s = add_insert(w, in);
        w->out.next_insert++;
    }
    return s;
}

/* After which event a thread wrote to a cell of its own stack that others had used: those were
 * joined by then, and those that use what is there now were not started yet. */
static uint32_t own_write(struct hd_walk *w, const struct hd_walk_cell *cell)
{
    uint32_t fork = hd_walk_current(w)->forked;
    return (fork > cell->last ? fork : w->out.n_events) - 1;
}

/* A thread wrote what is read here since the last access. */
static bool was_unseen(const struct hd_walk_cell *cell, const struct hd_event *ev)
{
    return hd_op_reads(ev->op) && ev->has_value && cell->touched &&
           !(cell->known && cell->value == ev->value);
}

/* Does memory hold what the read returned? If not, a thread wrote after the last access, and what
 * was built since then is wrong. */
static enum hd_status replay(struct hd_walk *w, uint32_t id, const struct hd_event *ev,
                             const struct hd_region *g)
{
    struct hd_walk_cell *cell = hd_vec_at(&w->mem.list, id);
    bool unseen = was_unseen(cell, ev);
    if (unseen || hd_walk_outside_stays(w, cell)) {
        enum hd_status s = hd_walk_polls_end(w);
        if (s != HD_OK)
            return s;
    }
    if (unseen) {
        if (g->kind == HD_REGION_STACK && g->number == w->current && cell->lent)
            hd_walk_insert(w, &(struct hd_walk_insert){.after = own_write(w, cell),
                                                       .op = HD_OP_WRITE,
                                                       .thread = w->current,
                                                       .what = id,
                                                       .value = ev->value});
        else if (cell->freed) /* libc uses what was freed */
            hd_walk_insert(w, &(struct hd_walk_insert){.after = cell->last,
                                                       .op = HD_OP_WRITE,
                                                       .thread = cell->freer,
                                                       .what = id,
                                                       .value = ev->value});
        else
            hd_walk_outside(w, id, ev->value, g);
    } else {
        hd_walk_outside_touch(w, id);
    }
    cell->users |= UINT32_C(1) << w->current % 32;
    cell->lent |= g->kind == HD_REGION_STACK && g->number != w->current;
    if (hd_op_reads(ev->op) && !ev->has_value)
        return HD_OK; /* its value is not what memory holds */
    cell->touched = true;
    cell->known = ev->has_value;
    cell->value = ev->op == HD_OP_RMW ? ev->new_value : ev->value;
    cell->last = w->out.n_events + w->polls.rounds.held;
    cell->freed = w->rec && (w->rec->kind == HD_LOG_FREE || w->rec->kind == HD_LOG_GONE);
    cell->freer = w->current;
    return HD_OK;
}

static const enum hd_op op_of[] = {
    [HD_LOG_READ] = HD_OP_READ,         [HD_LOG_WRITE] = HD_OP_WRITE,
    [HD_LOG_AREAD] = HD_OP_AREAD,       [HD_LOG_AWRITE] = HD_OP_AWRITE,
    [HD_LOG_RMW] = HD_OP_RMW,           [HD_LOG_RANGE_READ] = HD_OP_READ,
    [HD_LOG_RANGE_WRITE] = HD_OP_WRITE,
};

struct hd_walk_cell *hd_walk_cell(struct hd_walk *w, const struct hd_region *g, uint64_t addr,
                                  uint32_t *id)
{
    bool fresh;
    *id = hd_cells_id(&w->mem.cells, hd_region_linear(g, addr), &fresh);
    if (fresh) {
        struct hd_walk_cell *cell = hd_vec_push(&w->mem.list);
        *cell = (struct hd_walk_cell){.loc = hd_walk_location(w, g, addr),
                                      .benign = hd_walk_benign_is(w, hd_region_linear(g, addr))};
    }
    return hd_vec_at(&w->mem.list, *id);
}

enum hd_status hd_walk_touch(struct hd_walk *w, struct hd_walk_access *a, const struct hd_region *g,
                             uint64_t addr)
{
    uint32_t id;
    const struct hd_walk_cell *cell = hd_walk_cell(w, g, addr, &id);
    a->ev.obj = cell->loc;
    enum hd_op op = a->ev.op;
    if (cell->benign && op == HD_OP_READ)
        a->ev.op = HD_OP_AREAD;
    if (cell->benign && op == HD_OP_WRITE)
        a->ev.op = HD_OP_AWRITE;
    w->polls.cell = id;
    enum hd_status s = hd_walk_emit(w, &a->ev);
    w->polls.cell = HD_CELL_NONE;
    a->ev.op = op;
    return s;
}

/* Where a block got the address of an earlier one, pointers to them have the same bits and are not
 * the same: who found the one would not have found the other's contents. */
static uint64_t name_life(struct hd_walk *w, uint64_t bits)
{
    uint64_t room;
    if (bits >> 32 == 0 || bits >> 47)
        return bits;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, bits, &room);
    bool named = g->kind == HD_REGION_HEAP && g->again;
    return named ? bits ^ (uint64_t)(g->number & UINT16_MAX) << 48 : bits;
}

/* A read returns what was written there, whatever has become of the block since then. */
static void name_values(struct hd_walk *w, struct hd_walk_cell *cell, struct hd_event *ev)
{
    uint64_t bits = ev->value;
    if (!ev->has_value) {
        cell->held = false;
        return;
    }
    bool same = hd_op_reads(ev->op) && cell->held && cell->bits == bits;
    ev->value = same ? cell->named : name_life(w, bits);
    if (ev->op == HD_OP_RMW && ev->new_value != bits)
        ev->new_value = name_life(w, bits = ev->new_value);
    else if (ev->op == HD_OP_RMW)
        ev->new_value = ev->value;
    cell->bits = bits;
    cell->named = ev->op == HD_OP_RMW ? ev->new_value : ev->value;
    cell->held = true;
}

/* One cell's share of an access. */
static enum hd_status touch(struct hd_walk *w, struct hd_walk_access *a, const struct hd_region *g,
                            uint64_t addr)
{
    uint32_t id;
    struct hd_walk_cell *cell = hd_walk_cell(w, g, addr, &id);
    bool first = cell->seen != w->number;
    cell->seen = w->number;
    cell->held = cell->held && !first;
    if (a->guess && first && g->kind == HD_REGION_STACK)
        return HD_OK; /* what an unused part of a stack holds matters to no thread */
    enum hd_status s = a->own ? hd_walk_ready(w) : anchor(w);
    if (s != HD_OK)
        return s;
    name_values(w, cell, &a->ev);
    uint64_t linear = hd_region_linear(g, addr);
    if (w->own.hand && was_unseen(cell, &a->ev)) {
        hd_walk_hand_spoil(w, linear, hd_cells_next(&w->mem.cells, linear, UINT32_MAX));
        return HD_OK;
    }
    if (!w->settled)
        s = replay(w, id, &a->ev, g);
    if (s != HD_OK)
        return s;
    if (a->own)
        w->out.dep_list[0].data[a->ev.deps.n - 1] = hd_walk_next_eid(w);
    a->made = true;
    hd_sole_writer_wrote(w, a, linear);
    return hd_walk_touch(w, a, g, addr);
}

enum hd_status hd_walk_touch_unknown(struct hd_walk *w, struct hd_walk_access *a,
                                     const struct hd_region *g, uint64_t addr)
{
    return touch(w, a, g, addr);
}

/* Dependences of an access, and a branch before it where the trace cannot say them. */
static enum hd_status set_deps(struct hd_walk *w, const struct hd_raw *rec,
                               struct hd_walk_access *a)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    bool known = (rec->aux & HD_LOG_SITE) != 0;
    if (a->call) {
        if (!hd_op_writes(a->ev.op) || !hd_walk_collect(w, 0, HD_TOK_NONE, &a->ev.deps))
            a->ev.deps = (struct hd_dep_list){0};
        return hd_walk_branch_call(w, a);
    }
    if (!known || !hd_walk_collect(w, 1, rec->addr, &a->ev.addr)) {
        a->ev.addr = (struct hd_dep_list){0};
        enum hd_status s =
            hd_walk_open_reads(w, t->branched) ? hd_walk_branch_all(w, a->ev.place) : HD_OK;
        if (s != HD_OK)
            return s;
    }
    if (!known || !hd_op_writes(a->ev.op) || !hd_walk_collect(w, 0, rec->val, &a->ev.deps)) {
        a->ev.deps = (struct hd_dep_list){0};
        return HD_OK;
    }
    const struct hd_site *site = hd_walk_site(w, rec->site);
    if (a->ev.op == HD_OP_RMW && (!site || site->flags & HD_SITE_OWN)) {
        hd_u32vec_push(&w->out.dep_list[0], 0);
        a->ev.deps.events = w->out.dep_list[0].data;
        a->ev.deps.n++;
        a->own = true;
    }
    return HD_OK;
}

static bool is_left_out(struct hd_walk *w, const struct hd_region *g, uint64_t addr, uint64_t len)
{
    return !w->own.keep_all && !hd_cells_shared(&w->mem.cells, hd_region_linear(g, addr), len);
}

/* What was read of a text decides whether the next cell is read. An access that is an event says so
 * itself, as if its address depended on it; else a branch does. */
static enum hd_status next_of_text(struct hd_walk *w, struct hd_walk_access *a, bool left_out)
{
    if (!a->call)
        return hd_walk_branch_all(w, a->ev.place);
    a->ev.addr = (struct hd_dep_list){0};
    if (left_out || w->own.keep_all || !hd_walk_call_needs(w, &a->ev.addr))
        return hd_walk_branch_call(w, a);
    return HD_OK;
}

static enum hd_status spread(struct hd_walk *w, struct hd_walk_access *a, uint64_t addr,
                             uint64_t len)
{
    bool first = true;
    while (len) {
        uint64_t room;
        struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        if (g->kind == HD_REGION_HEAP && len > 8 && len > room)
            len = room; /* realloc logs what libc could have kept, maybe more than was asked for */
        uint64_t part =
            hd_cells_next(&w->mem.cells, hd_region_linear(g, addr), len < room ? len : room);
        a->ev.has_value = a->bytes || a->new_bytes;
        a->ev.value = a->bytes ? hd_cells_value(a->bytes, part) : 0;
        a->ev.new_value = a->new_bytes ? hd_cells_value(a->new_bytes, part) : 0;
        enum hd_status s = HD_OK;
        bool left_out = is_left_out(w, g, addr, part);
        if (a->text && !first)
            s = next_of_text(w, a, left_out);
        first = false;
        if (s == HD_OK && left_out)
            s = hd_walk_leave_cell(w, a, g, addr, part);
        else if (s == HD_OK)
            s = touch(w, a, g, addr);
        if (s != HD_OK)
            return s;
        addr += part;
        len -= part;
        if (a->bytes)
            a->bytes += part;
        if (a->new_bytes)
            a->new_bytes += part;
    }
    return HD_OK;
}

enum hd_mem_order hd_walk_order(unsigned atomic)
{
    static const enum hd_mem_order orders[] = {
        [__ATOMIC_RELAXED] = HD_ORDER_RLX, [__ATOMIC_CONSUME] = HD_ORDER_CON,
        [__ATOMIC_ACQUIRE] = HD_ORDER_ACQ, [__ATOMIC_RELEASE] = HD_ORDER_REL,
        [__ATOMIC_ACQ_REL] = HD_ORDER_AR,  [__ATOMIC_SEQ_CST] = HD_ORDER_SC,
    };
    return atomic < sizeof orders / sizeof *orders ? orders[atomic] : HD_ORDER_SC;
}

/* The memory order of an atomic record: a record before it has it, or its site. Of a
 * read-modify-write in two parts each has the half that it can have. */
static enum hd_mem_order order_of_record(struct hd_walk *w, const struct hd_raw *rec, enum hd_op op)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    const struct hd_site *site = rec->aux & HD_LOG_SITE ? hd_walk_site(w, rec->site) : NULL;
    bool failed = site && site->kind == HD_SITE_CAS && rec->kind == HD_LOG_AREAD && !w->in_parts;
    enum hd_mem_order order = HD_ORDER_SC;
    if (t->order)
        order = hd_walk_order(t->order - 1);
    else if (site)
        order = hd_walk_order(failed ? site->fail_order : site->order);
    if (hd_mem_order_fits(op, order))
        return order;
    if (op == HD_OP_AREAD)
        return hd_mem_order_info[order].acquires ? HD_ORDER_ACQ : HD_ORDER_RLX;
    return hd_mem_order_info[order].releases ? HD_ORDER_REL : HD_ORDER_RLX;
}

bool hd_walk_is_weak(struct hd_walk *w, const struct hd_raw *rec)
{
    enum hd_op op = op_of[rec->kind];
    return hd_op_is_atomic(op) && hd_mem_order_is_weak(op, order_of_record(w, rec, op));
}

enum hd_status hd_walk_access(struct hd_walk *w, const struct hd_raw *rec)
{
    bool range = rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
    uint64_t len = range ? rec->len : rec->aux & HD_LOG_SIZE;
    unsigned ignores = hd_walk_current(w)->ignores;
    bool looks = rec->kind == HD_LOG_READ || rec->kind == HD_LOG_RANGE_READ;
    bool writes = rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_RANGE_WRITE;
    if (w->pass == HD_WALK_MARK) {
        hd_walk_mark(w, rec, len);
        if (ignores & 2 && writes)
            hd_walk_benign_add(w, rec->w[0], len);
        return HD_OK;
    }
    if (ignores & 1 && looks)
        return HD_OK;
    static const struct hd_walk_access
        blank; /* a copy is quicker than zeros, see clear in rawlog.c */
    struct hd_walk_access a = blank;
    a.ev.op = op_of[rec->kind];
    if (hd_op_is_atomic(a.ev.op))
        a.ev.order = order_of_record(w, rec, a.ev.op);
    a.rec = rec;
    a.call = range && rec->aux & HD_LOG_CALL;
    a.text = rec->kind == HD_LOG_RANGE_READ && rec->aux & HD_LOG_TEXT;
    a.guess = (rec->aux & HD_LOG_PENDING) && !hd_op_writes(a.ev.op);
    if (a.guess || !(rec->aux & HD_LOG_PENDING))
        a.bytes = range ? rec->data : (const uint8_t *)&rec->w[1];
    if (rec->kind == HD_LOG_RMW)
        a.new_bytes = (const uint8_t *)&rec->w[2];
    if (hd_walk_is_private(w, rec->w[0], len) || hd_sole_writer_reads(w, rec, len))
        return hd_walk_leave(w, &a, rec->w[0], len);
    hd_walk_place_of(w, &a);
    enum hd_status s = set_deps(w, rec, &a);
    if (s == HD_OK)
        s = spread(w, &a, rec->w[0], len);
    if (a.made && a.ev.addr.given)
        hd_walk_decide(w, 1);
    return s;
}

/* free writes what was used of the block, if another thread ever touched it: for a block of one
 * thread that could not matter. */
enum hd_status hd_walk_free_block(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_region *g = hd_regions_block(&w->mem.regions, rec->w[0]);
    if (!g)
        return HD_OK;
    hd_walk_set_freed(w, g);
    if (w->pass == HD_WALK_MARK) {
        if (g->thread == UINT32_MAX)
            g->thread = w->current; /* others may come too late */
        g->shared = g->shared || g->thread != w->current;
        hd_walk_mark_free(w, g);
        return HD_OK;
    }
    struct hd_walk_access a = {.ev = {.op = HD_OP_WRITE}, .rec = rec};
    a.ev.deps.given = true;
    uint64_t at = g->linear, end = g->linear + (g->end - g->start);
    enum hd_status s = HD_OK;
    if (w->own.hand && g->shared)
        hd_walk_hand_free(w, g);
    while (s == HD_OK && g->shared && hd_cells_used(&w->mem.cells, at, end, &at) != HD_CELL_NONE) {
        uint64_t addr = g->start + (at - g->linear);
        hd_walk_place_of(w, &a);
        if (!is_left_out(w, g, addr, hd_cells_next(&w->mem.cells, at, end - at)))
            s = touch(w, &a, g, addr);
        at++;
    }
    if (w->own.hand && g->shared)
        hd_walk_hand_free(w, g); /* its writes stand among those above */
    return s;
}
