/* Loops: which iterations a thread gets. Static schedules are arithmetic; dynamic and guided ones
 * take chunks from a counter of the team, so that every assignment of chunks is a schedule, or, in
 * a round, as omp_spread.c divides them. Taking a chunk orders nothing: the counter is relaxed. */
#include "openmp/omp_team.h"

#include <stdlib.h>

enum { /* the compiler's numbers of schedules, without modifiers */
       STATIC_CHUNKED = 33,
       STATIC = 34,
       DYNAMIC = 35,
       GUIDED = 36,
       RUNTIME = 37,
       AUTO = 38,
       ORDERED_FIRST = 65, /* the same once more, from STATIC_CHUNKED on */
       ORDERED_LAST = 70,
       DISTRIBUTE_CHUNKED = 91,
       DISTRIBUTE = 92,
       MONOTONIC = 1 << 29,
       MODIFIERS = MONOTONIC | 1 << 30,
       SECTIONS = 0x400, /* in the flags of a place */
};

/* ---- static ---- */

struct share {
    uint64_t first, count; /* of `total` iterations */
    uint64_t stride;       /* to the next chunk of this thread; total when there is only one */
    bool last;
};

/* Part `num` of `parts`: one block each, or chunks in turn. */
static struct share share_of(uint64_t total, uint64_t chunk, uint64_t num, uint64_t parts)
{
    if (chunk) {
        uint64_t first = num * chunk;
        uint64_t count = first >= total ? 0 : total - first < chunk ? total - first : chunk;
        bool last = total && (total - 1) / chunk % parts == num;
        return (struct share){first, count, chunk * parts, last};
    }
    uint64_t small = total / parts, more = total % parts;
    uint64_t first = num * small + (num < more ? num : more), count = small + (num < more);
    return (struct share){first, count, total ? total : 1, count && first + count == total};
}

static uint64_t count_of(int64_t lower, int64_t upper, int64_t step, bool is_signed)
{
    if (step > 0 ? (is_signed ? lower > upper : (uint64_t)lower > (uint64_t)upper)
                 : (is_signed ? lower < upper : (uint64_t)lower < (uint64_t)upper))
        return 0;
    uint64_t width =
        step > 0 ? (uint64_t)upper - (uint64_t)lower : (uint64_t)lower - (uint64_t)upper;
    return width / (uint64_t)(step > 0 ? step : -step) + 1;
}

/* All four widths compute in 64 bits. An empty share has its lower bound behind the upper one. */
static bool static_share(const hd_omp_ident *loc, int32_t schedule, int64_t *lower, int64_t *upper,
                         int64_t *stride, int64_t step, int64_t chunk, bool is_signed)
{
    struct hd_omp_thread *t = hd_omp_self();
    int kind = schedule & ~MODIFIERS;
    bool league = kind == DISTRIBUTE || kind == DISTRIBUTE_CHUNKED;
    bool chunked = kind == DISTRIBUTE_CHUNKED || kind == STATIC_CHUNKED || kind == ORDERED_FIRST;
    uint64_t num = (uint64_t)(league ? t->team->team_num : t->num);
    uint64_t parts = (uint64_t)(league ? t->team->num_teams : t->team->size);
    uint64_t total = count_of(*lower, *upper, step, is_signed);
    struct share s = share_of(total, chunked ? (uint64_t)(chunk > 0 ? chunk : 1) : 0, num, parts);
    if (loc && loc->flags & SECTIONS && t->team->round >= 0 && parts > 1 && total) {
        hd_omp_spread_sections(t, total, &s.first, &s.count);
        s.last = s.count && s.first + s.count == total;
    }
    if (!s.count) {
        *lower = *upper + step;
        *stride = step;
        return false;
    }
    *stride = (int64_t)(s.stride * (uint64_t)step);
    *lower += (int64_t)(s.first * (uint64_t)step);
    /* The program itself cuts the last chunk at the end of the loop. */
    uint64_t count = chunked ? (uint64_t)(chunk > 0 ? chunk : 1) : s.count;
    *upper = *lower + (int64_t)((count - 1) * (uint64_t)step);
    return s.last;
}

