#include "predict/search/meetings.h"

#include "base/alloc.h"

#define MOST_WORDS ((size_t)8 << 20)

struct hd_meetings {
    const struct hd_trace *t;
    size_t threads, words;
    uint32_t *end; /* by thread: its events before `to` */
    size_t *start; /* by two threads u < v, u * threads + v: their first bit */
    uint64_t *bits;
};

/* Lays the bits out, and counts them. */
static size_t lay_out(struct hd_meetings *m)
{
    size_t bits = 0;
    for (hd_tid u = 0; u < m->threads; u++)
        for (hd_tid v = u + 1; v < m->threads; v++) {
            m->start[u * m->threads + v] = bits;
            bits += ((size_t)m->end[u] + 1) * ((size_t)m->end[v] + 1);
        }
    return bits;
}

struct hd_meetings *hd_meetings_new(const struct hd_world *w, hd_eid to)
{
    struct hd_meetings *m = hd_calloc(1, sizeof *m);
    *m = (struct hd_meetings){.t = w->t, .threads = w->n_threads};
    m->end = hd_calloc(m->threads, sizeof *m->end);
    m->start = hd_calloc(m->threads * m->threads, sizeof *m->start);
    for (hd_tid u = 0; u < m->threads; u++)
        m->end[u] = hd_world_events_before(w, u, to);
    size_t words = lay_out(m) / 64 + 1;
    if (words > MOST_WORDS) {
        hd_meetings_free(m);
        return NULL;
    }
    m->words = words;
    m->bits = hd_calloc(words, sizeof *m->bits);
    return m;
}

void hd_meetings_free(struct hd_meetings *m)
{
    if (!m)
        return;
    hd_free(m->end, m->threads * sizeof *m->end);
    hd_free(m->start, m->threads * m->threads * sizeof *m->start);
    hd_free(m->bits, m->words * sizeof *m->bits);
    hd_free(m, sizeof *m);
}

static size_t bit_of(const struct hd_meetings *m, hd_tid u, uint32_t p, hd_tid v, uint32_t q)
{
    return m->start[u * m->threads + v] + (size_t)p * (m->end[v] + 1) + q;
}

void hd_meetings_add(struct hd_meetings *m, const uint32_t *pos)
{
    for (hd_tid u = 0; u < m->threads; u++)
        for (hd_tid v = u + 1; v < m->threads; v++) {
            size_t bit = bit_of(m, u, pos[u], v, pos[v]);
            m->bits[bit / 64] |= UINT64_C(1) << bit % 64;
        }
}

bool hd_meetings_have(const struct hd_meetings *m, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = m->t;
    hd_eid x = t->thread[a] < t->thread[b] ? a : b, y = x == a ? b : a;
    size_t bit = bit_of(m, t->thread[x], t->pos[x], t->thread[y], t->pos[y]);
    return m->bits[bit / 64] >> bit % 64 & 1;
}
