#include "predict/index/ownership_int.h"

#include "base/alloc.h"
#include "base/stop.h"

#include <string.h>

/* How many objects that a thread came across last are looked at: more where objects have locks, but
 * few of one source place, since a list is walked down to where a node goes that was got before. */
enum { RECENT = 8, RECENT_OF_PLACE = 2, RECENT_WITHOUT_LOCKS = 4 };
/* How many objects are thought of for a location. */
enum { GUESSES = 12 };
/* How often votes are weighed anew. */
enum { ROUNDS = 3 };
/* So many uses of a location vote, and of those after them one in APART: more say nothing new. */
enum { VOTERS = 256, APART = 16 };

/* An object that a location may belong to. */
struct guess {
    uint32_t object; /* + 1 */
    uint32_t hits;   /* how often a user of the location had come across it shortly before */
    float votes;
};

struct guesses {
    struct guess list[GUESSES];
    uint32_t uses; /* that voted */
    uint32_t seen; /* of all */
};

/* How often the object that was come across at one source place (the last one, or the one before)
 * was the one that a location used at another place belongs to, as guessed so far: `it = table[i]`
 * at the one, `it->refs++` at the other. */
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
    struct guesses *of; /* by location, then by lock */
    uint32_t *best;     /* the same: object + 1 */
    hd_eid *birth;      /* by object: the write that is the first event with its address */
    /* By place in the lists of the threads' events, one bit: a birth, a use that votes, an access
     * with an object's address. Nothing else matters. */
    uint64_t *born, *votes, *moves;
    struct hd_map way_ids; /* place << 32 | place to number + 1 */
    struct hd_vec ways;    /* struct way */
    struct known_way {
        uint64_t key; /* of way_ids */
        uint32_t id;  /* 0: none */
    } known[1024];    /* those asked for last, by key */
};

/* Which entry makes room for the object: its own, that of another one of the place, the last. */
static uint32_t leaves_for(const struct hd_ownership *k, const struct recent *r, uint32_t object,
                           uint32_t place)
{
    uint32_t of_place = 0, n = k->inner ? RECENT : RECENT_WITHOUT_LOCKS, room = n;
    for (uint32_t i = 0; i < n; i++) {
        if (r->list[i] == object)
            return i;
        of_place += r->list[i] && r->from[i] == place;
        if (k->inner && of_place == RECENT_OF_PLACE && room == n)
            room = i;
    }
    return room < n ? room : n - 1;
}

static void come_across(const struct hd_ownership *k, struct recent *r, uint32_t object,
                        uint32_t place)
{
    if (!object)
        return;
    for (uint32_t i = leaves_for(k, r, object, place); i > 0; i--) {
        r->list[i] = r->list[i - 1];
        r->from[i] = r->from[i - 1];
    }
    r->list[0] = object;
    r->from[0] = place;
}

