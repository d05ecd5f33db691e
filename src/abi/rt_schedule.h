/* A schedule for policy `follow`: which thread does which event, in which order.
 *
 * The driver writes it to a file and names that in the environment (HD_SCHED_ENV); the runtime maps
 * it. One header, then the tables at the offsets that it names, in the machine's
 * order.
 *
 * Threads are named by their way of creation: the n-th one that a given parent created. An entry is
 * the next event of its thread (log/rt_log.h says what an event is), so events need no numbers;
 * one of kind HD_SCHED_ANY is the next `count` events, 1 for those of the property.
 * Its site, or code address where there is none, is an offset into a module. Modules are named by
 * their file. No address of a run ever stands here.
 *
 * The last n_first + n_second entries are those of the property. Before they run, both their
 * threads have to stand at the call that makes the first of each: that moment is logged
 * (HD_FOLLOW_STANDS, for each). After the last entry the program runs on under policy fifo; with
 * `stays` the thread of the last entry first, as long as it can. An
 * event that is not the one expected, or a thread that cannot come to its event, is logged
 * (HD_FOLLOW_DIVERGED) and ends the process.
 *
 * With `holds` none of them runs as an entry: when both threads stand, the second one waits before
 * its access while the others run on under policy fifo, until they cannot, or have done enough
 * (HD_FOLLOW_RELEASED).
 *
 * A schedule may ask for stacks instead: those of the entries with HD_SCHED_STACK, of the
 * allocations that it lists by number, and of every call that makes a lock. Such a run ends after
 * the last entry.
 */
#ifndef HEDDLE_RT_SCHEDULE_H
#define HEDDLE_RT_SCHEDULE_H

#include <stdint.h>

#define HD_SCHED_ENV   "HEDDLE_RT_SCHEDULE"
#define HD_SCHED_MAGIC UINT64_C(0x33484353544448) /* "HDTSCH3" */

#define HD_SCHED_MAX_MODULES 256
#define HD_SCHED_NO_MODULE   UINT16_MAX /* a module */
#define HD_SCHED_NO_THREAD   UINT32_MAX

/* Kinds beyond those of log/rt_log.h. */
enum {
    HD_SCHED_ANY = 254, /* whatever it is: it left nothing in the trace */
    HD_SCHED_ENDS = 255 /* no event: the thread runs to its end */
};

struct hd_sched_entry {
    uint64_t offset; /* of the site or code address in its module; 0: not known */
    uint32_t thread;
    uint32_t wakes;  /* signal: the thread to wake; or HD_SCHED_NO_THREAD */
    uint16_t module; /* HD_SCHED_NO_MODULE: not known */
    uint8_t kind;    /* enum hd_log_kind, or one of the above */
    uint8_t flags;   /* HD_SCHED_STACK */
    uint32_t count;  /* HD_SCHED_ANY: so many events in a row, at least 1; others: not used */
};
enum { HD_SCHED_STACK = 1 }; /* log the stack of the thread when it makes this event */
_Static_assert(sizeof(struct hd_sched_entry) == 24, "both sides agree");

struct hd_sched_thread {
    uint32_t parent; /* index; the first thread is 0 and has no parent */
    uint32_t child;  /* from 1 */
};

struct hd_sched_header {
    uint64_t magic;
    uint64_t bytes; /* of the whole file */
    uint32_t n_threads, n_modules;
    uint64_t n_entries;
    uint32_t n_first, n_second;
    uint32_t stays, holds;
    uint64_t threads; /* offset: struct hd_sched_thread[] */
    uint64_t modules; /* offset: uint64_t[], offsets of their paths */
    uint64_t entries; /* offset: struct hd_sched_entry[] */
    uint64_t stacks;  /* not 0: stacks are asked for; HD_SCHED_OWNERS: of owners of stacks, too */
    uint64_t n_blocks;
    uint64_t blocks; /* offset: uint64_t[], ascending: the n-th HD_LOG_ALLOC of the run, from 1 */
};

/* Word 1 of HD_LOG_FOLLOW; its contents are 64-bit words. */
enum hd_follow {
    HD_FOLLOW_STANDS = 1, /* struct hd_follow_stands, then the stack */
    HD_FOLLOW_DIVERGED,   /* struct hd_follow_diverged */
    HD_FOLLOW_FREE,       /* nothing: from here on the program runs under fifo */
    HD_FOLLOW_CRASH,      /* struct hd_follow_crash, then the stack */
    HD_FOLLOW_STACK,      /* struct hd_follow_stack, then the stack: of an entry; the last counts */
    HD_FOLLOW_BLOCK,      /* the same, of an allocation */
    HD_FOLLOW_MADE,       /* the same, of a call that makes a lock */
    HD_FOLLOW_OWNER,      /* struct hd_follow_owner, then frames of three words */
    HD_FOLLOW_RELEASED,   /* nothing: the thread that was held may go on */
};

struct hd_follow_stands {
    uint64_t which;         /* 0: the first of the property, 1: the second */
    uint64_t thread;        /* number in this run */
    uint64_t address, size; /* of the access; size 0: not known before it happens */
    uint64_t frames;
};

enum hd_diverged {
    HD_DIVERGED_EVENT = 1, /* another kind of event or another site */
    HD_DIVERGED_THREAD,    /* an event of another thread */
    HD_DIVERGED_BLOCKED,   /* the expected thread cannot go on */
    HD_DIVERGED_ENDED,     /* it has ended */
    HD_DIVERGED_UNBORN,    /* it was not created */
    HD_DIVERGED_LOG,       /* the log cannot be written */
    HD_DIVERGED_EXIT,      /* the process ended: only the driver can tell */
};

struct hd_follow_diverged {
    uint64_t entry;              /* index of the expected entry */
    uint64_t why;                /* enum hd_diverged */
    uint64_t thread, kind, site; /* what came: number in this run, kind of record, address */
    uint64_t waits, object;      /* BLOCKED: enum hd_waits, and what for */
};

struct hd_follow_crash {
    uint64_t signal, address, thread, frames;
};

struct hd_follow_stack {
    uint64_t what; /* entry, number of the allocation, address of the lock */
    uint64_t frames;
};

/* An access to memory of another thread. When it is on the stack of one that waits: the frames,
 * innermost first, each a code address, the frame pointer and the stack pointer of the function
 * there. */
#define HD_SCHED_OWNERS 2
struct hd_follow_owner {
    uint64_t entry, address;
    uint64_t pointer; /* the thread pointer that comes next behind the address; 0: none near */
    uint64_t frames;
};

#define HD_FOLLOW_FRAMES 64

#endif
