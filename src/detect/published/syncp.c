/* Sync-preserving races (Mathur, Pavlogiannis, Viswanathan 2021): accesses a before b race if the
 * ideal of all that comes before either of them holds neither.
 *
 * For a fixed b the ideal grows along the accesses of a thread, and for fixed accesses it grows
 * along b, so one growing ideal for each (list of accesses, thread of b) serves all: an access that
 * has entered it is out of the race for good. Lists are kept by place, and only the last access of
 * a segment: between two accesses of a thread that are not parted by an acquire or by news from
 * another thread, whatever races with the first races with the second. Pairs that are ordered by
 * the recorded orders alone or hold a common lock never get an ideal, which keeps most programs
 * cheap. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/progress.h"
#include "detect/filters/contended.h"
#include "detect/detect_int.h"
#include "detect/published/history.h"
#include "detect/published/ideal.h"

#include <string.h>

struct seed {
    uint32_t pos;           /* of the access in its thread */
    uint32_t segment;       /* of its thread */
    struct hd_clock *clock; /* what it needs; held by the timeline */
};

/* A growing ideal for one list and one thread. */
struct sweep {
    uint32_t next; /* sweep + 1 of the same list */
    hd_tid thread;
    uint32_t at; /* accesses before this one have entered the ideal */
    struct hd_ideal ideal;
};

/* Accesses of one location by thread, kind, lock set and place. */
struct list {
    uint32_t next; /* list + 1 of the same location */
    uint32_t loc, lockset, place;
    hd_tid thread;
    uint8_t kind;
    uint32_t sweep; /* first sweep + 1 */
    uint32_t last;  /* position of the newest access */
    uint32_t n, cap;
    struct seed *seed;
};

/* Locks that every access of a location so far held, every write for writing, up to this many:
 * with one of them left, no pair of the location can race (Eraser's candidate set). */
#define GUARDS 3

struct spot {
    uint32_t guard[GUARDS];
    uint32_t n_guards;
    struct hd_peaks peaks; /* in the order of recorded orders and reads-from */
    uint32_t first;        /* list + 1 */
    uint32_t recent;       /* list + 1 of the last access */
    uint32_t segment;      /* of its thread then */
    bool racy;
};

struct walk {
    const struct hd_trace *t;
    struct hd_sink sink;
    struct hd_locksets *locksets;
    struct hd_ideal_base base;
    struct spot *spot;     /* by location */
    struct hd_map list_of; /* hash of what a list is for: list + 1 */
    struct hd_vec lists;   /* struct list */
    struct hd_vec sweeps;  /* struct sweep */
    struct hd_ideal
        *needs; /* by thread: the ideal of all that comes before its newest checked access */
    struct hd_ideal scratch;
    uint64_t looks;
};

static uint32_t place_of(const struct walk *w, hd_eid e)
{
    const uint32_t *spots = w->sink.opts->spots;
    return spots ? spots[e] : w->t->place[e];
}

static struct sweep *sweep_of(struct walk *w, uint32_t list_id, hd_tid u)
{
    struct list *list = hd_vec_at(&w->lists, list_id);
    for (uint32_t i = list->sweep; i;) {
        struct sweep *s = hd_vec_at(&w->sweeps, i - 1);
        if (s->thread == u)
            return s;
        i = s->next;
    }
    struct sweep *s = hd_vec_push(&w->sweeps);
    *s = (struct sweep){.next = list->sweep, .thread = u};
    hd_ideal_init(&s->ideal, &w->base);
    hd_ideal_copy(&s->ideal, &w->needs[u], &w->base);
    list->sweep = (uint32_t)w->sweeps.len;
    return s;
}

/* Grows the ideal from access `at` on until an access stays outside; its index, or n. */
static uint32_t advance(const struct walk *w, const struct list *list, struct hd_ideal *ideal,
                        uint32_t at)
{
    for (; at < list->n; at++) {
        const struct seed *a = &list->seed[at];
        if (ideal->have[list->thread] > a->pos)
            continue;
        hd_ideal_add(ideal, &w->base, list->thread, a->pos, a->clock);
        if (ideal->have[list->thread] <= a->pos)
            break;
    }
    return at;
}

static hd_eid thread_event(const struct walk *w, hd_tid u, uint32_t pos)
{
    const struct hd_index *events = &w->t->by_obj[HD_OBJ_THREAD];
    return events->list[events->start[u] + pos];
}

static void report_all(struct walk *w, const struct list *list, const struct sweep *s, hd_eid e)
{
    hd_ideal_copy(&w->scratch, &s->ideal, &w->base);
    for (uint32_t at = s->at; at < list->n; at = advance(w, list, &w->scratch, at + 1))
        hd_sink_pair(&w->sink, thread_event(w, list->thread, list->seed[at].pos), e);
}

