#include "trace/trace.h"

#include "base/alloc.h"

#include <string.h>

const struct hd_op_info hd_op_info[HD_OP_COUNT] = {
#define HD_OP_INFO(name, text, kind, lock, words)                                                  \
    [HD_OP_##name] = {text, words, HD_OBJ_##kind, lock},
    HD_OPS(HD_OP_INFO)
#undef HD_OP_INFO
};

const struct hd_mem_order_info hd_mem_order_info[HD_ORDER_COUNT] = {
#define HD_ORDER_INFO(name, text, acquires, releases, word)                                        \
    [HD_ORDER_##name] = {text, word, acquires, releases},
    HD_ORDERS(HD_ORDER_INFO)
#undef HD_ORDER_INFO
};

static void free_index(struct hd_index *index)
{
    if (!index->start)
        return;
    size_t entries = index->start[index->count];
    hd_free(index->list, entries * sizeof *index->list);
    hd_free(index->start, (index->count + 1) * sizeof *index->start);
}

static void free_columns(struct hd_trace *t)
{
    size_t n = t->n_events;
    hd_free(t->op, n * sizeof *t->op);
    hd_free(t->flags, n * sizeof *t->flags);
    hd_free(t->thread, n * sizeof *t->thread);
    hd_free(t->obj, n * sizeof *t->obj);
    hd_free(t->val, n * sizeof *t->val);
    hd_free(t->place, n * sizeof *t->place);
    hd_free(t->dep, n * sizeof *t->dep);
    hd_free(t->pos, n * sizeof *t->pos);
}

static void free_meta(struct hd_trace *t)
{
    for (size_t i = 0; i < t->n_meta; i++) {
        hd_free(t->meta[i].key, strlen(t->meta[i].key) + 1);
        hd_free(t->meta[i].data, t->meta[i].len);
    }
    hd_free(t->meta, t->n_meta * sizeof *t->meta);
}

void hd_trace_free(struct hd_trace *t)
{
    if (!t)
        return;
    free_columns(t);
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++)
        free_index(&t->by_obj[kind]);
    hd_free(t->fork_of, t->threads.count * sizeof *t->fork_of);
    hd_free(t->loc_init, t->objs[HD_OBJ_LOC].count * sizeof *t->loc_init);
    hd_free(t->sem_init, t->objs[HD_OBJ_SEM].count * sizeof *t->sem_init);
    hd_free(t->barrier_size, t->objs[HD_OBJ_BARRIER].count * sizeof *t->barrier_size);
    hd_free(t->rmw, t->n_rmw * sizeof *t->rmw);
    hd_free(t->dep_pool, t->n_dep_pool * sizeof *t->dep_pool);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        hd_names_fini(&t->objs[kind]);
    hd_names_fini(&t->threads);
    hd_names_fini(&t->places);
    hd_free(t->line_runs, t->n_line_runs * sizeof *t->line_runs);
    free_meta(t);
    hd_free(t, sizeof *t);
}

static struct hd_meta *find_meta(const struct hd_trace *t, const char *key)
{
    for (size_t i = 0; i < t->n_meta; i++)
        if (!strcmp(t->meta[i].key, key))
            return &t->meta[i];
    return NULL;
}

void hd_trace_meta_add(struct hd_trace *t, const char *key, const void *data, size_t len)
{
    struct hd_meta *m = find_meta(t, key);
    if (!m) {
        size_t bytes = t->n_meta * sizeof *t->meta;
        t->meta = hd_realloc(t->meta, bytes, bytes + sizeof *t->meta);
        m = &t->meta[t->n_meta++];
        *m = (struct hd_meta){.key = hd_strndup(key, strlen(key))};
    }
    if (!len)
        return;
    m->data = hd_realloc(m->data, m->len, m->len + len);
    memcpy(m->data + m->len, data, len);
    m->len += len;
}

const uint8_t *hd_trace_meta(const struct hd_trace *t, const char *key, size_t *len)
{
    const struct hd_meta *m = find_meta(t, key);
    *len = m ? m->len : 0;
    return m ? m->data : NULL;
}

uint64_t hd_trace_line(const struct hd_trace *t, hd_eid e)
{
    size_t low = 0,
           high = t->n_line_runs; /* runs below low begin at or before e, those from high after */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (t->line_runs[middle].first <= e)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0)
        return 0;
    const struct hd_line_run *run = &t->line_runs[low - 1];
    return run->line + (e - run->first);
}

size_t hd_trace_bytes(const struct hd_trace *t)
{
    size_t event = sizeof *t->op + sizeof *t->flags + sizeof *t->thread + sizeof *t->obj +
                   sizeof *t->val + sizeof *t->place + sizeof *t->dep + sizeof *t->pos;
    size_t total = sizeof *t + t->n_events * event;
    for (int kind = 0; kind <= HD_OBJ_THREAD; kind++) {
        const struct hd_index *index = &t->by_obj[kind];
        total += (index->count + 1) * sizeof *index->start;
        total += index->start[index->count] * sizeof *index->list;
    }
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        total += hd_names_bytes(&t->objs[kind]);
    total += hd_names_bytes(&t->threads) + hd_names_bytes(&t->places);
    total += t->threads.count * sizeof *t->fork_of;
    total += t->objs[HD_OBJ_LOC].count * sizeof *t->loc_init;
    total += t->objs[HD_OBJ_SEM].count * sizeof *t->sem_init;
    total += t->objs[HD_OBJ_BARRIER].count * sizeof *t->barrier_size;
    total += t->n_line_runs * sizeof *t->line_runs;
    return total + t->n_rmw * sizeof *t->rmw + t->n_dep_pool * sizeof *t->dep_pool;
}

/* A record is: a mask of the given sets (1: deps or val, 2: addr), then for each given set its size
 * and its distances. Offset 0 holds the record that gives nothing. */
struct hd_deps hd_trace_deps(const struct hd_trace *t, hd_eid e, enum hd_dep_role role)
{
    const uint32_t *record = t->dep_pool + t->dep[e];
    uint32_t mask = record[0];
    if (!(mask & 1u << role))
        return (struct hd_deps){.all = role == HD_DEP_VALUE};
    const uint32_t *set = record + 1;
    if (role == HD_DEP_ADDR && (mask & 1))
        set += set[0] + 1;
    return (struct hd_deps){.n = set[0], .dist = set + 1};
}

bool hd_trace_updates(const struct hd_trace *t, hd_eid e)
{
    if (t->op[e] != HD_OP_RMW)
        return false;
    struct hd_deps deps = hd_trace_deps(t, e, HD_DEP_VALUE);
    return deps.all || (deps.n && deps.dist[0] == 0); /* ascending */
}
