/* Guards: mutual exclusion that follows from the values of one location, or from a semaphore.
 *
 * A spin lock is such a guard: who changes x from 0 to 1 by an rmw, and goes on only if it read 0,
 * owns it until it stores 0. Nothing is known about names or shapes; the rule is about values. Let
 * v be a value of x such that
 *   - every write of v to x is the first one of its thread after an rmw of that thread that read v
 *     and stored something else (it *closes* what the rmw *opened*), and cannot run unless that rmw
 *     read v indeed; or it comes before all threads that open anything were made.
 * Then of two threads that have opened and not closed, and whose rmw did read v, there is never
 * more than one (docs/algorithms/prediction.md has the argument). From the first event that can run
 * only if the rmw's read is fresh up to the close, the thread is in a section of a lock that
 * excludes all others of the same x and v, and every step may use it as one of a mutex.
 *
 * The same holds of all values of x without some bit in place of v, if besides each rmw that stores
 * such a value, and closes nothing, has read one and depends on it.
 *
 * Where no value of x is such a guard, or none for all that rmws open, what each thread has added
 * to x on balance may be one: a number that counts readers, or shows that one writes (tallies.c).
 * Its sections may be shared.
 *
 * A semaphore with one token is a guard, too: the tokens that it has in the beginning, and the
 * posts of threads that have taken none, are one together. Its sections are from a take to the
 * thread's next post.
 */
#ifndef HD_PREDICT_INDEX_GUARDS_H
#define HD_PREDICT_INDEX_GUARDS_H

#include "predict/index/accesses.h"
#include "predict/index/held_sections.h"

/* Adds the sections of all guards to `out` (struct hd_section; `lock` counts guards from 0) and
 * returns how many guards there are. needed_at as in struct hd_world; sections: those of the locks.
 */
uint32_t hd_guards_find(const struct hd_trace *t, const struct hd_accesses *locs,
                        const uint32_t *needed_at, const struct hd_sections *sections,
                        struct hd_vec *out);

/* Whether the thread, or one that it descends from, was made by the thread of w after w. */
bool hd_guard_made_after(const struct hd_trace *t, hd_tid u, hd_eid w);

#endif
