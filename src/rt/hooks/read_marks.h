/* Reads that a branch of the thread, or the address of an access, depended on already. The hook
 * that gets past that event has run it, so none of these reads is stale (docs/MODEL.md, section 2:
 * a read is stale or not when it runs). A later dependence on them says nothing new and is left
 * out; loops are full of such ones.
 *
 * Kept by thread: the ids around its last such branch as bits, one long range that grows with a
 * loop, and a few older ranges as they were. What is forgotten is only logged once more. All of it
 * follows from the thread's own events, so a replay leaves out the same.
 */
#ifndef HD_RT_HOOKS_READ_MARKS_H
#define HD_RT_HOOKS_READ_MARKS_H

#include "abi/rt_abi.h"

#include <stdbool.h>

#define HD_DECIDED_OLD 64
#define HD_DECIDED_STALE                                                                           \
    256 /* events without growing: the long range is of a loop that is over                        \
         */

struct hd_decided {
    uint64_t bits; /* bit k: the event with id at - k */
    uint32_t at;
    uint32_t end, first; /* all from first to end - 1 */
    hd_tok old[HD_DECIDED_OLD];
};

static inline hd_tok *hd_decided_old(struct hd_decided *d, hd_tok tok)
{
    return &d->old[(hd_tok_lo(tok) ^ hd_tok_hi(tok) * 5u) % HD_DECIDED_OLD];
}

/* Bits of the distances from `near` to `far`; near <= far < 64. */
static inline uint64_t hd_decided_mask(uint32_t near, uint32_t far)
{
    return UINT64_MAX >> (63 - (far - near)) << near;
}

/* Whether every read of the range is decided. tok is neither HD_TOK_NONE nor HD_TOK_ALL. */
static inline bool hd_decided_has(struct hd_decided *d, hd_tok tok)
{
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok), far = d->at - lo;
    if (lo > d->at)
        return false;
    if (lo >= d->first && hi < d->end)
        return true;
    if (far < 64 && hi <= d->at && lo <= hi) {
        uint64_t mask = hd_decided_mask(d->at - hi, far);
        return (d->bits & mask) == mask;
    }
    return *hd_decided_old(d, tok) == ~tok; /* 0: nothing there */
}

/* The part of the range that may not be decided; HD_TOK_NONE: it is, all of it. */
static inline hd_tok hd_decided_rest(struct hd_decided *d, hd_tok tok)
{
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok);
    if (hi == 0 || lo > hi || hd_decided_has(d, tok)) /* before the first event, or no events */
        return HD_TOK_NONE;
    return lo >= d->first && lo < d->end ? hd_tok_range(d->end, hi) : tok;
}

/* Whether the range has events and all of them came after the last branch: none is decided. */
static inline bool hd_decided_after(const struct hd_decided *d, hd_tok tok)
{
    return hd_tok_lo(tok) > d->at && hd_tok_lo(tok) <= hd_tok_hi(tok);
}

/* The same, and not long ago. */
static inline bool hd_decided_fresh(const struct hd_decided *d, hd_tok tok, uint32_t count)
{
    return hd_decided_after(d, tok) && count - d->at < 64;
}

/* A branch depends on the range, which is fresh. count: id of the thread's last event; not before
 * the range. */
static inline __attribute__((always_inline)) void hd_decided_add_fresh(struct hd_decided *d,
                                                                       hd_tok tok, uint32_t count)
{
    d->bits = d->bits << (count - d->at) |
              hd_decided_mask(count - hd_tok_hi(tok), count - hd_tok_lo(tok));
    d->at = count;
}

/* The same for any range. Which hook asks follows from what other threads did, so a fresh range is
 * kept as above. */
static __attribute__((noinline, unused)) void hd_decided_add(struct hd_decided *d, hd_tok tok,
                                                             uint32_t count)
{
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok), moved = count - d->at;
    if (hd_decided_fresh(d, tok, count)) {
        hd_decided_add_fresh(d, tok, count);
        return;
    }
    d->bits = moved < 64 ? d->bits << moved : 0;
    d->at = count;
    if (count - hi < 64)
        d->bits |= hd_decided_mask(count - hi, count - lo < 64 ? count - lo : 63);
    else
        *hd_decided_old(d, tok) = ~tok;
    if (lo <= d->end && hi + 1 >= d->first) {
        d->first = lo < d->first ? lo : d->first;
        d->end = hi >= d->end ? hi + 1 : d->end;
    } else if (hi - lo >= d->end - d->first || count - d->end > HD_DECIDED_STALE) {
        d->first = lo;
        d->end = hi + 1;
    }
}

#endif