/* Whether some access of the list races with e. */
static bool races(struct walk *w, uint32_t list_id, hd_eid e, const struct hd_clock *needs)
{
    hd_tid u = w->t->thread[e];
    const struct list *list = hd_vec_at(&w->lists, list_id);
    hd_ideal_add(&w->needs[u], &w->base, u, w->t->pos[e], needs);
    if (w->needs[u].have[list->thread] > list->last)
        return false;
    struct sweep *s = sweep_of(w, list_id, u);
    hd_ideal_add(&s->ideal, &w->base, u, w->t->pos[e], needs);
    s->at = advance(w, list, &s->ideal, s->at);
    if (s->at == list->n)
        return false;
    if (w->sink.opts->pairs) {
        report_all(w, list, s, e);
        return true;
    }
    if (w->sink.opts->found && !hd_sink_has_places(&w->sink, list->place, place_of(w, e)))
        w->sink.opts->found(w->sink.opts->ctx, thread_event(w, list->thread, list->seed[s->at].pos),
                            e, s->ideal.have);
    hd_sink_places(&w->sink, list->place, place_of(w, e));
    return true;
}

/* Reports the races of e, and finds out what it knows; whether there are any races. */
static bool check(struct walk *w, hd_eid e, uint32_t lockset, const struct spot *spot,
                  struct hd_knows *knows)
{
    const struct hd_trace *t = w->t;
    const struct hd_clock *needs = hd_timeline_now(&w->base.line, t->thread[e]);
    enum hd_access_kind kind = hd_access_kind(t->op[e]);
    uint32_t next;
    bool racy = false;
    *knows = (struct hd_knows){true, true};
    for (uint32_t i = spot->first; i; i = next) {
        const struct list *list = hd_vec_at(&w->lists, i - 1);
        next = list->next;
        w->looks++;
        if (list->thread == t->thread[e] || list->last < needs->v[list->thread])
            continue;
        knows->all = false;
        knows->writes &= !(list->kind & 1);
        if (racy && !w->sink.opts->pairs &&
            hd_sink_has_places(&w->sink, list->place, place_of(w, e)))
            continue;
        if (hd_kinds_conflict(kind, list->kind) &&
            !hd_locksets_ids_exclude(w->locksets, list->lockset, lockset))
            racy |= races(w, i - 1, e, needs);
    }
    return racy;
}

/* Keeps the guards that this access holds too; true if any are left. */
static bool guarded(const struct walk *w, struct spot *spot, uint32_t lockset, bool writes)
{
    size_t n;
    const struct hd_hold *hold = hd_locksets_holds(w->locksets, lockset, &n);
    uint32_t kept = 0;
    if (!spot->first) { /* the first access */
        for (size_t k = 0; k < n && kept < GUARDS; k++)
            if (hold[k].write || !writes)
                spot->guard[kept++] = hold[k].lock;
    } else {
        for (uint32_t i = 0; i < spot->n_guards; i++) {
            size_t k = 0;
            while (k < n && (hold[k].lock != spot->guard[i] || (writes && !hold[k].write)))
                k++;
            if (k < n)
                spot->guard[kept++] = spot->guard[i];
        }
    }
    spot->n_guards = kept;
    return kept > 0;
}

/* The same where it can be seen at once that there are none. */
static bool check_quickly(struct walk *w, hd_eid e, uint32_t lockset, struct spot *spot)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    bool writes = hd_op_writes(t->op[e]), racy = false;
    struct hd_knows knows = hd_peaks_known(&spot->peaks, u, hd_timeline_now(&w->base.line, u)->v);
    bool safe = guarded(w, spot, lockset, writes) || knows.all || (knows.writes && !writes);
    if (!safe)
        racy = check(w, e, lockset, spot, &knows);
    hd_peaks_pass(&spot->peaks, knows, writes, u, t->pos[e] + 1);
    return racy;
}

/* The list that e belongs to, made if it is new; its id + 1. */
static uint32_t own_list(struct walk *w, hd_eid e, uint32_t lockset, struct spot *spot)
{
    const struct hd_trace *t = w->t;
    uint8_t kind = (uint8_t)hd_access_kind(t->op[e]);
    uint64_t who = (uint64_t)t->obj[e] << 20 | (uint64_t)t->thread[e] << 2 | kind;
    uint64_t key = hd_hash_mix(hd_hash_mix(who) + ((uint64_t)lockset << 32 | place_of(w, e)));
    for (;; key++) {
        bool fresh;
        uint32_t *id = hd_map_put(&w->list_of, key, &fresh);
        if (fresh) {
            struct list *list = hd_vec_push(&w->lists);
            *list = (struct list){.next = spot->first,
                                  .loc = t->obj[e],
                                  .lockset = lockset,
                                  .place = place_of(w, e),
                                  .thread = t->thread[e],
                                  .kind = kind};
            return *id = spot->first = (uint32_t)w->lists.len;
        }
        const struct list *list = hd_vec_at(&w->lists, *id - 1);
        if (list->loc == t->obj[e] && list->thread == t->thread[e] && list->kind == kind &&
            list->lockset == lockset && list->place == place_of(w, e))
            return *id;
    }
}

