/* What a walk over the raw log keeps; see build.h. Shared by the files of this room only. */
#ifndef HD_BUILD_WALK_STATE_H
#define HD_BUILD_WALK_STATE_H

#include "build/build.h"
#include "base/bytes.h"
#include "build/cells.h"
#include "recording/recnames.h"
#include "recording/rectypes.h"
#include "build/details.h"
#include "recording/recmeta.h"
#include "build/origin.h"
#include "recording/rawlog.h"
#include "build/regions.h"
#include "trace/builder.h"
#include "trace/depset.h"
#include "trace/owner.h"

/* BUILD becomes REPLAY on the way when it finds out that it has to be done again: see build.h. */
enum hd_walk_pass { HD_WALK_MARK, HD_WALK_REPLAY, HD_WALK_BUILD };

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
    uint32_t forked;     /* its first fork since its last join: event number, or 0 */
    uint32_t branched;   /* entries of known that the last branch on all covers */
    uint32_t call_reads; /* the same of the call at hand: made before it, or branched on */
    struct hd_vec reads; /* struct hd_walk_read: the thread's reads that are events */
    struct hd_vec known; /* struct hd_walk_known: on what its reads depend, by id */
    uint32_t steps;      /* runtime id (from 1) of its last record that is an event */
    uint32_t inherited;  /* runtime ids that an ancestor used up before it forked */
    uint32_t holds;      /* MARK: locks held and blocks open */
    bool begun;          /* it has an event */
    bool reads_last;     /* its last event is a read */
    bool waits;          /* its last event is a wait: its next one has to be the end of it */
    bool checks;         /* control all: something that is no event came after that */
    uint32_t call_step;  /* the step that began the call at hand */
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
    unsigned order;                   /* one more than __ATOMIC_* of the next record; 0: not told */
};

struct hd_walk_cell {
    uint64_t value;
    uint64_t bits, named;   /* what it holds, and as what value: name_life of emit.c */
    uint32_t loc;           /* location in the trace, once it has a name */
    uint32_t last;          /* number of the last event on it, without inserted ones */
    uint32_t freer;         /* if freed */
    uint32_t writer, write; /* if pinned: thread that has the write, before this event */
    uint32_t users, after;  /* threads that used it; that stay behind that write: outside.c */
    bool touched, known;
    bool benign;  /* its accesses are atomic */
    bool freed;   /* its last access was free */
    bool pinned;  /* written unseen, by nobody knows whom */
    bool lent;    /* on a stack, and others than its owner touched it */
    bool held;    /* bits and named are known */
    uint8_t seen; /* number of the last walk that touched it */
};

/* Memory where races are meant to be. */
struct hd_walk_benign {
    uint64_t linear, len;
};

/* An event that no record tells of: the write of a value by code that nobody saw, or a post or sem
 * that keeps such a write where it was. */
struct hd_walk_insert {
    uint32_t after; /* event, numbered as in struct hd_walk_cell */
    uint32_t order; /* among those after the same event */
    enum hd_op op;
    uint32_t thread;
    uint32_t what; /* write: cell; post, sem: the other thread */
    uint64_t value;
};

struct hd_walk_sites {
    uint64_t base;
    uint64_t count;
    struct hd_site *sites;
    char *strings;
    size_t strings_size;
};

struct hd_walk_atomic {
    uint64_t linear, len, block;
};

#define HD_LINE 16 /* bytes, aligned: malloc aligns blocks so */

/* Where an aligned piece of memory is kept. */
struct hd_walk_line {
    uint64_t number; /* address / HD_LINE */
    struct hd_region *region;
    struct hd_cell_page *page, *after; /* of its first byte, and of the byte behind its last */
    struct hd_cell_marks *marks;       /* MARK */
    unsigned at;                       /* its first byte in the page */
};

