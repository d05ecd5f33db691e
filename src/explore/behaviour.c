#include "explore/behaviour.h"

#include "base/alloc.h"
#include "build/load.h"

#include <string.h>

/* FNV-1a: these numbers are kept in files, so they must not depend on the machine. */
static uint64_t text_hash(const char *text)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (; *text; text++)
        h = (h ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
    return h;
}

static uint64_t join(uint64_t h, uint64_t next)
{
    return hd_hash_mix(h ^ (next + UINT64_C(0x9e3779b97f4a7c15)));
}

static uint64_t *name_hashes(const struct hd_names *names)
{
    uint64_t *h = hd_calloc(names->count + 1, sizeof *h);
    for (uint32_t i = 0; i < names->count; i++)
        h[i] = text_hash(hd_names_text(names, i));
    return h;
}

static bool orders_threads(uint8_t op)
{
    switch (op) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
    case HD_OP_TRYFAIL:
    case HD_OP_WAKE:
    case HD_OP_TMO:
    case HD_OP_SEM:
    case HD_OP_BARIN:
    case HD_OP_AREAD:
    case HD_OP_AWRITE:
    case HD_OP_RMW:
        return true;
    default:
        return false;
    }
}

/* Sums of mixed numbers: the order in which the trace numbers its objects does not count. */
static uint64_t by_object(const struct hd_trace *t, enum hd_obj_kind kind, const uint64_t *threads)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < hd_trace_n_objs(t, kind); i++) {
        size_t n, used = 0;
        const hd_eid *list = hd_trace_obj_events(t, kind, i, &n);
        uint64_t h = text_hash(hd_trace_obj_name(t, kind, i));
        for (size_t k = 0; k < n; k++)
            if (orders_threads(t->op[list[k]])) {
                h = join(h, threads[t->thread[list[k]]]);
                used++;
            }
        sum += used ? h : 0;
    }
    return sum;
}

uint64_t hd_behaviour(const struct hd_trace *t)
{
    uint64_t *places = name_hashes(&t->places), *threads = name_hashes(&t->threads), sum = 1;
    for (hd_tid u = 0; u < hd_trace_n_threads(t); u++) {
        size_t n;
        const hd_eid *list = hd_trace_thread_events(t, u, &n);
        uint64_t h = threads[u];
        for (size_t k = 0; k < n; k++)
            h = join(h, places[t->place[list[k]]] + t->op[list[k]]);
        sum += h;
    }
    for (int kind = 0; kind < (int)HD_OBJ_KINDS; kind++)
        sum += by_object(t, (enum hd_obj_kind)kind, threads);
    hd_free(places, (t->places.count + 1) * sizeof *places);
    hd_free(threads, (t->threads.count + 1) * sizeof *threads);
    return sum ? sum : 1;
}

uint64_t hd_behaviour_of_file(const char *path)
{
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    if (hd_load_trace(path, &t, NULL, NULL, &err) != HD_OK)
        return 0;
    uint64_t number = hd_behaviour(t);
    hd_trace_free(t);
    return number;
}

void hd_behaviours_init(struct hd_behaviours *b)
{
    *b = (struct hd_behaviours){.list = HD_VEC_INIT(uint64_t)};
}

void hd_behaviours_fini(struct hd_behaviours *b)
{
    hd_map_fini(&b->map);
    hd_vec_fini(&b->list);
}

bool hd_behaviours_add(struct hd_behaviours *b, uint64_t number)
{
    bool fresh;
    hd_map_put(&b->map, number, &fresh);
    if (fresh)
        *(uint64_t *)hd_vec_push(&b->list) = number;
    return fresh;
}
