/* The raw log: what the runtime in the program under test leaves for the driver.
 *
 * A file shared by both sides: one header page, then chunks of HD_LOG_CHUNK bytes. The driver makes
 * the file, fills in the settings and names it in the environment (HD_LOG_ENV). The first
 * instrumented process that finds `owner` 0 claims it. Its n-th forked child (n up to
 * HD_LOG_CHILDREN) writes a file of its own with the same name and ".n": it starts where the
 * parent's NOTE of the fork stands, so the parent's records up to there belong to it as well. The
 * program that a recorded process becomes by exec writes to the name with ".x". Every other process
 * runs as if it were not instrumented. Only the holder of the token appends, so the order of the
 * file is the order of the run and needs no locks. The file is mapped shared: what was written
 * survives any death of the program.
 *
 * A record is a run of 64-bit words in the machine's order, wholly inside one chunk. Word 0 holds
 * the kind in bits 0-7, a small number `aux` in bits 8-15 and the code address or site in bits
 * 16-63 (user addresses have 47 bits). It is written last, so a record exists whole or not at all.
 * A kind of 0 ends the chunk; a chunk that starts with 0, or the end of the file, ends the log.
 *
 * Records belong to the thread of the latest HD_LOG_SWITCH. Thread 0 is the main thread and runs
 * first. A thread that runs without a FORK was created by code we do not see.
 */
#ifndef HEDDLE_RT_LOG_H
#define HEDDLE_RT_LOG_H

#include <stdint.h>

#define HD_LOG_ENV      "HEDDLE_RT_LOG"
#define HD_LOG_MAGIC    UINT64_C(0x31474f4c2d544448) /* "HDT-LOG1" */
#define HD_LOG_VERSION  1
#define HD_LOG_PAGE     4096
#define HD_LOG_CHILDREN 64
#define HD_LOG_CHUNK    (1u << 22) /* 4 MB: some 170 000 accesses between two calls of the system */

/* Kinds up to HD_LOG_LAST_EVENT are events: the thread numbers its own from 1, for the tokens of
 * heddle/rt_abi.h. `aux` of an access is its size in bytes (1 to 8, 0 for ranges) and flags. Access
 * words may be followed by a token of the address (HD_LOG_ADDR) and one of the value (HD_LOG_VAL);
 * a token that is left out is HD_TOK_NONE. Without HD_LOG_SITE nothing is known about dependences
 * and bits 16-63 are a code address.
 *
 * X(NAME, words after word 0, what they are). A count of 255 means: word 1, then a length in bytes
 * in word 2, then that many bytes, padded to whole words. */
#define HD_LOG_KINDS(X)                                                                            \
    X(END, 0, "nothing more in this chunk")                                                        \
    X(READ, 2, "address, value")                                                                   \
    X(WRITE, 2, "address, value")                                                                  \
    X(AREAD, 2, "address, value")                                                                  \
    X(AWRITE, 2, "address, value")                                                                 \
    X(RMW, 3, "address, old, new")                                                                 \
    X(RANGE_READ, 255, "address, bytes, contents")                                                 \
    X(RANGE_WRITE, 255, "address, bytes, contents")                                                \
    X(BRANCH, 1, "token")                                                                          \
    X(ACQ, 1, "lock")                                                                              \
    X(REL, 1, "lock")                                                                              \
    X(RACQ, 1, "lock")                                                                             \
    X(RREL, 1, "lock")                                                                             \
    X(TRYFAIL, 1, "lock")                                                                          \
    X(FORK, 1, "thread")                                                                           \
    X(JOIN, 1, "thread")                                                                           \
    X(WAIT, 2, "condition, lock")                                                                  \
    X(WAKE, 2, "condition, lock")                                                                  \
    X(TMO, 2, "condition, lock")                                                                   \
    X(SIG, 1, "condition")                                                                         \
    X(BCAST, 1, "condition")                                                                       \
    X(POST, 1, "semaphore")                                                                        \
    X(SEM, 1, "semaphore")                                                                         \
    X(BARIN, 1, "barrier")                                                                         \
    X(BAROUT, 1, "barrier")                                                                        \
    X(LOOK, 3, "HD_LOOK_*, object, value: a call told the program about the object's state")       \
    X(SET, 3, "HD_LOOK_*, object, value: that state changes")                                      \
    X(FREE, 1, "address")                                                                          \
    X(BEGIN, 0, "")                                                                                \
    X(LAST_EVENT, 0, "end of a block that is meant to be atomic")                                  \
    X(REL_FOR, 2, "lock, thread that held it: released by another one")                            \
    X(RREL_FOR, 2, "the same for the read side of a rwlock")                                       \
    X(MORE, 2, "role (0 value, 1 address), one more token for the thread's next record")           \
    X(SWITCH, 1, "thread that runs from here on")                                                  \
    X(STACK, 3, "thread, lowest address, end")                                                     \
    X(ALLOC, 2, "address, bytes")                                                                  \
    X(MAP, 2, "address, bytes")                                                                    \
    X(UNMAP, 2, "address, bytes")                                                                  \
    X(SEM_INIT, 2, "semaphore, count")                                                             \
    X(BARRIER_INIT, 2, "barrier, size")                                                            \
    X(MODULE, 255, "load bias, path")                                                              \
    X(SITES, 255, "address of the first site; number of sites in a word, sites, strings")          \
    X(NOTE, 255, "HD_NOTE_*, text")                                                                \
    X(HOLDS, 2, "thread, lock")                                                                    \
    X(WAITS, 3, "thread, HD_WAITS_*, object; the code address is where it waits")                  \
    X(FRAMES, 255, "thread, return addresses of its stack, innermost first")                       \
    X(NAME, 255, "thread, its name; or \"\", and the code address is where it starts")             \
    X(FOLLOW, 255, "enum hd_follow of heddle/rt_schedule.h, contents")

