/* What a walk over the raw log keeps of each thread. Part of build/walk_state.h. */
#ifndef HD_BUILD_WALK_THREAD_H
#define HD_BUILD_WALK_THREAD_H

#include "base/vec.h"
#include "log/rt_log.h"
#include "trace/trace.h"

/* Calls of code without hooks, with no synchronisation of the thread between them: what they wrote
 * unseen, they wrote at one place as far as other threads can tell. */
struct hd_walk_window {
    uint32_t last;  /* the last of them came back before this event */
    uint32_t syncs; /* of the thread, until then */
    bool exact;     /* no events in them */
};

struct hd_walk_read {
    uint32_t event;
    bool decided; /* an event of the thread could not have run if it were stale */
};

#define HD_WALK_SET (UINT32_C(1) << 31)

/* What the record with this id read. */
struct hd_walk_known {
    uint32_t id;
    uint32_t ref; /* index into reads; or HD_WALK_SET and a set of them: it is no event itself */
};

struct hd_walk_thread {
    char *name;     /* NULL: not seen yet */
    char title[64]; /* what the program calls it, or its first function; "": not known */
    hd_tid tid;
    uint32_t children;
    uint32_t forked;          /* its first fork since its last join: event number, or 0 */
    uint32_t branched;        /* entries of known that the last branch on all covers */
    uint32_t call_reads;      /* the same of the call at hand: made before it, or branched on */
    struct hd_vec reads;      /* struct hd_walk_read: the thread's reads that are events */
    struct hd_vec known;      /* struct hd_walk_known: on what its reads depend, by id */
    struct hd_u32vec tainted; /* sieve.c: ids of steps that may read what others wrote */
    uint32_t steps;           /* runtime id (from 1) of its last record that is an event */
    uint32_t inherited;       /* runtime ids that an ancestor used up before it forked */
    uint32_t holds;           /* MARK: locks held and blocks open */
    struct hd_vec locks;      /* MARK: uint64_t: its number, then its locks: held_locks.c */
    uint32_t holding;         /* MARK: the number of that, from 1; 0: not asked for yet */
    uint32_t made;            /* its events in this walk, without inserted ones */
    uint32_t point;     /* handed_memory.c: where it is; 0: nothing noted since its last event */
    uint32_t blocks;    /* the same: locks held and blocks open */
    uint32_t block;     /* number of the outermost of them; 0: none */
    bool begun;         /* it has an event */
    bool reads_last;    /* its last event is a read */
    bool waits;         /* its last event is a wait: its next one has to be the end of it */
    bool checks;        /* control all: something that is no event came after that */
    uint32_t call_step; /* the step that began the call at hand */
    struct hd_walk_call {
        uint64_t site;
        uint32_t slot;
        unsigned aux;
        enum hd_log_kind kind;
    } call;             /* its record */
    uint64_t last_site; /* of its last record that is an event */
    unsigned last_kind, last_aux;
    bool in_call;        /* all steps since the last one with an event were made in its call */
    bool in_stdio;       /* since an acq, all its events come from one place in the code */
    uint8_t ignores;     /* bit 0: reads, bit 1: writes are not to be looked at */
    uint32_t syncs;      /* its events so far that are no accesses or branches */
    uint32_t last_event; /* its last event, without inserted ones */
    struct hd_walk_window windows[2]; /* the latest first; last 0: none */
    struct hd_vec more[2];            /* hd_tok: extra tokens for the next record, by role */
    uint32_t turn, turn_at; /* lent_memory.c: the next turn, and its step; UINT32_MAX: none */
    unsigned order;         /* one more than __ATOMIC_* of the next record; 0: not told */
};

#endif
