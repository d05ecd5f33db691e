#include "predict/index/protocol_int.h"

#include "base/alloc.h"
#include "base/stop.h"

#include <string.h>

/* A state is the values of the locations, the holder of each lock (thread number + 1) and the node
 * of each thread, as one record of 16-bit numbers. */
struct search {
    struct hd_protocol *p;
    struct hd_intern states;
    size_t locs, locks, threads;
    uint16_t *now, *next;
};

static size_t width(const struct search *s)
{
    return s->locs + s->locks + s->threads;
}

static void reach(struct search *s)
{
    hd_intern_put(&s->states, s->next, NULL);
}

static void access(struct search *s, size_t thread, const struct hd_protocol_move *m,
                   const struct hd_protocol_edge *edge)
{
    uint16_t *node = &s->next[s->locs + s->locks + thread];
    bool fresh = m->kind == HD_MOVE_WRITE || s->now[m->object] == m->from;
    bool dies = m->checked && !fresh;
    *node = (uint16_t)(dies ? edge->doomed : edge->target);
    const uint32_t *edges = &s->p->edge_start[*node];
    if (m->kind == HD_MOVE_READ && dies && edges[0] == edges[1])
        return; /* it does nothing more: as good as one that has not read yet */
    if (m->kind != HD_MOVE_READ)
        s->next[m->object] = !fresh && m->itself ? 0 : m->to;
    reach(s);
}

static void take_edge(struct search *s, size_t thread, const struct hd_protocol_edge *edge)
{
    const struct hd_protocol_move *m = hd_vec_at(&s->p->moves.records, edge->move);
    uint16_t *holder = &s->next[s->locs + m->object];
    memcpy(s->next, s->now, width(s) * sizeof *s->next);
    if (m->kind != HD_MOVE_TAKE && m->kind != HD_MOVE_GIVE) {
        access(s, thread, m, edge);
        return;
    }
    if (m->kind == HD_MOVE_TAKE && *holder)
        return;
    *holder = m->kind == HD_MOVE_TAKE ? (uint16_t)(thread + 1) : 0;
    s->next[s->locs + s->locks + thread] = (uint16_t)edge->target;
    reach(s);
}

static void note_together(struct search *s)
{
    size_t nodes = s->p->nodes.records.len;
    const uint16_t *at = s->now + s->locs + s->locks;
    for (size_t i = 0; i < s->threads; i++)
        for (size_t k = 0; k < s->threads; k++) {
            size_t bit = at[i] * nodes + at[k];
            if (i != k)
                s->p->together[bit / 64] |= UINT64_C(1) << bit % 64;
        }
}

static void expand(struct search *s)
{
    const struct hd_protocol *p = s->p;
    note_together(s);
    for (size_t i = 0; i < s->threads; i++) {
        uint32_t node = s->now[s->locs + s->locks + i];
        for (uint32_t k = p->edge_start[node]; k < p->edge_start[node + 1]; k++)
            take_edge(s, i, hd_vec_at(&p->edges.records, p->edge_list[k]));
    }
}

static void first_state(struct search *s)
{
    for (size_t i = 0; i < s->locs; i++)
        s->next[i] = (uint16_t)s->p->settled.data[i];
    for (size_t i = 0; i < s->locks; i++)
        s->next[s->locs + i] = 0;
    for (size_t i = 0; i < s->threads; i++)
        s->next[s->locs + s->locks + i] =
            (uint16_t)((struct hd_protocol_thread *)hd_vec_at(&s->p->threads, i))->start;
    reach(s);
}

bool hd_protocol_explore(struct hd_protocol *p, size_t *states)
{
    struct search s = {
        .p = p, .locs = p->locs.len, .locks = p->locks.len, .threads = p->threads.len};
    size_t size = width(&s) * sizeof *s.now, nodes = p->nodes.records.len, done = 0;
    s.states.records = (struct hd_vec){.size = size};
    s.now = hd_alloc(size);
    s.next = hd_alloc(size);
    p->together = hd_calloc((nodes * nodes + 63) / 64, sizeof *p->together);
    first_state(&s);
    for (; done < s.states.records.len && s.states.records.len <= *states; done++) {
        if (hd_stop_often(done))
            break;
        memcpy(s.now, hd_vec_at(&s.states.records, done), size);
        expand(&s);
    }
    bool whole = done == s.states.records.len;
    *states -= done < *states ? done : *states;
    hd_free(s.now, size);
    hd_free(s.next, size);
    hd_intern_fini(&s.states);
    return whole;
}
