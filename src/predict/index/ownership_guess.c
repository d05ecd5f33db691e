#include "predict/index/ownership_int.h"

#include "base/alloc.h"
#include "base/stop.h"

#include <string.h>

/* How many objects that a thread came across last are looked at. */
enum { RECENT = 4 };
/* How many objects are thought of for a location. */
enum { GUESSES = 6 };
/* How often votes are weighed anew. */
enum { ROUNDS = 3 };

/* An object that a location may belong to. */
struct guess {
    uint32_t object; /* + 1 */
    uint32_t hits;   /* how often a user of the location had come across it shortly before */
    float votes;
};

struct guesses {
    struct guess list[GUESSES];
    uint32_t uses;
};

/* How often the object that was come across at one source place was the one that a location used
 * at another place belongs to, as guessed so far: `it = table[i]` at the one, `it->refs++` at the
 * other. */
struct way {
    uint32_t right, all;
};

struct recent {
    uint32_t list[RECENT + 1]; /* objects + 1, the last first; 0: none. The last entry is the next
                                * object that is new, a block that was just allocated perhaps. */
    uint32_t from[RECENT + 1]; /* the source place at which it was come across */
};

struct guesser {
    const struct hd_ownership *k;
    struct guesses *of;    /* by location */
    uint32_t *best;        /* by location: object + 1 */
    hd_eid *birth;         /* by object: the write that is the first event with its address */
    struct hd_map way_ids; /* place << 32 | place to number + 1 */
    struct hd_vec ways;    /* struct way */
};

static void come_across(struct recent *r, uint32_t object, uint32_t place)
{
    uint32_t moved = object, from = place;
    for (int i = 0; object && i < RECENT; i++) {
        uint32_t old = r->list[i], old_from = r->from[i];
        r->list[i] = moved;
        r->from[i] = from;
        moved = old;
        from = old_from;
        if (old == object)
            return;
    }
}

static struct way *way_of(struct guesser *g, uint32_t from, uint32_t to)
{
    uint32_t *id = hd_map_put(&g->way_ids, (uint64_t)from << 32 | to, NULL);
    if (!*id) {
        *(struct way *)hd_vec_push(&g->ways) = (struct way){0, 0};
        *id = (uint32_t)g->ways.len;
    }
    return hd_vec_at(&g->ways, *id - 1);
}

/* The entry of the object, or one for it: a free one, or the last that has no more than one hit. */
static struct guess *guess_of(struct guesses *g, uint32_t object)
{
    struct guess *room = NULL;
    for (uint32_t i = 0; i < GUESSES; i++) {
        if (g->list[i].object == object)
            return &g->list[i];
        if (!g->list[i].object) {
            room = &g->list[i];
            break;
        }
        if (g->list[i].hits <= 1)
            room = &g->list[i];
    }
    if (room)
        *room = (struct guess){object, 0, 0};
    return room;
}

/* An access at a source place to a location, by a thread that has come across these objects. */
static void vote(struct guesser *g, uint32_t loc, const struct recent *r, uint32_t place)
{
    struct guesses *all = &g->of[loc];
    all->uses++;
    for (uint32_t i = RECENT + 1; i-- > 0;) {
        struct guess *of = r->list[i] ? guess_of(all, r->list[i]) : NULL;
        if (!of)
            continue;
        const struct way *way = way_of(g, r->from[i], place);
        float share = ((float)way->right + 0.1F) / ((float)way->all + 1.0F);
        of->hits++;
        of->votes += share * share * (1.0F - 0.01F * (float)i);
    }
}

static void judge_ways(struct guesser *g, uint32_t loc, const struct recent *r, uint32_t place)
{
    for (uint32_t i = 0; i <= RECENT; i++) {
        if (!r->list[i])
            continue;
        struct way *way = way_of(g, r->from[i], place);
        way->all++;
        way->right += r->list[i] == g->best[loc];
    }
}

/* The objects that the address of e was computed from, where the trace says so; else `otherwise`.
 */
static struct recent addressed_by(const struct hd_ownership *k, hd_eid e, struct recent otherwise)
{
    struct hd_deps deps = hd_trace_deps(k->t, e, HD_DEP_ADDR);
    struct recent r = {{0}, {0}};
    for (uint32_t i = deps.n; i-- > 0;) {
        hd_eid read = hd_trace_back(k->t, e, deps.dist[i]);
        come_across(&r, hd_owned_of(k, hd_trace_read_value(k->t, read)), k->t->place[read]);
    }
    return r.list[0] ? r : otherwise;
}

/* The first event with the address of each object, if it is a write. */
static void find_births(struct guesser *g)
{
    const struct hd_trace *t = g->k->t;
    uint8_t *known = hd_calloc(g->k->objects.len + 1, 1);
    for (hd_eid e = 0; e < t->n_events && !hd_stop_often(e); e++) {
        if (!hd_op_is_access(t->op[e]))
            continue;
        uint32_t read = hd_op_reads(t->op[e]) ? hd_owned_of(g->k, hd_trace_read_value(t, e)) : 0;
        uint32_t id = hd_op_writes(t->op[e]) ? hd_owned_of(g->k, hd_trace_write_value(t, e)) : 0;
        known[read] = 1;
        g->birth[id] = known[id] ? g->birth[id] : e;
        known[id] = 1;
    }
    hd_free(known, g->k->objects.len + 1);
}

