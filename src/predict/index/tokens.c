#include "predict/index/tokens_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/sort.h"
#include "base/stop.h"
#include "predict/index/guarded.h"

#include <stdlib.h>
#include <string.h>

/* MOST_AGAIN: how often the accesses of a lock are collected again, in parts. */
enum { MOST_ROUNDS = 20, MOST_LEFT_OUT = 2, MOST_SUSPECTS = 6, MOST_AGAIN = 8 };

/* A location all of whose writes are made under the lock. */
struct guarded {
    uint32_t lock, loc;
};

struct hd_token *hd_token_of(const struct hd_token_search *k, struct hd_value value)
{
    uint32_t id;
    if (value.unique || !hd_map_get(&k->ids, value.bits, &id))
        return NULL;
    struct hd_token *v = hd_vec_at(&k->tokens, id - 1);
    return v->out ? NULL : v;
}

/* What the section does with a location. Most sections use few, which are found without a map. */
static struct hd_token_touch *touch_of(struct hd_token_search *k, uint32_t loc)
{
    enum { FEW = 16 };
    struct hd_token_touch *list = k->touches.data;
    uint32_t id = 0, n = (uint32_t)k->touches.len;
    if (n <= FEW)
        for (uint32_t i = 0; i < n && !id; i++)
            id = list[i].loc == loc ? i + 1 : 0;
    else
        hd_map_get(&k->touch_ids, loc, &id);
    if (id)
        return &list[id - 1];
    list = hd_vec_push(&k->touches);
    *list = (struct hd_token_touch){loc, HD_EID_NONE, HD_EID_NONE};
    for (uint32_t i = n == FEW ? 0 : n; i <= n && n >= FEW; i++)
        *hd_map_put(&k->touch_ids, ((struct hd_token_touch *)k->touches.data)[i].loc, NULL) = i + 1;
    return list;
}

void hd_token_touch_all(struct hd_token_search *k, const struct hd_token_op *ops, size_t n)
{
    const struct hd_trace *t = k->s->t;
    hd_map_clear(&k->touch_ids);
    k->touches.len = 0;
    for (size_t i = 0; i < n; i++) {
        hd_eid e = ops[i].event;
        struct hd_token_touch *x = touch_of(k, t->obj[e]);
        if (hd_op_reads(t->op[e]) && x->write == HD_EID_NONE && x->read == HD_EID_NONE)
            x->read = e;
        if (hd_op_writes(t->op[e]))
            x->write = e;
    }
}

/* ---- which locations, which sections ---- */

static int by_lock(const void *a, const void *b)
{
    const struct guarded *x = a, *y = b;
    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    return x->loc < y->loc ? -1 : x->loc > y->loc;
}

static int by_event(const void *a, const void *b, void *unused)
{
    const struct hd_token_op *x = a, *y = b;
    (void)unused;
    return x->event < y->event ? -1 : x->event > y->event;
}

/* By thread, in program order. */
static void sort_ops(struct hd_token_search *k)
{
    const struct hd_trace *t = k->s->t;
    struct hd_token_op *ops = k->all.data, *list;
    size_t n = k->all.len, threads = hd_trace_n_threads(t), *start;
    if (!n)
        return;
    hd_sort(ops, n, sizeof *ops, by_event, NULL);
    list = hd_alloc(n * sizeof *list);
    start = hd_calloc(threads + 1, sizeof *start);
    memcpy(list, ops, n * sizeof *list);
    for (size_t i = 0; i < n; i++)
        start[t->thread[list[i].event] + 1]++;
    for (size_t u = 0; u < threads; u++)
        start[u + 1] += start[u];
    for (size_t i = 0; i < n; i++)
        ops[start[t->thread[list[i].event]]++] = list[i];
    hd_free(start, (threads + 1) * sizeof *start);
    hd_free(list, n * sizeof *list);
}

static bool is_left_out(const struct hd_token_search *k, uint32_t loc)
{
    for (size_t i = 0; i < k->left_out.len; i++)
        if (k->left_out.data[i] == loc)
            return true;
    return false;
}

