#include "predict/search/frontier.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "predict/search/frontier_int.h"

#include <string.h>

/* One state in hand: the moves that are left to try, and where to come back to. */
struct frame {
    size_t first, next, end; /* in moves */
    size_t log, order;
    size_t key; /* in keys */
};

/* What all states of a question may take, in words. */
#define MOST_WORDS ((size_t)32 << 20)
/* With more users of locations than this, only the next events are looked at for their sources. */
enum { MOST_USERS = 64 };

/* ---- which reads matter ---- */

/* The user's last write that may be a source of r, or HD_EID_NONE. */
static hd_eid last_source(const struct hd_frontier *f, const struct hd_loc_user *user, hd_eid r)
{
    const struct hd_trace *t = f->w->t;
    for (uint32_t i = user->wend; i-- > user->wstart;) {
        hd_eid w = f->w->locs->writes[i];
        if (w >= f->to || w == r || f->write_id[w] != f->read_id[r] ||
            (w >= f->from &&
             (user->thread == t->thread[r] ? t->pos[w] > t->pos[r]
                                           : hd_saturation_says(f->q->known, r, w))))
            continue;
        return w;
    }
    return HD_EID_NONE;
}

/* What may be the source of r matters up to there. True: that is news. */
static bool add_sources(struct hd_frontier *f, hd_eid r)
{
    const struct hd_trace *t = f->w->t;
    bool news = false;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(f->w->locs, t->obj[r], &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid w = last_source(f, &users[i], r);
        if (w == HD_EID_NONE || f->useful[users[i].thread] > t->pos[w])
            continue;
        f->useful[users[i].thread] = t->pos[w] + 1;
        news = true;
    }
    return news;
}

/* The reads that the thread's last branch needs. */
static uint32_t last_branch(const struct hd_frontier *f, hd_tid u)
{
    uint32_t p = f->end[u];
    while (p > 0 && !f->branch[hd_world_event(f->w, u, p - 1)])
        p--;
    return p ? p - 1 : 0;
}

/* A read matters if it must be fresh, if a branch of its thread comes after it, or if its thread
 * later writes what may be the source of one that matters. */
static void find_useful(struct hd_frontier *f)
{
    uint32_t *done = hd_calloc(f->threads, sizeof *done);
    bool news = true;
    for (hd_tid u = 0; u < f->threads; u++) {
        uint32_t last = f->branch ? last_branch(f, u) : 0;
        f->useful[u] = f->fresh[u] > last ? f->fresh[u] : last;
    }
    memcpy(done, f->now.pos, f->threads * sizeof *done);
    while (news) {
        news = false;
        for (hd_tid u = 0; u < f->threads; u++)
            for (; done[u] < f->useful[u] && done[u] < f->end[u]; done[u]++) {
                hd_eid e = hd_world_event(f->w, u, done[u]);
                news |= hd_op_reads(f->w->t->op[e]) && add_sources(f, e);
            }
    }
    hd_free(done, f->threads * sizeof *done);
}

static void find_last_reads(struct hd_frontier *f)
{
    const struct hd_trace *t = f->w->t;
    for (size_t i = 0; i < f->w->locs->users.len; i++) {
        const struct hd_loc_user *user = hd_vec_at(&f->w->locs->users, i);
        uint32_t k = user->end;
        for (; k > user->start; k--) {
            hd_eid e = f->w->locs->list[k - 1];
            if (e < f->to && t->pos[e] < f->useful[user->thread] && hd_op_reads(t->op[e]))
                break;
        }
        f->last_read[i] = k > user->start ? t->pos[f->w->locs->list[k - 1]] + 1 : 0;
    }
}

/* ---- events that can only help ---- */

/* Another thread has accesses of the location left. */
static bool is_awaited(const struct hd_frontier *f, hd_eid e)
{
    const struct hd_trace *t = f->w->t;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(f->w->locs, t->obj[e], &n);
    for (size_t i = 0; i < n; i++) {
        hd_eid last = f->w->locs->list[users[i].end - 1];
        if (users[i].thread != t->thread[e] && t->pos[last] >= f->now.pos[users[i].thread])
            return true;
    }
    return false;
}

static bool is_free_access(const struct hd_frontier *f, hd_eid e)
{
    const struct hd_trace *t = f->w->t;
    hd_tid u = t->thread[e];
    if (f->pairs ? hd_frontier_pairs_want(f->pairs, e) : f->meetings && is_awaited(f, e))
        return false;
    bool matters = t->pos[e] < f->useful[u] && !(f->now.flags[u] & HD_FRONTIER_STALE);
    if (hd_op_reads(t->op[e]) && matters &&
        (hd_op_writes(t->op[e]) || f->now.value[t->obj[e]] != f->read_id[e]))
        return false;
    return !hd_op_writes(t->op[e]) || !hd_frontier_is_live(f, t->obj[e]);
}