/* The next event of a thread, from place i on, with which an object is born. */
static size_t next_birth(const struct guesser *g, const hd_eid *events, size_t n, size_t i)
{
    const struct hd_trace *t = g->k->t;
    for (; i < n; i++) {
        hd_eid e = events[i];
        if (!hd_op_is_access(t->op[e]) || !hd_op_writes(t->op[e]))
            continue;
        uint32_t id = hd_owned_of(g->k, hd_trace_write_value(t, e));
        if (id && g->birth[id] == e)
            break;
    }
    return i;
}

static void expect_birth(const struct guesser *g, struct recent *r, hd_eid e)
{
    r->list[RECENT] = hd_owned_of(g->k, hd_trace_write_value(g->k->t, e));
    r->from[RECENT] = ~g->k->t->place[e]; /* another way than to come across it there */
}

static void look_at_thread(struct guesser *g, hd_tid u, bool judge)
{
    const struct hd_ownership *k = g->k;
    const struct hd_trace *t = k->t;
    struct recent r = {{0}, {0}};
    size_t n, birth = 0;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    for (size_t i = 0; i < n && !hd_stop_often(i); i++) {
        hd_eid e = events[i];
        if (i >= birth) {
            r.list[RECENT] = 0;
            birth = next_birth(g, events, n, i + 1);
            if (birth < n)
                expect_birth(g, &r, events[birth]);
        }
        if (!hd_op_is_access(t->op[e]) || e < k->early)
            continue;
        struct recent objects = addressed_by(k, e, r);
        if (judge)
            judge_ways(g, t->obj[e], &objects, t->place[e]);
        else
            vote(g, t->obj[e], &objects, t->place[e]);
        if (hd_op_reads(t->op[e]))
            come_across(&r, hd_owned_of(k, hd_trace_read_value(t, e)), t->place[e]);
        if (hd_op_writes(t->op[e]))
            come_across(&r, hd_owned_of(k, hd_trace_write_value(t, e)), t->place[e]);
    }
}

static const struct guess *best_of(const struct guesses *g)
{
    const struct guess *best = &g->list[0];
    for (uint32_t i = 1; i < GUESSES && g->list[i].object; i++)
        if (g->list[i].votes > best->votes)
            best = &g->list[i];
    return best;
}

/* Whether no other object has more than half of the votes that this one has. */
static bool stands_out(const struct guesses *g, const struct guess *best)
{
    for (uint32_t i = 0; i < GUESSES && g->list[i].object; i++)
        if (&g->list[i] != best && 2 * g->list[i].votes > best->votes)
            return false;
    return true;
}

/* All accesses vote; or the ways by which threads came to objects are judged by the outcome. */
static void look_at_threads(struct guesser *g, size_t n_locs, bool judge)
{
    if (!judge)
        memset(g->of, 0, n_locs * sizeof *g->of);
    for (size_t i = 0; judge && i < g->ways.len; i++)
        *(struct way *)hd_vec_at(&g->ways, i) = (struct way){0, 0};
    for (hd_tid u = 0; u < hd_trace_n_threads(g->k->t) && hd_stop_now() == HD_STOP_NO; u++)
        look_at_thread(g, u, judge);
    for (size_t i = 0; !judge && i < n_locs; i++)
        g->best[i] = best_of(&g->of[i])->object;
}

void hd_ownership_guess(struct hd_ownership *k)
{
    size_t n = hd_trace_n_objs(k->t, HD_OBJ_LOC);
    struct guesser g = {.k = k,
                        .of = hd_calloc(n, sizeof *g.of),
                        .best = hd_calloc(n, sizeof *g.best),
                        .birth = hd_calloc(k->objects.len + 1, sizeof *g.birth),
                        .ways = HD_VEC_INIT(struct way)};
    for (size_t i = 0; i <= k->objects.len; i++)
        g.birth[i] = HD_EID_NONE;
    find_births(&g);
    look_at_threads(&g, n, false);
    for (int i = 1; i < ROUNDS; i++) {
        look_at_threads(&g, n, true);
        look_at_threads(&g, n, false);
    }
    for (size_t i = 0; i < n; i++) {
        const struct guess *best = best_of(&g.of[i]);
        k->loc[i].near = best->hits * 2 >= g.of[i].uses ? best->object : 0;
        bool sure = best->hits == g.of[i].uses && stands_out(&g.of[i], best);
        if (best->object && (sure || !k->loc[i].lock)) {
            k->loc[i].domain = HD_DOMAIN_OBJECT;
            k->loc[i].of = best->object;
        }
    }
    hd_free(g.of, n * sizeof *g.of);
    hd_free(g.best, n * sizeof *g.best);
    hd_free(g.birth, (k->objects.len + 1) * sizeof *g.birth);
    hd_map_fini(&g.way_ids);
    hd_vec_fini(&g.ways);
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
