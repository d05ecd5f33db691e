#include "predict/index/counters.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/stop.h"
#include "predict/index/world.h"

/* Locks that every write so far was made under, up to this many. */
enum { CANDIDATES = 4 };
/* What one write may add, so that sums can not overflow: 2^30 writes fit. */
#define MAX_STEP (INT64_C(1) << 32)

struct search {
    const struct hd_trace *t;
    const struct hd_accesses *locs;
    const struct hd_sections *sections;
    struct hd_counters *c;
    uint32_t lock[CANDIDATES]; /* of the location in hand */
    uint32_t n_locks;
    bool any;  /* a write under a lock was seen */
    bool bare; /* an rmw was seen */
};

static bool depends_on(const struct hd_trace *t, hd_eid w, hd_eid r)
{
    struct hd_deps deps = hd_trace_deps(t, w, HD_DEP_VALUE);
    if (deps.all || (t->control == HD_CONTROL_ALL && r != w))
        return true; /* an exchange stores its value whatever it has read, itself not being earlier
                      */
    for (uint32_t i = 0; i < deps.n; i++)
        if (hd_trace_back(t, w, deps.dist[i]) == r)
            return true;
    return false;
}

/* The read that w is computed from, the last of its thread's reads since its write before. */
static hd_eid read_of(const struct search *s, const struct hd_loc_user *user, hd_eid w)
{
    const struct hd_trace *t = s->t;
    if (t->op[w] == HD_OP_RMW)
        return depends_on(t, w, w) ? w : HD_EID_NONE;
    for (uint32_t i = hd_accesses_from(s->locs, user, t->pos[w]); i > user->start; i--) {
        hd_eid r = s->locs->list[i - 1];
        if (hd_op_writes(t->op[r]))
            return HD_EID_NONE;
        if (depends_on(t, w, r))
            return r;
    }
    return HD_EID_NONE;
}

/* Whether the thread holds the lock for writing at w, since before r. */
static bool holds_since(const struct search *s, uint32_t lock, hd_eid r, hd_eid w)
{
    const struct hd_sections *x = s->sections;
    for (uint32_t n = hd_held(x, w); n != HD_HELD_EMPTY; n = hd_held_at(x, n)->next) {
        const struct hd_section *section = hd_section_at(x, hd_held_at(x, n)->section);
        if (section->lock == lock && !section->shared && s->t->pos[section->open] < s->t->pos[r])
            return true;
    }
    return false;
}

/* Keeps the locks that guard this link too. False: none is left. */
static bool narrow_locks(struct search *s, hd_eid r, hd_eid w)
{
    const struct hd_sections *x = s->sections;
    uint32_t kept = 0;
    for (uint32_t n = hd_held(x, w); !s->any && n != HD_HELD_EMPTY && s->n_locks < CANDIDATES;
         n = hd_held_at(x, n)->next)
        s->lock[s->n_locks++] = hd_section_at(x, hd_held_at(x, n)->section)->lock;
    s->any = true;
    for (uint32_t i = 0; i < s->n_locks; i++)
        if (holds_since(s, s->lock[i], r, w))
            s->lock[kept++] = s->lock[i];
    s->n_locks = kept;
    return kept > 0;
}

/* Adds the sum up to and with w. False: w is no link. */
static bool add_link(struct search *s, const struct hd_loc_user *user, hd_eid w,
                     struct hd_counter_sum *sum)
{
    const struct hd_trace *t = s->t;
    hd_eid r = read_of(s, user, w);
    if (r == HD_EID_NONE)
        return false;
    struct hd_value from = hd_trace_read_value(t, r), to = hd_trace_write_value(t, w);
    int64_t step = (int64_t)(to.bits - from.bits);
    if (from.unique || to.unique || step > MAX_STEP || step < -MAX_STEP)
        return false;
    if (r == w)
        s->bare = true;
    else if (!narrow_locks(s, r, w))
        return false;
    sum->up += step > 0 ? step : 0;
    sum->down += step < 0 ? -step : 0;
    *(struct hd_counter_sum *)hd_vec_push(&s->c->sums) = *sum;
    return !(s->bare && s->any); /* an rmw needs no lock, so it could come between the two */
}

static void add_sum(struct hd_counter *c, const struct hd_counter_sum *of_one)
{
    c->all.up += of_one->up;
    c->all.down += of_one->down;
    c->most.up = of_one->up > c->most.up ? of_one->up : c->most.up;
    c->most.down = of_one->down > c->most.down ? of_one->down : c->most.down;
}

static bool add_users(struct search *s, const struct hd_loc_user *users, size_t n,
                      struct hd_counter *c)
{
    size_t writers = 0;
    for (size_t i = 0; i < n; i++) {
        struct hd_counter_sum sum = {0, 0};
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++)
            if (hd_stop_often(k) || !add_link(s, &users[i], s->locs->writes[k], &sum))
                return false;
        add_sum(c, &sum);
        writers += users[i].wend > users[i].wstart;
    }
    return writers > 1;
}

static void try_location(struct search *s, uint32_t loc)
{
    size_t n, before = s->c->sums.len;
    const struct hd_loc_user *users = hd_accesses_users(s->locs, loc, &n);
    const struct hd_loc_init *init = &s->t->loc_init[loc];
    if (n < 2 || init->how == HD_INIT_UNKNOWN || init->value.unique)
        return;
    s->n_locks = 0;
    s->any = s->bare = false;
    struct hd_counter c = {.base = (int64_t)init->value.bits,
                           .sums = before,
                           .first = users[0].wstart,
                           .begin = HD_EID_NONE,
                           .end = HD_EID_NONE};
    if (!add_users(s, users, n, &c)) {
        s->c->sums.len = before;
        return;
    }
    *(struct hd_counter *)hd_vec_push(&s->c->list) = c;
    s->c->of[loc] = (uint32_t)s->c->list.len;
    HD_DEBUG_LINE(PREDICT, "%s is a counter", hd_trace_obj_name(s->t, HD_OBJ_LOC, loc));
}