enum hd_log_kind {
#define HD_LOG_ENUM(name, words, what) HD_LOG_##name,
    HD_LOG_KINDS(HD_LOG_ENUM)
#undef HD_LOG_ENUM
        HD_LOG_KIND_COUNT
};

enum {
    HD_LOG_SIZE = 0x0f,
    HD_LOG_JOINED = 0x01, /* events without a size: made in the same call as the one before */
    HD_LOG_SITE = 0x10,   /* bits 16-63 are the address of a struct hd_site */
    HD_LOG_VAL = 0x20,
    HD_LOG_TEXT = 0x20, /* ranges: each byte decides whether the next one is read */
    HD_LOG_ADDR = 0x40,
    HD_LOG_PENDING = 0x80, /* write: the value is not there yet, and never will be after a crash;
                            * read: not seen, but the write that follows may be based on it */
};

enum hd_note {
    HD_NOTE_STUCK = 1,   /* the token was taken from a thread that did not move */
    HD_NOTE_UNMODELLED,  /* a call whose meaning for other threads we do not know */
    HD_NOTE_FOREIGN_REL, /* a lock was released by a thread that did not hold it */
    HD_NOTE_FORKED,  /* the program forked: the number of the child, or "" if it is not recorded */
    HD_NOTE_FOREIGN, /* a thread starts in code that is not instrumented: at the code address */
    HD_NOTE_EXEC,    /* the program replaced itself; the rest is not in this log */
};

/* State that docs/MODEL.md has no event for becomes an atomic location that is only in the trace if
 * somebody looked at it. The count of a semaphore changes by its own events: each is then also an
 * `rmw` of the location, right after it. The other kinds change by SET, which becomes an `aw`. A
 * LOOK is an `ar`. So an order that would change what the program was told makes a read stale. */
enum hd_look {
    HD_LOOK_COUNT = 1, /* of a semaphore or a pipe */
    HD_LOOK_END,       /* of a thread: 1 */
    HD_LOOK_DEAD,      /* of a robust mutex: 1 its owner died, 2 not recoverable */
    HD_LOOK_CANCEL,    /* of a thread: a request is there */
    HD_LOOK_CLOSED,    /* of a pipe: how often an end was closed; each time an `rmw` */
};

/* Objects without an address of their own. */
#define HD_PSEUDO_KIND(addr) ((unsigned)((addr) >> 60))
#define HD_PSEUDO(kind, n)   ((uint64_t)(kind) << 60 | (uint64_t)(n))
enum hd_pseudo {
    HD_PSEUDO_NONE,
    HD_PSEUDO_PIPE,   /* number of the channel, in order of first use */
    HD_PSEUDO_SIGNAL, /* thread << 8 | signal; thread HD_SIGNAL_ANY: sent to the process */
    HD_PSEUDO_WIDE,   /* address of 16 bytes that hold an atomic object of several locations */
    HD_PSEUDO_SOCKET, /* an address that is connected to and accepted from */
};
#define HD_SIGNAL_ANY 0xffffffu

enum hd_waits {
    HD_WAITS_LOCK = 1,
    HD_WAITS_COND,
    HD_WAITS_SEM,
    HD_WAITS_BARRIER,
    HD_WAITS_JOIN,
    HD_WAITS_FUTEX,
    HD_WAITS_OTHER,
};

#define HD_EXIT_DIVERGED 6  /* the same when it cannot follow its schedule */
#define HD_EXIT_DEADLOCK 66 /* what the program exits with when the scheduler ends it */

enum hd_outcome { HD_OUTCOME_NONE, HD_OUTCOME_EXIT, HD_OUTCOME_DEADLOCK, HD_OUTCOME_DIVERGED };

enum hd_policy_kind { HD_POLICY_FIFO, HD_POLICY_RANDOM, HD_POLICY_PCT, HD_POLICY_FOLLOW };

/* The first page. The driver writes the settings before the program starts; the runtime the rest.
 */
struct hd_log_header {
    uint64_t magic;
    uint32_t version;
    uint32_t policy; /* enum hd_policy_kind */
    uint64_t seed;
    uint64_t quantum; /* random: mean number of hooks between two choices */
    uint32_t depth;   /* pct: number of priority changes plus one */
    uint32_t steps;   /* pct: length of the run to spread the changes over, in hooks */
    uint32_t owner;   /* process that writes this log; 0: nobody yet */
    uint32_t outcome; /* enum hd_outcome */
    uint32_t lost;    /* errno of a failed extension: events are missing from there on */
    uint32_t threads;
    uint64_t chunks;       /* chunks in use */
    uint64_t real_base;    /* CLOCK_REALTIME at the start in ns; 0: take it and write it here */
    uint32_t asked_date;   /* the program asked for the date, so real_base matters */
    uint32_t asked_random; /* it asked for random numbers, so entropy matters */
    uint64_t entropy;      /* what random numbers of the system are made of */
    uint32_t pid; /* process id that it asked for; 0: it did not. A replay tells this one */
    uint32_t pad;
};
_Static_assert(sizeof(struct hd_log_header) <= HD_LOG_PAGE, "the header is one page");

#endif
