/* What the detectors remember of past accesses, and how they report.
 *
 * For a detector whose relation is given by clocks, an earlier access a of thread u is unordered
 * with the current event exactly when its tick is above clock[u]: the unordered ones are the latest
 * of each thread. So for each location, thread, kind of access and lock set the history keeps,
 * newest last, the latest access from each place (or, when event pairs are wanted, all accesses),
 * and a check walks from the newest until the first ordered one.
 *
 * Three short cuts, none of which changes the answer. Locations that cannot race are skipped. An
 * access that knows an earlier one which knew all accesses (all writes, for a read) so far races
 * with none of these, since the relations are transitive: this is what FastTrack's epochs are for.
 * And a repeat of the same access in the same state of clocks and locks has the same races.
 *
 * Lock sets are optional: with them a pair whose sets exclude each other is no race. Without any
 * order (`timeless`) only the set of different accesses counts.
 */
#ifndef HD_DETECT_PUBLISHED_HISTORY_H
#define HD_DETECT_PUBLISHED_HISTORY_H

#include "base/bitset.h"
#include "base/hash.h"
#include "detect/detect.h"
#include "detect/filters/locksets.h"

enum hd_access_kind { HD_KIND_READ, HD_KIND_WRITE, HD_KIND_AREAD, HD_KIND_AWRITE, HD_KINDS };

static inline enum hd_access_kind hd_access_kind(enum hd_op op) /* requires hd_op_is_access */
{
    HD_DCHECK(hd_op_is_access(op));
    return op == HD_OP_RMW ? HD_KIND_AWRITE : (enum hd_access_kind)op;
}

/* At least one writes and at least one is not atomic. */
static inline bool hd_kinds_conflict(enum hd_access_kind x, enum hd_access_kind y)
{
    return ((x | y) & 1) && !(x & y & 2);
}

struct hd_past;

/* Of one location: an access that knows all others up to itself, with none since; and one that
 * knows all writes, with no write since. Who knows it is ordered after all of them, the relations
 * being transitive. */
struct hd_peak {
    uint32_t tick; /* 0: there is none */
    hd_tid thread;
};

struct hd_peaks {
    struct hd_peak all, writes;
};

/* What an access knows, given its thread and clock; or what a scan found out. */
struct hd_knows {
    bool all, writes;
};

static inline bool hd_peak_known(struct hd_peak p, hd_tid self, const uint32_t *clock)
{
    return p.tick && (p.thread == self || clock[p.thread] >= p.tick);
}

static inline struct hd_knows hd_peaks_known(const struct hd_peaks *p, hd_tid self,
                                             const uint32_t *clock)
{
    bool all = hd_peak_known(p->all, self, clock);
    return (struct hd_knows){all, all || hd_peak_known(p->writes, self, clock)};
}

/* After an access that knows so much. A read leaves an older peak of the writes where it is: more
 * threads know it, such as all that were made after a variable was set. */
static inline void hd_peaks_pass(struct hd_peaks *p, struct hd_knows k, bool writes, hd_tid self,
                                 uint32_t tick)
{
    struct hd_peak here = {tick, self}, none = {0, 0};
    p->all = k.all ? here : none;
    if (writes)
        p->writes = k.writes ? here : none;
    else if (k.all && !p->writes.tick)
        p->writes = here;
}

/* After a repeat of the last access. */
static inline void hd_peaks_repeat(struct hd_peaks *p, bool writes, uint32_t tick)
{
    if (p->all.tick)
        p->all.tick = tick;
    if (p->writes.tick && writes)
        p->writes.tick = tick;
}

/* The report of one run: event pairs, place pairs, counts. Shared with detectors that keep their
 * own memory of accesses. */
struct hd_sink {
    const struct hd_trace *t;
    const struct hd_detect_opts *opts;
    struct hd_detect_result *r;
    struct hd_map places; /* place pairs reported so far, if there are many places */
    struct hd_bitset few; /* the same as a matrix, if there are few; no bits until the first */
    bool full;            /* opts->max_pairs was passed */
    bool halted;          /* full, or the user interrupted while pairs were listed */
};

void hd_sink_init(struct hd_sink *s, const struct hd_trace *t, const struct hd_detect_opts *opts,
                  struct hd_detect_result *r);
void hd_sink_places(struct hd_sink *s, uint32_t p, uint32_t q);
bool hd_sink_has_places(const struct hd_sink *s, uint32_t p, uint32_t q);
void hd_sink_pair(struct hd_sink *s, hd_eid a, hd_eid b); /* its places too */
/* True when the run is to end early: too many pairs, no time, or the user interrupted. Cheap enough
 * to be asked at every event. */
bool hd_sink_stopped_now(struct hd_sink *s);
static inline bool hd_sink_stopped(struct hd_sink *s, size_t e)
{
    return s->halted || ((e & 0xff) == 0xff && hd_sink_stopped_now(s));
}
/* Sorts the results, frees the sink, and returns why the run ended early, if it did. */
enum hd_status hd_sink_finish(struct hd_sink *s, struct hd_err *err);

struct hd_history {
    struct hd_sink sink;
    const struct hd_trace *t;
    const struct hd_locksets *ls; /* or NULL */
    bool timeless;
    uint8_t *contended;   /* by location */
    struct hd_past *seen; /* by location */
    size_t n_spots;       /* places, or what counts as such */
    uint32_t *mark;       /* by place, for throwing out older accesses from the same place */
    uint32_t marked;
};

void hd_history_init(struct hd_history *h, const struct hd_trace *t,
                     const struct hd_detect_opts *opts, struct hd_detect_result *r,
                     const struct hd_locksets *ls);

/* Reports the races of access e with earlier accesses and remembers it. clock is what e's thread
 * knows before e, NULL if the history is timeless; version is a number that changes whenever that
 * clock does. */
void hd_history_access(struct hd_history *h, hd_eid e, const uint32_t *clock, uint32_t version);

enum hd_status hd_history_finish(struct hd_history *h, struct hd_err *err); /* frees h's memory */

#endif
