#include "predict/index/tokens_int.h"

#include "base/stop.h"
#include "predict/index/guarded.h"

/* Of more tokens than this that a thread has at once there are no sections: what a thread holds is
 * a list that many steps walk. */
enum { MOST_OPEN = 32 };

/* True: w runs only if r is fresh. */
static bool runs_only_if(const struct hd_token_search *k, hd_eid w, hd_eid r)
{
    return r == HD_EID_NONE || k->s->needed_at[r] <= k->s->t->pos[w];
}

/* True: w stores its traced value only if r is fresh. */
static bool stores_only_if(const struct hd_token_search *k, hd_eid w, hd_eid r)
{
    return runs_only_if(k, w, r) || hd_guarded_depends(k->s->t, w, r);
}

static struct hd_token *field_owner(const struct hd_token_search *k, uint32_t loc)
{
    uint32_t id;
    if (!hd_map_get(&k->field_of, loc, &id))
        return NULL;
    struct hd_token *c = hd_vec_at(&k->tokens, id - 1);
    return c->out ? NULL : c;
}

static struct hd_token *read_token(const struct hd_token_search *k, const struct hd_token_touch *x)
{
    if (x->read == HD_EID_NONE)
        return NULL;
    return hd_token_of(k, hd_trace_read_value(k->s->t, x->read));
}

static struct hd_token *written_token(const struct hd_token_search *k,
                                      const struct hd_token_touch *x)
{
    if (x->write == HD_EID_NONE)
        return NULL;
    return hd_token_of(k, hd_trace_write_value(k->s->t, x->write));
}

static void see(struct hd_token_search *k, struct hd_token *v)
{
    if (v->stamp == k->stamp)
        return;
    v->stamp = k->stamp;
    v->ends = v->live = v->fields_written = 0;
    v->write = v->source = HD_EID_NONE;
    v->taken_here = false;
    hd_u32vec_push(&k->seen, (uint32_t)(v - (struct hd_token *)k->tokens.data));
}

/* What the section leaves behind and finds, for each token. */
static void sum_up(struct hd_token_search *k)
{
    k->stamp++;
    k->seen.len = 0;
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        struct hd_token *from = read_token(k, x), *to = written_token(k, x);
        struct hd_token *c = field_owner(k, x->loc);
        if (from)
            see(k, from);
        if (to) {
            see(k, to);
            to->ends++;
            if (to->write == HD_EID_NONE || x->write < to->write)
                to->write = x->write;
        }
        if (c && x->write != HD_EID_NONE) {
            see(k, c);
            c->fields_written++;
        }
    }
}

/* Whether the location counted when the section began: it is no field, or one of a token that the
 * section took (so that no thread had it), which `w` needs; HD_EID_NONE: the read of it does. */
static bool counted(const struct hd_token_search *k, const struct hd_token_touch *x, hd_eid w)
{
    const struct hd_token *c = field_owner(k, x->loc);
    return !c || (c->stamp == k->stamp && c->taken_here && runs_only_if(k, w, c->taken));
}

static bool held_at_end(const struct hd_token_search *k, const struct hd_token *c, hd_tid u)
{
    return c->holder == u + 1 && !(c->stamp == k->stamp && c->ends);
}

/* Tokens that the section takes: read where they count, overwritten, and not put anywhere. */
static void take(struct hd_token_search *k, hd_tid u)
{
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        struct hd_token *v = read_token(k, x);
        if (!v || v->ends || v->holder == u + 1 || x->write == HD_EID_NONE)
            continue;
        hd_eid r = x->read;
        const struct hd_trace *t = k->s->t;
        uint32_t needed = k->s->needed_at[r];
        size_t n;
        const hd_eid *events = hd_trace_thread_events(t, u, &n);
        if (needed >= n || !counted(k, x, events[needed]))
            continue;
        v->holder = u + 1;
        v->taken = r;
        v->taken_here = true;
        v->quiet = ++k->open > MOST_OPEN;
        hd_u32vec_push(&k->held, (uint32_t)(v - (struct hd_token *)k->tokens.data));
    }
}

/* Counts where tokens are in the end. A field of a token that the thread has does not count, if the
 * thread can not have come so far without having it. */
static void count_live(struct hd_token_search *k, hd_tid u)
{
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        struct hd_token *v = x->write == HD_EID_NONE ? read_token(k, x) : written_token(k, x);
        if (!v || !v->ends)
            continue;
        const struct hd_token *c = field_owner(k, x->loc);
        if (!c || !held_at_end(k, c, u) || !runs_only_if(k, v->write, c->taken))
            v->live++;
    }
}

/* Finds reads from which the section knows that a token was in one place only: there. */
static void find_sources(struct hd_token_search *k)
{
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        struct hd_token *v = read_token(k, x);
        if (v && v->ends && v->source == HD_EID_NONE && counted(k, x, v->write))
            v->source = x->read;
    }
}

/* While blame is sought, tokens are judged to the end of the walk: what holds them twice most often
 * is seen from all sections. */
