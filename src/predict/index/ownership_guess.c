#include "predict/index/ownership_int.h"

#include "base/alloc.h"
#include "base/stop.h"

/* How many objects that a thread came across last are looked at. */
enum { RECENT = 4 };

/* An object that a location may belong to: how often a thread that used the location had come
 * across it shortly before, and how many it had come across since, in sum. */
struct guess {
    uint32_t object; /* + 1 */
    uint32_t hits, since;
};

struct guesses {
    struct guess list[RECENT];
    uint32_t uses;
};

struct recent {
    uint32_t list[RECENT]; /* objects + 1, the last first; 0: none */
};

static void come_across(struct recent *r, uint32_t object)
{
    uint32_t moved = object;
    for (int i = 0; object && i < RECENT; i++) {
        uint32_t old = r->list[i];
        r->list[i] = moved;
        moved = old;
        if (old == object)
            return;
    }
}

static void count_hits(struct guesses *g, const struct recent *r)
{
    bool first = !g->list[0].object;
    g->uses++;
    for (uint32_t i = 0; first && i < RECENT; i++)
        g->list[i] = (struct guess){r->list[i], 0, 0};
    for (uint32_t i = 0; i < RECENT && g->list[i].object; i++)
        for (uint32_t j = 0; j < RECENT; j++)
            if (r->list[j] == g->list[i].object) {
                g->list[i].hits++;
                g->list[i].since += j;
            }
}

/* The objects that the address of e was computed from, where the trace says so; else `otherwise`.
 */
static struct recent addressed_by(const struct hd_ownership *k, hd_eid e, struct recent otherwise)
{
    struct hd_deps deps = hd_trace_deps(k->t, e, HD_DEP_ADDR);
    struct recent r = {{0}};
    for (uint32_t i = deps.n; i-- > 0;) {
        hd_eid read = hd_trace_back(k->t, e, deps.dist[i]);
        come_across(&r, hd_owned_of(k, hd_trace_read_value(k->t, read)));
    }
    return r.list[0] ? r : otherwise;
}

static void look_at_thread(const struct hd_ownership *k, hd_tid u, struct guesses *all)
{
    const struct hd_trace *t = k->t;
    struct recent r = {{0}};
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    for (size_t i = 0; i < n && !hd_stop_often(i); i++) {
        hd_eid e = events[i];
        if (!hd_op_is_access(t->op[e]) || e < k->early)
            continue;
        struct recent objects = addressed_by(k, e, r);
        count_hits(&all[t->obj[e]], &objects);
        if (hd_op_reads(t->op[e]))
            come_across(&r, hd_owned_of(k, hd_trace_read_value(t, e)));
        if (hd_op_writes(t->op[e]))
            come_across(&r, hd_owned_of(k, hd_trace_write_value(t, e)));
    }
}

static const struct guess *best_of(const struct guesses *g)
{
    const struct guess *best = &g->list[0];
    for (uint32_t i = 1; i < RECENT && g->list[i].object; i++)
        if (g->list[i].hits > best->hits ||
            (g->list[i].hits == best->hits && g->list[i].since < best->since))
            best = &g->list[i];
    return best;
}

void hd_ownership_guess(struct hd_ownership *k)
{
    size_t n = hd_trace_n_objs(k->t, HD_OBJ_LOC);
    struct guesses *all = hd_calloc(n, sizeof *all);
    for (hd_tid u = 0; u < hd_trace_n_threads(k->t) && hd_stop_now() == HD_STOP_NO; u++)
        look_at_thread(k, u, all);
    for (size_t i = 0; i < n; i++) {
        const struct guess *best = best_of(&all[i]);
        if (best->object && (best->hits == all[i].uses || !k->loc[i].lock)) {
            k->loc[i].domain = HD_DOMAIN_OBJECT;
            k->loc[i].of = best->object;
        }
    }
    hd_free(all, n * sizeof *all);
}

/* ---- slots ---- */

static uint32_t slot_of(const struct hd_ownership *k, uint32_t loc)
{
    while (k->loc[loc].slot != loc)
        loc = k->loc[loc].slot = k->loc[k->loc[loc].slot].slot;
    return loc;
}

static bool moves_address(const struct hd_ownership *k, hd_eid e)
{
    const struct hd_trace *t = k->t;
    return (hd_op_reads(t->op[e]) && hd_owned_of(k, hd_trace_read_value(t, e))) ||
           (hd_op_writes(t->op[e]) && hd_owned_of(k, hd_trace_write_value(t, e)));
}

void hd_ownership_slots(struct hd_ownership *k)
{
    const struct hd_trace *t = k->t;
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC);
    struct hd_map of_place = {0}; /* source place to location + 1 */
    for (uint32_t i = 0; i < n; i++)
        k->loc[i].slot = i;
    for (hd_eid e = 0; e < t->n_events && !hd_stop_often(e); e++) {
        if (!hd_op_is_access(t->op[e]) || k->loc[t->obj[e]].domain != HD_DOMAIN_OBJECT ||
            !k->loc[t->obj[e]].holds || !moves_address(k, e))
            continue;
        uint32_t *first = hd_map_put(&of_place, t->place[e], NULL);
        if (!*first)
            *first = t->obj[e] + 1;
        uint32_t a = slot_of(k, *first - 1), b = slot_of(k, t->obj[e]);
        k->loc[a < b ? b : a].slot = a < b ? a : b;
    }
    for (uint32_t i = 0; i < n; i++)
        k->loc[i].slot = slot_of(k, i);
    hd_map_fini(&of_place);
}