/* If the rest can run at all from here, it can with this event first, which can run. */
static bool is_free(const struct hd_frontier *f, hd_eid e)
{
    const struct hd_sections *sections = f->w->sections;
    const struct hd_trace *t = f->w->t;
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_ACQ:
    case HD_OP_RACQ:
        return hd_section_of(sections, e) == HD_SECTION_NONE;
    case HD_OP_REL:
    case HD_OP_RREL:
        return hd_section_of(sections, e) == HD_SECTION_NONE || !sections->tried[t->obj[e]];
    case HD_OP_WAIT:
    case HD_OP_WAKE:
    case HD_OP_TMO:
    case HD_OP_SIG:
    case HD_OP_BCAST:
    case HD_OP_SEM:
    case HD_OP_BARIN:
        return false;
    default:
        return !hd_op_is_access(t->op[e]) || is_free_access(f, e);
    }
}

static void run(struct hd_frontier *f, hd_eid e, hd_tid woken)
{
    hd_frontier_run(f, e, woken);
    hd_u32vec_push(&f->order, e);
}

static void run_free(struct hd_frontier *f)
{
    bool news = true;
    while (news) {
        news = false;
        for (hd_tid u = 0; u < f->threads; u++)
            for (hd_eid e = hd_frontier_next(f, u);
                 e != HD_EID_NONE && is_free(f, e) && hd_frontier_can_run(f, e, HD_TID_NONE);
                 e = hd_frontier_next(f, u)) {
                run(f, e, HD_TID_NONE);
                news = true;
            }
    }
}

/* ---- states ---- */

/* Of each thread the last write that may be a source of r; found once for each question. */
static const uint32_t *last_sources(struct hd_frontier *f, hd_eid r)
{
    uint32_t *last = f->last_source + (size_t)r * f->threads;
    size_t n;
    const struct hd_loc_user *users = hd_accesses_users(f->w->locs, f->w->t->obj[r], &n);
    if (f->asked[r] == f->question)
        return last;
    f->asked[r] = f->question;
    memset(last, 0, f->threads * sizeof *last);
    for (size_t i = 0; i < n; i++) {
        hd_eid w = last_source(f, &users[i], r);
        last[users[i].thread] = w == HD_EID_NONE ? 0 : f->w->t->pos[w] + 1;
    }
    return last;
}

/* A read that must be fresh, with no write of the own thread before it, has none to wait for. */
static bool is_starved(struct hd_frontier *f, hd_eid r)
{
    const struct hd_trace *t = f->w->t;
    hd_tid own = t->thread[r];
    if (!hd_op_reads(t->op[r]) || t->pos[r] >= f->fresh[own] ||
        f->now.value[t->obj[r]] == f->read_id[r])
        return false;
    const uint32_t *last = last_sources(f, r);
    for (hd_tid v = 0; v < f->threads; v++)
        if (v != own && f->now.pos[v] < last[v] && !(f->now.flags[v] & HD_FRONTIER_STALE))
            return false;
    return true;
}

/* Of each thread the next access of each location, if it reads; or at least the next event. */
static bool is_dead(struct hd_frontier *f)
{
    for (hd_tid u = 0; u < f->threads && !f->next.len; u++) {
        hd_eid e = hd_frontier_next(f, u);
        if (e != HD_EID_NONE && is_starved(f, e))
            return true;
    }
    for (size_t i = 0; i < f->next.len; i++) {
        const struct hd_frontier_user *user = hd_vec_at(&f->next, i);
        hd_eid e = user->next[f->now.pos[user->thread]];
        if (e < f->to && is_starved(f, e)) /* HD_EID_NONE is above all */
            return true;
    }
    return false;
}

/* A state in keys: HD_FRONTIER_WHOLE, HD_FRONTIER_LINK, then where it stands (positions, waits,
 * rounds), then what it knows (per thread what is stale and lost, then values). Both lengths: */
static size_t key_place(const struct hd_frontier *f)
{
    return 2 * f->threads + hd_trace_n_objs(f->w->t, HD_OBJ_BARRIER);
}

static size_t key_knows(const struct hd_frontier *f)
{
    return f->threads + hd_trace_n_objs(f->w->t, HD_OBJ_LOC);
}