#define STATIC_INIT(suffix, type, wide, is_signed)                                                 \
    void __kmpc_for_static_init_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t schedule,        \
                                         int32_t *last, type *lower, type *upper, wide *stride,    \
                                         wide step, wide chunk);                                   \
    void __kmpc_for_static_init_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t schedule,        \
                                         int32_t *last, type *lower, type *upper, wide *stride,    \
                                         wide step, wide chunk)                                    \
    {                                                                                              \
        int64_t low = (int64_t)*lower, up = (int64_t)*upper, by = 0;                               \
        (void)gtid;                                                                                \
        bool is_last = static_share(loc, schedule, &low, &up, &by, step, chunk, is_signed);        \
        *lower = (type)low;                                                                        \
        *upper = (type)up;                                                                         \
        *stride = (wide)by;                                                                        \
        if (last)                                                                                  \
            *last = is_last;                                                                       \
    }                                                                                              \
    /* Teams share the iterations of a distribute loop, then threads those of their team. */       \
    void __kmpc_dist_for_static_init_##suffix(                                                     \
        hd_omp_ident *loc, int32_t gtid, int32_t schedule, int32_t *last, type *lower,             \
        type *upper, type *upper_dist, wide *stride, wide step, wide chunk);                       \
    void __kmpc_dist_for_static_init_##suffix(                                                     \
        hd_omp_ident *loc, int32_t gtid, int32_t schedule, int32_t *last, type *lower,             \
        type *upper, type *upper_dist, wide *stride, wide step, wide chunk)                        \
    {                                                                                              \
        int32_t of_team = 0, of_thread = 0;                                                        \
        wide by;                                                                                   \
        __kmpc_for_static_init_##suffix(loc, gtid, DISTRIBUTE, &of_team, lower, upper, &by, step,  \
                                        0);                                                        \
        *upper_dist = *upper;                                                                      \
        __kmpc_for_static_init_##suffix(loc, gtid, schedule, &of_thread, lower, upper, stride,     \
                                        step, chunk);                                              \
        if (last)                                                                                  \
            *last = of_team && of_thread;                                                          \
    }

STATIC_INIT(4, int32_t, int32_t, true)
STATIC_INIT(4u, uint32_t, int32_t, false)
STATIC_INIT(8, int64_t, int64_t, true)
STATIC_INIT(8u, uint64_t, int64_t, false)

void __kmpc_for_static_fini(hd_omp_ident *loc, int32_t gtid);
void __kmpc_for_static_fini(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
}

/* ---- dynamic ---- */

static void begin(int32_t schedule, int64_t lower, int64_t step, uint64_t count, int64_t chunk)
{
    struct hd_omp_thread *t = hd_omp_self();
    int kind = schedule & ~MODIFIERS;
    bool ordered = kind >= ORDERED_FIRST && kind <= ORDERED_LAST;
    kind -= ordered ? ORDERED_FIRST - STATIC_CHUNKED : 0;
    if (kind == RUNTIME) {
        static const int kinds[] = {STATIC, STATIC, DYNAMIC, GUIDED, AUTO};
        kind = kinds[t->icv.schedule];
        chunk = t->icv.chunk;
        kind = kind == STATIC && chunk ? STATIC_CHUNKED : kind;
    }
    t->loop = hd_omp_next_slot(t);
    t->range = (struct hd_omp_range){.count = count,
                                     .chunk = chunk > 0 ? (uint64_t)chunk : 1,
                                     .lower = lower,
                                     .step = step,
                                     .guided = kind == GUIDED,
                                     .ordered = ordered,
                                     .parts = -1};
    if (kind == STATIC || kind == STATIC_CHUNKED) {
        t->range.parts = 0;
        t->range.chunk = kind == STATIC ? 0 : t->range.chunk;
    } else if (!ordered && !(schedule & MONOTONIC)) {
        hd_omp_spread_begin(t);
    }
}

static bool take_static(struct hd_omp_thread *t, uint64_t *first, uint64_t *n)
{
    struct hd_omp_range *r = &t->range;
    struct share s = share_of(r->count, r->chunk, (uint64_t)t->num, (uint64_t)t->team->size);
    *first = s.first + (uint64_t)r->parts++ * s.stride;
    if (*first >= r->count || (!r->chunk && r->parts > 1))
        return false;
    *n = r->chunk && r->count - *first > r->chunk ? r->chunk
         : r->chunk                               ? r->count - *first
                                                  : s.count;
    return *n > 0;
}

