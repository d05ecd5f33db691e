/* What records LOOK and SET of the raw log (rt_log.h) are about. */
#ifndef HEDDLE_RT_LOOKS_H
#define HEDDLE_RT_LOOKS_H

/* State that docs/MODEL.md has no event for becomes an atomic location that is only in the trace if
 * a thread looked at it. The count of a semaphore changes by its own events: each is then also an
 * `rmw` of the location, right after it. The other kinds change by SET, which becomes an `aw`. A
 * LOOK is an `ar`. So an order that would change what a call returned to the program makes a read
 * stale. */
enum hd_look {
    HD_LOOK_COUNT = 1, /* of a semaphore or a pipe */
    HD_LOOK_END,       /* of a thread: 1 */
    HD_LOOK_DEAD,      /* of a robust mutex: 1 its owner died, 2 not recoverable */
    HD_LOOK_CANCEL,    /* of a thread: a request is there */
    HD_LOOK_CLOSED,    /* of a pipe: how often an end was closed; each time an `rmw` */
    HD_LOOK_LISTENS,   /* of a socket's address: 1 while a thread listens there */
    HD_LOOK_TAKEN,     /* of a pipe: bytes that were taken out, after a call that took some; in the
                        * trace if several threads take: an `rmw`, and a branch on what it reads */
    HD_LOOK_ASM,       /* inline assembly that could not be read: how often it ran so far; the same.
                        * It may be a lock: its order stays as it was */
    HD_LOOK_SYNC,      /* of an address: releases that the program annotates; each an `rmw` */
    HD_LOOK_BENIGN,  /* SET only: memory, as many bytes as the value: races are meant to be there */
    HD_LOOK_IGNORE,  /* SET only: 0 reads, 1 writes of the thread: 1 not to be looked at, 0 again */
    HD_LOOK_DESTROY, /* LOOK: a call found that the object has ended; SET: it ends, an enum
                      * hd_destroyed; a plain write of its memory if calls that use the object are
                      * not ordered with it (build/lock_memory.c)
                      */
    HD_LOOK_SENT,    /* SET only, of a pipe: the number of what is written, and a hash of its bytes
                      * (HD_SENT); in the trace if several threads write, and not always the same:
                      * an `rmw` of the pipe, and an `aw` of this number that hangs on it */
    HD_LOOK_CHUNK,   /* LOOK only, of a pipe: the first bytes of what has this number were read */
};

#define HD_SENT(number, hash) ((uint64_t)(number) << 32 | (hash)) /* hash 0: like nothing else */

enum hd_destroyed {
    HD_DESTROYED_MUTEX = 1,
    HD_DESTROYED_RWLOCK,
    HD_DESTROYED_SPIN,
    HD_DESTROYED_COND,
    HD_DESTROYED_SEM,
    HD_DESTROYED_BARRIER,
    HD_DESTROYED_LOCAL, /* not in SET: it has a record of its own, GONE */
};

#endif
