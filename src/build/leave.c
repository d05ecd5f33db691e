/* Accesses to memory that is not shared: they are no events.
 *
 * Such memory has the same writer for each read in every schedule (docs/ALGORITHMS.md, "Reduction
 * by ownership"). So a read of it is stale exactly when a read is that the writer's value depends
 * on. Those reads, a set of trace/depset.h, are kept for the bytes and stand for the read. A set
 * names reads of one thread. When another thread reads the bytes, and when a set is too long to be
 * listed, write and read have to be events after all: the granule "carries" from then on, and the
 * walk starts again when that is news (a skeleton's does not). Only writes with such a set and the
 * reads of them become events; what is built besides does not change, so the second time nothing is
 * news.
 *
 * The address of an access may depend on reads: a branch says so in its place.
 */
#include "build/walk.h"

bool hd_walk_is_private(struct hd_walk *w, uint64_t addr, uint64_t len)
{
    uint64_t room;
    if (w->own.keep_all || !len)
        return false;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    return len <= room && !hd_cells_shared(&w->mem.cells, hd_region_linear(g, addr), len);
}

/* What the access needs to happen at all. */
static enum hd_status check_control(struct hd_walk *w, struct hd_walk_access *a)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    if (a->call)
        return hd_walk_branch_call(w, a);
    struct hd_event ev = {.op = HD_OP_BRANCH};
    bool known = (a->rec->aux & HD_LOG_SITE) != 0;
    if (!known || !hd_walk_collect(w, 1, a->rec->addr, &ev.deps))
        return hd_walk_open_reads(w, t->branched) ? hd_walk_branch_all(w, hd_walk_place_of(w, a))
                                                  : HD_OK;
    if (!ev.deps.n)
        return HD_OK;
    ev.place = hd_walk_place_of(w, a);
    hd_walk_decide(w, 1);
    return hd_walk_emit(w, &ev);
}

/* The value's dependences, as w->out.dep_reads[0] and in a->ev.deps; a->wide: more than that. */
static void collect_value(struct hd_walk *w, struct hd_walk_access *a)
{
    bool known = a->call || a->rec->aux & HD_LOG_SITE;
    w->out.dep_reads[0].len = 0;
    a->ev.deps = (struct hd_dep_list){.given = true};
    if (!hd_op_writes(a->ev.op) || !known)
        return; /* not known: a branch on all that it could depend on stands before it */
    a->wide = !hd_walk_collect(w, 0, a->call ? HD_TOK_NONE : a->rec->val, &a->ev.deps);
    if (a->wide)
        a->ev.deps = (struct hd_dep_list){0};
    const struct hd_site *site = a->call ? NULL : hd_walk_site(w, a->rec->site);
    a->own = a->ev.op == HD_OP_RMW && (!site || site->flags & HD_SITE_OWN);
}

static uint32_t set_of(struct hd_walk *w, const struct hd_walk_access *a)
{
    const struct hd_u32vec *reads = &w->out.dep_reads[2];
    hd_walk_polls_named(w, reads);
    return hd_depsets_put(&w->own.sets, w->current, reads->data,
                          a->wide ? HD_DEPSET_MOST + 1 : reads->len);
}

/* An rmw that stores what it computed from its own read, of these bytes. */
static void add_own(struct hd_walk *w, uint32_t set)
{
    size_t n;
    const struct hd_walk_thread *t = hd_walk_current(w);
    const uint32_t *reads = hd_depset_reads(&w->own.sets, set, &n);
    for (size_t i = 0; i < n; i++)
        if (!((const struct hd_walk_read *)hd_vec_at(&t->reads, reads[i]))->decided)
            hd_u32vec_push(&w->out.dep_reads[2], reads[i]);
    hd_depsets_sort(&w->out.dep_reads[2]);
}

/* dep_reads[2] is dep_reads[0], and for an rmw what it read in the cell at hand. */
static void start_cell(struct hd_walk *w)
{
    w->out.dep_reads[2].len = 0;
    for (size_t i = 0; i < w->out.dep_reads[0].len; i++)
        hd_u32vec_push(&w->out.dep_reads[2], w->out.dep_reads[0].data[i]);
}