static size_t end_of_section(const struct hd_token_search *k, size_t i)
{
    const struct hd_token_op *ops = k->ops.data;
    const struct hd_trace *t = k->s->t;
    size_t end = i + 1;
    while (end < k->ops.len && ops[end].section == ops[i].section &&
           t->thread[ops[end].event] == t->thread[ops[i].event])
        end++;
    return end;
}

/* Leaves out locations that no section reads before it writes them: nothing is taken from there, as
 * from the links back of a list that is emptied from its front. */
static void drop_unread(struct hd_token_search *k)
{
    size_t kept = 0;
    hd_map_clear(&k->read);
    for (size_t i = 0, end; i < k->ops.len; i = end) {
        end = end_of_section(k, i);
        hd_token_touch_all(k, (struct hd_token_op *)k->ops.data + i, end - i);
        for (size_t j = 0; j < k->touches.len; j++) {
            const struct hd_token_touch *x = hd_vec_at(&k->touches, j);
            if (x->read != HD_EID_NONE)
                *hd_map_put(&k->read, x->loc, NULL) = 1;
        }
    }
    struct hd_token_op *ops = k->ops.data;
    for (size_t i = 0; i < k->ops.len; i++) {
        uint32_t one;
        if (hd_map_get(&k->read, k->s->t->obj[ops[i].event], &one))
            ops[kept++] = ops[i];
    }
    k->ops.len = kept;
}

/* The accesses in sections of the lock to k->places. */
static void collect_all(struct hd_token_search *k, uint32_t lock, struct hd_stretch span)
{
    const struct hd_trace *t = k->s->t;
    k->all.len = 0;
    for (size_t i = 0; i < k->places.len; i++) {
        size_t n;
        const hd_eid *list = hd_trace_obj_events(t, HD_OBJ_LOC, k->places.data[i], &n);
        for (size_t j = 0; j < n && !hd_stop_often(j); j++) {
            uint32_t section =
                hd_stretch_has(span, list[j]) ? hd_guarded_section(k->sections, list[j], lock) : 0;
            if (section)
                *(struct hd_token_op *)hd_vec_push(&k->all) =
                    (struct hd_token_op){list[j], section};
        }
    }
    k->budget -= k->all.len < k->budget ? k->all.len : k->budget;
    sort_ops(k);
}

/* Of these, those to locations that are not left out. */
static void collect(struct hd_token_search *k)
{
    const struct hd_token_op *all = k->all.data;
    k->ops.len = 0;
    for (size_t i = 0; i < k->all.len; i++)
        if (!is_left_out(k, k->s->t->obj[all[i].event]))
            *(struct hd_token_op *)hd_vec_push(&k->ops) = all[i];
    drop_unread(k);
}

/* ---- which values ---- */

bool hd_token_seems_taken(const struct hd_token_search *k, const struct hd_token_touch *x)
{
    const struct hd_trace *t = k->s->t;
    return x->read != HD_EID_NONE && x->write != HD_EID_NONE &&
           k->s->needed_at[x->read] != UINT32_MAX && !hd_trace_read_value(t, x->read).unique &&
           !hd_value_eq(hd_trace_read_value(t, x->read), hd_trace_write_value(t, x->write));
}

static void note_takes(struct hd_token_search *k)
{
    const struct hd_trace *t = k->s->t;
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        if (!hd_token_seems_taken(k, x))
            continue;
        hd_tid u = t->thread[x->read];
        uint32_t *id = hd_map_put(&k->ids, hd_trace_read_value(t, x->read).bits, NULL);
        if (!*id) {
            *(struct hd_token *)hd_vec_push(&k->tokens) =
                (struct hd_token){.bits = hd_trace_read_value(t, x->read).bits, .takers = {u, u}};
            *id = (uint32_t)k->tokens.len;
        }
        struct hd_token *v = hd_vec_at(&k->tokens, *id - 1);
        if (v->takers[0] != u)
            v->takers[1] = u;
    }
}

