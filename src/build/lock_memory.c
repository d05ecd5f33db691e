/* The memory of locks, conditions, semaphores and barriers. A call that uses such an object reads
 * its first byte atomically, one that destroys it writes it; free writes it as it does all memory.
 * So a use that is not ordered with the end of the object is a race, and memory of objects that
 * no thread ends, or only behind the join of their users, is not shared and makes no events.
 *
 * Where the read stands matters: an object may end as soon as a correct program cannot use it any
 * more. Before a release and before a post, because who takes the lock or the semaphore next may
 * destroy it at once; before a wait on a condition, because it may be destroyed when all were
 * woken; behind the wake for the lock, which is needed again then. Argued in
 * docs/algorithms/building.md. */
#include "build/lent_memory.h"
#include "build/walk.h"

/* The object that the record uses, and whether the read stands behind the event. 0: none. */
static uint64_t object_of(const struct hd_raw *rec, bool *behind)
{
    uint64_t addr = 0;
    *behind = rec->kind == HD_LOG_WAKE || rec->kind == HD_LOG_TMO;
    switch (rec->kind) {
    case HD_LOG_ACQ:
    case HD_LOG_RACQ:
    case HD_LOG_TRYFAIL:
    case HD_LOG_REL:
    case HD_LOG_RREL:
    case HD_LOG_WAIT:
    case HD_LOG_SIG:
    case HD_LOG_BCAST:
    case HD_LOG_POST:
    case HD_LOG_SEM:
    case HD_LOG_BARIN:
        addr = rec->w[0];
        break;
    case HD_LOG_WAKE:
    case HD_LOG_TMO:
        addr = rec->w[1];
        break;
    case HD_LOG_LOOK: /* the call failed */
        addr = rec->w[0] == HD_LOOK_DESTROY ? rec->w[1] : 0;
        break;
    default:
        break;
    }
    return HD_PSEUDO_KIND(addr) == HD_PSEUDO_NONE ? addr : 0;
}

static bool is_end(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_SET && rec->w[0] == HD_LOOK_DESTROY;
}

bool hd_walk_lock_access(const struct hd_raw *rec, uint64_t *addr, bool *ends)
{
    bool behind;
    *ends = is_end(rec);
    *addr = *ends ? rec->w[1] : object_of(rec, &behind);
    return *addr != 0;
}

void hd_walk_mark_lock(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t addr;
    bool ends;
    if (hd_walk_lock_access(rec, &addr, &ends))
        hd_walk_mark_object(w, addr, ends);
}

/* Also where all accesses are events: those of the objects are not the program's own. */
static bool is_shared(struct hd_walk *w, uint64_t addr)
{
    uint64_t room;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    return hd_cells_shared(&w->mem.cells, hd_region_linear(g, addr), 1);
}

/* While the skeleton is made: memory that may be handed over is used here. */
static bool is_loose(struct hd_walk *w, uint64_t addr, bool ends)
{
    uint64_t room;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    if (!w->own.hand || !hd_walk_hand_is_loose(w, hd_region_linear(g, addr), 1))
        return false;
    hd_walk_hand_use(w, g, hd_region_linear(g, addr), 1, NULL, ends);
    return true;
}

static enum hd_status touch(struct hd_walk *w, const struct hd_raw *rec, uint64_t addr,
                            enum hd_op op)
{
    struct hd_walk_access a = {.ev = {.op = op}, .rec = rec};
    uint64_t room;
    a.ev.deps.given = op == HD_OP_WRITE;
    hd_walk_place_of(w, &a);
    return hd_walk_touch_unknown(w, &a, hd_regions_find(&w->mem.regions, addr, &room), addr);
}

enum hd_status hd_walk_lock_ends(struct hd_walk *w, const struct hd_raw *rec)
{
    uint32_t before = hd_walk_current(w)->made;
    enum hd_status s = HD_OK;
    if (!is_loose(w, rec->w[1], true) && is_shared(w, rec->w[1]))
        s = touch(w, rec, rec->w[1], HD_OP_WRITE);
    if (w->own.hand)
        hd_lent_memory_other(w, rec->w[1], before);
    return s;
}

static enum hd_status use(struct hd_walk *w, const struct hd_raw *rec, uint64_t addr)
{
    if (is_loose(w, addr, false) || !is_shared(w, addr))
        return HD_OK;
    enum hd_status s = hd_walk_ready(w);
    uint32_t own = hd_walk_next_eid(w);
    if (s == HD_OK)
        s = touch(w, rec, addr, HD_OP_AREAD);
    if (s != HD_OK)
        return s;
    /* What a call does with an object that is gone is not what was recorded. */
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = hd_walk_place(w, rec)};
    ev.deps = (struct hd_dep_list){true, 1, &own};
    return hd_walk_emit(w, &ev);
}

enum hd_status hd_walk_lock_used(struct hd_walk *w, const struct hd_raw *rec, bool after)
{
    bool behind;
    uint64_t addr = object_of(rec, &behind);
    if (!addr || behind != after)
        return HD_OK;
    uint32_t before = hd_walk_current(w)->made;
    enum hd_status s = use(w, rec, addr);
    if (w->own.hand)
        hd_lent_memory_other(w, addr, before);
    return s;
}