static bool must_read(const struct hd_walk *w, uint32_t set)
{
    return set && (hd_depset_thread(&w->own.sets, set) != w->current ||
                   hd_depset_is_wide(&w->own.sets, set));
}

/* A skeleton may do without the dependences of a write: it then says less about orders. */
static void now_carries(struct hd_walk *w, uint64_t linear, uint64_t len)
{
    if (!hd_cells_carries(&w->mem.cells, linear, len, true) || w->own.hand)
        return;
    w->own.found = true;
    w->pass = HD_WALK_REPLAY; /* the write should have been an event */
}

/* The reading half. */
static enum hd_status read_cell(struct hd_walk *w, struct hd_walk_access *a,
                                const struct hd_region *g, uint64_t addr, uint64_t len)
{
    uint64_t linear = hd_region_linear(g, addr), part;
    uint32_t set = hd_cells_get(&w->mem.cells, linear, len, &part), id;
    if (set && a->own)
        add_own(w, set);
    if (!must_read(w, set)) {
        if (set)
            hd_walk_known(w, set);
        return HD_OK;
    }
    now_carries(w, linear, len);
    struct hd_walk_cell *cell = hd_walk_cell(w, g, addr, &id);
    if (cell->known && cell->value != a->ev.value)
        return HD_OK;  /* the writer's thread overwrote it unseen */
    if (w->own.hand) { /* a skeleton may not have the write */
        cell->known = a->ev.has_value;
        cell->value = a->ev.value;
    }
    struct hd_walk_access half = *a;
    half.ev.op = a->ev.op == HD_OP_READ ? HD_OP_READ : HD_OP_AREAD;
    half.ev.order = HD_ORDER_SC; /* fork and join order it with its writer anyway */
    half.ev.deps = half.ev.addr = (struct hd_dep_list){0};
    hd_walk_place_of(w, &half);
    enum hd_status s = hd_walk_touch(w, &half, g, addr);
    if (a->own) {
        hd_u32vec_push(&w->out.dep_reads[2], (uint32_t)hd_walk_current(w)->reads.len - 1);
        hd_depsets_sort(&w->out.dep_reads[2]);
    }
    return s;
}

static enum hd_status write_cell(struct hd_walk *w, struct hd_walk_access *a,
                                 const struct hd_region *g, uint64_t addr, uint64_t len)
{
    uint64_t linear = hd_region_linear(g, addr);
    uint32_t set = set_of(w, a), id;
    hd_cells_set(&w->mem.cells, linear, len, set);
    if (set)
        hd_walk_calm_forget(w, addr, len);
    if (!set || !hd_cells_carries(&w->mem.cells, linear, len, false))
        return HD_OK;
    struct hd_walk_access half = *a;
    half.ev.op = a->ev.op == HD_OP_WRITE ? HD_OP_WRITE : HD_OP_AWRITE;
    half.ev.order = HD_ORDER_SC;
    half.ev.value = a->ev.op == HD_OP_RMW ? a->ev.new_value : a->ev.value;
    half.ev.addr = (struct hd_dep_list){0};
    half.ev.deps = (struct hd_dep_list){0};
    if (!a->wide)
        hd_walk_list(w, 2, &half.ev.deps);
    hd_walk_place_of(w, &half);
    struct hd_walk_cell *cell = hd_walk_cell(w, g, addr, &id);
    cell->known = half.ev.has_value;
    cell->value = half.ev.value;
    return hd_walk_touch(w, &half, g, addr);
}

