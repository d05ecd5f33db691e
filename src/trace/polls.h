/* Rounds of a thread that polls: the same reads, with the same values, and the same branches on
 * them, over and over. All but the first two rounds and the last one can be left out
 * (docs/algorithms/building.md, "Rounds of polling"); this file sees which.
 *
 * The caller shows each event before it takes it. Those of a round that may be left out it holds
 * back, two rounds at most, until hd_polls_next tells what becomes of them. It sees nothing of what
 * is held back elsewhere, so events of other threads end the rounds.
 */
#ifndef HD_TRACE_POLLS_H
#define HD_TRACE_POLLS_H

#include "base/vec.h"
#include "trace/builder.h"

enum { HD_POLLS_ROUND = 16, HD_POLLS_HELD = 2 * HD_POLLS_ROUND };

struct hd_poll {
    struct hd_event ev;           /* without dependences */
    uint64_t spot;                /* where in the program; 0: not known */
    uint32_t read;                /* of a read: what branches call it */
    uint8_t n_deps;               /* of a branch; HD_POLLS_FAR: on other reads, too */
    uint8_t deps[HD_POLLS_ROUND]; /* so many events earlier */
};
#define HD_POLLS_FAR UINT8_MAX

/* Who writes a location. Another thread than the one that polls it must not bring a value back. */
struct hd_poll_writes {
    uint32_t thread[2]; /* plus 1; 0: none */
    struct hd_event first[2];
    bool single[2];  /* all its writes are like the first */
    bool many;       /* more threads than two */
    bool banned;     /* rounds that read it with others cannot be left out */
    uint32_t folder; /* plus 1: the thread whose rounds were left out; 0: none */
};

struct hd_poll_rounds {
    hd_tid thread;
    uint32_t n_seen;
    uint32_t patience;                  /* a mixed round is left out when it was made so often */
    uint32_t length, count;             /* of the round seen last; how often it was made in a row */
    uint32_t since;                     /* events since then */
    uint32_t round;                     /* events in a round that repeats; 0: none does */
    bool mixed;                         /* it reads several locations, or one in several ways */
    uint32_t held;                      /* events held back */
    struct hd_poll seen[HD_POLLS_HELD]; /* the last events; or the round, and what is held */
    struct hd_poll hold[HD_POLLS_HELD];
    struct hd_u32vec of;  /* by location: its entry plus 1, or 0 */
    struct hd_vec writes; /* struct hd_poll_writes */
    uint64_t left_out;    /* events */
};

enum hd_polls_next {
    HD_POLLS_TAKE, /* what is held comes first, then this event: hd_polls_took */
    HD_POLLS_HOLD,
    HD_POLLS_DROP, /* hold it; then the first round of the two that are held is left out:
                      hd_polls_dropped */
};

/* patience: that many equal rounds of several locations in a row stay, lest all has to be done
 * again for a few that are left out. */
void hd_polls_init(struct hd_poll_rounds *p, uint32_t patience);
void hd_polls_fini(struct hd_poll_rounds *p);

/* e with its thread; deps of a branch as e->ev.deps.events of what the reads are called. */
enum hd_polls_next hd_polls_next(struct hd_poll_rounds *p, const struct hd_poll *e);
/* After TAKE, when what is held was taken; and when what is held is to be taken early: NULL. */
void hd_polls_took(struct hd_poll_rounds *p, const struct hd_poll *e);
/* After DROP. renamed: the reads of the round that stays are called what those of the other were.
 */
void hd_polls_dropped(struct hd_poll_rounds *p, bool renamed);

/* An event writes to its location; known: by this thread, this value. True: rounds were left out
 * that should not have been, and from now on are not: all has to be done again. */
bool hd_polls_wrote(struct hd_poll_rounds *p, const struct hd_event *ev, bool known);

#endif
