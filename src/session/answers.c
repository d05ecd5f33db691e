#include "session/answers.h"

#include "base/hash.h"
#include "model/property.h"
#include "report/make/held.h"

#include <stdio.h>
#include <string.h>

const char *const hd_answer_names[] = {
#define ANSWER_NAME(name, text) [HD_ANSWER_##name] = text,
    HD_ANSWERS(ANSWER_NAME)
#undef ANSWER_NAME
};

struct asked {
    const struct hd_trace *t;
    const struct hd_analysis *max;
    struct hd_vec places; /* struct hd_code_place, by place of the trace */
    struct hd_arena *arena;
    struct hd_analysis lockset, mhb; /* what these two leave over */
};

bool hd_answer_is_open(const struct hd_answer *answer)
{
    return answer->kind == HD_ANSWER_UNDECIDED || answer->kind == HD_ANSWER_ABSENT ||
           answer->kind == HD_ANSWER_UNREADABLE;
}

static const struct hd_code_place *place_of(const struct asked *q, hd_eid e)
{
    return hd_vec_at(&q->places, q->t->place[e]);
}

static bool is_of(const struct asked *q, const struct hd_warned_pair *p, hd_eid a, hd_eid b)
{
    return hd_warned_pair_is(p, place_of(q, a), place_of(q, b));
}

/* ---- what max found ---- */

static bool is_race(const struct asked *q, const struct hd_warned_pair *p, struct hd_answer *out)
{
    const struct hd_vec *races = &q->max->predictions[HD_PROPERTY_RACE].found;
    for (size_t i = 0; i < races->len; i++) {
        const struct hd_witness *w = &((const struct hd_predicted *)hd_vec_at(races, i))->witness;
        if (!is_of(q, p, w->a, w->b))
            continue;
        *out = (struct hd_answer){.kind = HD_ANSWER_RACE, .a = w->a, .b = w->b};
        snprintf(out->reason, sizeof out->reason, "events %u and %u, a schedule of %zu events",
                 w->a + 1, w->b + 1, w->prefix + w->n);
        return true;
    }
    return false;
}

static bool is_undecided(const struct asked *q, const struct hd_warned_pair *p,
                         struct hd_answer *out)
{
    const struct hd_prediction *r = &q->max->predictions[HD_PROPERTY_RACE];
    *out = (struct hd_answer){.kind = HD_ANSWER_UNDECIDED};
    if (r->cut) {
        snprintf(out->reason, sizeof out->reason, "%s", hd_reason_texts[r->cut_why]);
        return true;
    }
    for (size_t i = 0; i < r->undecided.len; i++) {
        const struct hd_undecided *u = hd_vec_at(&r->undecided, i);
        const hd_eid *pair = hd_undecided_events(u);
        if (!is_of(q, p, pair[0], pair[1]))
            continue;
        out->a = pair[0];
        out->b = pair[1];
        snprintf(out->reason, sizeof out->reason, "events %u and %u: %s", pair[0] + 1, pair[1] + 1,
                 hd_reason_texts[u->why]);
        return true;
    }
    return false;
}

/* ---- whether there is something to decide ---- */

/* One access for each thread, location and kind at one of the two places. */
struct side {
    struct hd_map seen;
    struct hd_u32vec events;
};

static void take_access(struct side *s, const struct hd_trace *t, hd_eid e)
{
    uint64_t key = (uint64_t)t->obj[e] << 32 | (uint64_t)t->thread[e] << 5 | t->op[e];
    bool fresh;
    hd_map_put(&s->seen, key, &fresh);
    if (fresh)
        hd_u32vec_push(&s->events, e);
}

static bool find_conflict(const struct hd_trace *t, const struct side *x, const struct side *y,
                          hd_eid *a, hd_eid *b)
{
    for (size_t i = 0; i < x->events.len; i++)
        for (size_t k = 0; k < y->events.len; k++)
            if (hd_property_conflict(t, x->events.data[i], y->events.data[k])) {
                *a = x->events.data[i];
                *b = y->events.data[k];
                return true;
            }
    return false;
}

static void side_fini(struct side *s)
{
    hd_map_fini(&s->seen);
    hd_u32vec_fini(&s->events);
}