/* Cell by cell. */
static enum hd_status leave_cells(struct hd_walk *w, struct hd_walk_access *a, uint64_t addr,
                                  uint64_t len)
{
    enum hd_status s = HD_OK;
    bool first = true;
    while (len && s == HD_OK) {
        uint64_t room;
        const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        uint64_t part = hd_cells_next(&w->mem.cells, hd_region_linear(g, addr), len);
        a->ev.has_value = a->bytes || a->new_bytes;
        a->ev.value = a->bytes ? hd_cells_value(a->bytes, part) : 0;
        a->ev.new_value = a->new_bytes ? hd_cells_value(a->new_bytes, part) : 0;
        if (a->text && !first)
            s = a->call ? hd_walk_branch_call(w, a) : hd_walk_branch_all(w, hd_walk_place_of(w, a));
        first = false;
        start_cell(w);
        if (s == HD_OK && hd_op_reads(a->ev.op))
            s = read_cell(w, a, g, addr, part);
        if (s == HD_OK && hd_op_writes(a->ev.op))
            s = write_cell(w, a, g, addr, part);
        addr += part;
        len -= part;
        a->bytes = a->bytes ? a->bytes + part : NULL;
        a->new_bytes = a->new_bytes ? a->new_bytes + part : NULL;
    }
    return s;
}

/* All at once, where no cell needs an event. False: nothing was done. */
static bool leave_whole(struct hd_walk *w, const struct hd_walk_access *a,
                        const struct hd_region *g, uint64_t addr, uint64_t len)
{
    uint64_t linear = hd_region_linear(g, addr), part;
    bool reads = hd_op_reads(a->ev.op), writes = hd_op_writes(a->ev.op);
    if (reads && hd_cells_get(&w->mem.cells, linear, len, &part) == 0 && part == len)
        reads = false; /* it depends on nothing */
    if (reads && (writes || a->text))
        return false;
    for (uint64_t at = 0; reads && at < len; at += part)
        if (must_read(w, hd_cells_get(&w->mem.cells, linear + at, len - at, &part)))
            return false;
    start_cell(w);
    uint32_t set = writes ? set_of(w, a) : 0;
    if (set && hd_cells_carries(&w->mem.cells, linear, len, false))
        return false;
    for (uint64_t at = 0; reads && at < len; at += part) {
        uint32_t each = hd_cells_get(&w->mem.cells, linear + at, len - at, &part);
        if (each)
            hd_walk_known(w, each);
    }
    if (writes)
        hd_cells_set(&w->mem.cells, linear, len, set);
    if (set)
        hd_walk_calm_forget(w, addr, len);
    return true;
}

/* While the skeleton is made. False: it is private. */
static bool is_loose(struct hd_walk *w, const struct hd_walk_access *a, const struct hd_region *g,
                     uint64_t linear, uint64_t len)
{
    if (!w->own.hand || !hd_walk_hand_is_loose(w, linear, len))
        return false;
    if (hd_op_reads(a->ev.op))
        hd_walk_hand_use(w, g, linear, len, a->bytes, false);
    if (hd_op_writes(a->ev.op))
        hd_walk_hand_use(w, g, linear, len, a->ev.op == HD_OP_RMW ? a->new_bytes : a->bytes, true);
    return true;
}

enum hd_status hd_walk_leave(struct hd_walk *w, struct hd_walk_access *a, uint64_t addr,
                             uint64_t len)
{
    uint64_t room;
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!w->info->from_pass) { /* control all: nothing of the thread runs after a stale read */
        t->checks |= t->reads_last;
        return HD_OK;
    }
    enum hd_status s = check_control(w, a);
    if (s != HD_OK)
        return s;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    if (is_loose(w, a, g, hd_region_linear(g, addr), len))
        return HD_OK;
    collect_value(w, a);
    return leave_whole(w, a, g, addr, len) ? HD_OK : leave_cells(w, a, addr, len);
}

enum hd_status hd_walk_leave_cell(struct hd_walk *w, struct hd_walk_access *a,
                                  const struct hd_region *g, uint64_t addr, uint64_t len)
{
    if (!w->info->from_pass)
        return HD_OK;
    if (is_loose(w, a, g, hd_region_linear(g, addr), len))
        return HD_OK;
    struct hd_walk_access part = *a;
    part.wide = hd_op_writes(a->ev.op) && !a->ev.deps.given && hd_walk_open_reads(w, 0);
    enum hd_status s = HD_OK;
    start_cell(w);
    if (hd_op_reads(a->ev.op))
        s = read_cell(w, &part, g, addr, len);
    if (s == HD_OK && hd_op_writes(a->ev.op))
        s = write_cell(w, &part, g, addr, len);
    return s;
}
