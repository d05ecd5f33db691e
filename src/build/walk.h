/* State of a walk over the raw log; see build.h. Shared by the files of this room only. */
#ifndef HD_BUILD_WALK_H
#define HD_BUILD_WALK_H

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

/* BUILD becomes REPLAY on the way when it finds out that it has to be done again: see build.h. */
enum hd_walk_pass { HD_WALK_MARK, HD_WALK_REPLAY, HD_WALK_BUILD };

/* Calls of code without hooks, with no synchronisation of the thread between them: what they wrote
 * unseen, they wrote at one place as far as other threads can tell. */
struct hd_walk_window {
    uint32_t last;  /* the last of them came back before this event */
    uint32_t syncs; /* of the thread, until then */
    bool exact;     /* no events in them */
};

struct hd_walk_thread {
    char *name;     /* NULL: not seen yet */
    char title[64]; /* what the program calls it, or its first function; "": not known */
    hd_tid tid;
    uint32_t children;
    uint32_t forked;           /* its first fork since its last join: event number, or 0 */
    uint32_t branched;         /* reads that the last branch on all covers */
    uint32_t call_reads;       /* the same of the call at hand: reads before it, or branched on */
    struct hd_u32vec reads;    /* the thread's reads: event numbers */
    struct hd_u32vec reads_at; /* by runtime id (from 1): number of reads before it */
    uint32_t inherited;        /* runtime ids that an ancestor used up before it forked */
    uint64_t last_site;        /* of its last record that is an event */
    unsigned last_kind, last_aux;
    bool in_call;        /* all steps since the last one with an event were made in its call */
    bool in_stdio;       /* since an acq, all its events come from one place in the code */
    uint8_t ignores;     /* bit 0: reads, bit 1: writes are not to be looked at */
    uint32_t syncs;      /* its events so far that are no accesses or branches */
    uint32_t last_event; /* its last event, without inserted ones */
    struct hd_walk_window windows[2]; /* the latest first; last 0: none */
    struct hd_vec more[2];            /* hd_tok: extra tokens for the next record, by role */
};