/* False: there is nothing to decide, and the answer gives the reason. */
static bool is_there(const struct asked *q, const struct hd_warned_pair *p, struct hd_answer *out)
{
    struct side sides[2] = {0};
    *out = (struct hd_answer){.kind = HD_ANSWER_ABSENT};
    for (hd_eid e = 0; e < q->t->n_events; e++)
        for (int i = 0; hd_op_is_access(q->t->op[e]) && i < 2; i++)
            if (hd_code_place_same(place_of(q, e), &p->at[i]))
                take_access(&sides[i], q->t, e);
    bool there = find_conflict(q->t, &sides[0], &sides[1], &out->a, &out->b);
    for (int i = 0; i < 2 && !there; i++)
        if (!sides[i].events.len)
            snprintf(out->reason, sizeof out->reason, "no access to shared memory at %.200s:%u",
                     p->at[i].file, p->at[i].line);
    if (!there && !*out->reason)
        snprintf(out->reason, sizeof out->reason,
                 "no two threads access the same memory there, one of them to write");
    side_fini(&sides[0]);
    side_fini(&sides[1]);
    return there;
}

/* ---- why not ---- */

static bool is_left(const struct asked *q, const struct hd_analysis *filter,
                    const struct hd_warned_pair *p)
{
    const struct hd_vec *places = &q->places;
    for (size_t i = 0; i < filter->places.len; i++)
        if (hd_warned_pair_is(p, hd_vec_at(places, filter->places.data[i].a),
                              hd_vec_at(places, filter->places.data[i].b)))
            return true;
    return false;
}

/* A lock that is held at both events; UINT32_MAX: none. */
static uint32_t common_lock(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    struct hd_held_map *held = hd_held_new(t);
    uint32_t lock = UINT32_MAX;
    size_t n, m;
    hd_held_want_event(held, a);
    hd_held_want_event(held, b);
    hd_held_walk(held);
    const hd_eid *x = hd_held_locks(held, a, &n), *y = hd_held_locks(held, b, &m);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < m; k++)
            if (hd_trace_lock(t, x[i]) == hd_trace_lock(t, y[k]))
                lock = hd_trace_lock(t, x[i]);
    hd_held_free(held);
    return lock;
}

static void say_why_not(const struct asked *q, const struct hd_warned_pair *p,
                        struct hd_answer *out)
{
    out->kind = HD_ANSWER_IMPOSSIBLE;
    uint32_t lock = is_left(q, &q->lockset, p) ? UINT32_MAX : common_lock(q->t, out->a, out->b);
    if (lock != UINT32_MAX)
        snprintf(out->reason, sizeof out->reason, "the accesses hold a common lock: %.200s",
                 hd_trace_obj_name(q->t, HD_OBJ_LOCK, lock));
    else if (!is_left(q, &q->mhb, p))
        snprintf(out->reason, sizeof out->reason,
                 "creating, joining or waiting orders them in every schedule");
    else
        snprintf(out->reason, sizeof out->reason,
                 "no schedule of these events lets both run at the same time");
}

/* ---- all ---- */

static void answer(const struct asked *q, const struct hd_warned_pair *p, struct hd_answer *out)
{
    if (!p->at[0].file || !p->at[1].file) {
        *out = (struct hd_answer){.kind = HD_ANSWER_UNREADABLE};
        snprintf(out->reason, sizeof out->reason, "the warning has no line for one of its places");
    } else if (!is_race(q, p, out) && !is_undecided(q, p, out) && is_there(q, p, out)) {
        say_why_not(q, p, out);
    }
}

static void parse_places(struct asked *q)
{
    for (uint32_t i = 0; i < q->t->places.count; i++) {
        struct hd_code_place *place = hd_vec_push(&q->places);
        const char *text = hd_names_text(&q->t->places, i);
        if (!hd_code_place_parse(q->arena, text, strlen(text), place))
            *place = (struct hd_code_place){0};
    }
}

enum hd_status hd_answers_make(const struct hd_trace *t, const struct hd_analysis *max,
                               const struct hd_analysis_options *options,
                               const struct hd_warned_pairs *pairs, struct hd_vec *answers,
                               struct hd_err *err)
{
    struct asked q = {
        .t = t, .max = max, .places = HD_VEC_INIT(struct hd_code_place), .arena = hd_arena_new()};
    enum hd_status s = hd_analysis_run("lockset", t, options, &q.lockset, err);
    if (s == HD_OK)
        s = hd_analysis_run("mhb", t, options, &q.mhb, err);
    if (s == HD_OK && (q.lockset.cut || q.mhb.cut))
        s = hd_err_set(err, HD_ERR_STOPPED, "stopped before the warnings were answered");
    parse_places(&q);
    for (size_t i = 0; s == HD_OK && i < pairs->list.len; i++)
        answer(&q, hd_vec_at(&pairs->list, i), hd_vec_push(answers));
    hd_analysis_fini(&q.lockset);
    hd_analysis_fini(&q.mhb);
    hd_vec_fini(&q.places);
    hd_arena_free(q.arena);
    return s;
}
