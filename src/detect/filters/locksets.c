#include "detect/filters/locksets.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/vec.h"

#include <string.h>

/* One hold while the trace is walked. `since` (histories only) are keys of locks taken after it. */
struct open_hold {
    uint32_t key;   /* lock << 1 | write */
    uint32_t depth; /* nested acquires */
    struct hd_u32vec since;
};

struct thread_holds {
    struct open_hold *hold;
    size_t n, cap;
    uint32_t wait_depth; /* of the lock given up by the wait the thread is in */
    uint32_t id;         /* the set interned last */
    bool dirty;          /* holds changed since */
};

/* An interned set: holds at hold[first] .., and for each of them its history at since_start. */
struct set {
    uint32_t first, n;
};

struct hd_locksets {
    const struct hd_trace *t;
    uint32_t *id; /* by event */
    bool histories;
    struct set *set;
    size_t n_sets, cap_sets;
    struct hd_vec holds;          /* struct hd_hold */
    struct hd_u32vec since_start; /* by hold, one more than holds */
    struct hd_u32vec since;       /* keys, ascending for each hold */
    struct hd_map by_hash;        /* hash of the encoded set: id */
    struct hd_u32vec code;        /* the set being interned */
    struct thread_holds *threads; /* while building */
};

static void sorted_add(struct hd_u32vec *v, uint32_t key)
{
    size_t i = v->len;
    while (i > 0 && v->data[i - 1] > key)
        i--;
    if (i > 0 && v->data[i - 1] == key)
        return;
    hd_u32vec_push(v, key);
    memmove(v->data + i + 1, v->data + i, (v->len - 1 - i) * sizeof *v->data);
    v->data[i] = key;
}

static void take(struct hd_locksets *ls, struct thread_holds *th, uint32_t key, uint32_t depth)
{
    size_t i = 0;
    for (size_t j = 0; ls->histories && j < th->n; j++)
        if (th->hold[j].key != key) {
            sorted_add(&th->hold[j].since, key);
            th->dirty = true;
        }
    while (i < th->n && th->hold[i].key < key)
        i++;
    if (i < th->n && th->hold[i].key == key) {
        th->hold[i].depth += depth;
        return;
    }
    if (th->n == th->cap) {
        size_t cap = th->cap ? th->cap * 2 : 4;
        th->hold = hd_realloc(th->hold, th->cap * sizeof *th->hold, cap * sizeof *th->hold);
        th->cap = cap;
    }
    memmove(th->hold + i + 1, th->hold + i, (th->n - i) * sizeof *th->hold);
    th->hold[i] = (struct open_hold){.key = key, .depth = depth};
    th->n++;
    th->dirty = true;
}

/* Gives up one level of a hold, or all; the number of levels given up. */
static uint32_t drop(struct thread_holds *th, uint32_t key, bool all)
{
    size_t i = 0;
    while (i < th->n && th->hold[i].key != key)
        i++;
    if (i == th->n)
        return 0;
    uint32_t depth = th->hold[i].depth;
    if (depth > 1 && !all) {
        th->hold[i].depth--;
        return 1;
    }
    hd_u32vec_fini(&th->hold[i].since);
    th->n--;
    memmove(th->hold + i, th->hold + i + 1, (th->n - i) * sizeof *th->hold);
    th->dirty = true;
    return depth;
}

static void step(struct hd_locksets *ls, hd_eid e)
{
    const struct hd_trace *t = ls->t;
    struct thread_holds *th = &ls->threads[t->thread[e]];
    uint32_t key = hd_trace_lock(t, e) << 1;
    switch (t->op[e]) {
    case HD_OP_ACQ:
        take(ls, th, key | 1, 1);
        break;
    case HD_OP_REL:
        drop(th, key | 1, false);
        break;
    case HD_OP_RACQ:
        take(ls, th, key, 1);
        break;
    case HD_OP_RREL:
        drop(th, key, false);
        break;
    case HD_OP_WAIT:
        th->wait_depth = drop(th, key | 1, true);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        take(ls, th, key | 1, th->wait_depth ? th->wait_depth : 1);
        break;
    default:
        break;
    }
}

