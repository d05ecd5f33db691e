/* What a walk over the raw log keeps; see build.h. Shared by the files of this room only. */
#ifndef HD_BUILD_WALK_STATE_H
#define HD_BUILD_WALK_STATE_H

#include "build/build.h"
#include "base/bytes.h"
#include "build/cells.h"
#include "recording/kept_arrivals.h"
#include "recording/recnames.h"
#include "recording/rectypes.h"
#include "build/details.h"
#include "recording/recmeta.h"
#include "build/origin.h"
#include "build/poll_rounds.h"
#include "recording/rawlog.h"
#include "build/regions.h"
#include "build/walk_thread.h"
#include "trace/builder.h"
#include "trace/depset.h"
#include "trace/owner.h"

/* BUILD becomes REPLAY on the way when it finds out that it has to be done again: see build.h. */
enum hd_walk_pass { HD_WALK_MARK, HD_WALK_REPLAY, HD_WALK_BUILD };

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
    bool pinned;  /* written unseen, by an unknown thread */
    bool lent;    /* on a stack, and others than its owner touched it */
    bool held;    /* bits and named are known */
    uint8_t seen; /* number of the last walk that touched it */
};

/* Memory where races are meant to be. */
struct hd_walk_benign {
    uint64_t linear, len;
};

/* An event without a record: the write of a value by code that is not seen, or a post or sem
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
    uint64_t key; /* address / HD_LINE, and in the first walk the thread: quick_access.c */
    struct hd_region *region;
    struct hd_cell_page *page, *after; /* of its first byte, and of the byte behind its last */
    struct hd_cell_marks *marks;       /* MARK */
    uint8_t at;                        /* its first byte in the page */
    uint8_t room;                      /* so many of its bytes, from the first, are of the region */
    bool looks;                        /* MARK: first accesses to bytes matter: hd_cells_touch */
    uint64_t padding[2];
};
_Static_assert(sizeof(struct hd_walk_line) == 64, "a line is quickly found");

/* What the recording has besides the log. */
struct hd_walk_in {
    struct hd_rec file;
    bool whole_log; /* for comparison: every walk goes through each record */
    struct hd_recmeta meta;
    struct hd_recnames debug;
    struct hd_rectypes types;
    struct hd_kept_arrivals arrivals;
    struct hd_vec modules; /* struct hd_origin_module */
};

/* Memory as the log has shown it so far. */
struct hd_walk_mem {
    struct hd_regions regions;
    struct hd_cells cells;
    struct hd_vec list;              /* struct hd_walk_cell, by cell id */
    struct hd_walk_line lines[1024]; /* quick_access.c */
    struct hd_walk_calm *calm;
    struct hd_walk_lent *lent;
    struct hd_vec benign; /* struct hd_walk_benign */
    struct hd_map benign_seen;
};

/* Which memory is shared: own.c and leave.c. */
struct hd_walk_own {
    bool keep_all; /* accesses to memory that is not shared are events, too */
    bool found;    /* memory that carries something from thread to thread */
    bool late;     /* MARK: a block was used after it was freed */
    struct hd_depsets sets;
    struct hd_owners owners; /* MARK */
    uint32_t segment;        /* MARK: of the thread that runs */
    struct hd_walk_outside {
        uint32_t thread, time; /* number of segments */
    } outside[2];              /* MARK: calls of code without hooks by two threads, latest first */
    uint64_t uses[2];          /* MARK: uses of shared memory; of carriers */
    uint64_t times, times_end; /* MARK: the records up to there stand for so many like them */
    struct hd_names holdings;  /* MARK: threads with the locks that they held: held_locks.c */
    bool hand;                 /* BUILD: makes the skeleton, and notes who uses the rest */
};

/* Who uses what is shared and not in the skeleton: handed_memory.c. */
struct hd_walk_hand {
    struct hd_vec points;  /* struct hd_walk_point; the first is none */
    struct hd_vec uses;    /* struct hd_walk_use; the first is none */
    struct hd_u32vec ends; /* by block: the first point after it; 0: it is open */
    uint64_t from;         /* uses that make it worth while */
    bool failed;           /* the skeleton is too large */
};

