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

static int found_order(const void *x, const void *y)
{
    size_t n, m;
    const hd_eid *v = hd_witness_events(&((const struct hd_predicted *)x)->witness, &n);
    const hd_eid *w = hd_witness_events(&((const struct hd_predicted *)y)->witness, &m);
    return by_events(v, n, w, m);
}

static int undecided_order(const void *x, const void *y)
{
    const struct hd_undecided *u = x, *v = y;
    return by_events(hd_undecided_events(u), u->n, hd_undecided_events(v), v->n);
}

/* The first two events of an entry and its number. */
struct sort_key {
    uint64_t events;
    size_t at;
};

static int key_order(const void *x, const void *y)
{
    const struct sort_key *k = x, *l = y;
    return k->events < l->events ? -1 : k->events > l->events;
}

/* Half a million pairs may be left: their keys are sorted, not the entries. True: no two keys are
 * the same, and that was enough. */
static bool sort_by_keys(struct hd_vec *list)
{
    size_t n = list->len;
    const struct hd_undecided *old = list->data;
    struct sort_key *keys = hd_alloc(n * sizeof *keys);
    for (size_t i = 0; i < n; i++) {
        const hd_eid *events = hd_undecided_events(&old[i]);
        keys[i] = (struct sort_key){(uint64_t)events[0] << 32 | events[1], i};
    }
    qsort(keys, n, sizeof *keys, key_order);
    bool unique = true;
    for (size_t i = 1; i < n; i++)
        unique &= keys[i - 1].events != keys[i].events;
    struct hd_vec sorted = HD_VEC_INIT(struct hd_undecided);
    hd_vec_reserve_exactly(&sorted, n);
    for (size_t i = 0; i < n; i++)
        *(struct hd_undecided *)hd_vec_push(&sorted) = old[keys[i].at];
    hd_free(keys, n * sizeof *keys);
    hd_vec_fini(list);
    *list = sorted;
    return unique;
}

void hd_prediction_sort(struct hd_prediction *p)
{
    if (p->found.len)
        qsort(p->found.data, p->found.len, sizeof(struct hd_predicted), found_order);
    if (p->undecided.len && !sort_by_keys(&p->undecided))
        qsort(p->undecided.data, p->undecided.len, sizeof(struct hd_undecided), undecided_order);
}

bool hd_prediction_late(const struct hd_prediction *p)
{
    bool late = p->cut && p->cut_why == HD_WHY_TIME;
    for (size_t i = 0; i < p->undecided.len; i++)
        late |= ((struct hd_undecided *)hd_vec_at(&p->undecided, i))->why == HD_WHY_TIME;
    return late;
}
