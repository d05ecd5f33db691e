#include "predict/index/guards_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/stop.h"
#include "predict/index/tokens.h"

#include <stdlib.h>

/* An rmw that stores something else than it reads, and whose read something depends on. */
struct open {
    struct hd_value value;
    hd_eid event;
};

static int by_value(const void *a, const void *b)
{
    const struct open *x = a, *y = b;
    if (x->value.unique != y->value.unique)
        return x->value.unique ? 1 : -1;
    if (x->value.bits != y->value.bits)
        return x->value.bits < y->value.bits ? -1 : 1;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* No bits are clear in what is no number. */
static uint64_t number(struct hd_value v)
{
    return v.unique ? UINT64_MAX : v.bits;
}

static bool opens_something(const struct hd_guard_search *s, hd_eid e)
{
    return s->t->op[e] == HD_OP_RMW && s->needed_at[e] != UINT32_MAX &&
           !hd_value_eq(hd_trace_read_value(s->t, e), hd_trace_write_value(s->t, e));
}

bool hd_guard_add_section(struct hd_guard_search *s, hd_eid rmw, hd_eid close, bool shared)
{
    const struct hd_trace *t = s->t;
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, t->thread[rmw], &n);
    uint32_t end = close == HD_EID_NONE ? (uint32_t)n : t->pos[close];
    uint32_t at = s->needed_at[rmw] > t->pos[rmw] ? s->needed_at[rmw] : t->pos[rmw] + 1;
    if (close != HD_EID_NONE && s->needed_at[rmw] > end)
        return false;
    while (at < end && (hd_op_info[t->op[events[at]]].kind == HD_OBJ_LOCK ||
                        hd_op_info[t->op[events[at]]].has_lock))
        at++;
    if (at < end) /* else there is nothing inside */
        *(struct hd_section *)hd_vec_push(s->out) =
            (struct hd_section){events[at], close, s->guards, t->thread[rmw], shared, false};
    return true;
}

/* The values that say that the section is free: one, or all numbers without a bit. */
struct free_values {
    struct hd_value one;
    uint64_t bit; /* 0: one */
};

static bool is_free(const struct free_values *f, struct hd_value v)
{
    return f->bit ? !v.unique && !(v.bits & f->bit) : hd_value_eq(v, f->one);
}

/* The sections of one thread. False: the values do not guard anything. */
static bool find_sections(struct hd_guard_search *s, const struct hd_loc_user *user,
                          const struct free_values *f)
{
    const struct hd_trace *t = s->t;
    hd_eid open = HD_EID_NONE;
    for (uint32_t i = user->start; i < user->end; i++) {
        hd_eid e = s->locs->list[i];
        bool reads = hd_op_reads(t->op[e]) && is_free(f, hd_trace_read_value(t, e));
        bool writes = hd_op_writes(t->op[e]) && is_free(f, hd_trace_write_value(t, e));
        if (writes && open == HD_EID_NONE) {
            bool updates = f->bit && t->op[e] == HD_OP_RMW;
            if (updates && !(reads && hd_trace_updates(t, e)))
                return false;
            if (!updates) /* else it made another free value of one: see above */
                hd_u32vec_push(&s->loose, e);
        } else if (writes) {
            if (!hd_guard_add_section(s, open, e, false))
                return false;
            open = HD_EID_NONE;
        } else if (reads && t->op[e] == HD_OP_RMW) {
            if (open != HD_EID_NONE)
                return false;
            open = e;
            if (!s->owners.len || s->owners.data[s->owners.len - 1] != user->thread)
                hd_u32vec_push(&s->owners, user->thread);
        }
    }
    return open == HD_EID_NONE || s->needed_at[open] == UINT32_MAX ||
           hd_guard_add_section(s, open, HD_EID_NONE, false);
}

bool hd_guard_made_after(const struct hd_trace *t, hd_tid u, hd_eid w)
{
    for (size_t i = 0; i < hd_trace_n_threads(t) && t->fork_of[u] != HD_EID_NONE; i++) {
        hd_eid fork = t->fork_of[u];
        if (t->thread[fork] == t->thread[w])
            return t->pos[fork] > t->pos[w];
        u = t->thread[fork];
    }
    return false;
}

static bool loose_come_first(const struct hd_guard_search *s)
{
    for (size_t i = 0; i < s->loose.len; i++)
        for (size_t k = 0; k < s->owners.len; k++)
            if (s->owners.data[k] != s->t->thread[s->loose.data[i]] &&
                !hd_guard_made_after(s->t, (hd_tid)s->owners.data[k], s->loose.data[i]))
                return false;
    return true;
}

/* Whether the values guard. */
static bool try_values(struct hd_guard_search *s, uint32_t loc, const struct free_values *f)
{
    size_t before = s->out->len, n;
    const struct hd_loc_user *users = hd_accesses_users(s->locs, loc, &n);
    bool guards = true;
    s->loose.len = s->owners.len = 0;
    for (size_t i = 0; i < n && guards; i++)
        guards = find_sections(s, &users[i], f);
    guards = guards && s->owners.len > 1 && s->out->len > before && loose_come_first(s);
    if (guards) {
        for (size_t i = before; i < s->out->len; i++)
            ((struct hd_section *)hd_vec_at(s->out, i))->several = f->bit != 0;
        s->guards++;
        HD_DEBUG_LINE(PREDICT, "%s keeps threads apart like a lock: %zu sections",
                      hd_trace_obj_name(s->t, HD_OBJ_LOC, loc), s->out->len - before);
    } else {
        s->out->len = before;
    }
    return guards;
}

