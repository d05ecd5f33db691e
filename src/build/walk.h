/* A walk over the raw log: what its files offer each other; see build.h. Shared by the files of
 * this room only. */
#ifndef HD_BUILD_WALK_H
#define HD_BUILD_WALK_H

#include "build/quick_access.h"
#include "build/sole_writer.h"
#include "build/walk_state.h"

/* build.c. Opens a recording; the caller closes *w, which starts zeroed, in any case. */
enum hd_status hd_walk_open(struct hd_walk *w, const char *name, const char *data, size_t len,
                            struct hd_build_info *info, struct hd_err *err);
void hd_walk_close(struct hd_walk *w);
/* Builds; again when memory turned out to carry something from thread to thread (leave.c), which a
 * skeleton does not ask about. */
enum hd_status hd_walk_build(struct hd_walk *w);

/* trace_extras.c: what goes beside the events of a finished trace */
enum hd_status hd_walk_save_extras(struct hd_walk *w, struct hd_trace *trace);

/* trace_names.c */
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
/* Whether the access reads and then writes the same memory: inline assembly. */
bool hd_walk_site_copies(const struct hd_walk *w, const struct hd_raw *rec);
/* "file.c:12" of the site at address. False: there is none. */
bool hd_walk_site_place(const struct hd_walk *w, uint64_t address, char *out, size_t size);
/* What the site touches, as the compiler names it; "": nothing known. */
const char *hd_walk_site_name(const struct hd_walk *w, uint64_t address);

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
void hd_walk_on_note(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_on_deadlock(struct hd_walk *w, const struct hd_raw *rec); /* WAITS, FRAMES, HOLDS */

/* split_atomic.c */
void hd_walk_wide_mark(struct hd_walk *w, const struct hd_raw *rec); /* first walk */
void hd_walk_wide_settle(struct hd_walk *w);                         /* after it */
bool hd_walk_wide_is(struct hd_walk *w, const struct hd_raw *rec);   /* needs the exclusion */
enum hd_mem_order hd_walk_order(unsigned atomic);                    /* of __ATOMIC_* */
enum hd_status hd_walk_wide_access(struct hd_walk *w, const struct hd_raw *rec);

/* object_state.c */
void hd_walk_look_mark(struct hd_walk *w, const struct hd_raw *rec); /* first walk */
enum hd_status hd_walk_look(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_benign_add(struct hd_walk *w, uint64_t addr, uint64_t len);
bool hd_walk_benign_is(const struct hd_walk *w, uint64_t linear);
void hd_walk_count_set(struct hd_walk *w, uint64_t object, uint64_t count);
enum hd_status hd_walk_count_changed(struct hd_walk *w, const struct hd_raw *rec);

/* call_steps.c: which call of the program does the record belong to? */
void hd_walk_find_call(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_skip_calls(struct hd_walk *w, uint64_t n, const struct hd_raw *last);

/* emit.c */
uint32_t hd_walk_next_eid(const struct hd_walk *w); /* the event that is built next */
static inline struct hd_walk_thread *hd_walk_current(struct hd_walk *w)
{
    return (struct hd_walk_thread *)w->threads.data + w->current;
}
void hd_walk_insert(struct hd_walk *w, const struct hd_walk_insert *in);
/* outside.c: the cell, which the current thread reads now, holds another value than the one known:
 * who wrote it? g: what it is part of. */
void hd_walk_outside(struct hd_walk *w, uint32_t cell, uint64_t value, const struct hd_region *g);
/* The current thread is about to touch the cell: after an unseen write it stays behind that. */
void hd_walk_outside_touch(struct hd_walk *w, uint32_t cell);
/* Does it insert something then? */
bool hd_walk_outside_stays(const struct hd_walk *w, const struct hd_walk_cell *cell);
void hd_walk_returned(struct hd_walk *w, const struct hd_raw *rec); /* HD_LOG_OUTSIDE */
enum hd_status hd_walk_thread_at(struct hd_walk *w, uint32_t number, uint32_t parent,
                                 struct hd_walk_thread **t);
enum hd_status hd_walk_emit(struct hd_walk *w, struct hd_event *ev);
/* The same, whatever is held back (poll_rounds.c). listed: a read that is among those of the thread
 * already. */
enum hd_status hd_walk_put(struct hd_walk *w, struct hd_event *ev, bool listed);
void hd_walk_add_read(struct hd_walk *w, struct hd_walk_thread *t, uint32_t number);
/* The call at hand began with steps that left no event, but the thread can only stop before them:
 * an event that says nothing stands for the first. And events may be held back. hd_walk_emit sees
 * to both; before it only for those who need to know the number of the event at hand. */
enum hd_status hd_walk_ready(struct hd_walk *w);
/* The cell's share of an access becomes an event, whatever memory held before. */
enum hd_status hd_walk_touch(struct hd_walk *w, struct hd_walk_access *a, const struct hd_region *g,
                             uint64_t addr);
/* The cell is accessed by a call, and what it holds is not known. */
enum hd_status hd_walk_touch_unknown(struct hd_walk *w, struct hd_walk_access *a,
                                     const struct hd_region *g, uint64_t addr);
struct hd_walk_cell *hd_walk_cell(struct hd_walk *w, const struct hd_region *g, uint64_t addr,
                                  uint32_t *id);

/* token_reads.c */
/* The set that a token and the extra tokens of this role name. False: all. */
bool hd_walk_collect(struct hd_walk *w, unsigned role, hd_tok tok, struct hd_dep_list *out);
/* The collected reads as events. */
void hd_walk_list(struct hd_walk *w, unsigned role, struct hd_dep_list *out);
/* False: nothing that matters is in the token's range. */
bool hd_walk_may_depend(const struct hd_walk_thread *t, hd_tok tok);
/* The event at hand shows that what was collected for the role is not stale. */
void hd_walk_decide(struct hd_walk *w, unsigned role);
/* A record read something that is no event itself, with this set; not 0. */
void hd_walk_known(struct hd_walk *w, uint32_t set);
/* What the record at hand read is not decided yet: are there such reads since this entry? */
bool hd_walk_open_reads(const struct hd_walk *w, uint32_t since);
enum hd_status hd_walk_branch(struct hd_walk *w, const struct hd_raw *rec, hd_tok tok);
enum hd_status hd_walk_branch_all(struct hd_walk *w, uint32_t place);
/* What the call has read so far decides what it does next (strcpy: how much it copies). */
enum hd_status hd_walk_branch_call(struct hd_walk *w, struct hd_walk_access *a);
/* The same, for the event that is about to be made; the reads count as decided. False: too many. */
bool hd_walk_call_needs(struct hd_walk *w, struct hd_dep_list *out);
uint32_t hd_walk_place_of(struct hd_walk *w, struct hd_walk_access *a);

/* own.c: the first walk */
void hd_walk_mark(struct hd_walk *w, const struct hd_raw *rec, uint64_t len);
/* The current thread uses the region. */
void hd_walk_note_thread(struct hd_walk *w, struct hd_region *g);
void hd_walk_mark_free(struct hd_walk *w, const struct hd_region *g);
/* A lock or the like is used, or ends. */
void hd_walk_mark_object(struct hd_walk *w, uint64_t addr, bool ends);
void hd_walk_mark_local(struct hd_walk *w, const struct hd_raw *rec); /* its life ends */
void hd_walk_mark_sync(struct hd_walk *w, const struct hd_raw *rec);
void hd_walk_mark_outside(struct hd_walk *w);
/* If rounds follow that the log repeats: takes those that change nothing more as one. */
void hd_walk_mark_rounds(struct hd_walk *w);
bool hd_walk_mark_times(struct hd_walk *w); /* is the next record one that stands for several? */

/* held_locks.c: the current thread with the locks it holds, as a number from 1; 0: it holds none */
uint32_t hd_walk_holding(struct hd_walk *w);
/* Was that another thread with one of the locks that the current one holds? */
bool hd_walk_held_by_other(struct hd_walk *w, uint32_t holding);
void hd_walk_held_sync(struct hd_walk_thread *t, const struct hd_raw *rec);

/* Memory is shared now. Of such memory own->read is what the thread that wrote it last held. */
static inline void hd_walk_share(struct hd_walk *w, struct hd_owner *own, bool writes)
{
    *own = (struct hd_owner){HD_OWNER_SHARED, writes ? hd_walk_holding(w) : 0};
}
/* It was shared before. */
static inline void hd_walk_use_shared(struct hd_walk *w, struct hd_cell_page *page,
                                      struct hd_cell_marks *marks, unsigned i, bool writes)
{
    uint32_t *held = &marks->own[i].read;
    hd_sole_writer_count(marks, i, w->current + 1, w->own.times);
    if (writes)
        *held = hd_walk_holding(w);
    else if (*held && !(page->carrier >> i & 1) && hd_walk_held_by_other(w, *held))
        page->carrier |= (uint8_t)(1u << i);
    w->own.uses[(page->carrier & ~marks->weak) >> i & 1] += w->own.times;
}

/* handed_memory.c: memory that every schedule hands over in the same order */
bool hd_walk_hand_pays(const struct hd_walk *w); /* after the first walk */
/* Makes the skeleton and finds that memory, which is no longer shared. What was built is the
 * skeleton's: hd_walk_renew has to follow. */
enum hd_status hd_walk_hand_find(struct hd_walk *w);
/* While the skeleton is made: */
bool hd_walk_hand_is_loose(struct hd_walk *w, uint64_t linear, uint64_t len);
void hd_walk_hand_use(struct hd_walk *w, const struct hd_region *g, uint64_t linear, uint64_t len,
                      const uint8_t *bytes, bool writes);
void hd_walk_hand_outside(struct hd_walk *w); /* HD_LOG_OUTSIDE */
/* A read or write that was left out. False: of other memory, nothing is noted. */
bool hd_walk_hand_quick(struct hd_walk *w, const struct hd_raw *rec);
/* Is it noted, as the last use of the granule, that the point reads or writes it? */
bool hd_walk_hand_noted(const struct hd_owner *last, uint32_t point, bool writes);
void hd_walk_hand_free(struct hd_walk *w, const struct hd_region *g);
void hd_walk_hand_event(struct hd_walk *w, struct hd_walk_thread *t, enum hd_op op);
/* A carrier was written unseen: it orders nothing. */
void hd_walk_hand_spoil(struct hd_walk *w, uint64_t linear, uint64_t len);
void hd_walk_hand_restart(struct hd_walk *w); /* the walk starts again */
void hd_walk_hand_init(struct hd_walk *w);
void hd_walk_hand_fini(struct hd_walk *w);

/* how_far.c: to be asked when a walk starts, and to report progress while it goes on */
void hd_walk_foresee(struct hd_walk *w);
void hd_walk_tell(const struct hd_walk *w);

/* sieve.c: the records that matter to later walks */
void hd_walk_sieve_start(struct hd_walk *w); /* a walk starts */
void hd_walk_sieve_end(struct hd_walk *w, bool whole);
void hd_walk_sieve_drop(struct hd_walk *w); /* memory is shared that it did not count with */
/* While it is made: a record that is kept (id: of the step, if it is one), before the walk takes
 * it; and one that the walk left out, after that. False: it has to be kept. */
void hd_walk_sieve_keep(struct hd_walk *w, const struct hd_raw *rec, uint32_t id);
bool hd_walk_sieve_skip(struct hd_walk *w, const struct hd_raw *rec);
/* Does an extra token count here, also if this walk knows nothing of what it names? */
bool hd_walk_sieve_counts(struct hd_walk *w, const struct hd_raw *more);
/* So many that mean nothing, of which this is the last. */
void hd_walk_sieve_passed(struct hd_walk *w, uint64_t n, const struct hd_raw *last);
/* While it is read, in place of hd_rawlog_next. */
bool hd_walk_sieve_next(struct hd_walk *w, struct hd_raw *rec);

/* renew.c: as the first walk left it, but for which memory is shared. What was built is gone. */
enum hd_status hd_walk_renew(struct hd_walk *w);

/* lock_memory.c: uses and ends of locks and the like as accesses to their memory */
void hd_walk_mark_lock(struct hd_walk *w, const struct hd_raw *rec); /* first walk */
/* The byte that stands for the object that the record uses or ends. False: none. */
bool hd_walk_lock_access(const struct hd_raw *rec, uint64_t *addr, bool *ends);
enum hd_status hd_walk_lock_ends(struct hd_walk *w, const struct hd_raw *rec);
/* Before the event of the record, and after it. */
enum hd_status hd_walk_lock_used(struct hd_walk *w, const struct hd_raw *rec, bool after);

/* leave.c: memory that is not shared */
/* The whole access, if it touches nothing else. */
bool hd_walk_is_private(struct hd_walk *w, uint64_t addr, uint64_t len);
enum hd_status hd_walk_leave(struct hd_walk *w, struct hd_walk_access *a, uint64_t addr,
                             uint64_t len);
/* One cell of an access that touches shared memory, too. */
enum hd_status hd_walk_leave_cell(struct hd_walk *w, struct hd_walk_access *a,
                                  const struct hd_region *g, uint64_t addr, uint64_t len);
/* A record that is an event follows: which reads are of the call that it belongs to? */
static inline bool hd_walk_is_joined(const struct hd_raw *rec)
{
    return rec->kind >= HD_LOG_RANGE_READ && !(rec->aux & (HD_LOG_SITE | HD_LOG_PENDING)) &&
           rec->aux & HD_LOG_JOINED;
}
void hd_walk_in_call(struct hd_walk_thread *t, const struct hd_raw *rec);
/* An atomic access that orders less than it shows (trace/ops.h). */
bool hd_walk_is_weak(struct hd_walk *w, const struct hd_raw *rec);
enum hd_status hd_walk_access(struct hd_walk *w, const struct hd_raw *rec);
enum hd_status hd_walk_free_block(struct hd_walk *w, const struct hd_raw *rec);
enum hd_status hd_walk_local_ends(struct hd_walk *w, const struct hd_raw *rec); /* dead_locals.c */

#endif
