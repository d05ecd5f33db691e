/* The raw log: what the runtime in the program under test reports to the driver while it runs.
 *
 * Memory shared by both sides: a head, the keys of rt_pack.h by number, then a ring of HD_LOG_RING
 * chunks. The driver makes it (System V), fills in the settings and puts its id in the environment
 * (HD_LOG_ENV). The first instrumented process that finds `owner` 0 claims it. Its n-th forked
 * child (n up to HD_LOG_CHILDREN) writes a file of its own, named `family` and ".n", with the same
 * parts but all chunks one after the other: it starts where the parent's NOTE of the fork stands,
 * so the parent's records up to there belong to it as well, and it goes on with the parent's
 * guesses and keys. The program that a recorded process becomes by exec writes to the name with
 * ".x". Every other process runs as if it were not instrumented. Only the holder of the token
 * appends: the order of the log is that of the run, without locks. The driver takes finished chunks
 * away; the runtime waits when all are full. What was written survives any death.
 *
 * A chunk is a run of records in the bytes of rt_pack.h, ended by a byte 0 where one would
 * start. Those of the ring are left at HD_LOG_PART unless a record is longer. Chunk n lies in
 * place n % HD_LOG_RING, which the driver has zeroed. No record goes over its end. Records
 * belong to the thread of the latest HD_LOG_SWITCH. Thread 0 is the main thread and first. A
 * thread that runs without a FORK was created by code we do not see.
 */
#ifndef HEDDLE_RT_LOG_H
#define HEDDLE_RT_LOG_H

#include "log/rt_env.h"
#include "log/rt_looks.h"
#include "log/rt_omp.h"
#include "log/rt_policies.h"
#include "log/rt_uses.h"

#include <stdint.h>

#define HD_LOG_ENV       "HEDDLE_RT_LOG"
#define HD_LOG_MAGIC     UINT64_C(0x31474f4c2d544448) /* "HDT-LOG1" */
#define HD_LOG_VERSION   14
#define HD_LOG_HEAD      65536u     /* the header, then HD_LOG_NOTES bytes of text */
#define HD_LOG_CHUNK     (1u << 22) /* 4 MB: a record takes at most as much */
#define HD_LOG_PART      (1u << 19) /* chunks of the ring end here: what both sides use stays cached */
#define HD_LOG_LEAST     4096u      /* parts of a recording that must not be long */
#define HD_LOG_RING      8          /* how many chunks the driver may fall behind */
#define HD_LOG_CHILDREN  64
#define HD_LOG_TARGET    64         /* bytes for the name of a process */
#define HD_LOG_KEYS      (1u << 19) /* places times shapes */
#define HD_LOG_CHUNKS_AT (HD_LOG_HEAD + HD_LOG_KEYS * 8u)
#define HD_LOG_BYTES     (HD_LOG_CHUNKS_AT + (uint64_t)HD_LOG_RING * HD_LOG_CHUNK)

/* Kinds up to HD_LOG_LAST_EVENT are events: the thread numbers its own from 1, for the tokens of
 * abi/rt_abi.h. Every record has a small number `aux` and a place: a code address or the address
 * of a struct hd_site (HD_LOG_SITE). `aux` of an access is its size in bytes (1 to 8, 0 for ranges)
 * and flags. With HD_LOG_SITE an access has tokens; without it nothing is known about dependences.
 *
 * X(NAME, words, what they are). A count of 255 means: one word, then contents of any length. */
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
    X(GONE, 2, "address, bytes: the life of a local ends")                                         \
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
    X(MODULE, 255, "load bias, path; not in the log but among the notes behind the header")        \
    X(SITES, 255, "address of the first site; number of sites in a word, sites, strings")          \
    X(NOTE, 255, "HD_NOTE_*, text")                                                                \
    X(HOLDS, 2, "thread, lock")                                                                    \
    X(WAITS, 3, "thread, HD_WAITS_*, object; the code address is where it waits")                  \
    X(FRAMES, 255, "thread, return addresses of its stack, innermost first")                       \
    X(NAME, 255, "thread, its name; or \"\", and the code address is where it starts")             \
    X(OUTSIDE, 1, "events in it: code without hooks was called at the place, and came back")       \
    X(FOLLOW, 255, "enum hd_follow of abi/rt_schedule.h, contents")                                \
    X(ARRIVAL, 255, "enum hd_arrival of abi/rt_arrivals.h and an id, contents")                    \
    X(ORDER, 1,                                                                                    \
      "__ATOMIC_* of the thread's next atomic, before that of its site; or HD_LOG_FENCE")          \
    X(VIEW, 3, "address, object, offset: bytes of shared memory, where the next MAP is")