static bool take_chunk(struct hd_omp_thread *t, uint64_t *first, uint64_t *n)
{
    struct hd_omp_range *r = &t->range;
    if (r->parts >= 0)
        return take_static(t, first, n);
    if (r->spread.on)
        return hd_omp_spread_next(t, first, n);
    uint64_t at = r->guided ? atomic_load_explicit(&t->loop->next, memory_order_relaxed) : 0;
    do {
        uint64_t rest = r->count - at, share = rest / (2 * (uint64_t)t->team->size);
        *n = r->guided && share > r->chunk ? share : r->chunk;
        if (r->guided && at >= r->count)
            return false;
    } while (r->guided &&
             !atomic_compare_exchange_weak_explicit(&t->loop->next, &at, at + *n,
                                                    memory_order_relaxed, memory_order_relaxed));
    *first =
        r->guided ? at : atomic_fetch_add_explicit(&t->loop->next, r->chunk, memory_order_relaxed);
    if (*first >= r->count)
        return false;
    *n = r->count - *first < *n ? r->count - *first : *n;
    return true;
}

static bool next_chunk(int32_t *last, int64_t *lower, int64_t *upper, int64_t *stride)
{
    struct hd_omp_thread *t = hd_omp_self();
    struct hd_omp_range *r = &t->range;
    uint64_t first, n;
    if (hd_omp_loop_cancelled(t) || !take_chunk(t, &first, &n))
        return false;
    r->at = first;
    r->end = first + n;
    r->passed = false;
    *lower = r->lower + (int64_t)(first * (uint64_t)r->step);
    *upper = *lower + (int64_t)((n - 1) * (uint64_t)r->step);
    *stride = r->step;
    if (last)
        *last = first + n == r->count;
    return true;
}

/* ---- ordered: iterations take turns ---- */

static void wait_turn(struct hd_omp_thread *t)
{
    pthread_mutex_lock(&t->team->lock);
    while (t->loop->turn != t->range.at)
        pthread_cond_wait(&t->team->turned, &t->team->lock);
    pthread_mutex_unlock(&t->team->lock);
}

static void pass_turn(struct hd_omp_thread *t)
{
    pthread_mutex_lock(&t->team->lock);
    t->loop->turn++;
    pthread_cond_broadcast(&t->team->turned);
    pthread_mutex_unlock(&t->team->lock);
}

void __kmpc_ordered(hd_omp_ident *loc, int32_t gtid);
void __kmpc_ordered(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    if (t->loop && t->range.ordered)
        wait_turn(t);
}

void __kmpc_end_ordered(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_ordered(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    if (!t->loop || !t->range.ordered)
        return;
    t->range.passed = true;
    pass_turn(t);
}

/* An iteration of an ordered loop ends: it has its turn even if it did not use it. */
static void end_iteration(void)
{
    struct hd_omp_thread *t = hd_omp_self();
    if (!t->loop || !t->range.ordered || t->range.at >= t->range.end)
        return;
    if (!t->range.passed) {
        wait_turn(t);
        pass_turn(t);
    }
    t->range.passed = false;
    t->range.at++;
}

#define DISPATCH(suffix, type, wide, is_signed)                                                    \
    void __kmpc_dispatch_init_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t schedule,          \
                                       type lower, type upper, wide step, wide chunk);             \
    void __kmpc_dispatch_init_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t schedule,          \
                                       type lower, type upper, wide step, wide chunk)              \
    {                                                                                              \
        (void)loc;                                                                                 \
        (void)gtid;                                                                                \
        begin(schedule, (int64_t)lower, step,                                                      \
              count_of((int64_t)lower, (int64_t)upper, step, is_signed), chunk);                   \
    }                                                                                              \
    void __kmpc_dist_dispatch_init_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t schedule,     \
                                            int32_t *last, type lower, type upper, wide step,      \
                                            wide chunk);                                           \
    void __kmpc_dist_dispatch_init_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t schedule,     \
                                            int32_t *last, type lower, type upper, wide step,      \
                                            wide chunk)                                            \
    {                                                                                              \
        wide by;                                                                                   \
        __kmpc_for_static_init_##suffix(loc, gtid, DISTRIBUTE, last, &lower, &upper, &by, step,    \
                                        0);                                                        \
        __kmpc_dispatch_init_##suffix(loc, gtid, schedule, lower, upper, step, chunk);             \
    }                                                                                              \
    int32_t __kmpc_dispatch_next_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t *last,          \
                                          type *lower, type *upper, wide *stride);                 \
    int32_t __kmpc_dispatch_next_##suffix(hd_omp_ident *loc, int32_t gtid, int32_t *last,          \
                                          type *lower, type *upper, wide *stride)                  \
    {                                                                                              \
        int64_t low, up, by;                                                                       \
        (void)loc;                                                                                 \
        (void)gtid;                                                                                \
        if (!next_chunk(last, &low, &up, &by))                                                     \
            return 0;                                                                              \
        *lower = (type)low;                                                                        \
        *upper = (type)up;                                                                         \
        *stride = (wide)by;                                                                        \
        return 1;                                                                                  \
    }                                                                                              \
    void __kmpc_dispatch_fini_##suffix(hd_omp_ident *loc, int32_t gtid);                           \
    void __kmpc_dispatch_fini_##suffix(hd_omp_ident *loc, int32_t gtid)                            \
    {                                                                                              \
        (void)loc;                                                                                 \
        (void)gtid;                                                                                \
        end_iteration();                                                                           \
    }

