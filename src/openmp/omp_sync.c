/* Critical sections, single, master, reductions, copyprivate, flush, cancellation. */
#include "openmp/omp_team.h"

/* The compiler gives a zeroed block of 32 bytes for each name. The first 24 bytes of a mutex of the
 * default kind are all that it uses, and zero is unlocked: making one when the first thread comes
 * would order that thread's past before the others. */
typedef int32_t hd_omp_name[8];

static pthread_mutex_t *mutex_of(hd_omp_name *name)
{
    _Static_assert(offsetof(pthread_mutex_t, __data.__list) <= sizeof(hd_omp_name),
                   "the mutex fits but for its list, which robust mutexes use");
    return (pthread_mutex_t *)(void *)name;
}

void __kmpc_critical(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name);
void __kmpc_critical(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name)
{
    (void)loc;
    (void)gtid;
    pthread_mutex_lock(mutex_of(name));
}

void __kmpc_critical_with_hint(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name, uint32_t hint);
void __kmpc_critical_with_hint(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name, uint32_t hint)
{
    (void)hint;
    __kmpc_critical(loc, gtid, name);
}

void __kmpc_end_critical(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name);
void __kmpc_end_critical(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name)
{
    (void)loc;
    (void)gtid;
    pthread_mutex_unlock(mutex_of(name));
}

/* ---- one thread of the team ---- */

int32_t __kmpc_master(hd_omp_ident *loc, int32_t gtid);
int32_t __kmpc_master(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
    return hd_omp_self()->num == 0;
}

void __kmpc_end_master(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_master(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
}

int32_t __kmpc_masked(hd_omp_ident *loc, int32_t gtid, int32_t filter);
int32_t __kmpc_masked(hd_omp_ident *loc, int32_t gtid, int32_t filter)
{
    (void)loc;
    (void)gtid;
    return hd_omp_self()->num == filter;
}

void __kmpc_end_masked(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_masked(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
}

/* The first to come does it, or who shall in this round: any thread can be. */
int32_t __kmpc_single(hd_omp_ident *loc, int32_t gtid);
int32_t __kmpc_single(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    if (t->team->size == 1)
        return 1;
    return hd_omp_spread_single(t, hd_omp_next_slot(t));
}

void __kmpc_end_single(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_single(hd_omp_ident *loc, int32_t gtid)
{
    (void)loc;
    (void)gtid;
}

void __kmpc_copyprivate(hd_omp_ident *loc, int32_t gtid, size_t size, void *data,
                        void (*copy)(void *, void *), int32_t did_it);
void __kmpc_copyprivate(hd_omp_ident *loc, int32_t gtid, size_t size, void *data,
                        void (*copy)(void *, void *), int32_t did_it)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    (void)size;
    if (did_it)
        t->team->copied = data;
    hd_omp_barrier(t);
    if (!did_it)
        copy(data, t->team->copied);
    hd_omp_barrier(t);
}

/* ---- reductions: each thread adds its part in a critical section ---- */

int32_t __kmpc_reduce_nowait(hd_omp_ident *loc, int32_t gtid, int32_t n, size_t size, void *data,
                             void (*reduce)(void *, void *), hd_omp_name *name);
int32_t __kmpc_reduce_nowait(hd_omp_ident *loc, int32_t gtid, int32_t n, size_t size, void *data,
                             void (*reduce)(void *, void *), hd_omp_name *name)
{
    (void)n;
    (void)size;
    (void)data;
    (void)reduce;
    __kmpc_critical(loc, gtid, name);
    return 1;
}

void __kmpc_end_reduce_nowait(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name);
void __kmpc_end_reduce_nowait(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name)
{
    __kmpc_end_critical(loc, gtid, name);
}

int32_t __kmpc_reduce(hd_omp_ident *loc, int32_t gtid, int32_t n, size_t size, void *data,
                      void (*reduce)(void *, void *), hd_omp_name *name);
int32_t __kmpc_reduce(hd_omp_ident *loc, int32_t gtid, int32_t n, size_t size, void *data,
                      void (*reduce)(void *, void *), hd_omp_name *name)
{
    return __kmpc_reduce_nowait(loc, gtid, n, size, data, reduce, name);
}

void __kmpc_end_reduce(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name);
void __kmpc_end_reduce(hd_omp_ident *loc, int32_t gtid, hd_omp_name *name)
{
    __kmpc_end_critical(loc, gtid, name);
    hd_omp_barrier(hd_omp_self());
}

/* ---- flush, scope ---- */

void __kmpc_flush(hd_omp_ident *loc);
void __kmpc_flush(hd_omp_ident *loc)
{
    (void)loc;
    atomic_thread_fence(memory_order_seq_cst);
}

void __kmpc_scope(hd_omp_ident *loc, int32_t gtid, void *reserved);
void __kmpc_scope(hd_omp_ident *loc, int32_t gtid, void *reserved)
{
    (void)loc;
    (void)gtid;
    (void)reserved;
}

void __kmpc_end_scope(hd_omp_ident *loc, int32_t gtid, void *reserved);
void __kmpc_end_scope(hd_omp_ident *loc, int32_t gtid, void *reserved)
{
    (void)loc;
    (void)gtid;
    (void)reserved;
}

/* ---- cancellation: OMP_CANCELLATION=true ---- */

enum { CANCEL_PARALLEL = 1, CANCEL_TASKGROUP = 4 };

bool hd_omp_loop_cancelled(const struct hd_omp_thread *t)
{
    return atomic_load_explicit(&t->team->cancelled, memory_order_relaxed) ||
           atomic_load_explicit(&t->team->loop_cancelled, memory_order_relaxed) == t->phase + 1;
}

static bool is_cancelled(const struct hd_omp_thread *t, int32_t kind)
{
    if (kind == CANCEL_TASKGROUP)
        return t->group && atomic_load(&t->group->cancelled);
    return kind == CANCEL_PARALLEL ? atomic_load(&t->team->cancelled) != 0
                                   : hd_omp_loop_cancelled(t);
}

int omp_get_cancellation(void);

int32_t __kmpc_cancel(hd_omp_ident *loc, int32_t gtid, int32_t kind);
int32_t __kmpc_cancel(hd_omp_ident *loc, int32_t gtid, int32_t kind)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    if (!omp_get_cancellation() || (kind == CANCEL_TASKGROUP && !t->group))
        return 0;
    if (kind == CANCEL_TASKGROUP)
        atomic_store(&t->group->cancelled, 1);
    else if (kind == CANCEL_PARALLEL)
        atomic_store(&t->team->cancelled, 1);
    else /* until the barrier at its end, which it must have */
        atomic_store_explicit(&t->team->loop_cancelled, t->phase + 1, memory_order_relaxed);
    return 1;
}

int32_t __kmpc_cancellationpoint(hd_omp_ident *loc, int32_t gtid, int32_t kind);
int32_t __kmpc_cancellationpoint(hd_omp_ident *loc, int32_t gtid, int32_t kind)
{
    (void)loc;
    (void)gtid;
    return omp_get_cancellation() && is_cancelled(hd_omp_self(), kind);
}

/* All meet here, from wherever they broke off. */
int32_t __kmpc_cancel_barrier(hd_omp_ident *loc, int32_t gtid);
int32_t __kmpc_cancel_barrier(hd_omp_ident *loc, int32_t gtid)
{
    struct hd_omp_thread *t = hd_omp_self();
    (void)loc;
    (void)gtid;
    hd_omp_barrier(t);
    t->broke_off = omp_get_cancellation() && is_cancelled(t, CANCEL_PARALLEL);
    return t->broke_off;
}
