/* Which waiter does each sig of the observed order wake?
 *
 * A trace does not say; any choice that makes its order possible will do (docs/MODEL.md section 2).
 * The choice made here is: the waiter whose wake comes first in the trace; failing that one that
 * stays in its wait to the end; failing that one that leaves by time-out, the latest first. If any
 * choice makes the order possible, this one does, and if none does, this one gets furthest: the
 * first event that cannot run under it ends the shortest impossible prefix.
 *
 * Why. Fix a prefix P of the trace. Within P a waiter is *urgent* if its wake is in P, *bound* if
 * its tmo is in P, and *free* otherwise. A choice makes P possible exactly when each sig that meets
 * a non-empty set removes an urgent or free waiter of it, and each urgent one is removed, by sig or
 * bcast, before its wake. Take a choice M that makes P possible, and the first sig where it differs
 * from ours: M removes q, we remove p. Both are in the set then.
 *   - p is bound in P: then q comes no earlier in our order, so it is bound too, and M does not
 * make P possible.
 *   - p is urgent or free in P: exchange p and q in M from this sig on, so that what removed p
 * later (if anything) removes q instead. p is removed earlier, which does no harm. q is removed
 * where p was: if q is urgent, then so is p, with the earlier wake, so q is out before wake(p),
 * before wake(q); if q is free it may be removed late or never. q is in its set all that time,
 * since neither its wake nor a tmo of it comes in between. So the exchanged choice makes P
 * possible, and agrees with ours at one more sig. Repeating this turns M into our choice. Our order
 * depends on P only by who is urgent, free and bound, and lists urgent ones before free ones before
 * bound ones for every P at once.
 */
#ifndef HD_MODEL_MATCHING_H
#define HD_MODEL_MATCHING_H

#include "model/state.h"

struct hd_matching {
    struct hd_wake *wakes; /* sigs that wake a thread, ascending by sig; the others wake none */
    size_t n, cap;
};

/* Works on any trace; on an inconsistent one the choices after the first event that cannot run mean
 * nothing. Costs O(k log w) for k events on conditions and w waiters at once. */
void hd_matching_check(const struct hd_trace *t, struct hd_matching *m);
void hd_matching_fini(struct hd_matching *m);

/* The thread that this sig wakes, or HD_TID_NONE. */
hd_tid hd_matching_woken(const struct hd_matching *m, hd_eid sig);

#endif
