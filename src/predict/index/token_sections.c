/* The sections that tokens get. A section is of use only where its thread accesses something that
 * no lock guards, and each costs time in all that follows: of tokens that are found in parts of a
 * lock's locations only those get sections that guard some location best. */
#include "predict/index/tokens_int.h"

#include "base/alloc.h"
#include "base/stop.h"

/* Accesses in sections that are looked at for one lock. */
enum { MOST_COUNTED = 1 << 26 };

static bool is_lock_operation(const struct hd_trace *t, hd_eid e)
{
    return hd_op_info[t->op[e]].has_lock || hd_op_info[t->op[e]].kind == HD_OBJ_LOCK;
}

/* Whether nothing else opens or closes there: an event does one such thing, and those of locks are
 * of the locks. */
static bool is_vacant(const struct hd_token_search *k, hd_eid e)
{
    uint32_t one;
    return !is_lock_operation(k->s->t, e) && !hd_map_get(&k->used, e, &one);
}

/* The marks of the thread's accesses behind `open` and before `close`, from *from to the end that
 * is returned. */
static uint32_t bare_inside(const struct hd_token_search *k, const struct hd_token_stretch *x,
                            uint32_t *from)
{
    const struct hd_marks *at = &k->bare[x->thread].at;
    size_t n;
    hd_trace_thread_events(k->s->t, x->thread, &n);
    *from = x->open + 1 < n ? hd_marks_before(at, x->open + 1) : at->n;
    return x->close < n ? hd_marks_before(at, x->close) : at->n;
}

/* The section begins as soon after `open` as nothing else does, and ends likewise. */
static void add_section(struct hd_token_search *k, uint32_t *guard, struct hd_token_stretch x)
{
    struct hd_guard_search *s = k->s;
    size_t n;
    const hd_eid *events = hd_trace_thread_events(s->t, x.thread, &n);
    uint32_t end = x.close == UINT32_MAX ? (uint32_t)n : x.close;
    while (x.open < end && !is_vacant(k, events[x.open]))
        x.open++;
    while (x.close != UINT32_MAX && x.close > x.open && !is_vacant(k, events[x.close]))
        x.close--;
    if (x.open >= end || x.open >= x.close)
        return;
    if (!*guard)
        *guard = ++s->guards;
    *hd_map_put(&k->used, events[x.open], NULL) = 1;
    if (x.close != UINT32_MAX)
        *hd_map_put(&k->used, events[x.close], NULL) = 1;
    *(struct hd_section *)hd_vec_push(s->out) =
        (struct hd_section){events[x.open], x.close == UINT32_MAX ? HD_EID_NONE : events[x.close],
                            *guard - 1,     x.thread,
                            false,          false};
}

void hd_token_section(struct hd_token_search *k, struct hd_token *v, struct hd_token_stretch x,
                      bool look)
{
    uint32_t one, from;
    if (!k->emit || v->out || !hd_token_of_two(v) || hd_map_get(&k->done, v->bits, &one))
        return;
    if ((look || k->again) && bare_inside(k, &x, &from) <= from)
        return;
    if (!k->again) {
        add_section(k, &v->guard, x);
        return;
    }
    if (!v->guard)
        v->guard = ++k->later;
    x.token = v->guard - 1;
    *(struct hd_token_stretch *)hd_vec_push(&k->stretches) = x;
}

/* How many accesses to a location are made in sections of a token. */
struct covered {
    uint32_t token, loc, n;
    hd_tid thread;
    bool two; /* threads */
};

static void count_covered(const struct hd_token_search *k, struct hd_vec *list)
{
    struct hd_map ids = {0}; /* token << 32 | location to index + 1 */
    size_t budget = MOST_COUNTED;
    for (size_t i = 0; i < k->stretches.len && !hd_stop_often(i); i++) {
        const struct hd_token_stretch *x = hd_vec_at(&k->stretches, i);
        uint32_t from, to = bare_inside(k, x, &from);
        for (; from < to && budget; from++, budget--) {
            uint32_t loc = k->bare[x->thread].locs.data[from];
            uint32_t *id = hd_map_put(&ids, (uint64_t)x->token << 32 | loc, NULL);
            if (!*id) {
                *(struct covered *)hd_vec_push(list) =
                    (struct covered){x->token, loc, 0, x->thread, false};
                *id = (uint32_t)list->len;
            }
            struct covered *c = hd_vec_at(list, *id - 1);
            c->n++;
            c->two |= c->thread != x->thread;
        }
    }
    hd_map_fini(&ids);
}

void hd_token_sections_choose(struct hd_token_search *k)
{
    struct hd_vec list = HD_VEC_INIT(struct covered);
    struct hd_map best = {0}; /* by location: index + 1 of what covers most of it */
    uint32_t *guards = hd_calloc(k->later + 1, sizeof *guards), id;
    uint8_t *chosen = hd_calloc(k->later + 1, 1);
    count_covered(k, &list);
    for (uint32_t i = 0; i < list.len; i++) {
        const struct covered *c = hd_vec_at(&list, i);
        uint32_t *of = c->two ? hd_map_put(&best, c->loc, NULL) : NULL;
        if (of && (!*of || c->n > ((struct covered *)hd_vec_at(&list, *of - 1))->n))
            *of = i + 1;
    }
    for (uint32_t i = 0; i < list.len; i++) {
        const struct covered *c = hd_vec_at(&list, i);
        if (c->two && hd_map_get(&best, c->loc, &id) && id == i + 1)
            chosen[c->token] = 1;
    }
    for (size_t i = 0; i < k->stretches.len; i++) {
        const struct hd_token_stretch *x = hd_vec_at(&k->stretches, i);
        if (chosen[x->token])
            add_section(k, &guards[x->token], *x);
    }
    hd_free(guards, (k->later + 1) * sizeof *guards);
    hd_free(chosen, k->later + 1);
    hd_map_fini(&best);
    hd_vec_fini(&list);
    k->stretches.len = k->later = 0;
}

void hd_token_sections_init(struct hd_token_search *k, struct hd_stretch span)
{
    const struct hd_trace *t = k->s->t;
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC), threads = hd_trace_n_threads(t);
    uint8_t *bare = hd_calloc(locs + 1, 1);
    k->stretches = HD_VEC_INIT(struct hd_token_stretch);
    for (uint32_t loc = 0; loc < locs && !hd_stop_often(loc); loc++)
        bare[loc] = hd_guarded_not(k->s->locs, k->sections, loc, span);
    k->bare = hd_calloc(threads, sizeof *k->bare);
    for (hd_tid u = 0; u < threads; u++) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        hd_marks_init(&k->bare[u].at, n);
        for (size_t i = 0; i < n; i++) {
            if (!hd_op_is_access(t->op[events[i]]) || !bare[t->obj[events[i]]])
                continue;
            hd_marks_add(&k->bare[u].at, i);
            hd_u32vec_push(&k->bare[u].locs, t->obj[events[i]]);
        }
    }
    hd_free(bare, locs + 1);
}

void hd_token_sections_fini(struct hd_token_search *k)
{
    size_t threads = hd_trace_n_threads(k->s->t);
    for (hd_tid u = 0; k->bare && u < threads; u++) {
        hd_marks_fini(&k->bare[u].at);
        hd_u32vec_fini(&k->bare[u].locs);
    }
    hd_free(k->bare, k->bare ? threads * sizeof *k->bare : 0);
    hd_vec_fini(&k->stretches);
    hd_map_fini(&k->used);
}
