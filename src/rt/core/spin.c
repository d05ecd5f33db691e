/* Threads that wait by looking again and again. Runs in the user's process; see the rules in rt.h.
 *
 * The log knows: while a thread goes round in a loop that reads the same values at the same
 * addresses and changes nothing, every record comes as guessed in all respects (log/rt_pack.h),
 * one byte 1 each (and a byte 0 after a read-modify-write that leaves what was there), and the
 * slots that follow each other make a ring. Only another thread can end such a loop, or a counter
 * that the program keeps in registers. */
#include "rt/core/rt_check.h"
#include "rt/core/spin.h"
#include "rt/policy/policy.h"
#include "rt/core/runon.h"

#define RING    64   /* slots of such a loop at most */
#define RECORDS 1024 /* of it until it is one */
#define FIRST   24   /* bytes of the first record after a switch */
#define NEAR    256  /* events between two calls that belong together */
#define SLICE   64   /* hooks of a turn of a thread that polls */
/* What a call that says "not yet" takes on the virtual clock: loops that also count something in
 * memory get to a deadline, too. */
#define POLL UINT64_C(10000)
/* Calls that say "not yet" with changes between them (a set of descriptors made anew, a new
 * deadline), after which others run: it may wait for them, or work. After BUSY_LONG it polls. */
#define BUSY_POLLS 64
#define BUSY_LONG  1024
/* Hooks in vain, after which threads rest between their turns. */
#define PATIENCE       (UINT64_C(1) << 20)
#define PATIENCE_INPUT (UINT64_C(1) << 12) /* a thread waits for the world outside */

static const uint8_t *from; /* where the log was when the turn, or its last part, began */
static uint64_t changes;    /* of hd_rt_pack, likewise */

static bool only_looks(const struct hd_pack_slot *s)
{
    switch (hd_shape_kind(hd_pack_shape(s->key))) {
    case HD_LOG_READ:
    case HD_LOG_AREAD:
    case HD_LOG_WRITE:
    case HD_LOG_AWRITE:
    case HD_LOG_RMW:
    case HD_LOG_ACQ:
    case HD_LOG_RACQ:
    case HD_LOG_REL:
    case HD_LOG_RREL:
        return s->step == 0;
    case HD_LOG_TRYFAIL:
    case HD_LOG_LOOK:
    case HD_LOG_BRANCH:
    case HD_LOG_MORE:
    case HD_LOG_ORDER:
        return true;
    default:
        return false;
    }
}

static bool in_ring(void)
{
    uint32_t slot = hd_rt_pack.prev;
    for (unsigned i = 0; i < RING; i++) {
        const struct hd_pack_slot *s = hd_pack_at(&hd_rt_pack, slot);
        if (!only_looks(s))
            return false;
        slot = s->next[0];
        if (slot == hd_rt_pack.prev)
            return true;
    }
    return false;
}

/* Whether the log of this turn shows me going round in a loop that changes nothing. */
static bool spins(struct hd_thread *me)
{
    const uint8_t *p = hd_rt_log.pos, *since = from;
    from = p;
    if (!p || !since || p < since || p - since > (ptrdiff_t)HD_LOG_CHUNK)
        return false;
    uint32_t n = (uint32_t)(p - since), as_guessed = 0;
    while (as_guessed < n && p[-(ptrdiff_t)as_guessed - 1] <= 1)
        as_guessed++;
    if (as_guessed + FIRST < n || !in_ring()) {
        me->poll.quiet = 0;
        return false;
    }
    me->poll.quiet += as_guessed < RECORDS ? as_guessed : RECORDS;
    if (me->poll.quiet < RECORDS)
        return false;
    me->poll.quiet = RECORDS;
    return true;
}

void hd_rt_moves_on(struct hd_thread *me)
{
    me->poll.n = me->poll.quiet = 0;
    if (me->poll.polling)
        rt.acted++; /* what it did in this turn may matter to others that poll */
    me->poll.polling = false;
}

uint32_t hd_rt_asks_again(struct hd_thread *me)
{
    HD_RT_CHECK_HOLDER(me);
    struct hd_polls *p = &me->poll;
    uint32_t events = __hd_flow.count - p->at;
    /* A search runs with and without a log, and must go the same way. */
    uint64_t changed = rt.led ? 0 : p->changed + hd_rt_pack.changes - changes;
    p->at = __hd_flow.count;
    p->changed = 0;
    changes = hd_rt_pack.changes;
    if (events > NEAR || changed) {
        p->busy = events > NEAR ? 0 : p->busy + 1;
        if (p->busy < BUSY_LONG)
            hd_rt_moves_on(me);
        p->n = p->quiet = 0;
        if (p->busy % BUSY_POLLS == BUSY_POLLS - 1) {
            p->passes = true;
            hd_rt_ask_soon();
        }
        return 0;
    }
    if (++p->n >= HD_POLLS) {
        p->passes = true;
        hd_rt_ask_soon();
    }
    return p->n;
}

uint32_t hd_rt_polled(struct hd_thread *me)
{
    if (!rt.led)
        rt.now += POLL;
    uint32_t n = hd_rt_asks_again(me);
    me->poll.polling |= n >= HD_POLLS || me->poll.busy >= BUSY_LONG;
    return n;
}

void hd_rt_polled_yield(struct hd_thread *me)
{
    hd_rt_polled(me);
    me->poll.passes = true;
    hd_rt_ask(me);
}

bool hd_rt_passes(struct hd_thread *me, bool out)
{
    struct hd_polls *p = &me->poll;
    bool passes = p->passes;
    p->passes = false;
    if (out && !passes && !rt.led) {
        passes = spins(me);
        if (passes)
            p->polling = true;
        else if (p->polling && __hd_flow.count - p->at > NEAR)
            hd_rt_moves_on(me);
    }
    if (p->polling) {
        p->looked = rt.acted;
        p->owes = true;
    }
    return passes || (out && (rt.exit_steps || hd_rt_exit_due(false))); /* many may run on */
}

void hd_rt_released(struct hd_thread *me)
{
    if (!me->poll.owes)
        return;
    me->poll.owes = false;
    me->poll.passes = true;
    hd_rt_ask_soon();
}

void hd_rt_turn_starts(struct hd_thread *t)
{
    from = hd_rt_log.pos;
    changes = hd_rt_pack.changes;
    if (t->poll.polling)
        return;
    rt.acted++;
    rt.fruitless = 0;
    if (rt.header->resting)
        rt.header->resting = 0;
}

void hd_rt_turn_ends(struct hd_thread *me)
{
    me->poll.changed += hd_rt_pack.changes - changes;
}

uint64_t hd_rt_poll_budget(void)
{
    return rt.fruitless > PATIENCE ? 16 * SLICE : SLICE;
}

bool hd_rt_must_rest(void)
{
    bool rested = rt.rested;
    rt.rested = false;
    bool rests =
        !rested && rt.fruitless > (rt.n_fdwait || rt.n_outside ? PATIENCE_INPUT : PATIENCE);
    if (rests)
        rt.header->resting = 1;
    return rests;
}