static void write_key(const struct hd_frontier *f, uint32_t *to)
{
    enum { WAIT = HD_FRONTIER_WAITS | HD_FRONTIER_NOTIFIED };
    size_t barriers = hd_trace_n_objs(f->w->t, HD_OBJ_BARRIER);
    uint32_t locs = (uint32_t)hd_trace_n_objs(f->w->t, HD_OBJ_LOC);
    for (hd_tid u = 0; u < f->threads; u++)
        *to++ = f->now.pos[u];
    for (hd_tid u = 0; u < f->threads; u++)
        *to++ = f->now.flags[u] & WAIT;
    for (size_t b = 0; b < barriers; b++)
        *to++ = f->now.round[b];
    for (hd_tid u = 0; u < f->threads; u++) { /* the last branch is at `useful` */
        uint32_t flags = f->now.flags[u] & ~(uint32_t)WAIT;
        *to++ = f->now.pos[u] <= f->useful[u] ? flags : flags & ~(uint32_t)HD_FRONTIER_STALE;
    }
    for (uint32_t x = 0; x < locs; x++)
        *to++ = hd_frontier_is_live(f, x) ? f->now.value[x] : 0;
}

/* Whatever can be reached from a state that knows y can be from one that stands there, too, and
 * knows x: no thread of x has read what is stale that has not in y, and memory holds the same or is
 * unknown in y. */
static bool knows_more(const struct hd_frontier *f, const uint32_t *x, const uint32_t *y)
{
    size_t locs = hd_trace_n_objs(f->w->t, HD_OBJ_LOC);
    for (hd_tid u = 0; u < f->threads; u++)
        if (x[u] & ~y[u])
            return false;
    for (size_t k = f->threads; k < f->threads + locs; k++)
        if (x[k] != y[k] && y[k])
            return false;
    return true;
}

/* Adds the state, and stores where in *place. False: it was there, or one that knows more, where
 * only an order is looked for; that one is the place. */
static bool add_state(struct hd_frontier *f, size_t *place)
{
    size_t at = f->keys.len, stands = key_place(f), knows = key_knows(f);
    bool fresh, same = f->meetings || f->again;
    hd_u32vec_reserve(&f->keys, at + HD_FRONTIER_HEAD + stands + knows);
    uint32_t *head = f->keys.data + at, *key = head + HD_FRONTIER_HEAD;
    write_key(f, key);
    size_t hashed = (same ? stands + knows : stands) * sizeof *key;
    uint32_t *first = hd_map_put(&f->seen, hd_hash_bytes(key, hashed, 0), &fresh);
    for (uint32_t i = fresh ? UINT32_MAX : *first; i != UINT32_MAX;) {
        const uint32_t *other = f->keys.data + i + HD_FRONTIER_HEAD;
        if (!memcmp(other, key, hashed) && (same || knows_more(f, other + stands, key + stands))) {
            *place = i;
            return false;
        }
        i = f->keys.data[i + HD_FRONTIER_LINK];
    }
    head[HD_FRONTIER_WHOLE] = 0;
    head[HD_FRONTIER_LINK] = fresh ? UINT32_MAX : *first;
    *first = (uint32_t)at;
    *place = at;
    f->keys.len = at + HD_FRONTIER_HEAD + stands + knows;
    return true;
}

/* ---- the search ---- */

static void add_move(struct hd_frontier *f, hd_eid e, hd_tid woken)
{
    if (hd_frontier_can_run(f, e, woken))
        *(struct hd_frontier_move *)hd_vec_push(&f->moves) = (struct hd_frontier_move){e, woken};
}

/* All that can run next, in the order of the trace. */
static void list_moves(struct hd_frontier *f, size_t first)
{
    for (hd_tid u = 0; u < f->threads; u++) {
        hd_eid e = hd_frontier_next(f, u);
        if (e == HD_EID_NONE)
            continue;
        add_move(f, e, HD_TID_NONE);
        for (hd_tid v = 0; !f->q->notifier && f->w->t->op[e] == HD_OP_SIG && v < f->threads; v++)
            add_move(f, e, v);
    }
    struct hd_frontier_move *list = f->moves.data;
    for (size_t i = first + 1; i < f->moves.len; i++)
        for (size_t k = i; k > first && list[k].event < list[k - 1].event; k--) {
            struct hd_frontier_move move = list[k];
            list[k] = list[k - 1];
            list[k - 1] = move;
        }
}

static bool is_complete(const struct hd_frontier *f)
{
    for (hd_tid u = 0; u < f->threads; u++)
        if (f->now.pos[u] < f->end[u])
            return false;
    return true;
}

