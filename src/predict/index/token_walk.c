#include "predict/index/tokens_int.h"

#include "base/stop.h"
#include "predict/index/guarded.h"

/* Of more tokens than this that a thread has at once there are no sections: what a thread holds is
 * a list that many steps walk. */
enum { MOST_OPEN = 32 };

/* True: w stores v only if v was where the section found it. */
static bool stores_only_if(const struct hd_token_search *k, hd_eid w, const struct hd_token *v)
{
    uint32_t pos = k->s->t->pos[w];
    return v->sure <= pos || (v->where <= pos && hd_guarded_depends(k->s->t, w, v->source));
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

/* Finds reads from which the section knows where tokens were, and so that no thread had them: in a
 * location that counted when the section began, which is no field, or one of a token that the
 * section found. */
static void find(struct hd_token_search *k)
{
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        struct hd_token *v = read_token(k, x);
        const struct hd_token *c = field_owner(k, x->loc);
        if (!v || v->source != HD_EID_NONE)
            continue;
        if (c && (c->stamp != k->stamp || c->source == HD_EID_NONE))
            continue;
        uint32_t needed = k->s->needed_at[x->read];
        v->source = x->read;
        v->where = c ? c->sure : 0;
        v->sure = needed > v->where ? needed : v->where;
    }
}

static bool held_at_end(const struct hd_token_search *k, const struct hd_token *c, hd_tid u)
{
    return c->holder == u + 1 && !(c->stamp == k->stamp && c->ends);
}

/* The thread does not know before `sure`, nor while it reads. */
static uint32_t first_inside(const struct hd_token_search *k, const struct hd_token *v)
{
    uint32_t read = k->s->t->pos[v->source];
    return v->sure > read ? v->sure : read + 1;
}

/* Tokens that the section takes: found, overwritten there, and not put anywhere. */
static void take(struct hd_token_search *k, hd_tid u)
{
    size_t n;
    hd_trace_thread_events(k->s->t, u, &n);
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        struct hd_token *v = read_token(k, x);
        if (!v || v->source != x->read || v->ends || x->write == HD_EID_NONE || v->sure >= n)
            continue;
        v->holder = u + 1;
        v->since = v->sure;
        v->open = first_inside(k, v);
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
        if (!c || !held_at_end(k, c, u) || c->since > k->s->t->pos[v->write])
            v->live++;
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

/* From where the thread needs to have it to where it gives it. */
static void add_holding(struct hd_token_search *k, struct hd_token *v, hd_tid u, uint32_t close)
{
    if (!v->quiet)
        hd_token_section(k, v, (struct hd_token_stretch){u, v->open, close, 0}, false);
}

/* The thread has the token and gives it away. */
static void give(struct hd_token_search *k, struct hd_token *v, hd_tid u)
{
    uint32_t close = k->s->t->pos[v->write];
    if (v->since > close || v->fields_written < v->n_fields)
        rule_out(k, v);
    add_holding(k, v, u, close);
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
            if (written_token(k, x) == v && !stores_only_if(k, x->write, v))
                rule_out(k, v);
        }
    } else if (!v->placed && !v->first) {
        v->first = u + 1;
        v->since = 0;
        v->open = k->last_end;
        v->quiet = false;
        give(k, v, u);
    } else {
        blame(k, v);
        rule_out(k, v);
    }
}

/* Where the section of the lock ends: its last event, which may close others. */
static uint32_t end_of_lock(const struct hd_token_search *k, uint32_t section)
{
    hd_eid close = hd_section_at(k->sections, section - 1)->close;
    return close == HD_EID_NONE ? UINT32_MAX : k->s->t->pos[close];
}

/* What the section found and does not take, no thread has until the section ends. */
static void add_looks(struct hd_token_search *k, uint32_t section, hd_tid u)
{
    uint32_t end = end_of_lock(k, section), looks = 0;
    for (size_t i = 0; i < k->seen.len; i++) {
        struct hd_token *v = hd_vec_at(&k->tokens, k->seen.data[i]);
        if (v->source == HD_EID_NONE || v->holder == u + 1 || v->sure == UINT32_MAX ||
            v->sure >= end || ++looks > MOST_OPEN)
            continue;
        hd_token_section(k, v, (struct hd_token_stretch){u, first_inside(k, v), end, 0}, true);
    }
}

static void walk_section(struct hd_token_search *k, const struct hd_token_op *ops, size_t n)
{
    hd_tid u = k->s->t->thread[ops[0].event];
    hd_token_touch_all(k, ops, n);
    sum_up(k);
    find(k);
    take(k, u);
    count_live(k, u);
    for (size_t i = 0; i < k->seen.len; i++) {
        struct hd_token *v = hd_vec_at(&k->tokens, k->seen.data[i]);
        if (v->ends && !v->out)
            judge(k, v, u);
    }
    if (k->emit)
        add_looks(k, ops[0].section, u);
    k->last_end = k->s->t->pos[ops[n - 1].event] + 1;
}

static void end_thread(struct hd_token_search *k, hd_tid u)
{
    for (size_t i = 0; i < k->held.len; i++) {
        struct hd_token *v = hd_vec_at(&k->tokens, k->held.data[i]);
        if (v->holder == u + 1)
            add_holding(k, v, u, UINT32_MAX);
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