/* The open holds as a word string, equal exactly for equal sets. */
static void encode(struct hd_locksets *ls, const struct thread_holds *th)
{
    ls->code.len = 0;
    for (size_t i = 0; i < th->n; i++) {
        const struct hd_u32vec *since = &th->hold[i].since;
        hd_u32vec_push(&ls->code, th->hold[i].key);
        hd_u32vec_push(&ls->code, (uint32_t)since->len);
        for (size_t j = 0; j < since->len; j++)
            hd_u32vec_push(&ls->code, since->data[j]);
    }
}

static bool same_set(const struct hd_locksets *ls, uint32_t id, const struct thread_holds *th)
{
    const struct set *set = &ls->set[id];
    if (set->n != th->n)
        return false;
    for (uint32_t i = 0; i < set->n; i++) {
        const struct hd_hold *hold = hd_vec_at(&ls->holds, set->first + i);
        const struct open_hold *open = &th->hold[i];
        uint32_t start = ls->since_start.data[set->first + i];
        uint32_t len = ls->since_start.data[set->first + i + 1] - start;
        if ((hold->lock << 1 | hold->write) != open->key || len != open->since.len)
            return false;
        if (len && memcmp(ls->since.data + start, open->since.data, len * sizeof(uint32_t)))
            return false;
    }
    return true;
}

static uint32_t add_set(struct hd_locksets *ls, const struct thread_holds *th)
{
    if (ls->n_sets == ls->cap_sets) {
        size_t cap = ls->cap_sets ? ls->cap_sets * 2 : 16;
        ls->set = hd_realloc(ls->set, ls->cap_sets * sizeof *ls->set, cap * sizeof *ls->set);
        ls->cap_sets = cap;
    }
    ls->set[ls->n_sets] = (struct set){(uint32_t)ls->holds.len, (uint32_t)th->n};
    for (size_t i = 0; i < th->n; i++) {
        struct hd_hold *hold = hd_vec_push(&ls->holds);
        *hold = (struct hd_hold){th->hold[i].key >> 1, th->hold[i].key & 1};
        for (size_t j = 0; j < th->hold[i].since.len; j++)
            hd_u32vec_push(&ls->since, th->hold[i].since.data[j]);
        hd_u32vec_push(&ls->since_start, (uint32_t)ls->since.len);
    }
    return (uint32_t)ls->n_sets++;
}

static uint32_t intern(struct hd_locksets *ls, const struct thread_holds *th)
{
    if (!th->n)
        return 0;
    encode(ls, th);
    uint64_t hash = hd_hash_bytes(ls->code.data, ls->code.len * sizeof *ls->code.data, 0);
    for (;; hash++) {
        bool fresh;
        uint32_t *id = hd_map_put(&ls->by_hash, hash, &fresh);
        if (fresh)
            return *id = add_set(ls, th);
        if (same_set(ls, *id, th))
            return *id;
    }
}

static void free_threads(struct hd_locksets *ls)
{
    size_t threads = hd_trace_n_threads(ls->t);
    for (size_t u = 0; u < threads; u++) {
        struct thread_holds *th = &ls->threads[u];
        for (size_t i = 0; i < th->n; i++)
            hd_u32vec_fini(&th->hold[i].since);
        hd_free(th->hold, th->cap * sizeof *th->hold);
    }
    hd_free(ls->threads, threads * sizeof *ls->threads);
    ls->threads = NULL;
}