static void rule_out(struct hd_token_search *k, struct hd_token *v)
{
    v->out = !k->blaming;
    k->changed = true;
}

/* The locations that hold the token, which is in two places or came from nowhere. */
static void blame(struct hd_token_search *k, const struct hd_token *v)
{
    for (size_t i = 0; k->blaming && i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        if ((x->write == HD_EID_NONE ? read_token(k, x) : written_token(k, x)) != v)
            continue;
        uint32_t *id = hd_map_put(&k->blame, x->loc, NULL);
        if (!*id) {
            *(struct hd_token_blame *)hd_vec_push(&k->blamed) = (struct hd_token_blame){x->loc, 0};
            *id = (uint32_t)k->blamed.len;
        }
        ((struct hd_token_blame *)hd_vec_at(&k->blamed, *id - 1))->count++;
    }
}

/* The section of the guard: from where the thread needs to have it to where it gives it. */
static void add_section(struct hd_token_search *k, struct hd_token *v, hd_tid u, hd_eid close)
{
    const struct hd_trace *t = k->s->t;
    struct hd_guard_search *s = k->s;
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    if (!k->emit || v->out || v->quiet || !hd_token_of_two(v))
        return;
    if (!v->guard)
        v->guard = ++s->guards;
    uint32_t guards = s->guards;
    s->guards = v->guard - 1;
    if (v->taken != HD_EID_NONE) {
        hd_guard_add_section(s, v->taken, close, false);
    } else if (close != HD_EID_NONE) {
        uint32_t at = k->last_end;
        while (at < t->pos[close] && (hd_op_info[t->op[events[at]]].has_lock ||
                                      hd_op_info[t->op[events[at]]].kind == HD_OBJ_LOCK))
            at++;
        if (at < t->pos[close])
            *(struct hd_section *)hd_vec_push(s->out) =
                (struct hd_section){events[at], close, s->guards, u, false, false};
    }
    s->guards = guards;
}

/* The thread has the token and gives it away. */
static void give(struct hd_token_search *k, struct hd_token *v, hd_tid u)
{
    if (!runs_only_if(k, v->write, v->taken) || v->fields_written < v->n_fields)
        rule_out(k, v);
    add_section(k, v, u, v->write);
    k->open -= v->holder ? 1 : 0;
    v->holder = 0;
}

/* Whether the writes of v that stay are of a thread that has it, or move it from where it was. */
static void judge(struct hd_token_search *k, struct hd_token *v, hd_tid u)
{
    if (v->live > 1) {
        blame(k, v);
        rule_out(k, v);
    }
    if (v->holder == u + 1) {
        give(k, v, u);
    } else if (v->source != HD_EID_NONE && v->source < v->write) {
        for (size_t i = 0; i < k->touches.len; i++) {
            const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
            if (written_token(k, x) == v && !stores_only_if(k, x->write, v->source))
                rule_out(k, v);
        }
    } else if (!v->placed && !v->first) {
        v->first = u + 1;
        v->taken = HD_EID_NONE;
        v->quiet = false;
        give(k, v, u);
    } else {
        blame(k, v);
        rule_out(k, v);
    }
}

static void walk_section(struct hd_token_search *k, const struct hd_token_op *ops, size_t n)
{
    hd_tid u = k->s->t->thread[ops[0].event];
    hd_token_touch_all(k, ops, n);
    sum_up(k);
    take(k, u);
    count_live(k, u);
    find_sources(k);
    for (size_t i = 0; i < k->seen.len; i++) {
        struct hd_token *v = hd_vec_at(&k->tokens, k->seen.data[i]);
        if (v->ends && !v->out)
            judge(k, v, u);
    }
    k->last_end = k->s->t->pos[ops[n - 1].event] + 1;
}

static void end_thread(struct hd_token_search *k, hd_tid u)
{
    for (size_t i = 0; i < k->held.len; i++) {
        struct hd_token *v = hd_vec_at(&k->tokens, k->held.data[i]);
        if (v->holder == u + 1)
            add_section(k, v, u, HD_EID_NONE);
        v->holder = 0;
    }
    k->held.len = 0;
    k->last_end = k->open = 0;
}

void hd_token_walk(struct hd_token_search *k)
{
    const struct hd_token_op *ops = k->ops.data;
    const struct hd_trace *t = k->s->t;
    for (size_t i = 0; i < k->tokens.len; i++) {
        struct hd_token *v = hd_vec_at(&k->tokens, i);
        v->first = v->holder = 0;
    }
    k->changed = false;
    for (size_t i = 0, end; i < k->ops.len && hd_stop_now() == HD_STOP_NO; i = end) {
        for (end = i + 1; end < k->ops.len && ops[end].section == ops[i].section &&
                          t->thread[ops[end].event] == t->thread[ops[i].event];)
            end++;
        walk_section(k, ops + i, end - i);
        if (end == k->ops.len || t->thread[ops[end].event] != t->thread[ops[i].event])
            end_thread(k, t->thread[ops[i].event]);
    }
}
