#include "recording/rawlog_rounds.h"

#include "recording/rawlog_quick.h"

#include <string.h>

enum {
    MOST_BYTES = 128, /* of a round */
    MOST_SLOTS = 32,  /* that a round uses */
    TRIES = 6,        /* lengths that the bytes allow */
    OFTEN = 16        /* rounds ahead that make it worth while to look for them */
};

/* The reader's guesses before a round, as far as the round can change them. */
struct guesses {
    uint32_t prev;
    uint64_t base[2], value, wide;
    uint32_t n;
    uint32_t at[MOST_SLOTS]; /* slots, as offsets */
    struct hd_pack_slot slots[MOST_SLOTS];
};

static bool keep_slot(struct guesses *g, struct hd_pack *pk, uint32_t offset)
{
    for (uint32_t i = 0; i < g->n; i++)
        if (g->at[i] == offset)
            return true;
    if (g->n == MOST_SLOTS)
        return false;
    g->at[g->n] = offset;
    g->slots[g->n++] = *hd_pack_at(pk, offset);
    return true;
}

static bool start(struct guesses *g, struct hd_pack *pk)
{
    g->n = 0;
    g->prev = pk->prev;
    memcpy(g->base, pk->base, sizeof g->base);
    g->value = pk->value;
    g->wide = pk->wide;
    return keep_slot(g, pk, pk->prev);
}

static bool are_same(const struct guesses *g, struct hd_pack *pk)
{
    bool same = g->prev == pk->prev && !memcmp(g->base, pk->base, sizeof g->base) &&
                g->value == pk->value && g->wide == pk->wide;
    for (uint32_t i = 0; same && i < g->n; i++)
        same = !memcmp(&g->slots[i], hd_pack_at(pk, g->at[i]), sizeof g->slots[i]);
    return same;
}

static void restore(const struct guesses *g, struct hd_pack *pk)
{
    pk->prev = g->prev;
    memcpy(pk->base, g->base, sizeof g->base);
    pk->value = g->value;
    pk->wide = g->wide;
    for (uint32_t i = 0; i < g->n; i++)
        *hd_pack_at(pk, g->at[i]) = g->slots[i];
}

/* A read that finds what the mirror has, or a branch: it changes the guesses only. */
static bool may_repeat(const struct hd_raw_shape *is, unsigned flag)
{
    if (is->quick == HD_QUICK_WORD)
        return (is->kind == HD_LOG_READ || is->kind == HD_LOG_AREAD) && !(flag >> 4 & 3);
    return is->quick == HD_QUICK_BRANCH || is->quick == HD_QUICK_MORE;
}

/* Reads one round, and says how many events it has. 0: it is none, or changes the guesses. */
static uint32_t try_round(struct hd_rawlog *log, struct guesses *g, uint32_t bytes)
{
    struct hd_rawlog_run r = hd_rawlog_run_start(log);
    const uint8_t *end = r.q + bytes;
    uint32_t first = r.count;
    while (r.q < end) {
        const uint8_t *q = r.q + 1;
        unsigned flag = *r.q;
        struct hd_pack_slot *s = hd_rawlog_run_slot(&r, &q, flag & 3);
        if (!s || !may_repeat(hd_raw_shape_in(s), flag) ||
            !keep_slot(g, r.pk, (uint32_t)((const char *)s - (const char *)r.pk->slots)) ||
            !hd_rawlog_run_next(&r))
            return 0;
    }
    r.pk->prev = (uint32_t)((const char *)r.slot - (const char *)r.pk->slots);
    return r.q == end && are_same(g, r.pk) ? r.count - first : 0;
}

uint32_t hd_rawlog_round(struct hd_rawlog *log, uint64_t bytes)
{
    struct guesses g;
    struct hd_pack *pk = log->in.pack;
    size_t left = log->chunk_len - log->pos;
    if (log->broken || log->inherits || !bytes || bytes > MOST_BYTES || bytes > left)
        return 0;
    uint32_t events = start(&g, pk) ? try_round(log, &g, (uint32_t)bytes) : 0;
    restore(&g, pk);
    return events;
}

bool hd_rawlog_rounds_repeat(const struct hd_rawlog *log, size_t bytes)
{
    const uint8_t *from = log->chunk + log->pos;
    return bytes <= log->pos && bytes <= log->chunk_len - log->pos &&
           !memcmp(from, from - bytes, bytes);
}

struct hd_rawlog_rounds hd_rawlog_rounds(const struct hd_rawlog *log, uint32_t bytes,
                                         uint32_t events)
{
    const uint8_t *from = log->chunk + log->pos;
    size_t left = log->chunk_len - log->pos, same = 0;
    HD_DCHECK(bytes && bytes <= left && events);
    while (same < left - bytes && from[same] == from[same + bytes])
        same++;
    struct hd_rawlog_rounds r = {same / bytes + 1, bytes, events};
    uint64_t most = log->limit ? (log->limit - log->events) / events : r.times;
    r.times = r.times < most ? r.times : most;
    return r;
}

struct hd_rawlog_rounds hd_rawlog_rounds_find(struct hd_rawlog *log)
{
    const uint8_t *from = log->chunk + log->pos;
    size_t left = log->chunk_len - log->pos;
    unsigned tries = 0;
    for (uint32_t bytes = 1; bytes <= MOST_BYTES && (size_t)bytes * OFTEN <= left && tries < TRIES;
         bytes++) {
        if (from[0] != from[bytes] || memcmp(from, from + bytes, (size_t)bytes * (OFTEN - 1)) != 0)
            continue;
        tries++;
        uint32_t events = hd_rawlog_round(log, bytes); /* guesses may take a few to come back */
        if (events)
            return hd_rawlog_rounds(log, bytes, events);
    }
    return (struct hd_rawlog_rounds){0};
}

void hd_rawlog_rounds_skip(struct hd_rawlog *log, const struct hd_rawlog_rounds *r, uint64_t times)
{
    HD_DCHECK(times <= r->times);
    log->pos += (size_t)(times * r->bytes);
    log->in.count += (uint32_t)(times * r->events);
    log->events += times * r->events;
    log->in_rounds += times * r->events;
}
