/* Policy `steer`: the driver chooses the thread of the next step, the runtime reports what the
 * steps were.
 *
 * Memory shared by both sides (System V); its id stands in the environment (HD_STEER_ENV). The
 * driver writes the plan before the program starts; the runtime writes operations while it runs.
 * What was written survives any death of the program.
 *
 * A step is what a thread does between two moments at which it could have been held up: at the
 * start of a call into the runtime, and where it blocks. It is a run of operations that starts with
 * a record HD_STEER_STEP. Operations are the events of log/rt_log.h that another thread may
 * notice, and what is needed to name memory (HD_LOG_ALLOC and others); branches are left out.
 *
 * The plan is a list of choices, each one step of a thread, and rules for what comes after it: the
 * thread that ran last goes on as long as it can, then the one that has been ready for longest.
 * Sleepers are not to run before another thread does something that depends on the step they are
 * about to do; when no other thread is left, the execution is redundant and ends. Parked threads do
 * not run at all. A thread that waits with a deadline may be chosen at any time: its time is then
 * up. Without a choice that happens only when no other thread can run.
 *
 * A thread that ends the process or crashes is held where it is until no other thread can run. So
 * every execution shows all that the other threads can still do.
 */
#ifndef HEDDLE_RT_STEER_H
#define HEDDLE_RT_STEER_H

#include "log/rt_log.h"

#include <stdbool.h>
#include <stdint.h>

#define HD_STEER_ENV     "HEDDLE_RT_STEER"
#define HD_SERVE_ENV     "HEDDLE_RT_SERVE"            /* descriptor: src/rt/core/fork_server.c */
#define HD_STEER_MAGIC   UINT64_C(0x3152454554534448) /* "HDSTEER1" */
#define HD_STEER_THREADS 64                           /* at most: sets of threads are one word */
#define HD_STEER_NOBODY  UINT32_MAX

/* Kinds beyond those of log/rt_log.h. */
enum {
    HD_STEER_STEP = 200, /* a step starts; addr: set of threads that may run, by number */
};

enum {
    HD_STEER_SITE = 1,     /* site is a struct hd_site */
    HD_STEER_TIMED = 2,    /* made by a call that does not wait for ever: it can always run */
    HD_STEER_NO_VALUE = 4, /* `value` is not known: ranges, what is written later */
};

struct hd_steer_op {
    uint64_t addr;  /* of the memory or object; a thread's number for FORK and JOIN */
    uint64_t other; /* WAIT, WAKE, TMO: the lock; SIG: the set of waiters; LOOK, SET: the kind; RMW:
                       the old value */
    uint64_t value; /* of an access: what is read or written; LOOK, SET: the state */
    uint64_t site;
    uint32_t size;  /* bytes; SEM_INIT, BARRIER_INIT: the number */
    uint32_t count; /* events of the thread, this one included */
    uint32_t wakes; /* SIG: the thread that it wakes, by number; or HD_STEER_NOBODY */
    uint16_t thread;
    uint8_t kind; /* enum hd_log_kind, or HD_STEER_STEP */
    uint8_t flags;
};
_Static_assert(sizeof(struct hd_steer_op) == 48, "both sides agree");

/* One step of a thread. Threads are indices into the table of the plan. */
struct hd_steer_choice {
    uint32_t thread;
    uint32_t
        until; /* it runs until it has had so many events; 0: one step that others may notice */
    uint32_t wakes; /* of its signal: whom; or HD_STEER_NOBODY for the one that waits longest */
};

struct hd_steer_sleeper {
    uint32_t thread;
    uint32_t first, n; /* operations of its next step, among the plan's */
};

/* A thread by its way of creation: the n-th one that its parent created. The first is 0. */
struct hd_steer_thread {
    uint32_t parent;
    uint32_t child; /* from 1 */
};

enum hd_steer_end {
    HD_STEER_RUNS,      /* it has not ended, or died in a way the runtime did not see */
    HD_STEER_EXIT,      /* the process ended itself */
    HD_STEER_CRASH,     /* a thread crashed; no other thread can run */
    HD_STEER_DEADLOCK,  /* no thread can run */
    HD_STEER_REDUNDANT, /* only sleepers could run */
    HD_STEER_PARKED,    /* only parked threads could run */
    HD_STEER_CUT,       /* as many operations as there is room for */
    HD_STEER_BLOCKED,   /* the thread of a choice could not do a step */
    HD_STEER_DIVERGED,  /* a choice names a thread that is not there */
    HD_STEER_CROWDED,   /* more than HD_STEER_THREADS threads */
};

/* What the run did that the operations do not show, while it had more than one thread: steps that
 * look independent may not be. */
enum {
    HD_STEER_FOREIGN_RELEASE = 1, /* of a lock that another thread held */
    HD_STEER_UNMAPPED = 2,        /* memory went away or was protected */
    HD_STEER_UNMODELLED = 4,      /* HD_NOTE_UNMODELLED */
    HD_STEER_FUTEX = 8,           /* a wake or a requeue through the system call */
    HD_STEER_INPUT = 16,          /* state of the system or of libc: files, clocks, rand */
};

/* How a thread of the run stood in the end. */
struct hd_steer_state {
    uint32_t parent, child; /* by number; HD_STEER_NOBODY: not created by the program */
    uint32_t waits;         /* enum hd_waits while it is blocked; else 0 */
    uint32_t count;         /* its events */
    uint64_t object;        /* that it waits for: address, or number of a thread */
    uint64_t site;          /* where it stands */
    uint64_t addr, size;    /* of the access at which it stands, if known */
    uint32_t ended;         /* 1: it is over; 2: it crashed; 3: it ended the process */
    uint32_t timed;         /* it waits with a deadline */
    int32_t signal;         /* of the crash */
    uint32_t pad;
};

struct hd_steer_header {
    uint64_t magic;
    /* the plan */
    uint32_t n_threads, n_choices, n_sleepers, n_plan_ops;
    uint64_t parked; /* set of threads, by index */
    uint32_t first;  /* thread to prefer when nothing else is said, by index; or HD_STEER_NOBODY */
    uint32_t silent; /* no operations are wanted: the log is written instead */
    uint64_t threads, choices, sleepers, plan_ops; /* where, from the start of this memory */
    /* the run */
    uint64_t ops;    /* where; set by the driver */
    uint64_t room;   /* for how many */
    uint64_t n_ops;  /* written last */
    uint32_t chosen; /* choices that were carried out */
    uint32_t end;    /* enum hd_steer_end */
    uint32_t n_states;
    uint32_t untold;                                /* set of HD_STEER_FOREIGN_RELEASE and so on */
    struct hd_steer_state states[HD_STEER_THREADS]; /* filled in at the end */
};

#endif
