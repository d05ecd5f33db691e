/* Synchronisation objects of the program, as the scheduler sees them.
 *
 * State is kept beside the program's objects, found by address, so that nothing depends on how libc
 * lays them out, except the kind of a mutex (which static initialisers write there). An object
 * comes into being at its first use. Only the holder of the token may call these functions.
 */
#ifndef HD_RT_LIBC_SYNC_H
#define HD_RT_LIBC_SYNC_H

#include "rt/hooks/caller.h"
#include "rt/core/rt.h"

enum hd_sync_kind {
    HD_SYNC_LOCK = 1, /* mutex, rwlock, spinlock, once */
    HD_SYNC_COND,
    HD_SYNC_SEM,
    HD_SYNC_BARRIER,
    HD_SYNC_PIPE,
    HD_SYNC_ANNOTATED, /* count: releases */
};

struct hd_reader {
    struct hd_thread *thread;
    unsigned depth;
    struct hd_reader *next;
};

struct hd_sync {
    uint64_t key; /* hd_rt_views_key of addr */
    uintptr_t addr;
    enum hd_sync_kind kind;
    struct hd_thread *owner; /* LOCK: exclusive holder */
    struct hd_thread *heir;  /* holds it in the trace: it joined the owner; or NULL */
    unsigned depth;
    struct hd_reader *readers;
    unsigned waiters; /* threads that may be blocked on this object */
    unsigned writers; /* LOCK: of them, those who want it exclusively */
    bool robust, owner_dead, not_recoverable;
    uint64_t count;      /* SEM: value; BARRIER: size; PIPE: bytes written */
    uint64_t arrived;    /* BARRIER; PIPE: bytes read */
    uint64_t generation; /* BARRIER */
    int clock;           /* COND: for its timed waits */
    struct hd_sync *next;
};

/* The object at addr, made when it is not known. kind is part of the key. */
struct hd_sync *hd_rt_sync(const volatile void *addr, enum hd_sync_kind kind);
struct hd_sync *hd_rt_sync_find(const volatile void *addr, enum hd_sync_kind kind); /* or NULL */
void hd_rt_sync_reset(const volatile void *addr, enum hd_sync_kind kind); /* as if never used */
void hd_rt_sync_readdress(void); /* a view went: objects in it are known by another address */
void hd_rt_sync_each(enum hd_sync_kind kind, void (*visit)(struct hd_sync *));
void hd_rt_sem_before_fork(
    void); /* what a child may share is kept in libc's semaphores from here */
void hd_rt_sync_log_holders(void);
void hd_rt_sync_log_again(struct hd_thread *me);  /* what a forked child starts with */
void hd_rt_sync_owner_ends(struct hd_thread *me); /* robust mutexes of an ending thread */
/* me joins a thread that ended with locks, which any thread may release later: no event of a thread
 * comes after it was joined, so the trace has them with me from here on. */
void hd_rt_sync_inherit(const struct hd_thread *from, struct hd_thread *me, uintptr_t pc);

static inline struct hd_thread *hd_rt_sync_holder(const struct hd_sync *l) /* in the trace */
{
    return l->heir ? l->heir : l->owner;
}

/* Locks. Deadlines are virtual; HD_NEVER waits for ever, 0 does not wait. They log their events.
 * Results: 0, or HD_LOCK_TIMEOUT (a TRYFAIL was logged). */
#define HD_LOCK_TIMEOUT 1
int hd_rt_lock_acquire(struct hd_thread *me, struct hd_sync *l, uint64_t deadline, uintptr_t pc);
/* A try that got what it tried for: others now find it taken. */
static inline void hd_rt_tried(bool got)
{
    if (HD_UNLIKELY(rt.at_sync && got))
        hd_rt_sync_done();
}
void hd_rt_lock_release(struct hd_thread *me, struct hd_sync *l, uintptr_t pc);
/* Conditions: waits with lock l, which me holds. True: notified; false: the deadline passed. */
bool hd_rt_cond_wait(struct hd_thread *me, struct hd_sync *c, struct hd_sync *l, uint64_t deadline,
                     uintptr_t pc);
void hd_rt_cond_signal(struct hd_sync *c, bool all, uintptr_t pc);

/* A mutex is robust, recursive, ... */
int hd_rt_mutex_lock(struct hd_thread *me, pthread_mutex_t *m, uint64_t deadline, bool try_only,
                     uintptr_t pc);
int hd_rt_mutex_unlock(struct hd_thread *me, pthread_mutex_t *m, uintptr_t pc);
int hd_rt_cond_do(struct hd_thread *me, pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline,
                  uintptr_t pc);

/* Tells the program about the state of an object: log/rt_log.h, enum hd_look. What the program
 * does next depends on it, also where the pass takes the call's result for a constant. */
void hd_rt_look(enum hd_look kind, uint64_t object, uint64_t value, uintptr_t pc);
void hd_rt_set(enum hd_look kind, uint64_t object, uint64_t value, uintptr_t pc);
/* Before the object at addr is destroyed; no other thread may use it any more. */
void hd_rt_destroyed(const volatile void *addr, enum hd_destroyed what, uintptr_t pc);

#endif
