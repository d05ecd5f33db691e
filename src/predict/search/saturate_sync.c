/* Failed tries, wakes, semaphores and barriers in saturation. */
#include "predict/search/saturate_int.h"

/* ---- one of several stretches ---- */

/* One of some events, or stretches, has to stand around or inside what is looked at: how many may,
 * and the last that does. */
struct choice {
    uint32_t n;
    hd_eid from, to; /* to: HD_EID_NONE when it has no end in the window */
};

/* A failed try: a section of another thread is open around it. */
static bool close_tryfail(struct hd_saturation *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_sections *sections = s->w->sections;
    struct choice choice = {0};
    uint32_t lock = t->obj[e];
    for (uint32_t i = sections->user_start[lock]; i < sections->user_start[lock + 1]; i++) {
        const struct hd_lock_user *user = hd_vec_at(&sections->users, i);
        for (uint32_t k = user->start; user->thread != t->thread[e] && k < user->end; k++) {
            const struct hd_section *x = hd_section_at(sections, sections->order[k]);
            hd_eid close = x->close < s->to ? x->close : HD_EID_NONE;
            if (x->open >= s->to || hd_saturation_precedes(s, e, x->open))
                break;
            if (close == HD_EID_NONE || !hd_saturation_precedes(s, close, e))
                choice = (struct choice){choice.n + 1, x->open, close};
        }
    }
    if (choice.n != 1)
        return choice.n > 0;
    return hd_saturation_order(s, choice.from, e) &&
           (choice.to == HD_EID_NONE || hd_saturation_order(s, e, choice.to));
}

/* A wake: another thread notifies between the wait and it. */
static bool close_wake(struct hd_saturation *s, hd_eid wake)
{
    const struct hd_trace *t = s->w->t;
    hd_eid wait = hd_trace_back(t, wake, 1), notifier = HD_EID_NONE;
    uint32_t choices = 0;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_COND, t->obj[wake], &n);
    for (size_t i = 0; i < n && events[i] < s->to; i++) {
        hd_eid x = events[i];
        if ((t->op[x] != HD_OP_SIG && t->op[x] != HD_OP_BCAST) ||
            hd_saturation_precedes(s, x, wait) || hd_saturation_precedes(s, wake, x))
            continue;
        notifier = x;
        choices++;
    }
    if (choices != 1)
        return choices > 0;
    return hd_saturation_order(s, wait, notifier) && hd_saturation_order(s, notifier, wake);
}

/* ---- counts ---- */

/* How many of the user's events that give come before x for sure, and how many may. */
static uint32_t surely(const struct hd_saturation *s, const struct hd_accesses *index,
                       const struct hd_loc_user *user, hd_eid x)
{
    uint32_t count = x < s->from ? hd_world_events_before(s->w, user->thread, x)
                                 : hd_saturation_before(s, x)[user->thread];
    return hd_accesses_write_from(index, user, count) - user->wstart;
}

static uint32_t maybe(const struct hd_saturation *s, const struct hd_accesses *index,
                      const struct hd_loc_user *user, hd_eid x)
{
    bool own = user->thread == s->w->t->thread[x];
    uint32_t limit = own ? s->w->t->pos[x] : hd_saturation_after(s, x)[user->thread];
    return hd_accesses_write_from(index, user, limit) - user->wstart;
}

static uint64_t sum(const struct hd_saturation *s, const struct hd_accesses *index, hd_eid x,
                    uint32_t (*count)(const struct hd_saturation *, const struct hd_accesses *,
                                      const struct hd_loc_user *, hd_eid))
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, s->w->t->obj[x], &n);
    uint64_t total = 0;
    for (size_t i = 0; i < n; i++)
        total += count(s, index, &users[i], x);
    return total;
}

/* At least `least` events that give come before x: of each thread as many as all the others can not
 * give. */
static bool close_least(struct hd_saturation *s, const struct hd_accesses *index, hd_eid x,
                        uint64_t least)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, s->w->t->obj[x], &n);
    uint64_t total = sum(s, index, x, maybe);
    if (total < least)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t others = total - maybe(s, index, &users[i], x);
        if (others < least &&
            !hd_saturation_order(s, index->writes[users[i].wstart + (least - others - 1)], x))
            return false;
    }
    return true;
}

/* At most `most` events that give come before x: of each thread no more than are left when those of
 * the others that surely do have been counted. */
static bool close_most(struct hd_saturation *s, const struct hd_accesses *index, hd_eid x,
                       uint64_t most)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(index, s->w->t->obj[x], &n);
    uint64_t total = sum(s, index, x, surely);
    if (total > most)
        return false;
    for (size_t i = 0; i < n; i++) {
        uint64_t may = most - (total - surely(s, index, &users[i], x));
        uint64_t next = users[i].wstart + may;
        if (users[i].thread == s->w->t->thread[x] || next >= users[i].wend ||
            index->writes[next] >= s->to)
            continue;
        if (!hd_saturation_order(s, x, index->writes[next]))
            return false;
    }
    return true;
}

/* P: initial count + posts before it > P operations before it. */
static bool close_sem(struct hd_saturation *s, hd_eid e)
{
    const struct hd_trace *t = s->w->t;
    uint64_t taken = 0, initial = t->sem_init[t->obj[e]];
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_SEM, t->obj[e], &n);
    for (size_t i = 0; i < n && events[i] < s->to; i++)
        taken += t->op[events[i]] == HD_OP_SEM && hd_saturation_precedes(s, events[i], e);
    return taken < initial || close_least(s, s->w->sems, e, taken + 1 - initial);
}

/* A departure leaves when the round of its arrival is complete. */
static bool close_departure(struct hd_saturation *s, hd_eid out)
{
    const struct hd_trace *t = s->w->t;
    const struct hd_accesses *barriers = s->w->barriers;
    uint64_t size = t->barrier_size[t->obj[out]];
    hd_eid in = out;
    while (t->op[in] != HD_OP_BARIN || t->obj[in] != t->obj[out])
        in = hd_trace_back(t, in, 1);
    if (in < s->from)
        return true; /* of a round that the simulation knows */
    uint64_t round = sum(s, barriers, in, surely) / size;
    if (!close_least(s, barriers, out, (round + 1) * size))
        return false;
    uint64_t complete = sum(s, barriers, out, maybe) / size;
    return complete > 0 && close_most(s, barriers, in, complete * size - 1);
}

bool hd_saturation_close_sync(struct hd_saturation *s)
{
    const struct hd_trace *t = s->w->t;
    for (size_t i = 0; i < s->synced.len; i++) {
        hd_eid e = s->synced.data[i];
        bool possible = t->op[e] == HD_OP_TRYFAIL ? close_tryfail(s, e)
                        : t->op[e] == HD_OP_WAKE  ? close_wake(s, e)
                        : t->op[e] == HD_OP_SEM   ? close_sem(s, e)
                                                  : close_departure(s, e);
        if (!possible)
            return false;
    }
    return true;
}
