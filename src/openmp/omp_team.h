/* OpenMP on threads: the entry points that clang emits (__kmpc_*) and the functions of omp.h.
 *
 * This library is ordinary C on pthreads, compiled with our own pass and linked by `heddle cc
 * -fopenmp` in place of LLVM's. So recording, prediction, replay and exploration see every step of
 * it as they see the program's own: a team is threads that are created and joined, a barrier is a
 * barrier, `critical` is a mutex, chunks of a dynamic loop come from an atomic counter, and an
 * explicit task is a thread of its own, because any member of the team may run it.
 *
 * What must not happen here: synchronisation that OpenMP does not promise. It would hide races.
 * Shared state is therefore made before the team's threads are created, never by the first thread
 * that comes along.
 */
#ifndef HD_OPENMP_OMP_TEAM_H
#define HD_OPENMP_OMP_TEAM_H

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct hd_omp_ident { /* where a construct stands; the compiler fills it */
    int32_t reserved1, flags, reserved2, reserved3;
    const char *source;
} hd_omp_ident;
typedef void (*hd_omp_micro)(int32_t *gtid, int32_t *tid, ...);

/* A worksharing construct of a team: dynamic loop, single, ordered loop, doacross loop. Zero when
 * it is first used. */
struct hd_omp_slot {
    _Atomic uint64_t next;    /* iterations or turns that have been handed out */
    uint64_t turn;            /* ordered: the iteration whose turn it is; under the team's lock */
    _Atomic(sem_t *) flags;   /* doacross: one for each iteration */
    _Atomic uint64_t members; /* doacross: that have ended it */
};

#define HD_OMP_SLOTS 256 /* constructs that a thread can pass between two barriers */

/* Created and not yet joined tasks. */
struct hd_omp_tasks {
    struct hd_omp_task **items;
    size_t n, cap;
};

struct hd_omp_group { /* taskgroup */
    struct hd_omp_group *outer;
    struct hd_omp_team *team;
    pthread_mutex_t lock;
    struct hd_omp_tasks left; /* whose parents ended without waiting for them; under the lock */
    _Atomic int cancelled;
    struct hd_omp_reduction *reductions;
};

struct hd_omp_team {
    struct hd_omp_thread *threads, *parent;
    int size, level, active_level;
    hd_omp_micro micro;
    int argc;
    void **args;
    pthread_barrier_t barrier;
    pthread_mutex_t lock; /* for turn */
    pthread_cond_t turned;
    struct hd_omp_slot (*slots)[HD_OMP_SLOTS]; /* two banks, in turn from barrier to barrier */
    int round;                /* division of what may be divided (omp_spread.c); -1: by chance */
    _Atomic uint8_t *claims;  /* of a round: for each slot, for each member */
    struct hd_omp_group rest; /* tasks without a taskgroup whose parents ended before them */
    _Atomic uint64_t left;    /* tasks that came into rest, ever */
    _Atomic int cancelled;    /* the region */
    _Atomic uint64_t loop_cancelled; /* loop or sections: the phase in which, plus 1 */
    void *copied;                    /* copyprivate */
    int num_teams, team_num;         /* of the league that the team is in */
};

/* The deferred part of a data environment: what `task` and `parallel` hand on. */
struct hd_omp_icv {
    int threads;  /* of the next parallel region; 0: default */
    int schedule; /* of schedule(runtime) */
    int64_t chunk;
    int dynamic, max_levels;
};

