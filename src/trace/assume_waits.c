#include "trace/assume_waits.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/vec.h"
#include "trace/builder.h"
#include "trace/text/text.h"

#define NOBODY UINT32_MAX

struct held {
    hd_tid by; /* NOBODY: free */
    uint32_t depth, place;
};

/* A lock that a thread gave up in a wait and has to take again. */
struct owed {
    uint32_t lock, depth, place;
};

struct waits {
    const struct hd_trace *t;
    struct hd_builder *b;
    struct held *locks;
    struct hd_vec *owed; /* struct owed, by thread */
    uint64_t n;
    struct hd_err *err;
};

static enum hd_status add(struct waits *w, enum hd_op op, hd_tid thread, uint32_t obj,
                          uint32_t place)
{
    const struct hd_event ev = {.op = op, .thread = thread, .obj = obj, .place = place};
    return hd_builder_add(w->b, &ev, w->err);
}

static enum hd_status add_times(struct waits *w, enum hd_op op, hd_tid thread, const struct owed *o)
{
    enum hd_status s = HD_OK;
    for (uint32_t i = 0; s == HD_OK && i < o->depth; i++)
        s = add(w, op, thread, o->lock, o->place);
    return s;
}

/* The holder waits: what it has goes to another thread. */
static enum hd_status give_up(struct waits *w, uint32_t lock)
{
    struct held *h = &w->locks[lock];
    struct owed *o = hd_vec_push(&w->owed[h->by]);
    *o = (struct owed){lock, h->depth, h->place};
    hd_tid by = h->by;
    h->by = NOBODY;
    w->n++;
    return add_times(w, HD_OP_REL, by, o);
}

/* The thread goes on: it has its locks again. */
static enum hd_status take_back(struct waits *w, hd_eid e)
{
    hd_tid me = w->t->thread[e];
    enum hd_status s = HD_OK;
    for (size_t i = 0; s == HD_OK && i < w->owed[me].len; i++) {
        const struct owed *o = hd_vec_at(&w->owed[me], i);
        struct held *h = &w->locks[o->lock];
        if (h->by != NOBODY)
            return hd_err_set(w->err, HD_ERR_INPUT,
                              "event %llu: a wait does not explain that %s and %s hold the lock %s",
                              (unsigned long long)e + 1, hd_trace_thread_name(w->t, me),
                              hd_trace_thread_name(w->t, h->by),
                              hd_trace_obj_name(w->t, HD_OBJ_LOCK, o->lock));
        *h = (struct held){me, o->depth, o->place};
        s = add_times(w, HD_OP_ACQ, me, o);
    }
    w->owed[me].len = 0;
    return s;
}

static enum hd_status follow_lock(struct waits *w, hd_eid e)
{
    hd_tid me = w->t->thread[e];
    struct held *h = &w->locks[w->t->obj[e]];
    enum hd_status s = HD_OK;
    if (w->t->op[e] == HD_OP_ACQ) {
        if (h->by != NOBODY && h->by != me)
            s = give_up(w, w->t->obj[e]);
        uint32_t depth = h->by == me ? h->depth + 1 : 1;
        *h = (struct held){me, depth, w->t->place[e]};
    } else if (h->by == me && --h->depth == 0) {
        h->by = NOBODY;
    }
    return s;
}

static enum hd_status copy(struct waits *w)
{
    const struct hd_trace *t = w->t;
    enum hd_status s = HD_OK;
    for (hd_eid e = 0; s == HD_OK && e < t->n_events; e++) {
        s = take_back(w, e);
        if (s == HD_OK && (t->op[e] == HD_OP_ACQ || t->op[e] == HD_OP_REL))
            s = follow_lock(w, e);
        if (s == HD_OK)
            s = add(w, t->op[e], t->thread[e], t->obj[e], t->place[e]);
    }
    return s;
}

/* All names, in their order: numbers stay as they are. */
static enum hd_status copy_names(struct waits *w)
{
    static const enum hd_obj_kind kinds[] = {HD_OBJ_LOC, HD_OBJ_LOCK};
    const struct hd_trace *t = w->t;
    enum hd_status s = HD_OK;
    hd_tid id;
    for (hd_tid u = 0; s == HD_OK && u < hd_trace_n_threads(t); u++)
        s = hd_builder_thread(w->b, hd_names_text(&t->threads, u), hd_names_len(&t->threads, u),
                              &id, w->err);
    for (uint32_t i = 0; i < t->places.count; i++)
        hd_builder_place(w->b, hd_names_text(&t->places, i), hd_names_len(&t->places, i));
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t i = 0; i < t->objs[kinds[k]].count; i++)
            hd_builder_obj(w->b, kinds[k], hd_names_text(&t->objs[kinds[k]], i),
                           hd_names_len(&t->objs[kinds[k]], i));
    return s;
}

enum hd_status hd_assume_waits(const struct hd_trace *t, struct hd_trace **out, uint64_t *waits,
                               struct hd_err *err)
{
    size_t n_locks = hd_trace_n_objs(t, HD_OBJ_LOCK), n_threads = hd_trace_n_threads(t);
    *out = NULL;
    enum hd_status s = hd_text_check_std(t, err);
    if (s != HD_OK)
        return s;
    struct waits w = {.t = t,
                      .b = hd_builder_new(),
                      .locks = hd_calloc(n_locks, sizeof *w.locks),
                      .owed = hd_calloc(n_threads, sizeof *w.owed),
                      .err = err};
    for (size_t i = 0; i < n_locks; i++)
        w.locks[i].by = NOBODY;
    for (size_t i = 0; i < n_threads; i++)
        w.owed[i] = HD_VEC_INIT(struct owed);
    s = copy_names(&w);
    if (s == HD_OK)
        s = copy(&w);
    if (s == HD_OK)
        s = hd_builder_finish(w.b, out, err);
    else
        hd_builder_free(w.b);
    HD_DEBUG_LINE(TRACE, "%llu waits are assumed", (unsigned long long)w.n);
    *waits = w.n;
    for (size_t i = 0; i < n_threads; i++)
        hd_vec_fini(&w.owed[i]);
    hd_free(w.owed, n_threads * sizeof *w.owed);
    hd_free(w.locks, n_locks * sizeof *w.locks);
    return s;
}