enum hd_log_kind {
#define HD_LOG_ENUM(name, words, what) HD_LOG_##name,
    HD_LOG_KINDS(HD_LOG_ENUM)
#undef HD_LOG_ENUM
        HD_LOG_KIND_COUNT
};

enum {
    HD_LOG_SIZE = 0x0f,
    HD_LOG_JOINED = 0x01,  /* events without a size: made in the same call as the one before */
    HD_LOG_TRY = 0x02,     /* ACQ, RACQ: the call does not wait for ever */
    HD_LOG_SITE = 0x10,    /* the place is the address of a struct hd_site */
    HD_LOG_TEXT = 0x20,    /* ranges: each byte decides whether the next one is read */
    HD_LOG_CALL = 0x40,    /* ranges: a BRANCH before told on what the arguments of the call depend;
                            * the range depends on nothing else but what the call itself read */
    HD_LOG_PENDING = 0x80, /* write: the program ended before its value was there;
                            * read: not seen, but the write that follows may be based on it */
};

enum hd_note {
    HD_NOTE_STUCK = 1,   /* the token was taken from a thread that did not move */
    HD_NOTE_UNMODELLED,  /* a call whose meaning for other threads we do not know */
    HD_NOTE_FOREIGN_REL, /* a lock was released by a thread that did not hold it */
    HD_NOTE_FORKED,  /* the program forked: the number of the child, or "" if it is not recorded */
    HD_NOTE_FOREIGN, /* a thread starts in code that is not instrumented: at the code address */
    HD_NOTE_EXEC,    /* the program replaced itself; the rest is not in this log */
    HD_NOTE_RULES,   /* lines of suppression rules that the program itself brings along */
    HD_NOTE_LOADED,  /* a module without instrumentation was loaded meanwhile: its name */
};

