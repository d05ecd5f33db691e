/* A prediction as data: its words, its defaults, its order, its end. How it is made is in
 * predict.c and driver.c. */
#include "predict/run/predict.h"

#include "base/alloc.h"
#include "solve/solve.h"

#include <stdlib.h>
#include <string.h>

const char *const hd_step_names[HD_STEPS] = {"lockset", "must",    "protocol", "ucg",  "greedy",
                                             "syncp",   "closure", "smt",      "order"};
const char *const hd_reason_texts[HD_REASONS] = {"time budget of the run",
                                                 "time budget of the pair",
                                                 "interrupted",
                                                 "steps switched off",
                                                 "more candidates than can be listed",
                                                 "memory limit of the solver",
                                                 "the solver failed",
                                                 "internal error: its witness was rejected",
                                                 "there is not enough memory",
                                                 "memory orders not proved for all schedules"};

const char *const hd_candidate_names[HD_PREDICTED_PROPERTIES] = {"pair", "triple", "cycle"};

enum hd_reason hd_predict_stopped(enum hd_stop why)
{
    return why == HD_STOP_TIME     ? HD_WHY_TIME
           : why == HD_STOP_MEMORY ? HD_WHY_SCARCE
                                   : HD_WHY_STOPPED;
}

void hd_predict_defaults(struct hd_predict_options *options)
{
    *options = (struct hd_predict_options){.steps = (1u << HD_STEPS) - 1,
                                           .pair_seconds = 60,
                                           .solver_memory = HD_SOLVER_MEMORY,
                                           .filter_until = HD_PREDICT_FILTER_UNTIL,
                                           .fold_from = HD_PREDICT_FOLD_FROM};
}

void hd_prediction_init(struct hd_prediction *p, enum hd_property property)
{
    *p = (struct hd_prediction){.property = property,
                                .found = HD_VEC_INIT(struct hd_predicted),
                                .undecided = HD_VEC_INIT(struct hd_undecided),
                                .follows = HD_VEC_INIT(struct hd_followed)};
}

void hd_prediction_fini(struct hd_prediction *p)
{
    for (size_t i = 0; i < p->found.len; i++)
        hd_witness_fini(&((struct hd_predicted *)hd_vec_at(&p->found, i))->witness);
    for (size_t i = 0; i < p->follows.len; i++)
        hd_witness_fini(&((struct hd_followed *)hd_vec_at(&p->follows, i))->witness);
    hd_vec_fini(&p->found);
    hd_undecided_fini(&p->undecided);
    hd_vec_fini(&p->follows);
}

void hd_undecided_push(struct hd_vec *list, const hd_eid *events, size_t n, enum hd_reason why,
                       uint64_t goals)
{
    struct hd_undecided *u = hd_vec_push(list);
    *u = (struct hd_undecided){.n = (uint32_t)n, .goals = goals, .why = why};
    if (n > HD_UNDECIDED_FEW)
        u->many = hd_alloc(n * sizeof *events);
    memcpy(u->many ? u->many : u->few, events, n * sizeof *events);
}

void hd_undecided_fini(struct hd_vec *list)
{
    for (size_t i = 0; i < list->len; i++) {
        struct hd_undecided *u = hd_vec_at(list, i);
        hd_free(u->many, u->many ? u->n * sizeof *u->many : 0);
    }
    hd_vec_fini(list);
}

static int by_events(const hd_eid *x, size_t n, const hd_eid *y, size_t m)
{
    for (size_t i = 0; i < n && i < m; i++)
        if (x[i] != y[i])
            return x[i] < y[i] ? -1 : 1;
    return n < m ? -1 : n > m;
}

static const hd_eid *events_found(const void *entry, size_t *n)
{
    return hd_witness_events(&((const struct hd_predicted *)entry)->witness, n);
}

static const hd_eid *events_undecided(const void *entry, size_t *n)
{
    *n = ((const struct hd_undecided *)entry)->n;
    return hd_undecided_events(entry);
}

static int found_order(const void *x, const void *y)
{
    size_t n, m;
    const hd_eid *v = events_found(x, &n), *w = events_found(y, &m);
    return by_events(v, n, w, m);
}

static int undecided_order(const void *x, const void *y)
{
    size_t n, m;
    const hd_eid *v = events_undecided(x, &n), *w = events_undecided(y, &m);
    return by_events(v, n, w, m);
}

/* The first two events of an entry and its number. */
struct sort_key {
    uint64_t events;
    size_t at;
};

/* Byte by byte, the last first; bytes that all keys share cost one look. */
static void sort_keys(struct sort_key *keys, size_t n)
{
    struct sort_key *other = hd_alloc(n * sizeof *other), *from = keys, *to = other;
    for (unsigned shift = 0; shift < 64; shift += 8) {
        size_t start[257] = {0};
        for (size_t i = 0; i < n; i++)
            start[(from[i].events >> shift & 255) + 1]++;
        if (start[(from[0].events >> shift & 255) + 1] == n)
            continue;
        for (size_t k = 1; k < 256; k++)
            start[k] += start[k - 1];
        for (size_t i = 0; i < n; i++)
            to[start[from[i].events >> shift & 255]++] = from[i];
        struct sort_key *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
    hd_free(other, n * sizeof *other);
}

/* Half a million pairs may be found or left: their keys are sorted, not the entries. */
static void sort_entries(struct hd_vec *list, const hd_eid *(*events_of)(const void *, size_t *),
                         int (*order)(const void *, const void *))
{
    size_t n = list->len, few;
    if (n < 2)
        return;
    struct sort_key *keys = hd_alloc(n * sizeof *keys);
    for (size_t i = 0; i < n; i++) {
        const hd_eid *events = events_of(hd_vec_at(list, i), &few);
        keys[i] = (struct sort_key){(uint64_t)events[0] << 32 | events[1], i};
    }
    sort_keys(keys, n);
    bool unique = true;
    for (size_t i = 1; i < n; i++)
        unique &= keys[i - 1].events != keys[i].events;
    struct hd_vec sorted = {.size = list->size};
    hd_vec_reserve_exactly(&sorted, n);
    for (size_t i = 0; i < n; i++)
        memcpy(hd_vec_push(&sorted), hd_vec_at(list, keys[i].at), list->size);
    hd_free(keys, n * sizeof *keys);
    hd_vec_fini(list);
    *list = sorted;
    if (!unique)
        qsort(list->data, n, list->size, order);
}

void hd_prediction_sort(struct hd_prediction *p)
{
    sort_entries(&p->found, events_found, found_order);
    sort_entries(&p->undecided, events_undecided, undecided_order);
}

bool hd_prediction_late(const struct hd_prediction *p)
{
    bool late = p->cut && p->cut_why == HD_WHY_TIME;
    for (size_t i = 0; i < p->undecided.len; i++)
        late |= ((struct hd_undecided *)hd_vec_at(&p->undecided, i))->why == HD_WHY_TIME;
    return late;
}