/* A member of a team, or a task on a thread of its own. */
struct hd_omp_thread {
    struct hd_omp_team *team;
    int num; /* in the team */
    struct hd_omp_icv icv;
    int pushed_threads, pushed_teams, pushed_limit; /* clauses for the next region; 0: none */
    unsigned bank, slot;                            /* the next construct */
    uint64_t phase;                                 /* barriers of the team that it has passed */
    uint64_t left_seen;
    struct hd_omp_slot *loop;
    struct hd_omp_range {
        uint64_t count, chunk; /* iterations are 0 to count - 1 */
        int64_t lower, step;
        bool guided, ordered, done, serial;
        int parts;        /* static schedule of an ordered loop: the next part; -1: not static */
        uint64_t at, end; /* ordered: the iteration that runs, and the end of its chunk */
        bool passed;      /* ordered: it had its turn */
        struct hd_omp_spread {
            bool on, whole; /* whole: the loop is `only` one member's */
            int only;
            int owner, looked;         /* whose parts we take; -1: none; members looked at */
            uint64_t weight, part, at; /* of the digit; the next part, its first iteration */
        } spread;
    } range;
    struct hd_omp_doacross {
        struct hd_omp_slot *slot;
        sem_t *flags;
        int dims;
        struct hd_omp_dim *dim;
        uint64_t total;
    } across;
    struct hd_omp_task *task; /* the explicit task that runs; NULL: the implicit one */
    struct hd_omp_tasks children;
    struct hd_omp_deps *deps;        /* of the children, by address */
    struct hd_omp_group *group;      /* innermost taskgroup */
    struct hd_omp_private *privates; /* threadprivate copies */
    bool final, broke_off;           /* broke_off: the region was cancelled */
    unsigned plain; /* undeferred tasks that it runs inside each other, since the last one that has
                       children, deps, icv and final of its own; 0: these are of the innermost */
    struct hd_omp_kept *kept; /* those of the outer ones; hd_omp_own */
    pthread_t handle;
    struct hd_omp_thread *outer; /* of a serialised region: what the thread was before */
};

struct hd_omp_thread *hd_omp_self(void); /* the calling thread; an initial one is made for others */
struct hd_omp_thread *
hd_omp_known_self(void); /* the same, where a call came before on the thread */
void hd_omp_set_self(struct hd_omp_thread *t);
struct hd_omp_slot *hd_omp_next_slot(struct hd_omp_thread *t);
_Noreturn void hd_omp_fail(const char *what);
void *hd_omp_alloc(size_t bytes); /* zero */

/* ---- omp_team.c ---- */
void hd_omp_barrier(struct hd_omp_thread *t);
int hd_omp_default_threads(void);

/* ---- omp_spread.c ---- */
int hd_omp_first_round(void);
void hd_omp_open_team(int size); /* reports to the tool that the program leaves this size open */
void hd_omp_spread_begin(struct hd_omp_thread *t); /* of t->range in t->loop */
bool hd_omp_spread_next(struct hd_omp_thread *t, uint64_t *first, uint64_t *n);
bool hd_omp_spread_single(struct hd_omp_thread *t, struct hd_omp_slot *slot); /* it is ours */
/* Of n sections, in a team of several and a round: those of this member. */
void hd_omp_spread_sections(const struct hd_omp_thread *t, uint64_t n, uint64_t *first,
                            uint64_t *count);

/* ---- omp_sync.c ---- */
bool hd_omp_loop_cancelled(const struct hd_omp_thread *t);

/* ---- omp_tasks.c ---- */
void hd_omp_join_children(struct hd_omp_thread *t); /* taskwait */
void hd_omp_drain(struct hd_omp_group *g);          /* waits for all in g->left, and theirs */
void hd_omp_deps_free(struct hd_omp_thread *t);
/* An undeferred task has nothing of its own until it changes something: before that, this. */
void hd_omp_own(struct hd_omp_thread *t);

void __kmpc_taskgroup(hd_omp_ident *loc, int32_t gtid);
void __kmpc_end_taskgroup(hd_omp_ident *loc, int32_t gtid);

/* ---- omp_reduce.c ---- */
void hd_omp_end_reductions(struct hd_omp_group *g); /* adds up what its tasks have */

/* ---- omp_private.c ---- */
void hd_omp_privates_keep(struct hd_omp_thread *t); /* they outlive the region */
void hd_omp_privates_fetch(struct hd_omp_thread *t);

#endif