static struct hd_locksets *build(const struct hd_trace *t, bool histories)
{
    struct hd_locksets *ls = hd_calloc(1, sizeof *ls);
    ls->t = t;
    ls->histories = histories;
    ls->id = hd_alloc(t->n_events * sizeof *ls->id);
    ls->threads = hd_calloc(hd_trace_n_threads(t), sizeof *ls->threads);
    ls->holds = HD_VEC_INIT(struct hd_hold);
    hd_u32vec_push(&ls->since_start, 0);
    add_set(ls, &(struct thread_holds){0});
    for (size_t i = 0; i < t->n_events; i++) {
        hd_eid e = (hd_eid)i;
        struct thread_holds *th = &ls->threads[t->thread[e]];
        if (th->dirty) {
            th->id = intern(ls, th);
            th->dirty = false;
        }
        ls->id[e] = th->id;
        if (t->op[e] > HD_OP_BRANCH)
            step(ls, e);
    }
    free_threads(ls);
    hd_map_fini(&ls->by_hash);
    hd_u32vec_fini(&ls->code);
    return ls;
}

struct hd_locksets *hd_locksets_new(const struct hd_trace *t)
{
    return build(t, false);
}

struct hd_locksets *hd_locksets_new_histories(const struct hd_trace *t)
{
    return build(t, true);
}

void hd_locksets_free(struct hd_locksets *ls)
{
    if (!ls)
        return;
    hd_free(ls->id, ls->t->n_events * sizeof *ls->id);
    hd_free(ls->set, ls->cap_sets * sizeof *ls->set);
    hd_vec_fini(&ls->holds);
    hd_u32vec_fini(&ls->since_start);
    hd_u32vec_fini(&ls->since);
    hd_free(ls, sizeof *ls);
}

uint32_t hd_locksets_id(const struct hd_locksets *ls, hd_eid e)
{
    return ls->id[e];
}

const struct hd_hold *hd_locksets_holds(const struct hd_locksets *ls, uint32_t id, size_t *n)
{
    *n = ls->set[id].n;
    return *n ? hd_vec_at(&ls->holds, ls->set[id].first) : NULL;
}

static bool common_lock(const struct hd_hold *x, size_t nx, const struct hd_hold *y, size_t ny)
{
    size_t i = 0, j = 0;
    while (i < nx && j < ny) {
        if (x[i].lock < y[j].lock) {
            i++;
        } else if (x[i].lock > y[j].lock) {
            j++;
        } else if (x[i].write || y[j].write) {
            return true;
        } else if (i + 1 < nx && x[i + 1].lock == x[i].lock) {
            i++; /* the read entry of a lock comes before its write entry */
        } else {
            j++;
        }
    }
    return false;
}

/* Did the holder of hold i of set x take, after that hold, the lock of h in a mode that h excludes?
 */
static bool took_since(const struct hd_locksets *ls, const struct set *x, uint32_t i,
                       struct hd_hold h)
{
    uint32_t end = ls->since_start.data[x->first + i + 1];
    for (uint32_t k = ls->since_start.data[x->first + i]; k < end; k++) {
        uint32_t key = ls->since.data[k];
        if (key >> 1 == h.lock && ((key & 1) || h.write))
            return true;
    }
    return false;
}

static bool histories_clash(const struct hd_locksets *ls, uint32_t x, uint32_t y)
{
    const struct set *sx = &ls->set[x], *sy = &ls->set[y];
    for (uint32_t i = 0; i < sx->n; i++)
        for (uint32_t j = 0; j < sy->n; j++) {
            const struct hd_hold *hx = hd_vec_at(&ls->holds, sx->first + i);
            const struct hd_hold *hy = hd_vec_at(&ls->holds, sy->first + j);
            if (took_since(ls, sx, i, *hy) && took_since(ls, sy, j, *hx))
                return true;
        }
    return false;
}

bool hd_locksets_ids_exclude(const struct hd_locksets *ls, uint32_t x, uint32_t y)
{
    if (!x || !y)
        return false;
    size_t nx, ny;
    const struct hd_hold *hx = hd_locksets_holds(ls, x, &nx);
    const struct hd_hold *hy = hd_locksets_holds(ls, y, &ny);
    if (common_lock(hx, nx, hy, ny))
        return true;
    return ls->histories && histories_clash(ls, x, y);
}

bool hd_locksets_exclude(const struct hd_locksets *ls, hd_eid a, hd_eid b)
{
    return hd_locksets_ids_exclude(ls, ls->id[a], ls->id[b]);
}
