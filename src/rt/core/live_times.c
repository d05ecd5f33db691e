/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/live_times.h"

#include "rt/core/live_arrivals.h"

/* Items of one thread follow each other by `next`. */
struct item {
    const struct hd_arrivals_item *head;
    struct item *next;
};

struct place {
    uint64_t thread;
    struct item *first, *last; /* NULL: a free place */
};
static struct place *places; /* open addressing */
static size_t n_places, room;
static uint64_t latest; /* what anybody was told */

static struct place *place_of(uint64_t thread)
{
    size_t i = (size_t)(thread * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (places[i].first && places[i].thread != thread)
        i = (i + 1) & (room - 1);
    return &places[i];
}

static void grow(void)
{
    struct place *old = places;
    size_t n = room;
    room = room ? 2 * room : 64;
    places = hd_rt_mem(room * sizeof *places);
    for (size_t i = 0; i < n; i++)
        if (old[i].first)
            *place_of(old[i].thread) = old[i];
}

void hd_rt_times_keep(const struct hd_arrivals_item *head)
{
    if (2 * (n_places + 1) > room)
        grow();
    struct place *at = place_of(head->thread);
    struct item *it = hd_rt_mem(sizeof *it);
    it->head = head;
    if (at->first) {
        at->last->next = it;
    } else {
        *at = (struct place){head->thread, it, it};
        n_places++;
    }
    at->last = it;
}

/* The next answer of the thread. False: there are no more. */
static bool next_answer(struct hd_times *t)
{
    const struct item *it = t->item;
    while (it && t->at >= it->head->len) {
        t->item = it = it->next;
        t->at = 0;
    }
    if (!it)
        return false;
    const uint8_t *p = (const uint8_t *)(it->head + 1);
    uint64_t added = 0;
    for (unsigned shift = 0; shift < 64 && t->at < it->head->len; shift += 7) {
        uint8_t b = p[t->at++];
        added |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            break;
    }
    t->said += added;
    return true;
}

/* A forked child goes on where its parent was: what that was told before is skipped. */
static bool answer(struct hd_thread *me)
{
    struct hd_times *t = &me->times;
    if (!t->begun) {
        t->begun = true;
        t->said = 0;
        t->item = room ? place_of(hd_rt_arrivals_path(me))->first : NULL;
    }
    while (t->played < t->asked) {
        if (!next_answer(t))
            return false;
        t->played++;
    }
    return true;
}

uint64_t hd_rt_times_tell(struct hd_thread *me)
{
    struct hd_times *t = &me->times;
    t->asked++;
    if (rt.follow && answer(me))
        t->skew = (int64_t)(t->said - rt.now);
    else if (rt.follow && rt.now + (uint64_t)t->skew <= latest)
        t->skew = (int64_t)(latest + 1 - rt.now);
    uint64_t now = rt.now + (uint64_t)t->skew;
    if (!rt.follow && !rt.tapped) {
        hd_rt_log_data(HD_LOG_ARRIVAL, 0, (now - t->said) << 8 | HD_ARRIVAL_TIME, "", 0);
        t->said = now;
    }
    if (now > latest)
        latest = now;
    return now;
}

uint64_t hd_rt_times_seen(const struct hd_thread *me, uint64_t at)
{
    int64_t skew = me->times.skew;
    return skew > 0 && at < (uint64_t)skew ? 0 : at - (uint64_t)skew;
}