DISPATCH(4, int32_t, int32_t, true)
DISPATCH(4u, uint32_t, int32_t, false)
DISPATCH(8, int64_t, int64_t, true)
DISPATCH(8u, uint64_t, int64_t, false)

void __kmpc_dispatch_deinit(hd_omp_ident *loc, int32_t gtid);
void __kmpc_dispatch_deinit(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
    hd_omp_self()->loop = NULL;
}

/* ---- doacross: iterations wait for others by number ---- */

struct hd_omp_dim {
    int64_t lower, upper, step;
};

/* The number of an iteration in the order of the loop; UINT64_MAX: outside, nothing to wait for. */
static uint64_t number_of(const struct hd_omp_doacross *a, const int64_t *at)
{
    uint64_t number = 0;
    for (int i = 0; i < a->dims; i++) {
        const struct hd_omp_dim *d = &a->dim[i];
        uint64_t size = count_of(d->lower, d->upper, d->step, true);
        if (d->step > 0 ? at[i] < d->lower || at[i] > d->upper
                        : at[i] > d->lower || at[i] < d->upper)
            return UINT64_MAX;
        number = number * size + count_of(d->lower, at[i], d->step, true) - 1;
    }
    return number;
}

void __kmpc_doacross_init(hd_omp_ident *loc, int32_t gtid, int32_t dims,
                          const struct hd_omp_dim *dim);
void __kmpc_doacross_init(hd_omp_ident *loc, int32_t gtid, int32_t dims,
                          const struct hd_omp_dim *dim)
{
    struct hd_omp_thread *t = hd_omp_self();
    struct hd_omp_doacross *a = &t->across;
    (void)loc;
    (void)gtid;
    *a = (struct hd_omp_doacross){.slot = hd_omp_next_slot(t), .dims = dims, .total = 1};
    a->dim = hd_omp_alloc((size_t)dims * sizeof *a->dim);
    for (int i = 0; i < dims; i++) {
        a->dim[i] = dim[i];
        a->total *= count_of(dim[i].lower, dim[i].upper, dim[i].step, true);
    }
    sem_t *none = NULL, *mine = hd_omp_alloc(a->total * sizeof *mine);
    for (uint64_t i = 0; i < a->total; i++)
        sem_init(&mine[i], 0, 0);
    if (atomic_compare_exchange_strong(&a->slot->flags, &none, mine)) {
        a->flags = mine;
    } else {
        free(mine);
        a->flags = none;
    }
}

void __kmpc_doacross_wait(hd_omp_ident *loc, int32_t gtid, const int64_t *at);
void __kmpc_doacross_wait(hd_omp_ident *loc, int32_t gtid, const int64_t *at)
{
    const struct hd_omp_doacross *a = &hd_omp_self()->across;
    uint64_t number = number_of(a, at);
    (void)loc;
    (void)gtid;
    if (number == UINT64_MAX)
        return;
    sem_wait(&a->flags[number]);
    sem_post(&a->flags[number]); /* for others that wait for the same iteration */
}

void __kmpc_doacross_post(hd_omp_ident *loc, int32_t gtid, const int64_t *at);
void __kmpc_doacross_post(hd_omp_ident *loc, int32_t gtid, const int64_t *at)
{
    const struct hd_omp_doacross *a = &hd_omp_self()->across;
    uint64_t number = number_of(a, at);
    (void)loc;
    (void)gtid;
    if (number != UINT64_MAX)
        sem_post(&a->flags[number]);
}

void __kmpc_doacross_fini(hd_omp_ident *loc, int32_t gtid);
void __kmpc_doacross_fini(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *t = hd_omp_self();
    struct hd_omp_doacross *a = &t->across;
    (void)loc;
    (void)gtid;
    free(a->dim);
    if (atomic_fetch_add(&a->slot->members, 1) + 1 == (uint64_t)t->team->size)
        free(a->flags);
    *a = (struct hd_omp_doacross){0};
}