struct hd_walk {
    struct hd_bytes arrivals; /* what came from outside: arrivals.h */
    enum hd_walk_pass pass;
    uint8_t number; /* of the walk, from 1 */
    bool settled;   /* all inserts are known */
    struct hd_rawlog log;
    struct hd_regions regions;
    struct hd_cells cells;
    bool in_parts;           /* the record is one half of a read-modify-write */
    bool keep_all;           /* accesses to memory that is not shared are events, too */
    struct hd_owners owners; /* MARK */
    uint32_t segment;        /* MARK: of the thread that runs */
    struct hd_walk_outside {
        uint32_t thread, time; /* number of segments */
    } outside[2];              /* MARK: calls of code without hooks by two threads, latest first */
    struct hd_walk_line lines[1024]; /* quick_access.c */
    struct hd_depsets sets;
    bool found; /* memory that carries something from thread to thread; see leave.c */
    struct hd_rec rec_file;
    struct hd_recnames debug;
    struct hd_rectypes types;
    struct hd_map objects;      /* objlocks.c: linear address of an object that was seen -> type */
    struct hd_map locks;        /* the same of a lock in one -> name */
    struct hd_names lock_names; /* "Cache.m" */
    struct hd_u32vec lock_counts; /* by name: locks that have it */
    struct hd_map lock_numbers; /* linear address of a lock that has a name -> its number, from 1 */
    struct hd_recmeta meta;
    struct hd_builder *builder;
    struct hd_build_info *info;
    const struct hd_build_watch *watch; /* or NULL */
    uint64_t before, total; /* kilobytes of log: what earlier walks stand for, and all of them */
    unsigned parts;         /* of it that this walk stands for */
    bool late;              /* MARK: a block was used after it was freed */
    struct hd_err *err;
    struct hd_vec threads;   /* struct hd_walk_thread, by runtime number */
    struct hd_vec memory;    /* struct hd_walk_cell, by cell id */
    struct hd_vec inserts;   /* struct hd_walk_insert */
    struct hd_vec sites;     /* struct hd_walk_sites */
    struct hd_u32vec places; /* by slot: place + 1, or 0 */
    struct hd_names used;    /* names given to locations of variables and stacks */
    struct hd_names lives;   /* names of semaphores and barriers with a new life: "kind:name" */
    struct hd_walk_named {   /* answers of hd_walk_object since regions.change */
        uint64_t addr, change;
        uint32_t id;
        enum hd_obj_kind kind;
    } named[64];
    struct hd_map wide;        /* wide.c: linear addresses of 16 bytes under a lock of their own */
    struct hd_map atomics;     /* linear address and size of atomic accesses: seen */
    struct hd_vec atomic_list; /* struct hd_walk_atomic */
    bool in_wide;              /* between the runtime's own events for that lock */
    struct hd_map looked;      /* looks.c: 1 looked at, 2 set */
    struct hd_vec benign;      /* struct hd_walk_benign */
    struct hd_map benign_seen;
    struct hd_map counts; /* semaphore -> count, as of now */
    struct hd_details_writer *details;
    struct hd_u32vec detail_of; /* by slot: what details.h calls it */
    struct hd_map makers;       /* code address of an allocation -> the same */
    uint32_t detail;            /* of the latest hd_walk_place */
    size_t next_insert;
    uint32_t n_events;             /* so far in this walk, without inserted ones */
    uint32_t current;              /* thread */
    struct hd_u32vec dep_reads[3]; /* by role: reads of the thread; the last is leave.c's */
    struct hd_u32vec dep_list[3];  /* the same as events */
    struct hd_origin_log origins;
    struct hd_vec modules;    /* struct hd_origin_module */
    const struct hd_raw *rec; /* the event at hand, or NULL */
    bool joined;              /* see struct hd_origin */
    bool anchors;             /* its call began with steps that left no event */
};

/* An access on its way into cells. */
struct hd_walk_access {
    struct hd_event ev;
    bool guess;        /* a read that the compiler may have left out */
    bool call;         /* HD_LOG_CALL */
    bool text;         /* each cell decides whether the next one is read */
    bool own;          /* rmw: the last of its value's dependences is its own read */
    bool wide;         /* its value depends on more than is listed */
    bool placed, made; /* its place is known; it has an event */
    const struct hd_raw *rec;
    const uint8_t *bytes, *new_bytes; /* NULL: not known */
};

#endif