/* Locks that are named by the object they are in: objlocks.c. */
struct hd_walk_objlocks {
    struct hd_map objects;   /* linear address of an object that was seen -> type */
    struct hd_map locks;     /* the same of a lock in one -> name */
    struct hd_names names;   /* "Cache.m" */
    struct hd_u32vec counts; /* by name: locks that have it */
    struct hd_map numbers;   /* linear address of a lock that has a name -> its number, from 1 */
};

/* Names of places, locations and objects: trace_names.c and details.c. */
struct hd_walk_names {
    struct hd_vec sites;     /* struct hd_walk_sites, in the order of the log */
    size_t sites_seen;       /* that this walk came to */
    struct hd_u32vec places; /* by slot: place + 1, or 0 */
    struct hd_names used;    /* names given to locations of variables and stacks */
    struct hd_names lives;   /* names of semaphores and barriers with a new life: "kind:name" */
    struct hd_walk_named {   /* answers of hd_walk_object since regions.change */
        uint64_t addr, change;
        uint32_t id;
        enum hd_obj_kind kind;
    } named[64];
    struct hd_details_writer *details;
    struct hd_u32vec detail_of; /* by slot: what details.h calls it */
    struct hd_map makers;       /* code address of an allocation -> the same */
    uint32_t detail;            /* of the latest hd_walk_place */
};

/* Atomic objects that are accessed in parts: split_atomic.c. */
struct hd_walk_split {
    struct hd_map wide;        /* linear addresses of 16 bytes under a lock of their own */
    struct hd_map atomics;     /* linear address and size of atomic accesses: seen */
    struct hd_vec atomic_list; /* struct hd_walk_atomic */
    bool in_wide;              /* between the runtime's own events for that lock */
};

/* State of objects that calls returned to the program: object_state.c. */
struct hd_walk_objects {
    struct hd_map looked; /* 1 looked at, 2 set */
    struct hd_map counts; /* semaphore -> count, as of now */
};

/* The trace that is built. */
struct hd_walk_out {
    struct hd_builder *builder;
    struct hd_origin_log origins;
    struct hd_vec inserts; /* struct hd_walk_insert */
    size_t next_insert;
    uint32_t n_events;             /* so far in this walk, without inserted ones */
    struct hd_u32vec dep_reads[3]; /* by role: reads of the thread; the last is leave.c's */
    struct hd_u32vec dep_list[3];  /* the same as events */
};

/* The records that matter to walks after the first that builds: sieve.c. */
struct hd_walk_sieve {
    bool wanted;          /* there will be such walks */
    bool making, ready;   /* this walk writes them down; they are all there */
    bool reading;         /* this walk reads them */
    struct hd_bytes kept; /* the records */
    struct hd_bytes_cur in;
    uint64_t records;   /* of the log, that are events */
    uint64_t n_kept;    /* the same, of those that are kept */
    uint64_t most;      /* bytes that it may have */
    uint64_t skipped;   /* since the last one that is kept */
    struct hd_raw last; /* of those: its kind, aux, slot and site */
    uint64_t last_word; /* of the last record that has one */
    uint32_t last_hi;   /* of the last token */
};

struct hd_walk_progress {
    const struct hd_build_watch *watch; /* or NULL */
    double before, share; /* of all the work: what earlier walks stand for, and this one */
};

struct hd_walk {
    enum hd_walk_pass pass;
    uint8_t number; /* of the walk, from 1 */
    bool settled;   /* all inserts are known */
    struct hd_rawlog log;
    const struct hd_raw *rec; /* the event at hand, or NULL */
    bool in_parts;            /* it is one half of a read-modify-write */
    bool joined;              /* see struct hd_origin */
    bool anchors;             /* its call began with steps that left no event */
    uint32_t current;         /* thread */
    struct hd_vec threads;    /* struct hd_walk_thread, by runtime number */
    struct hd_walk_in in;
    struct hd_walk_mem mem;
    struct hd_walk_own own;
    struct hd_walk_hand hand;
    struct hd_walk_sieve sieve;
    struct hd_walk_names names;
    struct hd_walk_objlocks objlocks;
    struct hd_walk_objects state;
    struct hd_walk_split split;
    struct hd_walk_out out;
    struct hd_walk_polls polls;
    struct hd_walk_progress progress;
    struct hd_build_info *info;
    struct hd_err *err;
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