struct hd_counters *hd_counters_new(const struct hd_trace *t, const struct hd_accesses *locs,
                                    const struct hd_sections *sections)
{
    struct hd_counters *c = hd_calloc(1, sizeof *c);
    struct search s = {.t = t, .locs = locs, .sections = sections, .c = c};
    c->n_locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    c->of = hd_calloc(c->n_locs, sizeof *c->of);
    c->list = HD_VEC_INIT(struct hd_counter);
    c->sums = HD_VEC_INIT(struct hd_counter_sum);
    for (uint32_t loc = 0; loc < c->n_locs && !hd_stop_often(loc); loc++)
        try_location(&s, loc);
    return c;
}

/* The user's writes of a life: the stores up to its begin, links that come behind that, and what
 * comes from its end on, which adds nothing. False: there would be two ends. */
static bool add_life_user(struct search *s, const struct hd_world *w,
                          const struct hd_loc_user *user, struct hd_counter *c, size_t *writers)
{
    const struct hd_trace *t = s->t;
    struct hd_counter_sum sum = {0, 0};
    bool links = false, over = false;
    for (uint32_t k = user->wstart; k < user->wend; k++) {
        hd_eid e = s->locs->writes[k], r = HD_EID_NONE;
        bool early = t->thread[c->begin] == user->thread && e <= c->begin;
        if (!early && !over)
            r = read_of(s, user, e);
        if (r != HD_EID_NONE && hd_must_before(w->must, t, c->begin, r)) {
            if (!add_link(s, user, e, &sum))
                return false;
            links = true;
            continue;
        }
        if (!early && !over) {
            if (c->end != HD_EID_NONE)
                return false;
            c->end = e;
            over = true;
        }
        *(struct hd_counter_sum *)hd_vec_push(&s->c->sums) = sum;
    }
    add_sum(c, &sum);
    *writers += links;
    return true;
}

/* The user that writes first, if others write as well. */
static const struct hd_loc_user *first_writer(const struct search *s,
                                              const struct hd_loc_user *users, size_t n)
{
    const struct hd_loc_user *first = NULL;
    size_t writers = 0;
    for (size_t i = 0; i < n; i++) {
        if (users[i].wend == users[i].wstart)
            continue;
        writers++;
        if (!first || s->locs->writes[users[i].wstart] < s->locs->writes[first->wstart])
            first = &users[i];
    }
    return writers > 1 ? first : NULL;
}

/* The last of the stores before the thread's first link, or HD_EID_NONE. */
static hd_eid begin_of(const struct search *s, const struct hd_loc_user *first)
{
    enum { MOST_STORES = 8 };
    hd_eid begin = HD_EID_NONE;
    for (uint32_t k = first->wstart; k < first->wend && k < first->wstart + MOST_STORES; k++) {
        hd_eid e = s->locs->writes[k];
        if (s->t->op[e] == HD_OP_RMW || read_of(s, first, e) != HD_EID_NONE)
            break;
        begin = e;
    }
    return begin;
}

static bool try_life(struct search *s, const struct hd_world *w, uint32_t loc)
{
    enum { MOST_USERS = 64 };
    size_t n, writers = 0, before = s->c->sums.len;
    const struct hd_loc_user *users = hd_accesses_users(s->locs, loc, &n);
    const struct hd_loc_user *first = n <= MOST_USERS ? first_writer(s, users, n) : NULL;
    hd_eid begin = first ? begin_of(s, first) : HD_EID_NONE;
    if (begin == HD_EID_NONE || hd_trace_write_value(s->t, begin).unique)
        return false;
    struct hd_counter c = {.base = (int64_t)hd_trace_write_value(s->t, begin).bits,
                           .sums = before,
                           .first = users[0].wstart,
                           .begin = begin,
                           .end = HD_EID_NONE};
    bool good = true;
    s->n_locks = 0;
    s->any = s->bare = false;
    for (size_t i = 0; i < n && good; i++)
        good = add_life_user(s, w, &users[i], &c, &writers);
    if (!good || writers < 2) {
        s->c->sums.len = before;
        return false;
    }
    *(struct hd_counter *)hd_vec_push(&s->c->list) = c;
    s->c->of[loc] = (uint32_t)s->c->list.len;
    HD_DEBUG_LINE(PREDICT, "%s is a counter for a while", hd_trace_obj_name(s->t, HD_OBJ_LOC, loc));
    return true;
}

bool hd_counters_add_lives(struct hd_counters *c, const struct hd_world *w)
{
    struct search s = {.t = w->t, .locs = w->locs, .sections = w->sections, .c = c};
    bool any = false;
    for (uint32_t loc = 0; loc < c->n_locs && !hd_stop_often(loc); loc++)
        any |= !c->of[loc] && try_life(&s, w, loc);
    return any;
}

void hd_counters_free(struct hd_counters *c)
{
    if (!c)
        return;
    hd_free(c->of, c->n_locs * sizeof *c->of);
    hd_vec_fini(&c->list);
    hd_vec_fini(&c->sums);
    hd_free(c, sizeof *c);
}
