/* omp.h for clangs that come without one. Where clang has its own, that one is found first; both
 * declare the same functions, which libheddle_omp.so defines. */
#ifndef HD_OPENMP_OMP_H
#define HD_OPENMP_OMP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct omp_lock_t {
    void *_lk;
} omp_lock_t;
typedef struct omp_nest_lock_t {
    void *_lk;
} omp_nest_lock_t;

typedef enum omp_sched_t {
    omp_sched_static = 1,
    omp_sched_dynamic = 2,
    omp_sched_guided = 3,
    omp_sched_auto = 4,
    omp_sched_monotonic = (int)0x80000000
} omp_sched_t;

typedef enum omp_proc_bind_t {
    omp_proc_bind_false = 0,
    omp_proc_bind_true = 1,
    omp_proc_bind_master = 2,
    omp_proc_bind_close = 3,
    omp_proc_bind_spread = 4
} omp_proc_bind_t;

typedef enum omp_sync_hint_t {
    omp_sync_hint_none = 0,
    omp_sync_hint_uncontended = 1,
    omp_sync_hint_contended = 2,
    omp_sync_hint_nonspeculative = 4,
    omp_sync_hint_speculative = 8
} omp_sync_hint_t;

typedef uintptr_t omp_allocator_handle_t;
typedef void *omp_event_handle_t;

void omp_set_num_threads(int n);
int omp_get_num_threads(void);
int omp_get_max_threads(void);
int omp_get_thread_num(void);
int omp_get_num_procs(void);
int omp_in_parallel(void);
int omp_in_final(void);
void omp_set_dynamic(int on);
int omp_get_dynamic(void);
void omp_set_nested(int on);
int omp_get_nested(void);
void omp_set_max_active_levels(int n);
int omp_get_max_active_levels(void);
int omp_get_supported_active_levels(void);
int omp_get_level(void);
int omp_get_active_level(void);
int omp_get_ancestor_thread_num(int level);
int omp_get_team_size(int level);
int omp_get_thread_limit(void);
int omp_get_cancellation(void);
int omp_get_num_teams(void);
int omp_get_team_num(void);
void omp_set_schedule(omp_sched_t kind, int chunk);
void omp_get_schedule(omp_sched_t *kind, int *chunk);
omp_proc_bind_t omp_get_proc_bind(void);
int omp_get_max_task_priority(void);

int omp_get_num_devices(void);
int omp_get_default_device(void);
void omp_set_default_device(int device);
int omp_is_initial_device(void);
int omp_get_initial_device(void);

void omp_init_lock(omp_lock_t *lock);
void omp_init_lock_with_hint(omp_lock_t *lock, omp_sync_hint_t hint);
void omp_destroy_lock(omp_lock_t *lock);
void omp_set_lock(omp_lock_t *lock);
void omp_unset_lock(omp_lock_t *lock);
int omp_test_lock(omp_lock_t *lock);
void omp_init_nest_lock(omp_nest_lock_t *lock);
void omp_init_nest_lock_with_hint(omp_nest_lock_t *lock, omp_sync_hint_t hint);
void omp_destroy_nest_lock(omp_nest_lock_t *lock);
void omp_set_nest_lock(omp_nest_lock_t *lock);
void omp_unset_nest_lock(omp_nest_lock_t *lock);
int omp_test_nest_lock(omp_nest_lock_t *lock);

double omp_get_wtime(void);
double omp_get_wtick(void);
void omp_fulfill_event(omp_event_handle_t event);
void *omp_alloc(size_t size, omp_allocator_handle_t allocator);
void omp_free(void *p, omp_allocator_handle_t allocator);

#ifdef __cplusplus
}
#endif

#endif
