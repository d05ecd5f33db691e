/* The functions of omp.h. */
#include "openmp/omp_team.h"

#include "heddle/openmp/omp.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* ---- teams ---- */

/* What a task sets holds for itself. */
static struct hd_omp_icv *own_settings(void)
{
    struct hd_omp_thread *t = hd_omp_self();
    hd_omp_own(t);
    return &t->icv;
}

void omp_set_num_threads(int n)
{
    own_settings()->threads = n > 0 ? n : 1;
}

int omp_get_num_threads(void)
{
    return hd_omp_self()->team->size;
}

int omp_get_max_threads(void)
{
    const struct hd_omp_thread *t = hd_omp_self();
    return t->icv.threads ? t->icv.threads : hd_omp_default_threads();
}

int omp_get_thread_num(void)
{
    return hd_omp_self()->num;
}

int omp_get_num_procs(void)
{
    return (int)sysconf(_SC_NPROCESSORS_ONLN);
}

int omp_in_parallel(void)
{
    return hd_omp_self()->team->active_level > 0;
}

int omp_in_final(void)
{
    return hd_omp_self()->final;
}

void omp_set_dynamic(int on)
{
    own_settings()->dynamic = on != 0;
}

int omp_get_dynamic(void)
{
    return hd_omp_self()->icv.dynamic;
}

void omp_set_nested(int on)
{
    own_settings()->max_levels = on ? 1 << 30 : 1;
}

int omp_get_nested(void)
{
    return hd_omp_self()->icv.max_levels > 1;
}

void omp_set_max_active_levels(int n)
{
    if (n >= 0)
        own_settings()->max_levels = n;
}

int omp_get_max_active_levels(void)
{
    return hd_omp_self()->icv.max_levels;
}

int omp_get_supported_active_levels(void)
{
    return 1 << 30;
}

int omp_get_level(void)
{
    return hd_omp_self()->team->level;
}

int omp_get_active_level(void)
{
    return hd_omp_self()->team->active_level;
}

static const struct hd_omp_thread *at_level(int level)
{
    const struct hd_omp_thread *t = hd_omp_self();
    while (t && t->team->level > level)
        t = t->team->parent;
    return t && level >= 0 && t->team->level == level ? t : NULL;
}

int omp_get_ancestor_thread_num(int level)
{
    const struct hd_omp_thread *t = at_level(level);
    return t ? t->num : -1;
}

int omp_get_team_size(int level)
{
    const struct hd_omp_thread *t = at_level(level);
    return t ? t->team->size : -1;
}

int omp_get_thread_limit(void)
{
    return 4000; /* live threads of a recorded program */
}

int omp_get_cancellation(void)
{
    const char *text = getenv("OMP_CANCELLATION");
    return text && (*text == 't' || *text == 'T' || *text == '1');
}

int omp_get_num_teams(void)
{
    return hd_omp_self()->team->num_teams;
}

int omp_get_team_num(void)
{
    return hd_omp_self()->team->team_num;
}

void omp_set_schedule(omp_sched_t kind, int chunk)
{
    struct hd_omp_icv *icv = own_settings();
    int plain = (int)kind & 7;
    icv->schedule = plain >= 1 && plain <= 4 ? plain : 1;
    icv->chunk = chunk > 0 ? chunk : 0;
}

void omp_get_schedule(omp_sched_t *kind, int *chunk)
{
    const struct hd_omp_thread *t = hd_omp_self();
    *kind = (omp_sched_t)t->icv.schedule;
    *chunk = (int)t->icv.chunk;
}

omp_proc_bind_t omp_get_proc_bind(void)
{
    return omp_proc_bind_false;
}

int omp_get_max_task_priority(void)
{
    return 0;
}

/* ---- devices: the host only ---- */

int omp_get_num_devices(void)
{
    return 0;
}

int omp_get_default_device(void)
{
    return 0;
}

void omp_set_default_device(int device)
{
    (void)device;
}

int omp_is_initial_device(void)
{
    return 1;
}

int omp_get_initial_device(void)
{
    return 0;
}

/* ---- locks ---- */

/* A lock is where the program has it, so that reports call it by its variable: of the locks that
 * the runtime models a spinlock fits into 8 bytes, and threads that wait for it do not spin there.
 */
static pthread_spinlock_t *spin_of(omp_lock_t *lock)
{
    _Static_assert(sizeof(pthread_spinlock_t) <= sizeof lock->_lk, "a lock fits");
    return (pthread_spinlock_t *)(void *)&lock->_lk;
}

void omp_init_lock(omp_lock_t *lock)
{
    pthread_spin_init(spin_of(lock), PTHREAD_PROCESS_PRIVATE);
}

void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_lock(lock);
}

void omp_destroy_lock(omp_lock_t *lock)
{
    pthread_spin_destroy(spin_of(lock));
}

void omp_set_lock(omp_lock_t *lock)
{
    pthread_spin_lock(spin_of(lock));
}

void omp_unset_lock(omp_lock_t *lock)
{
    pthread_spin_unlock(spin_of(lock));
}

int omp_test_lock(omp_lock_t *lock)
{
    return pthread_spin_trylock(spin_of(lock)) == 0;
}

struct nest_lock {
    pthread_mutex_t mutex; /* recursive */
    int depth;             /* how often its owner has it; only the owner touches it */
};

void omp_init_nest_lock(omp_nest_lock_t *lock)
{
    struct nest_lock *l = hd_omp_alloc(sizeof *l);
    pthread_mutexattr_t attr;
    pthread_mutexattr_init(&attr);
    pthread_mutexattr_settype(&attr, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&l->mutex, &attr);
    pthread_mutexattr_destroy(&attr);
    lock->_lk = l;
}

void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint)
{
    (void)hint;
    omp_init_nest_lock(lock);
}

void omp_destroy_nest_lock(omp_nest_lock_t *lock)
{
    struct nest_lock *l = lock->_lk;
    pthread_mutex_destroy(&l->mutex);
    free(l);
}

void omp_set_nest_lock(omp_nest_lock_t *lock)
{
    struct nest_lock *l = lock->_lk;
    pthread_mutex_lock(&l->mutex);
    l->depth++;
}

void omp_unset_nest_lock(omp_nest_lock_t *lock)
{
    struct nest_lock *l = lock->_lk;
    l->depth--;
    pthread_mutex_unlock(&l->mutex);
}

int omp_test_nest_lock(omp_nest_lock_t *lock)
{
    struct nest_lock *l = lock->_lk;
    return pthread_mutex_trylock(&l->mutex) ? 0 : ++l->depth;
}

/* ---- time and memory ---- */

double omp_get_wtime(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

double omp_get_wtick(void)
{
    return 1e-9;
}

void *omp_alloc(size_t size, omp_allocator_handle_t allocator)
{
    (void)allocator;
    return malloc(size);
}

void omp_free(void *p, omp_allocator_handle_t allocator)
{
    (void)allocator;
    free(p);
}

void *__kmpc_alloc(int gtid, size_t size, void *allocator);
void *__kmpc_alloc(int gtid, size_t size, void *allocator)
{
    (void)gtid;
    (void)allocator;
    return malloc(size);
}

void __kmpc_free(int gtid, void *p, void *allocator);
void __kmpc_free(int gtid, void *p, void *allocator)
{
    (void)gtid;
    (void)allocator;
    free(p);
}