struct hd_walk_cell {
    uint64_t value;
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

struct hd_walk {
    struct hd_bytes arrivals; /* what came from outside: arrivals.h */
    enum hd_walk_pass pass;
    uint8_t number; /* of the walk, from 1 */
    bool settled;   /* all inserts are known */
    struct hd_rawlog log;
    struct hd_regions regions;
    struct hd_cells cells;
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
    unsigned fifths;        /* of it that this walk stands for */
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
    uint32_t n_events; /* so far in this walk, without inserted ones */
    uint32_t current;  /* thread */
    struct hd_u32vec dep_list[2];
    struct hd_origin_log origins;
    struct hd_vec modules;    /* struct hd_origin_module */
    const struct hd_raw *rec; /* the event at hand, or NULL */
    bool joined;              /* see struct hd_origin */
};

/* build.c. Opens a recording; the caller closes *w, which starts zeroed, in any case. */
enum hd_status hd_walk_open(struct hd_walk *w, const char *name, const char *data, size_t len,
                            struct hd_build_info *info, struct hd_err *err);
void hd_walk_close(struct hd_walk *w);

/* names.c */
uint32_t hd_walk_place(struct hd_walk *w, const struct hd_raw *rec);
/* A heap block was made: where from. */
void hd_walk_origin(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_address(struct hd_walk *w, uint64_t addr, char *out, size_t size);
uint32_t hd_walk_location(struct hd_walk *w, const struct hd_region *g, uint64_t addr);
uint32_t hd_walk_object(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr);
/* The object at addr is initialised: from here on it has another name if it was used before. */
uint32_t hd_walk_new_life(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr);
void hd_walk_sites(struct hd_walk *w, const struct hd_raw *rec);
const struct hd_site *hd_walk_site(const struct hd_walk *w, uint64_t address);
/* "file.c:12" of the site at address. False: there is none. */
bool hd_walk_site_place(const struct hd_walk *w, uint64_t address, char *out, size_t size);
/* What the site touches, as the compiler names it; "": nothing known. */
const char *hd_walk_site_name(const struct hd_walk *w, uint64_t address);
void hd_walk_note(struct hd_walk *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The name of the object in its present life. */
void hd_walk_object_text(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr, char *out,
                         size_t size);

/* objlocks.c */
/* First walk, the first access to a byte: its site may say what it is part of. */
void hd_walk_objlocks_see(struct hd_walk *w, const struct hd_region *g, uint64_t addr);
/* "Cache.m". False: not known. */
bool hd_walk_objlocks_name(struct hd_walk *w, const struct hd_region *g, uint64_t addr, char *out,
                           size_t size);
/* Last walk: appends "#2" to the name when another object has it already. */
void hd_walk_objlocks_number(struct hd_walk *w, const struct hd_region *g, uint64_t addr, char *out,
                             size_t size);
void hd_walk_objlocks_fini(struct hd_walk *w);

/* notes.c */
void hd_walk_on_name(struct hd_walk *w, const struct hd_raw *rec);
/* "T1.2", or "T1.2 (worker)" when the thread has a title. */
void hd_walk_thread_text(const struct hd_walk_thread *t, char *out, size_t size);
void hd_walk_on_note(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_on_deadlock(struct hd_walk *w, const struct hd_raw *rec); /* WAITS, FRAMES, HOLDS */

/* wide.c */
void hd_walk_wide_mark(struct hd_walk *w, const struct hd_raw *rec); /* first walk */
void hd_walk_wide_settle(struct hd_walk *w);                         /* after it */
bool hd_walk_wide_is(struct hd_walk *w, const struct hd_raw *rec);   /* needs the lock */
/* All parts are read before one is written: each new one may depend on every old one. */
enum hd_status hd_walk_wide_rmw(struct hd_walk *w, const struct hd_raw *rec);
enum hd_status hd_walk_wide_lock(struct hd_walk *w, const struct hd_raw *rec, bool take);

/* looks.c */
void hd_walk_look_mark(struct hd_walk *w, const struct hd_raw *rec); /* first walk */
enum hd_status hd_walk_look(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_benign_add(struct hd_walk *w, uint64_t addr, uint64_t len);
bool hd_walk_benign_is(const struct hd_walk *w, uint64_t linear);
void hd_walk_count_set(struct hd_walk *w, uint64_t object, uint64_t count);
enum hd_status hd_walk_count_changed(struct hd_walk *w, const struct hd_raw *rec);

/* emit.c */
uint32_t hd_walk_next_eid(const struct hd_walk *w); /* the event that is built next */
static inline struct hd_walk_thread *hd_walk_current(struct hd_walk *w)
{
    return (struct hd_walk_thread *)w->threads.data + w->current;
}
void hd_walk_insert(struct hd_walk *w, const struct hd_walk_insert *in);
/* outside.c: the cell, which the current thread reads now, holds another value than the one known:
 * who wrote it? */
void hd_walk_outside(struct hd_walk *w, uint32_t cell, uint64_t value);
/* The current thread is about to touch the cell: after an unseen write it stays behind that. */
void hd_walk_outside_touch(struct hd_walk *w, uint32_t cell);
void hd_walk_returned(struct hd_walk *w, const struct hd_raw *rec); /* HD_LOG_OUTSIDE */
enum hd_status hd_walk_thread_at(struct hd_walk *w, uint32_t number, uint32_t parent,
                                 struct hd_walk_thread **t);
enum hd_status hd_walk_emit(struct hd_walk *w, struct hd_event *ev);
enum hd_status hd_walk_branch(struct hd_walk *w, const struct hd_raw *rec, hd_tok tok);
enum hd_status hd_walk_branch_all(struct hd_walk *w, uint32_t place);
/* A record that is an event follows: which reads are of the call that it belongs to? */
static inline bool hd_walk_is_joined(const struct hd_raw *rec)
{
    return rec->kind >= HD_LOG_RANGE_READ && !(rec->aux & (HD_LOG_SITE | HD_LOG_PENDING)) &&
           rec->aux & HD_LOG_JOINED;
}
void hd_walk_in_call(struct hd_walk_thread *t, const struct hd_raw *rec);
enum hd_status hd_walk_access(struct hd_walk *w, const struct hd_raw *rec);
enum hd_status hd_walk_free_block(struct hd_walk *w, const struct hd_raw *rec);

#endif