/* Of what a thread takes, others may do no more than look at it or move it. */
static void note_looks(struct hd_token_search *k)
{
    const struct hd_trace *t = k->s->t;
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        if (x->read == HD_EID_NONE || k->s->needed_at[x->read] == UINT32_MAX)
            continue;
        struct hd_token *v = hd_token_of(k, hd_trace_read_value(t, x->read));
        if (v && v->takers[0] != t->thread[x->read])
            v->takers[1] = t->thread[x->read];
    }
}

/* The index + 1 of the token whose address that of e is computed from; `otherwise` if none is. */
static uint32_t addressed_by(const struct hd_token_search *k, hd_eid e, uint32_t otherwise)
{
    const struct hd_trace *t = k->s->t;
    struct hd_deps deps = hd_trace_deps(t, e, HD_DEP_ADDR);
    uint32_t id;
    for (uint32_t i = 0; i < deps.n; i++) {
        struct hd_value value = hd_trace_read_value(t, hd_trace_back(t, e, deps.dist[i]));
        if (!value.unique && hd_map_get(&k->ids, value.bits, &id))
            return id;
    }
    return otherwise;
}

/* A location from which a section moves a value, without overwriting it, is a field of a token that
 * it took before: `next` of a block that is taken from a list. Of several the last, if the address
 * does not tell. Touches with a read stand in the order of their reads. */
static void note_fields(struct hd_token_search *k)
{
    const struct hd_trace *t = k->s->t;
    uint32_t last = 0;
    for (size_t i = 0; i < k->touches.len; i++) {
        const struct hd_token_touch *x = hd_vec_at(&k->touches, i);
        if (x->read == HD_EID_NONE || !hd_token_of(k, hd_trace_read_value(t, x->read)))
            continue;
        if (hd_token_seems_taken(k, x)) {
            hd_map_get(&k->ids, hd_trace_read_value(t, x->read).bits, &last);
        } else if (last && x->write == HD_EID_NONE) {
            uint32_t *of = hd_map_put(&k->field_of, x->loc, NULL);
            if (*of)
                continue;
            *of = addressed_by(k, x->read, last);
            ((struct hd_token *)hd_vec_at(&k->tokens, *of - 1))->n_fields++;
        }
    }
}

static void note_placed(struct hd_token_search *k, struct hd_stretch span)
{
    for (size_t i = 0; i < k->places.len; i++) {
        struct hd_value value;
        uint32_t one;
        if (!hd_map_get(&k->read, k->places.data[i], &one) ||
            !hd_guarded_first(k->s->t, k->places.data[i], span, &value))
            continue;
        struct hd_token *v = hd_token_of(k, value);
        if (v && ++v->placed > 1)
            v->out = true;
    }
}

void hd_token_for_sections(struct hd_token_search *k, void (*visit)(struct hd_token_search *k))
{
    for (size_t i = 0, end; i < k->ops.len; i = end) {
        end = end_of_section(k, i);
        hd_token_touch_all(k, (struct hd_token_op *)k->ops.data + i, end - i);
        visit(k);
    }
}

/* Values that a thread seems to take and another one to take or look at. False: there is none. */
static bool find_candidates(struct hd_token_search *k, struct hd_stretch span)
{
    bool any = false;
    hd_map_clear(&k->ids);
    hd_map_clear(&k->field_of);
    k->tokens.len = 0;
    hd_token_for_sections(k, note_takes);
    if (k->tokens.len)
        hd_token_for_sections(k, note_looks);
    for (size_t i = 0; i < k->tokens.len && !any; i++)
        any = hd_token_of_two(hd_vec_at(&k->tokens, i));
    if (any) {
        hd_token_for_sections(k, note_fields);
        note_placed(k, span);
    }
    return any;
}

/* Rules out candidates until all that are left are tokens, and returns how many are left that are
 * new. */
static size_t settle(struct hd_token_search *k)
{
    size_t left = 0;
    k->emit = false;
    for (int round = 0; round < MOST_ROUNDS; round++) {
        hd_token_walk(k);
        if (hd_stop_now() != HD_STOP_NO)
            return 0;
        if (!k->changed)
            break;
    }
    for (size_t i = 0; i < k->tokens.len && !k->changed; i++) {
        const struct hd_token *v = hd_vec_at(&k->tokens, i);
        uint32_t one;
        left += !v->out && hd_token_of_two(v) && !hd_map_get(&k->done, v->bits, &one);
    }
    return left;
}

