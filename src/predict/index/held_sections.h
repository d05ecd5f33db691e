/* Critical sections, and what each event holds.
 *
 * A section is the stretch in which a thread holds a lock: from its outermost acquire (or the wake
 * or tmo that re-owns the lock) to its outermost release (or the wait that gives the lock up).
 * `close` is HD_EID_NONE when the trace ends with the lock held. Two sections of one lock exclude
 * each other unless both are shared (the read side of a rwlock) or both are of one thread.
 *
 * held(e) is what the thread of e holds just before e, as a list of nodes, mostly innermost first.
 * Lists share their tails, so all of them together cost one node for each lock operation (more only
 * where locks are given back neither in the reverse order nor in the same).
 *
 * Guards (guards.h) are locks beyond those of the trace: their sections are opened and closed by
 * other events than lock operations, and are otherwise like any. They come after the n_real locks
 * of the trace.
 *
 * Immutable after new; safe to share between threads.
 */
#ifndef HD_PREDICT_INDEX_HELD_SECTIONS_H
#define HD_PREDICT_INDEX_HELD_SECTIONS_H

#include "base/marks.h"
#include "base/vec.h"
#include "trace/trace.h"

struct hd_section {
    hd_eid open, close;
    uint32_t lock;
    hd_tid thread;
    bool shared;
    bool several; /* of a guard: several values open a section (guards.h) */
};

struct hd_held_node {
    uint32_t section;
    uint32_t next; /* node, or HD_HELD_EMPTY */
};
#define HD_HELD_EMPTY   UINT32_MAX
#define HD_SECTION_NONE UINT32_MAX

/* The sections of one lock by one thread, in program order: order[start] .. order[end - 1]. */
struct hd_lock_user {
    hd_tid thread;
    uint32_t start, end;
};

/* Of one thread: where it opens and closes sections, by position. */
struct hd_section_steps {
    struct hd_marks at;
    struct hd_u32vec held;    /* by mark: what it holds from there on, node or HD_HELD_EMPTY */
    struct hd_u32vec section; /* by mark: which one is opened or closed */
};

/* Whose the object is that an access uses a location of, see ownership.h. */
enum hd_owned {
    HD_OWNED_NOT,    /* not known */
    HD_OWNED_SHARED, /* its thread and others', none of which has it alone */
    HD_OWNED_ALONE,  /* its thread's alone */
    HD_OWNED_VIEW,   /* how many there are */
};

struct hd_sections {
    const struct hd_trace *t;
    size_t n_real, n_locks;         /* of the trace; with the guards */
    struct hd_vec list;             /* struct hd_section, by open */
    struct hd_vec nodes;            /* struct hd_held_node */
    struct hd_section_steps *steps; /* by thread */
    uint32_t *user_start;           /* by lock: first entry in users; one more at the end */
    struct hd_vec users;            /* struct hd_lock_user, grouped by lock */
    uint32_t *order;                /* section ids, grouped by lock and thread */
    /* By place in `order`: the last position in the thread at which one of the sections of the same
     * lock and thread up to this one closes; UINT32_MAX: one never does. */
    uint32_t *reach;
    uint8_t *owned; /* by event, of two views, see ownership.h; NULL: nothing is owned */
    uint8_t *mixed; /* by lock: some thread held both sides of it at once */
    uint8_t *tried; /* by lock: some try-lock of it failed */
    struct hd_u32vec
        lockset; /* by node: id of its set of (lock, shared), from 1; equal sets, equal ids */
};

/* guards: sections of hd_guards_find, of n_guards guards; NULL: none. */
struct hd_sections *hd_sections_new(const struct hd_trace *t, const struct hd_vec *guards,
                                    size_t n_guards);
void hd_sections_free(struct hd_sections *s);

static inline const struct hd_section *hd_section_at(const struct hd_sections *s, uint32_t id)
{
    return hd_vec_at(&s->list, id);
}

/* True when the two sections can not be open at the same time. */
static inline bool hd_section_excludes(const struct hd_section *x, const struct hd_section *y)
{
    return x->lock == y->lock && x->thread != y->thread && !(x->shared && y->shared);
}

/* The section that this lock operation opens or closes, or HD_SECTION_NONE for inner re-entrant
 * ones. */
static inline uint32_t hd_section_of(const struct hd_sections *s, hd_eid e)
{
    const struct hd_section_steps *steps = &s->steps[s->t->thread[e]];
    uint32_t pos = s->t->pos[e];
    if (!hd_marks_has(&steps->at, pos))
        return HD_SECTION_NONE;
    return steps->section.data[hd_marks_before(&steps->at, pos)];
}

/* What the thread of e holds just before e: node or HD_HELD_EMPTY. */
static inline uint32_t hd_held(const struct hd_sections *s, hd_eid e)
{
    const struct hd_section_steps *steps = &s->steps[s->t->thread[e]];
    uint32_t n = hd_marks_before(&steps->at, s->t->pos[e]);
    return n ? steps->held.data[n - 1] : HD_HELD_EMPTY;
}

/* True when what a holds and what b holds can never be held together, or both own what they
 * access. */
bool hd_sections_exclude(const struct hd_sections *s, hd_eid a, hd_eid b);
/* The same for threads that hold these locks, whichever threads they are. */
bool hd_sections_sets_exclude(const struct hd_sections *s, hd_eid a, hd_eid b);
/* The same for accesses to one location that have these sets (hd_sections_lockset), x_held and
 * y_held being what one of each holds (hd_held). */
bool hd_sections_locksets_exclude(const struct hd_sections *s, uint32_t x, uint32_t x_held,
                                  uint32_t y, uint32_t y_held);

/* The set id of what e holds and whether it owns its location; 0 when it holds and owns nothing. */
static inline uint32_t hd_sections_lockset(const struct hd_sections *s, hd_eid e)
{
    uint32_t held = hd_held(s, e), set = held == HD_HELD_EMPTY ? 0 : s->lockset.data[held];
    return HD_OWNED_VIEW * HD_OWNED_VIEW * set + (s->owned ? s->owned[e] : 0);
}

/* The place in s->order of the user's first section that is not opened by the first `count` events
 * of its thread; user->end when there is none. `user` comes from s->users. */
uint32_t hd_sections_begun(const struct hd_sections *s, const struct hd_lock_user *user,
                           uint32_t count);

/* The section of `lock` by a thread that is open when the thread has run `count` events: opened by
 * one of them, closed by none. HD_SECTION_NONE when there is none. `user` comes from s->users. */
uint32_t hd_sections_open_at(const struct hd_sections *s, const struct hd_lock_user *user,
                             uint32_t count);

/* The same, quicker when the answer is not far from the one before; *near is 0 at first and belongs
 * to the user. */
uint32_t hd_sections_open_near(const struct hd_sections *s, const struct hd_lock_user *user,
                               uint32_t count, uint32_t *near);

static inline const struct hd_held_node *hd_held_at(const struct hd_sections *s, uint32_t node)
{
    return hd_vec_at(&s->nodes, node);
}

#endif