/* How the thread came to the i-th of these objects that it uses a location of at a place. */
static struct way *way_of(struct guesser *g, const struct recent *r, uint32_t i, uint32_t to)
{
    uint32_t before = 0;
    for (uint32_t j = 0; j < i && g->k->inner; j++)
        before += r->list[j] && r->from[j] == r->from[i];
    uint32_t from = r->from[i] * RECENT_OF_PLACE + before;
    uint64_t key = (uint64_t)from << 32 | to;
    struct known_way *known = &g->known[(from * 31 + to) % (sizeof g->known / sizeof *g->known)];
    if (!known->id || known->key != key) {
        uint32_t *id = hd_map_put(&g->way_ids, key, NULL);
        if (!*id) {
            *(struct way *)hd_vec_push(&g->ways) = (struct way){0, 0};
            *id = (uint32_t)g->ways.len;
        }
        *known = (struct known_way){key, *id};
    }
    return hd_vec_at(&g->ways, known->id - 1);
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

/* A use, at a source place, of a location or a lock, by a thread that has come across these
 * objects. */
static void vote(struct guesser *g, uint32_t part, const struct recent *r, uint32_t place)
{
    struct guesses *all = &g->of[part];
    all->uses++;
    for (uint32_t i = RECENT + 1; i-- > 0;) {
        struct guess *of = r->list[i] ? guess_of(all, r->list[i]) : NULL;
        if (!of)
            continue;
        const struct way *way = way_of(g, r, i, place);
        float share = ((float)way->right + 0.1F) / ((float)way->all + 1.0F);
        of->hits++;
        of->votes += share * share * (1.0F - 0.01F * (float)i);
    }
}

static void judge_ways(struct guesser *g, uint32_t part, const struct recent *r, uint32_t place)
{
    for (uint32_t i = 0; i <= RECENT; i++) {
        if (!r->list[i])
            continue;
        struct way *way = way_of(g, r, i, place);
        way->all++;
        way->right += r->list[i] == g->best[part];
    }
}

/* The objects that the address of e was computed from, where the trace names them; else
 * `otherwise`. */
static struct recent addressed_by(const struct hd_ownership *k, hd_eid e, struct recent otherwise)
{
    struct hd_deps deps = hd_trace_deps(k->t, e, HD_DEP_ADDR);
    struct recent r = {{0}, {0}};
    for (uint32_t i = deps.n; i-- > 0;) {
        hd_eid read = hd_trace_back(k->t, e, deps.dist[i]);
        come_across(k, &r, hd_owned_of(k, hd_trace_read_value(k->t, read)), k->t->place[read]);
    }
    return r.list[0] ? r : otherwise;
}

static bool has_bit(const uint64_t *bits, size_t i)
{
    return bits[i / 64] >> (i % 64) & 1;
}

static void set_bit(uint64_t *bits, size_t i)
{
    bits[i / 64] |= UINT64_C(1) << (i % 64);
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
    for (size_t id = 1; id <= g->k->objects.len; id++)
        if (g->birth[id] != HD_EID_NONE)
            set_bit(g->born,
                    t->by_obj[HD_OBJ_THREAD].start[t->thread[g->birth[id]]] + t->pos[g->birth[id]]);
}

/* The first bit from i to end - 1 that is set in one of the two; end when there is none. */
static size_t next_bit(const uint64_t *bits, const uint64_t *others, size_t i, size_t end)
{
    for (size_t from = i / 64 * 64; from < end; from += 64) {
        uint64_t word = bits[from / 64] | others[from / 64];
        word &= from < i ? UINT64_MAX << (i % 64) : UINT64_MAX;
        if (word)
            return from + (size_t)__builtin_ctzll(word) < end ? from + (size_t)__builtin_ctzll(word)
                                                              : end;
    }
    return end;
}

static void expect_birth(const struct guesser *g, struct recent *r, hd_eid e)
{
    r->list[RECENT] = hd_owned_of(g->k, hd_trace_write_value(g->k->t, e));
    r->from[RECENT] = ~g->k->t->place[e]; /* another way than to come across it there */
}

/* What e uses: a location, or, after all of these, a lock that it takes; UINT32_MAX: neither. */
static uint32_t part_of(const struct hd_ownership *k, hd_eid e)
{
    if (hd_op_is_access(k->t->op[e]))
        return k->t->obj[e];
    uint32_t section = hd_section_of(k->sections, e);
    if (section == HD_SECTION_NONE || hd_section_at(k->sections, section)->open != e)
        return UINT32_MAX;
    return (uint32_t)hd_trace_n_objs(k->t, HD_OBJ_LOC) + hd_section_at(k->sections, section)->lock;
}

static bool has_vote(struct guesses *g)
{
    uint32_t n = g->seen++;
    return n < VOTERS || n % APART == 0;
}

static bool moves_address(const struct hd_ownership *k, hd_eid e)
{
    const struct hd_trace *t = k->t;
    return hd_op_is_access(t->op[e]) &&
           ((hd_op_reads(t->op[e]) && hd_owned_of(k, hd_trace_read_value(t, e))) ||
            (hd_op_writes(t->op[e]) && hd_owned_of(k, hd_trace_write_value(t, e))));
}

/* Which uses vote, in each round the same; which accesses a thread comes across objects by. */
static void mark_uses(struct guesser *g)
{
    const struct hd_index *threads = &g->k->t->by_obj[HD_OBJ_THREAD];
    for (size_t i = 0; i < g->k->t->n_events && !hd_stop_often(i); i++) {
        hd_eid e = threads->list[i];
        uint32_t part = part_of(g->k, e);
        if (part == UINT32_MAX || !hd_stretch_has(g->k->span, e))
            continue;
        if (has_vote(&g->of[part]))
            set_bit(g->votes, i);
        if (moves_address(g->k, e))
            set_bit(g->moves, i);
    }
}

/* One use of a location or a lock. */
typedef void use_fn(struct guesser *g, uint32_t part, const struct recent *r, uint32_t place);

static void look_at_thread(struct guesser *g, hd_tid u, use_fn *use)
{
    const struct hd_ownership *k = g->k;
    const struct hd_trace *t = k->t;
    const struct hd_index *threads = &t->by_obj[HD_OBJ_THREAD];
    struct recent r = {{0}, {0}};
    size_t i = threads->start[u], end = threads->start[u + 1], birth = i, looked = 0;
    while ((i = next_bit(g->votes, g->moves, i, end)) < end && !hd_stop_often(looked++)) {
        hd_eid e = threads->list[i];
        if (i >= birth) {
            r.list[RECENT] = 0;
            birth = next_bit(g->born, g->born, i + 1, end);
            if (birth < end)
                expect_birth(g, &r, threads->list[birth]);
        }
        if (has_bit(g->votes, i)) {
            struct recent objects = addressed_by(k, e, r);
            use(g, part_of(k, e), &objects, t->place[e]);
        }
        if (has_bit(g->moves, i) && hd_op_reads(t->op[e]))
            come_across(k, &r, hd_owned_of(k, hd_trace_read_value(t, e)), t->place[e]);
        if (has_bit(g->moves, i) && hd_op_writes(t->op[e]))
            come_across(k, &r, hd_owned_of(k, hd_trace_write_value(t, e)), t->place[e]);
        i++;
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

static void look_at_threads(struct guesser *g, use_fn *use)
{
    for (hd_tid u = 0; u < hd_trace_n_threads(g->k->t) && hd_stop_now() == HD_STOP_NO; u++)
        look_at_thread(g, u, use);
}

/* Uses vote: all of most locations. */
static void take_votes(struct guesser *g, size_t n_parts)
{
    memset(g->of, 0, n_parts * sizeof *g->of);
    look_at_threads(g, vote);
    for (size_t i = 0; i < n_parts; i++)
        g->best[i] = best_of(&g->of[i])->object;
}

/* The ways by which threads came to objects are judged by the outcome. */
static void judge_again(struct guesser *g)
{
    for (size_t i = 0; i < g->ways.len; i++)
        *(struct way *)hd_vec_at(&g->ways, i) = (struct way){0, 0};
    look_at_threads(g, judge_ways);
}

/* True: all that used it had come across this object, and no other is as near. */
static bool is_sure(const struct guesses *g, const struct guess *best)
{
    return best->object && best->hits == g->uses && stands_out(g, best);
}

static void settle_location(const struct guesses *g, struct hd_owned_loc *x)
{
    const struct guess *best = best_of(g);
    x->near = best->hits * 2 >= g->uses ? best->object : 0;
    if (best->object && (!x->lock || is_sure(g, best))) {
        x->domain = HD_DOMAIN_OBJECT;
        x->of = best->object;
    }
}

/* An object has one inner lock, that which is taken most often. */
static void settle_locks(struct hd_ownership *k, const struct guesses *of)
{
    for (uint32_t lock = 0; lock < hd_trace_n_objs(k->t, HD_OBJ_LOCK); lock++) {
        const struct guess *best = best_of(&of[lock]);
        if (!is_sure(&of[lock], best))
            continue;
        struct hd_owned_object *v = hd_owned_at(k, best->object);
        if (v->inner && of[v->inner - 1].uses >= of[lock].uses)
            continue;
        if (v->inner)
            k->inner_of[v->inner - 1] = 0;
        v->inner = lock + 1;
        k->inner_of[lock] = best->object;
    }
}

void hd_ownership_guess(struct hd_ownership *k)
{
    size_t n_locs = hd_trace_n_objs(k->t, HD_OBJ_LOC);
    size_t n = n_locs + hd_trace_n_objs(k->t, HD_OBJ_LOCK), words = k->t->n_events / 64 + 1;
    struct guesser g = {.k = k,
                        .of = hd_calloc(n, sizeof *g.of),
                        .best = hd_calloc(n, sizeof *g.best),
                        .birth = hd_calloc(k->objects.len + 1, sizeof *g.birth),
                        .born = hd_calloc(words, sizeof *g.born),
                        .votes = hd_calloc(words, sizeof *g.votes),
                        .moves = hd_calloc(words, sizeof *g.moves),
                        .ways = HD_VEC_INIT(struct way)};
    for (size_t i = 0; i <= k->objects.len; i++)
        g.birth[i] = HD_EID_NONE;
    find_births(&g);
    mark_uses(&g);
    take_votes(&g, n);
    for (int i = 1; i < ROUNDS; i++) {
        judge_again(&g);
        take_votes(&g, n);
    }
    for (size_t i = 0; i < n_locs; i++)
        settle_location(&g.of[i], &k->loc[i]);
    settle_locks(k, g.of + n_locs);
    hd_free(g.of, n * sizeof *g.of);
    hd_free(g.best, n * sizeof *g.best);
    hd_free(g.born, words * sizeof *g.born);
    hd_free(g.votes, words * sizeof *g.votes);
    hd_free(g.moves, words * sizeof *g.moves);
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