/* How many tokens k->places have without what is left out. */
static size_t count_tokens(struct hd_token_search *k, struct hd_stretch span)
{
    collect(k);
    return find_candidates(k, span) ? settle(k) : 0;
}

static int by_count(const void *a, const void *b)
{
    const struct hd_token_blame *x = a, *y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return x->loc < y->loc ? -1 : x->loc > y->loc;
}

/* The locations that hold most often what others hold as well. */
static void find_suspects(struct hd_token_search *k, struct hd_stretch span)
{
    hd_map_clear(&k->blame);
    k->blamed.len = 0;
    collect(k);
    k->emit = false;
    k->blaming = true;
    if (find_candidates(k, span))
        hd_token_walk(k);
    k->blaming = false;
    if (k->blamed.len)
        qsort(k->blamed.data, k->blamed.len, sizeof(struct hd_token_blame), by_count);
}

/* Leaves out the suspect without which there are most tokens; else the first. True: there are
 * some. */
static bool leave_one_out(struct hd_token_search *k, struct hd_stretch span)
{
    size_t most = 0, best = 0;
    find_suspects(k, span);
    for (size_t i = 0; i < k->blamed.len && i < MOST_SUSPECTS; i++) {
        uint32_t loc = ((struct hd_token_blame *)hd_vec_at(&k->blamed, i))->loc;
        hd_u32vec_push(&k->left_out, loc);
        size_t n = count_tokens(k, span);
        k->left_out.len--;
        if (n > most) {
            most = n;
            best = i;
        }
    }
    if (k->blamed.len)
        hd_u32vec_push(&k->left_out, ((struct hd_token_blame *)hd_vec_at(&k->blamed, best))->loc);
    return most > 0;
}

/* The tokens of k->ops get their sections. */
static void emit_tokens(struct hd_token_search *k, uint32_t lock)
{
    size_t n = 0;
    k->emit = true;
    hd_token_walk(k);
    for (size_t i = 0; i < k->tokens.len; i++) {
        const struct hd_token *v = hd_vec_at(&k->tokens, i);
        if (!v->guard)
            continue;
        n++;
        *hd_map_put(&k->done, v->bits, NULL) = 1;
    }
    HD_DEBUG_LINE(PREDICT, "%zu values in %zu locations under %s are tokens", n, k->places.len,
                  hd_trace_obj_name(k->s->t, HD_OBJ_LOCK, lock));
}

/* The tokens of k->places under the lock. A location that held what another one held as well, as
 * the tail of a queue does, is left out, up to `leave` times, and the rest is tried again. */
static void try_places(struct hd_token_search *k, uint32_t lock, struct hd_stretch span, int leave)
{
    k->left_out.len = 0;
    collect_all(k, lock, span);
    bool found = count_tokens(k, span) > 0;
    for (int i = 0;
         !found && i < leave && k->left_out.len + 1 < k->places.len && hd_stop_now() == HD_STOP_NO;
         i++)
        found = leave_one_out(k, span);
    if (found && count_tokens(k, span))
        emit_tokens(k, lock);
}

/* Whether a value that seems to be taken has no sections. */
static bool some_left(const struct hd_token_search *k)
{
    for (size_t i = 0; i < k->tokens.len; i++) {
        const struct hd_token *v = hd_vec_at(&k->tokens, i);
        uint32_t one;
        if (hd_token_of_two(v) && !hd_map_get(&k->done, v->bits, &one))
            return true;
    }
    return false;
}

/* A head with the locations that its values come from, then by itself, as a mark. */
static void try_head(struct hd_token_search *k, uint32_t lock, uint32_t head, size_t n,
                     struct hd_stretch span)
{
    uint32_t one;
    if (!hd_map_get(&k->tried, head, &one)) {
        hd_token_places_from(k, head);
        for (size_t i = 0; i < k->places.len; i++)
            *hd_map_put(&k->tried, k->places.data[i], NULL) = 1;
        if (k->places.len > 1 && k->places.len < n)
            try_places(k, lock, span, 0);
    }
    k->places.len = 0;
    hd_u32vec_push(&k->places, head);
    try_places(k, lock, span, 0);
}

