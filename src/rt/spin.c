/* Threads that wait by looking again and again. Runs in the user's process; see the rules in rt.h.
 *
 * The log knows: while a thread goes round in a loop that reads the same values at the same
 * addresses and changes nothing, every record comes as guessed in all respects (heddle/rt_pack.h),
 * one byte 1 each, and the slots that follow each other make a ring of reads and branches. Only
 * another thread can end such a loop, or a counter that the program keeps in registers. */
#include "rt/policy.h"

#define RING 64 /* slots of such a loop at most */

static bool only_looks(const struct hd_pack_slot *s)
{
    switch (hd_shape_kind(hd_pack_shape(s->key))) {
    case HD_LOG_READ:
    case HD_LOG_AREAD:
        return s->step == 0;
    case HD_LOG_LOOK:
    case HD_LOG_BRANCH:
    case HD_LOG_MORE:
        return true;
    default:
        return false;
    }
}

bool hd_rt_spins(const uint8_t *since)
{
    const uint8_t *p = hd_rt_log.pos;
    if (!p || p < since || p - since < HD_SPIN_RECORDS || p - since > (ptrdiff_t)HD_LOG_CHUNK)
        return false;
    for (unsigned i = 1; i <= HD_SPIN_RECORDS; i++)
        if (p[-(ptrdiff_t)i] != 1)
            return false;
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
