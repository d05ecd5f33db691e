/* The indices of a trace: one counting sort over all kinds of objects. */
#include "base/alloc.h"
#include "trace/builder_int.h"

static void count_events(const struct hd_trace *t, uint32_t *count[])
{
    for (size_t e = 0; e < t->n_events; e++) {
        const struct hd_op_info *info = &hd_op_info[t->op[e]];
        if (info->kind < HD_OBJ_KINDS)
            count[info->kind][t->obj[e]]++;
        if (info->has_lock)
            count[HD_OBJ_LOCK][t->val[e]]++;
    }
}

/* Turns counts into starts: start[i] becomes the first entry of object i. */
static void prefix_sums(struct hd_index *index)
{
    uint32_t sum = 0;
    for (size_t i = 0; i <= index->count; i++) {
        uint32_t here = index->start[i];
        index->start[i] = sum;
        sum += here;
    }
    index->list = hd_alloc(sum * sizeof *index->list);
}

/* Fills the lists; start[i] runs ahead to the end of object i. */
static void fill_lists(struct hd_trace *t)
{
    for (size_t e = 0; e < t->n_events; e++) {
        const struct hd_op_info *info = &hd_op_info[t->op[e]];
        struct hd_index *index = &t->by_obj[info->kind];
        if (info->kind < HD_OBJ_KINDS)
            index->list[index->start[t->obj[e]]++] = (hd_eid)e;
        if (info->has_lock) {
            index = &t->by_obj[HD_OBJ_LOCK];
            index->list[index->start[t->val[e]]++] = (hd_eid)e;
        }
    }
}

static void shift_back(struct hd_index *index)
{
    for (size_t i = index->count; i > 0; i--)
        index->start[i] = index->start[i - 1];
    index->start[0] = 0;
}

static void index_threads(struct hd_trace *t, const uint32_t *thread_len)
{
    struct hd_index *index = &t->by_obj[HD_OBJ_THREAD];
    index->count = t->threads.count;
    index->start = hd_calloc(index->count + 1, sizeof *index->start);
    for (size_t u = 0; u < index->count; u++)
        index->start[u] = thread_len[u];
    prefix_sums(index);
    for (size_t e = 0; e < t->n_events; e++)
        index->list[index->start[t->thread[e]] + t->pos[e]] = (hd_eid)e;
}

void hd_trace_build_indices(struct hd_trace *t, const uint32_t *thread_len)
{
    uint32_t *count[HD_OBJ_KINDS];
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++) {
        struct hd_index *index = &t->by_obj[kind];
        index->count = t->objs[kind].count;
        index->start = hd_calloc(index->count + 1, sizeof *index->start);
        count[kind] = index->start;
    }
    count_events(t, count);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        prefix_sums(&t->by_obj[kind]);
    fill_lists(t);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        shift_back(&t->by_obj[kind]);
    index_threads(t, thread_len);
}
