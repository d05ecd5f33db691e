/* The indices of a trace: one counting sort over all kinds of objects. The counts were kept by the
 * builder, so that one pass over the columns is enough. */
#include "base/alloc.h"
#include "base/stop.h"
#include "trace/builder_int.h"

/* How many events are entered between two looks at what the user asks. */
enum { BLOCK = 1 << 20 };

static uint32_t uses_of(const struct hd_builder *b, int kind, size_t i)
{
    if (kind == HD_OBJ_LOC)
        return ((const struct hd_loc_state *)b->locs.data)[i].events;
    return kind == HD_OBJ_THREAD ? b->thread_len.data[i] : b->uses[kind].data[i];
}

/* Makes the starts, and room for the entries. start[i + 1] is the first entry of object i for now:
 * it runs ahead while the list is filled and then is what it should be. */
static void prepare(const struct hd_builder *b, int kind, size_t count)
{
    struct hd_index *index = &b->t->by_obj[kind];
    uint32_t sum = 0;
    index->count = count;
    index->start = hd_alloc((count + 1) * sizeof *index->start);
    index->start[0] = 0;
    for (size_t i = 0; i < count; i++) {
        index->start[i + 1] = sum;
        sum += uses_of(b, kind, i);
    }
    index->list = hd_alloc(sum * sizeof *index->list);
}

static void enter(struct hd_index *index, uint64_t obj, hd_eid e)
{
    index->list[index->start[obj + 1]++] = e;
}

/* Enters the events from e to n - 1. */
static void fill(struct hd_trace *t, size_t e, size_t n)
{
    struct hd_index loc = t->by_obj[HD_OBJ_LOC], threads = t->by_obj[HD_OBJ_THREAD];
    while (e < n) {
        hd_tid thread = t->thread[e];
        hd_eid *entry = threads.list + threads.start[thread + 1];
        threads.start[thread + 1] -= (uint32_t)e; /* and the end of the run is added below */
        for (; e < n && t->thread[e] == thread; e++) {
            const struct hd_op_info *info = &hd_op_info[t->op[e]];
            *entry++ = (hd_eid)e;
            if (t->op[e] <= HD_OP_RMW) {
                enter(&loc, t->obj[e], (hd_eid)e);
                continue;
            }
            if (info->kind < HD_OBJ_KINDS)
                enter(&t->by_obj[info->kind], t->obj[e], (hd_eid)e);
            if (info->has_lock)
                enter(&t->by_obj[HD_OBJ_LOCK], t->val[e], (hd_eid)e);
        }
        threads.start[thread + 1] += (uint32_t)e;
    }
}

bool hd_builder_index(struct hd_builder *b)
{
    size_t n = b->t->n_events;
    bool asked = false;
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        prepare(b, kind, b->t->objs[kind].count);
    prepare(b, HD_OBJ_THREAD, b->t->threads.count);
    for (size_t e = 0; e < n && !asked; e += BLOCK) {
        fill(b->t, e, n - e < BLOCK ? n : e + BLOCK);
        asked = hd_stop_now() == HD_STOP_ASKED;
    }
    return !asked;
}
