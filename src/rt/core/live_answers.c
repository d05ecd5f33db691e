/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/live_answers.h"

#include "rt/core/live_arrivals.h"

/* Items of one thread and kind follow each other by `next`. */
struct item {
    const struct hd_arrivals_item *head;
    struct item *next;
};

struct place {
    uint64_t thread;
    uint32_t kind;
    struct item *first, *last; /* NULL: a free place */
};
static struct place *places; /* open addressing */
static size_t n_places, room;

static struct place *place_of(uint64_t thread, uint32_t kind)
{
    size_t i = (size_t)((thread + kind) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);
    while (places[i].first && (places[i].thread != thread || places[i].kind != kind))
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
            *place_of(old[i].thread, old[i].kind) = old[i];
}

void hd_rt_answers_keep(const struct hd_arrivals_item *head)
{
    if (2 * (n_places + 1) > room)
        grow();
    struct place *at = place_of(head->thread, head->kind);
    struct item *it = hd_rt_mem(sizeof *it);
    it->head = head;
    if (at->first) {
        at->last->next = it;
    } else {
        *at = (struct place){head->thread, head->kind, it, it};
        n_places++;
    }
    at->last = it;
}

bool hd_rt_answers_next(struct hd_thread *me, struct hd_answers *a, enum hd_arrival kind,
                        uint64_t *value)
{
    if (!a->begun) {
        a->begun = true;
        a->item = room ? place_of(hd_rt_arrivals_path(me), kind)->first : NULL;
    }
    const struct item *it = a->item;
    while (it && a->at >= it->head->len) {
        a->item = it = it->next;
        a->at = 0;
    }
    if (!it)
        return false;
    const uint8_t *p = (const uint8_t *)(it->head + 1);
    *value = 0;
    for (unsigned shift = 0; shift < 64 && a->at < it->head->len; shift += 7) {
        uint8_t b = p[a->at++];
        *value |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            break;
    }
    return true;
}

void hd_rt_answers_log(enum hd_arrival kind, uint64_t value)
{
    if (!rt.follow && !rt.tapped)
        hd_rt_log_data(HD_LOG_ARRIVAL, 0, value << 8 | kind, "", 0);
}