/* All can run from the state in hand: so it can from the one that led to it. */
static void say_whole(struct hd_frontier *f)
{
    if (f->frames.len)
        f->keys.data[((struct frame *)hd_vec_at(&f->frames, f->frames.len - 1))->key +
                     HD_FRONTIER_WHOLE] = 1;
}

/* All can run from the state in hand, whatever is read: answers by states of `rest`. */
static enum hd_verdict rest_runs(struct hd_frontier *f);

/* Takes the pairs whose threads stand before them. True: all have been found, or `rest` has too
 * many states. */
static bool take_pairs(struct hd_frontier *f)
{
    enum hd_verdict rest = HD_UNKNOWN;
    for (hd_tid u = 0; u < f->threads; u++)
        for (hd_tid v = u + 1; v < f->threads; v++) {
            struct hd_frontier_pair *pair = hd_frontier_pairs_at(f->pairs, f, u, v);
            if (!pair)
                continue;
            if (rest == HD_UNKNOWN && (rest = rest_runs(f)) != HD_RACE)
                return rest == HD_UNKNOWN;
            if (hd_frontier_pairs_take(f->pairs, pair))
                return true;
        }
    return false;
}

/* Looks at the state in hand; true: that is all that was asked for. */
static bool look(struct hd_frontier *f)
{
    size_t key;
    run_free(f);
    if (is_complete(f)) {
        say_whole(f);
        return !f->meetings && !f->pairs;
    }
    if (f->pairs ? !hd_frontier_pairs_ahead(f->pairs, f) : is_dead(f))
        return false;
    if (!add_state(f, &key)) {
        if (f->keys.data[key])
            say_whole(f);
        return f->again && f->keys.data[key];
    }
    if (f->pairs && take_pairs(f))
        return true;
    struct frame *frame = hd_vec_push(&f->frames);
    *frame = (struct frame){f->moves.len, f->moves.len, 0, f->log.len, f->order.len, key};
    list_moves(f, frame->first);
    frame->end = f->moves.len;
    f->states++;
    return false;
}

/* All moves of the last frame have been tried. */
static void leave(struct hd_frontier *f)
{
    const struct frame *frame = hd_vec_at(&f->frames, f->frames.len - 1);
    bool whole = f->keys.data[frame->key];
    if (f->meetings && whole)
        hd_meetings_add(f->meetings, f->now.pos);
    f->moves.len = frame->first;
    f->frames.len--;
    if (whole)
        say_whole(f);
}

/* Takes the next move that is left. False: there is none, all has been tried. */
static bool go_on(struct hd_frontier *f)
{
    while (f->frames.len) {
        struct frame *frame = hd_vec_at(&f->frames, f->frames.len - 1);
        hd_frontier_undo(f, frame->log);
        f->order.len = frame->order;
        if (frame->next < frame->end) {
            const struct hd_frontier_move *move = hd_vec_at(&f->moves, frame->next++);
            run(f, move->event, move->woken);
            return true;
        }
        leave(f);
    }
    return false;
}

static bool is_over(const struct hd_frontier *f)
{
    return f->states >= f->q->states || f->keys.len > MOST_WORDS ||
           ((f->states & 0xff) == 0 &&
            (hd_interrupt_requested() ||
             (f->q->deadline != 0 && hd_progress_now() >= f->q->deadline)));
}

/* Takes a question; the state in hand is the beginning of its window. False: there are too many
 * threads. */
static bool take_question(struct hd_frontier *f, const struct hd_frontier_question *q)
{
    f->states = 0;
    if (f->threads > HD_FRONTIER_THREADS)
        return false;
    f->q = q;
    hd_frontier_start(f);
    find_useful(f);
    find_last_reads(f);
    f->question++;
    hd_map_fini(&f->seen); /* not cleared: a small one is faster */
    f->keys.len = 0;
    return true;
}

/* Searches on from the state in hand. */
static enum hd_verdict search(struct hd_frontier *f)
{
    f->order.len = f->moves.len = f->frames.len = 0;
    do {
        if (is_over(f))
            return HD_UNKNOWN;
        if (look(f))
            return HD_RACE;
    } while (go_on(f));
    return HD_IMPOSSIBLE;
}

enum hd_verdict hd_frontier_decide(struct hd_frontier *f, const struct hd_frontier_question *q)
{
    return take_question(f, q) ? search(f) : HD_UNKNOWN;
}

bool hd_frontier_find_meetings(struct hd_frontier *f, const struct hd_frontier_question *q,
                               struct hd_meetings *meetings)
{
    f->meetings = meetings;
    bool done = take_question(f, q) && search(f) == HD_IMPOSSIBLE;
    f->meetings = NULL;
    return done;
}

