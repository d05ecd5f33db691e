/* Witnesses and their judge (docs/MODEL.md sections 3 and 4).
 *
 * A witness of a race means: after running these events, in this order, with these choices of
 * notified waiters, both a and b can run. The judge knows nothing of how it was found. It accepts
 * when
 *   - a and b conflict, and are the last two entries of the schedule, in this order;
 *   - every entry before them is enabled when it runs;
 *   - both are enabled in the state before a;
 *   - each sig that meets waiters has a choice among them in wakes, which may be left out when
 * there is only one; and wakes holds nothing else: no sig that is not run before the pair, none
 * twice, none without waiters. Event numbers are 0-based here and 1-based in files and texts.
 *
 * A witness of an unordered race (section 8) ends in b alone; a is an earlier entry, every entry is
 * enabled when it runs, and a does not happen before b in it.
 *
 * A witness of an atomicity violation has c, r, c' in `events`; its schedule ends in c', every
 * entry is enabled when it runs, and c comes before r. A witness of a deadlock has the events of
 * the cycle in `events`; after its whole schedule each of them is the next of its thread, nothing
 * but a lock keeps it from being taken, and the thread of the next one in the list (of the first
 * one for the last) holds that lock. A witness of a failure has the last entry of its schedule in
 * `events`, and every entry is enabled when it runs; that the program then fails is for a replay to
 * show.
 *
 * A witness may be given in a short form: `prefix` means that the first so many events of the trace
 * come first, in the order of the trace and with the choices of model/matching.h; `schedule` and
 * `wakes` hold what follows. hd_witness_expand makes the long form of it.
 */
#ifndef HD_MODEL_WITNESS_H
#define HD_MODEL_WITNESS_H

#include "base/err.h"
#include "model/matching.h"
#include "model/property.h"

struct hd_witness {
    union { /* of a race */
        struct {
            hd_eid a, b;
        };
        hd_eid pair[2];
    };
    size_t prefix;    /* 0: the whole schedule is given */
    hd_eid *schedule; /* of a race: the last two entries are a and b (unordered: the last is b) */
    size_t n;
    struct hd_wake *wakes; /* in any order */
    size_t n_wakes;
    enum hd_property property; /* zeroed: a race */
    bool unordered; /* of a race: the second form. The schedule ends in b, and a stands before */
    hd_eid *events; /* atomicity: c, r, c'; deadlock: the cycle; failure: the last; race: NULL */
    size_t n_events;
};

void hd_witness_fini(struct hd_witness *w); /* frees schedule, wakes and events */

/* What it is about: the pair of a race, else `events`. */
static inline const hd_eid *hd_witness_events(const struct hd_witness *w, size_t *n)
{
    *n = w->property == HD_PROPERTY_RACE ? 2 : w->n_events;
    return w->property == HD_PROPERTY_RACE ? w->pair : w->events;
}

/* Makes the long form. m is the matching of the trace, or NULL: then it is worked out. */
void hd_witness_expand(struct hd_witness *w, const struct hd_trace *t, const struct hd_matching *m);

/* The same as a copy, which the caller ends. */
struct hd_witness hd_witness_long(const struct hd_witness *w, const struct hd_trace *t,
                                  const struct hd_matching *m);

/* A judge for many witnesses of one trace: a check costs O(n + n_wakes), whatever the trace's
 * length. It runs the prefix of a short form, too, but keeps the state after it, so that witnesses
 * with ascending prefixes cost one run of the trace together. The trace must outlive it. Not to be
 * shared by threads. */
struct hd_checker;
struct hd_checker *hd_checker_new(const struct hd_trace *t);
void hd_checker_free(struct hd_checker *c); /* NULL is fine */

/* HD_OK when w is a witness; else HD_ERR_INPUT, a sentence in err, and in *entry (may be NULL) the
 * 0-based schedule entry (of the long form) that cannot run, or their number when the fault lies in
 * the witness as a whole. */
enum hd_status hd_checker_check(struct hd_checker *c, const struct hd_witness *w, size_t *entry,
                                struct hd_err *err);

/* The same for a single witness. */
enum hd_status hd_witness_check(const struct hd_trace *t, const struct hd_witness *w, size_t *entry,
                                struct hd_err *err);

#endif