/* All locations of the lock together; then parts of them, for values that are no tokens there. */
static void try_lock(struct hd_token_search *k, const struct guarded *list, size_t n,
                     struct hd_stretch span)
{
    k->places.len = 0;
    for (size_t i = 0; i < n; i++)
        hd_u32vec_push(&k->places, list[i].loc);
    hd_map_clear(&k->done);
    hd_map_clear(&k->tried);
    k->budget = SIZE_MAX;
    k->again = false;
    try_places(k, list[0].lock, span, MOST_LEFT_OUT);
    k->left_out.len = 0;
    collect(k);
    if (n == 1 || !find_candidates(k, span) || !some_left(k))
        return;
    hd_token_places_find(k);
    k->budget = MOST_AGAIN * k->all.len;
    k->again = true;
    for (size_t i = 0; i < k->heads.len && k->budget && hd_stop_now() == HD_STOP_NO; i++)
        try_head(k, list[0].lock, ((struct hd_token_head *)hd_vec_at(&k->heads, i))->loc, n, span);
    hd_token_sections_choose(k);
}

void hd_tokens_find(struct hd_guard_search *s, const struct hd_sections *sections)
{
    struct hd_token_search k = {.s = s,
                                .sections = sections,
                                .all = HD_VEC_INIT(struct hd_token_op),
                                .ops = HD_VEC_INIT(struct hd_token_op),
                                .tokens = HD_VEC_INIT(struct hd_token),
                                .touches = HD_VEC_INIT(struct hd_token_touch),
                                .heads = HD_VEC_INIT(struct hd_token_head),
                                .copies = HD_VEC_INIT(struct hd_token_copy),
                                .blamed = HD_VEC_INIT(struct hd_token_blame)};
    struct hd_vec list = HD_VEC_INIT(struct guarded);
    struct hd_stretch span = hd_guarded_span(s->t);
    for (uint32_t loc = 0; loc < hd_trace_n_objs(s->t, HD_OBJ_LOC) && !hd_stop_often(loc); loc++) {
        uint32_t locks[4], n = hd_guarded_locks(s->locs, sections, loc, span, locks);
        for (uint32_t i = 0; i < n; i++)
            *(struct guarded *)hd_vec_push(&list) = (struct guarded){locks[i], loc};
    }
    if (list.len)
        qsort(list.data, list.len, sizeof(struct guarded), by_lock);
    if (list.len)
        hd_token_sections_init(&k, span);
    for (size_t i = 0, end; i < list.len && hd_stop_now() == HD_STOP_NO; i = end) {
        const struct guarded *first = hd_vec_at(&list, i);
        for (end = i; end < list.len; end++)
            if (((struct guarded *)hd_vec_at(&list, end))->lock != first->lock)
                break;
        try_lock(&k, first, end - i, span);
    }
    hd_vec_fini(&list);
    hd_token_sections_fini(&k);
    hd_vec_fini(&k.all);
    hd_vec_fini(&k.ops);
    hd_vec_fini(&k.tokens);
    hd_vec_fini(&k.touches);
    hd_vec_fini(&k.blamed);
    hd_vec_fini(&k.heads);
    hd_vec_fini(&k.copies);
    hd_map_fini(&k.head_ids);
    hd_map_fini(&k.chosen);
    hd_map_fini(&k.tried);
    hd_u32vec_fini(&k.places);
    hd_map_fini(&k.done);
    hd_u32vec_fini(&k.seen);
    hd_u32vec_fini(&k.held);
    hd_map_fini(&k.ids);
    hd_map_fini(&k.field_of);
    hd_map_fini(&k.read);
    hd_map_fini(&k.blame);
    hd_u32vec_fini(&k.left_out);
    hd_map_fini(&k.touch_ids);
}