/* Objects without an address of their own. */
#define HD_PSEUDO_KIND(addr) ((unsigned)((addr) >> 60))
#define HD_PSEUDO(kind, n)   ((uint64_t)(kind) << 60 | (uint64_t)(n))
enum hd_pseudo {
    HD_PSEUDO_NONE,
    HD_PSEUDO_PIPE,      /* number of the channel, in order of first use */
    HD_PSEUDO_SIGNAL,    /* thread << 8 | signal; thread HD_SIGNAL_ANY: sent to the process */
    HD_PSEUDO_WIDE,      /* address of 16 bytes that hold an atomic object of several locations */
    HD_PSEUDO_SOCKET,    /* an address that is connected to and accepted from */
    HD_PSEUDO_ANNOTATED, /* address of what a lock guards whose own memory is not seen: one that
                          * the program makes itself and tells us of, or libc's of `environ` */
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

#define HD_RT_EXIT_DIVERGED 6  /* the same when it cannot follow its schedule */
#define HD_RT_EXIT_STEERED  65 /* the same when policy steer ends it */
#define HD_RT_EXIT_DEADLOCK 66 /* what the program exits with when the scheduler ends it */

enum hd_outcome {
    HD_OUTCOME_NONE,
    HD_OUTCOME_EXIT,
    HD_OUTCOME_DEADLOCK,
    HD_OUTCOME_DIVERGED,
    HD_OUTCOME_WAITS, /* a replay: all from outside came, and the program waits for more */
};

/* A write whose value comes at the thread's next entry into the runtime. If the program ends
 * before, the driver takes it from here. At most one at a time: only the holder of the token
 * writes. */
struct hd_log_pending {
    uint64_t pc, addr;
    uint64_t len;  /* 0: none; also written last */
    uint64_t kind; /* WRITE or RANGE_WRITE */
};

/* The driver writes the settings before the program starts, and `drained` and `stop`; the runtime
 * the rest. `filled` and `drained` are futex words that count chunks (they may wrap). */
struct hd_log_header {
    uint64_t magic;
    uint32_t version;
    uint32_t policy; /* enum hd_policy_kind */
    uint64_t seed;
    uint64_t quantum;     /* random: mean number of hooks between two choices */
    uint32_t depth;       /* pct: number of priority changes plus one */
    uint32_t steps;       /* pct: length of the run to spread the changes over, in hooks */
    uint64_t limit;       /* stop logging after the chunk with this event; 0: never */
    uint64_t max_size;    /* file of a child: stop at this many bytes; 0: never */
    uint32_t driver;      /* its process: when it is gone, nothing drains */
    uint32_t stop;        /* the driver cannot keep more: log nothing from here on */
    uint32_t owner;       /* process that writes this log; 0: none yet */
    uint32_t outcome;     /* enum hd_outcome */
    uint32_t wants_notes; /* something happened that only the whole log can explain */
    uint32_t threads, filled, drained;
    uint64_t events;                 /* up to events_end */
    uint64_t events_end;             /* bytes of the log, counted as if chunks were full */
    uint64_t used[HD_LOG_RING];      /* bytes of finished chunks, by place */
    uint64_t events_at[HD_LOG_RING]; /* `events` when the chunk in that place was finished */
    struct hd_log_pending pending;
    uint32_t notes_len; /* text behind the header, a line each: '0' + HD_NOTE_*, text; or for
                         * modules '0', load bias in 16 hex digits, path */
    uint32_t lost;      /* file of a child: errno, the rest could not be written */
    uint32_t own_file;  /* no ring: chunk n lies at its place in a file that grows */
    char family[2048];  /* start of the names of children's files; "": they are not recorded */
    uint32_t asked_date, took; /* it asked for the date: real_base matters; enum hd_took bits */
    uint64_t real_base;        /* CLOCK_REALTIME at the start in ns; 0: take it and write it here */
    uint64_t entropy;          /* what random numbers of the system are made of */
    uint32_t asked_random;     /* it asked for random numbers, so entropy matters */
    uint32_t pid; /* process id that it asked for; 0: it did not. A replay returns this one */
    /* A replay of another process than the first: those before it run as they were recorded. */
    uint32_t root;       /* length of `family` in the first process: what follows names a process */
    uint32_t status;     /* the process exited with this, plus 1; 0: it did not */
    uint32_t target_pid; /* what `pid` is in that process */
    char target[HD_LOG_TARGET]; /* ".2", ".1.x"; "": the first process */
    uint64_t exit_steps;        /* hooks of threads that run on when the process ends */
    uint32_t resting; /* all threads that can run poll in vain, and rest between their turns */
    struct hd_env_read env_read;
    uint32_t strangers; /* an instrumented program ran in another process, and is not recorded */
    struct hd_omp_needs omp;
    uint32_t preload, late, instrumented; /* preload.h; it was needed; a module of ours ran */
    struct hd_uses uses;
};
#define HD_LOG_ASSEMBLY "inline assembly" /* these two: code ran that is not seen */
#define HD_LOG_STRANGERS                                                                           \
    "an instrumented program that it started (posix_spawn, system, popen; it is not recorded)"
#define HD_LOG_NOTES_AT 4096u
#define HD_LOG_NOTES    (HD_LOG_HEAD - HD_LOG_NOTES_AT)
_Static_assert(sizeof(struct hd_log_header) <= HD_LOG_NOTES_AT, "the notes follow the header");
_Static_assert(HD_LOG_KIND_COUNT <= 63, "a kind has six bits");

/* Bytes of a recording of at most so many (0: any number) that its log may take; the rest is for
 * names. */
static inline uint64_t hd_log_share(uint64_t max_size)
{
    return max_size - max_size / 8;
}

/* Where a chunk of the ring ends: a log that stops between two has room for some. */
static inline uint32_t hd_log_part(uint64_t max_size)
{
    uint64_t part = max_size ? max_size / 16 : HD_LOG_PART;
    return part > HD_LOG_PART ? HD_LOG_PART : part < HD_LOG_LEAST ? HD_LOG_LEAST : (uint32_t)part;
}

#endif