static bool of_two_threads(const struct hd_guard_search *s)
{
    for (size_t i = 1; i < s->opens.len; i++)
        if (s->t->thread[((struct open *)hd_vec_at(&s->opens, i))->event] !=
            s->t->thread[((struct open *)hd_vec_at(&s->opens, 0))->event])
            return true;
    return false;
}

/* Of the bits in hand, those that two of the values seen do not have. */
struct clear_bits {
    uint64_t sought, several, seen, first[64];
};

static void see_value(struct clear_bits *c, struct hd_value v)
{
    uint64_t value = number(v);
    for (uint64_t bits = c->sought & ~value & ~c->several; bits; bits &= bits - 1) {
        uint64_t bit = bits & -bits;
        unsigned at = (unsigned)__builtin_ctzll(bit);
        if (c->seen & bit && c->first[at] != value)
            c->several |= bit;
        c->first[at] = value;
        c->seen |= bit;
    }
}

/* Bits that openings of two threads set, and that several values do not have: with one such value
 * the bit shows no more than the value does. */
static uint64_t lock_bits(const struct hd_guard_search *s, uint32_t loc)
{
    const struct hd_trace *t = s->t;
    struct clear_bits c = {0};
    uint64_t once = 0;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->locs, loc, &n);
    for (size_t i = 0; i < n; i++) {
        uint64_t set = 0;
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++)
            if (opens_something(s, s->locs->writes[k]))
                set |= ~number(hd_trace_read_value(t, s->locs->writes[k])) &
                       number(hd_trace_write_value(t, s->locs->writes[k]));
        c.sought |= once & set;
        once |= set;
    }
    for (size_t i = 0; i < n && c.sought; i++)
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++) {
            hd_eid e = s->locs->writes[k];
            if (t->op[e] == HD_OP_RMW)
                see_value(&c, hd_trace_read_value(t, e));
            see_value(&c, hd_trace_write_value(t, e));
        }
    return c.several;
}

/* The sums in place of the sections from `start` on, of guards from `guards` on, if they give as
 * many sections, or one for each opening: an event opens one section only. */
static void try_sums(struct hd_guard_search *s, uint32_t loc, size_t start, uint32_t guards)
{
    size_t end = s->out->len, enough = end - start;
    uint32_t before = s->guards;
    hd_guard_tallies_location(s, loc);
    size_t n = s->out->len - end;
    if (enough > s->opens.len)
        enough = s->opens.len;
    bool better = n && n >= enough;
    for (size_t i = 0; better && i < n; i++) {
        struct hd_section *x = hd_vec_at(s->out, start + i);
        *x = *(struct hd_section *)hd_vec_at(s->out, end + i);
        x->lock = guards;
    }
    s->out->len = better ? start + n : end;
    s->guards = better ? guards + 1 : before;
}

/* Every value that rmws of two threads read, and bits; the sums where none of them guards, or a
 * value does, but not all that rmws open: readers that find others there open with another value
 * than the first. */
static void try_location(struct hd_guard_search *s, uint32_t loc)
{
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(s->locs, loc, &n);
    size_t start = s->out->len, guarded = 0; /* openings */
    uint32_t before = s->guards;
    s->opens.len = 0;
    for (size_t i = 0; i < n && n > 1; i++)
        for (uint32_t k = users[i].wstart; k < users[i].wend; k++)
            if (opens_something(s, s->locs->writes[k]))
                *(struct open *)hd_vec_push(&s->opens) = (struct open){
                    hd_trace_read_value(s->t, s->locs->writes[k]), s->locs->writes[k]};
    if (s->opens.len)
        qsort(s->opens.data, s->opens.len, sizeof(struct open), by_value);
    for (size_t i = 0, end; i < s->opens.len && hd_stop_now() == HD_STOP_NO; i = end) {
        const struct open *first = hd_vec_at(&s->opens, i);
        bool two = false;
        for (end = i; end < s->opens.len; end++) {
            const struct open *o = hd_vec_at(&s->opens, end);
            if (!hd_value_eq(o->value, first->value))
                break;
            two |= s->t->thread[o->event] != s->t->thread[first->event];
        }
        if (two && try_values(s, loc, &(struct free_values){.one = first->value}))
            guarded += end - i;
    }
    for (uint64_t bits = lock_bits(s, loc); bits; bits &= bits - 1)
        try_values(s, loc, &(struct free_values){.bit = bits & -bits});
    if ((s->guards == before || (guarded && guarded < s->opens.len)) && of_two_threads(s))
        try_sums(s, loc, start, before);
}

uint32_t hd_guards_find(const struct hd_trace *t, const struct hd_accesses *locs,
                        const uint32_t *needed_at, const struct hd_sections *sections,
                        struct hd_vec *out)
{
    struct hd_guard_search s = {.t = t,
                                .locs = locs,
                                .needed_at = needed_at,
                                .out = out,
                                .opens = HD_VEC_INIT(struct open)};
    hd_guard_tallies_init(&s);
    for (uint32_t loc = 0; loc < hd_trace_n_objs(t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++)
        try_location(&s, loc);
    hd_guard_semaphores(&s);
    if (hd_stop_now() == HD_STOP_NO)
        hd_tokens_find(&s, sections);
    hd_vec_fini(&s.opens);
    hd_vec_fini(&s.moves);
    hd_u32vec_fini(&s.loose);
    hd_u32vec_fini(&s.owners);
    return s.guards;
}
