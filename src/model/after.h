/* Happens-before of a schedule, as seen from one event of it (docs/MODEL.md section 8): which
 * events of the schedule come after a given event, by hb and by hb+.
 *
 * One mark is enough: a thread, lock, location and so on has the mark of a relation if what was
 * last done there comes after the watched event by that relation. An event costs constant time (a
 * bcast its waiters), whatever the number of threads.
 */
#ifndef HD_MODEL_AFTER_H
#define HD_MODEL_AFTER_H

#include "model/state.h"

enum {
    HD_AFTER_HB = 1,   /* the watched event happens before */
    HD_AFTER_PLUS = 2, /* and by hb+, which contains hb: conflicting writes before their readers */
};

struct hd_after {
    const struct hd_trace *t;
    /* Marks. By thread: its last event; its last releasing fence; what its loads read that did not
     * acquire; who notified it. */
    uint8_t *thread, *fence, *loads, *notified;
    uint8_t *held, *read;     /* by lock: the last hold for writing, all holds for reading */
    uint8_t *released;        /* by location: what an acquiring read of it gets */
    uint8_t *written;         /* by location: HD_AFTER_PLUS of its last write, and PLAIN */
    uint8_t *posts, *arrived; /* by event on a semaphore, barrier: the n-th post, generation */
    uint32_t *posted, *taken; /* by semaphore, counted */
    unsigned char *block;     /* all of the above */
    size_t bytes;
};

void hd_after_init(struct hd_after *w, const struct hd_trace *t);
void hd_after_fini(struct hd_after *w);

/* Begins anew with the event a, which runs in the state s now (s is the state before it). */
void hd_after_begin(struct hd_after *w, const struct hd_state *s, hd_eid a);

/* Runs the next event of the schedule. s is the state before it; woken as in hd_state_step. */
void hd_after_step(struct hd_after *w, const struct hd_state *s, hd_eid e, hd_tid woken);

/* The marks that e has if it runs now, not counting what it reads from a write that conflicts. */
unsigned hd_after_marks(const struct hd_after *w, const struct hd_state *s, hd_eid e);

/* Whether the read e, if it runs now, does not come after the watched event by hb, and reads from a
 * write that conflicts with it and does (the watched event itself counts). */
bool hd_after_racy_read(const struct hd_after *w, hd_eid e);

/* Takes back every mark that these events can have set, so that the next use costs no more than
 * they did (and the number of threads). */
void hd_after_clear(struct hd_after *w, const hd_eid *ran, size_t n);

#endif