/* States that a search has left have been tried in vain; those that it stands in have not. */
static enum hd_verdict rest_runs(struct hd_frontier *f)
{
    struct hd_frontier *g = f->rest;
    memcpy(g->now.all, f->now.all, f->now.n * sizeof *f->now.all);
    for (hd_tid u = 0; u < f->threads; u++)
        g->now.flags[u] &= HD_FRONTIER_WAITS | HD_FRONTIER_NOTIFIED;
    g->log.len = 0;
    enum hd_verdict verdict = search(g);
    for (size_t i = 0; verdict == HD_RACE && i < g->frames.len; i++)
        g->keys.data[((struct frame *)hd_vec_at(&g->frames, i))->key] = 1;
    return verdict;
}

bool hd_frontier_find_pairs(struct hd_frontier *f, const struct hd_frontier_question *q,
                            const uint8_t *branch, struct hd_frontier_pair *list, size_t n)
{
    if (!f->rest)
        f->rest = hd_frontier_new(f->w, f->matching);
    f->rest->again = true;
    f->branch = branch;
    bool done = false;
    if (take_question(f, q) && take_question(f->rest, q)) {
        f->pairs = hd_frontier_pairs_new(f, list, n);
        done = search(f) == HD_IMPOSSIBLE || hd_frontier_pairs_all(f->pairs);
        hd_frontier_pairs_free(f->pairs);
    }
    f->pairs = NULL;
    f->branch = NULL;
    return done;
}

const struct hd_u32vec *hd_frontier_order(const struct hd_frontier *f)
{
    return &f->order;
}

static void find_next(struct hd_frontier *f)
{
    const struct hd_accesses *locs = f->w->locs;
    for (size_t i = 0; i < locs->users.len && locs->users.len <= MOST_USERS; i++) {
        const struct hd_loc_user *user = hd_vec_at(&locs->users, i);
        uint32_t k = user->end, len = hd_world_thread_len(f->w, user->thread);
        hd_eid *next = hd_alloc(((size_t)len + 1) * sizeof *next), from = HD_EID_NONE;
        for (uint32_t p = len + 1; p-- > 0; next[p] = from)
            if (k > user->start && f->w->t->pos[locs->list[k - 1]] == p)
                from = locs->list[--k];
        *(struct hd_frontier_user *)hd_vec_push(&f->next) =
            (struct hd_frontier_user){user->thread, next};
    }
}

struct hd_frontier *hd_frontier_new(const struct hd_world *w, const struct hd_matching *matching)
{
    struct hd_frontier *f = hd_calloc(1, sizeof *f);
    *f = (struct hd_frontier){.w = w, .matching = matching, .threads = w->n_threads};
    f->log = HD_VEC_INIT(struct hd_frontier_change);
    f->moves = HD_VEC_INIT(struct hd_frontier_move);
    f->frames = HD_VEC_INIT(struct frame);
    f->end = hd_calloc(f->threads, sizeof *f->end);
    f->useful = hd_calloc(f->threads, sizeof *f->useful);
    f->last_read = hd_calloc(w->locs->users.len, sizeof *f->last_read);
    f->asked = hd_calloc(w->t->n_events, sizeof *f->asked);
    f->last_source = hd_calloc(w->t->n_events * f->threads, sizeof *f->last_source);
    f->next = HD_VEC_INIT(struct hd_frontier_user);
    find_next(f);
    hd_frontier_init_state(f);
    return f;
}

void hd_frontier_free(struct hd_frontier *f)
{
    if (!f)
        return;
    hd_frontier_free(f->rest);
    hd_frontier_fini_state(f);
    hd_vec_fini(&f->log);
    hd_vec_fini(&f->moves);
    hd_vec_fini(&f->frames);
    hd_u32vec_fini(&f->order);
    hd_u32vec_fini(&f->keys);
    hd_map_fini(&f->seen);
    for (size_t i = 0; i < f->next.len; i++) {
        struct hd_frontier_user *user = hd_vec_at(&f->next, i);
        hd_free(user->next, ((size_t)hd_world_thread_len(f->w, user->thread) + 1) * sizeof(hd_eid));
    }
    hd_vec_fini(&f->next);
    hd_free(f->asked, f->w->t->n_events * sizeof *f->asked);
    hd_free(f->last_source, f->w->t->n_events * f->threads * sizeof *f->last_source);
    hd_free(f->end, f->threads * sizeof *f->end);
    hd_free(f->useful, f->threads * sizeof *f->useful);
    hd_free(f->last_read, f->w->locs->users.len * sizeof *f->last_read);
    hd_free(f, sizeof *f);
}