static void remember(struct walk *w, hd_eid e, uint32_t list_id)
{
    struct list *list = hd_vec_at(&w->lists, list_id);
    hd_tid u = list->thread;
    struct seed seed = {w->t->pos[e], w->base.segment[u], hd_timeline_now(&w->base.line, u)};
    list->last = seed.pos;
    if (!w->sink.opts->pairs && list->n && list->seed[list->n - 1].segment == seed.segment) {
        list->seed[list->n - 1] = seed;
        return;
    }
    if (list->n == list->cap) {
        uint32_t cap = list->cap ? list->cap * 2 : 1;
        list->seed =
            hd_realloc(list->seed, list->cap * sizeof *list->seed, cap * sizeof *list->seed);
        list->cap = cap;
    }
    list->seed[list->n++] = seed;
}

static void access(struct walk *w, hd_eid e)
{
    const struct hd_trace *t = w->t;
    hd_tid u = t->thread[e];
    struct spot *spot = &w->spot[t->obj[e]];
    uint32_t lockset = hd_locksets_id(w->locksets, e), own = 0;
    if (spot->recent && spot->segment == w->base.segment[u] && !w->sink.opts->pairs) {
        const struct list *list = hd_vec_at(&w->lists, spot->recent - 1);
        if (list->thread == u && list->place == place_of(w, e) && list->lockset == lockset &&
            list->kind == hd_access_kind(t->op[e]))
            own = spot->recent;
    }
    if (own) {
        hd_peaks_repeat(&spot->peaks, hd_op_writes(t->op[e]), t->pos[e] + 1);
    } else {
        spot->racy = check_quickly(w, e, lockset, spot);
        own = own_list(w, e, lockset, spot);
    }
    w->sink.r->racy_events += spot->racy;
    remember(w, e, own - 1);
    spot->recent = own;
    spot->segment = w->base.segment[u];
}

static void walk_fini(struct walk *w)
{
    for (size_t i = 0; i < w->lists.len; i++) {
        struct list *list = hd_vec_at(&w->lists, i);
        hd_free(list->seed, list->cap * sizeof *list->seed);
    }
    for (size_t i = 0; i < w->sweeps.len; i++)
        hd_ideal_fini(&((struct sweep *)hd_vec_at(&w->sweeps, i))->ideal, &w->base);
    hd_vec_fini(&w->lists);
    hd_map_fini(&w->list_of);
    hd_vec_fini(&w->sweeps);
    hd_ideal_fini(&w->scratch, &w->base);
    for (size_t u = 0; u < hd_trace_n_threads(w->t); u++)
        hd_ideal_fini(&w->needs[u], &w->base);
    hd_free(w->needs, hd_trace_n_threads(w->t) * sizeof *w->needs);
    hd_free(w->spot, hd_trace_n_objs(w->t, HD_OBJ_LOC) * sizeof *w->spot);
    hd_locksets_free(w->locksets);
    hd_ideal_base_fini(&w->base);
}

static bool late(const struct walk *w, size_t e)
{
    double deadline = w->sink.opts->deadline;
    return deadline != 0 && (e & 0xff) == 0 && w->looks > w->sink.opts->looks &&
           hd_progress_now() >= deadline;
}

enum hd_status hd_detect_syncp(const struct hd_trace *t, const struct hd_detect_opts *opts,
                               struct hd_detect_result *r, struct hd_err *err)
{
    struct walk w = {
        .t = t, .lists = HD_VEC_INIT(struct list), .sweeps = HD_VEC_INIT(struct sweep)};
    hd_sink_init(&w.sink, t, opts, r);
    w.locksets = hd_locksets_new(t);
    w.spot = hd_calloc(hd_trace_n_objs(t, HD_OBJ_LOC), sizeof *w.spot);
    hd_ideal_base_init(&w.base, t);
    hd_ideal_init(&w.scratch, &w.base);
    w.needs = hd_calloc(hd_trace_n_threads(t), sizeof *w.needs);
    for (size_t u = 0; u < hd_trace_n_threads(t); u++)
        hd_ideal_init(&w.needs[u], &w.base);
    for (size_t e = 0; e < t->n_events && !hd_sink_stopped(&w.sink, e) && !late(&w, e); e++) {
        hd_ideal_base_before(&w.base, (hd_eid)e);
        if (hd_op_is_access(t->op[e]) && w.base.contended[t->obj[e]] == HD_LOC_CONTENDED)
            access(&w, (hd_eid)e);
        hd_ideal_base_after(&w.base, (hd_eid)e);
    }
    walk_fini(&w);
    return hd_sink_finish(&w.sink, err);
}
