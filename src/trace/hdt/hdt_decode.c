#include "trace/hdt/hdt_decode.h"

#include "base/alloc.h"
#include "trace/hdt/hdt_intro.h"

/* The streams of the chunk at hand, beside the decoder. */
struct chunk {
    struct hd_hdt_decoder *d;
    struct hd_hdt_model *m;
    struct hd_hdt_cur refs, defs, objects, values;
    uint32_t limit[HD_OBJ_NONE]; /* names known by kind */
    const char *fault;
};

/* The columns of the trace and the locations, read once for a chunk: the byte stores of the loop
 * could alias the pointers where they live. */
struct columns {
    uint8_t *op, *flags;
    hd_tid *thread;
    uint32_t *obj, *place, *dep, *pos;
    uint64_t *val;
    struct hd_loc_state *locs;
};

void hd_hdt_decoder_init(struct hd_hdt_decoder *d, struct hd_builder *b)
{
    *d = (struct hd_hdt_decoder){.b = b,
                                 .threads = HD_VEC_INIT(struct hd_hdt_thread),
                                 .records = HD_VEC_INIT(struct hd_hdt_record)};
    d->model = hd_hdt_model_new();
    memset(hd_vec_push(&d->records), 0, sizeof(struct hd_hdt_record));
}

void hd_hdt_decoder_fini(struct hd_hdt_decoder *d)
{
    hd_hdt_model_free(d->model);
    hd_vec_fini(&d->threads);
    hd_vec_fini(&d->records);
}

static bool fault(struct chunk *k, const char *why)
{
    if (!k->fault)
        k->fault = why;
    return false;
}

/* May an event with this op carry the record? */
static bool record_fits(const struct hd_hdt_record *record, enum hd_op op)
{
    if ((record->mask & 1) && op != HD_OP_BRANCH && !hd_op_writes(op))
        return false;
    if ((record->mask & 2) && !hd_op_is_access(op))
        return false;
    return !record->own || op == HD_OP_RMW;
}

static bool define_site(struct chunk *k, unsigned *slot)
{
    struct hd_hdt_cur *in = &k->defs;
    if (in->p == in->end)
        return fault(k, "the stream of site definitions ends early");
    uint8_t head = *in->p++;
    unsigned op = head & (HD_HDT_DEF_ORDER - 1u), order = 0;
    bool marked = head & HD_HDT_DEF_MARK;
    if (head & HD_HDT_DEF_ORDER) {
        if (in->p == in->end)
            return fault(k, "the stream of site definitions ends early");
        order = *in->p++;
    }
    uint64_t place = hd_hdt_get_varint(in), number = hd_hdt_get_varint(in);
    if (op >= HD_OP_COUNT || (marked && !hd_hdt_has_mark(op)))
        return fault(k, "an unknown operation");
    if ((head & HD_HDT_DEF_ORDER || op == HD_OP_FENCE) && k->d->version < HD_HDT_ORDERS)
        return fault(k, "a memory order or a fence in a file of version 1");
    if (head & HD_HDT_DEF_ORDER && (op == HD_OP_ACQ || op == HD_OP_REL) &&
        k->d->version < HD_HDT_EXCLUSIONS)
        return fault(k, "an exclusion in a file of version 2");
    if (head & HD_HDT_DEF_ORDER &&
        (!order || order >= HD_ORDER_COUNT || !hd_mem_order_fits(op, (enum hd_mem_order)order)))
        return fault(k, "a memory order that does not fit its operation");
    if (in->bad || place >= k->d->b->t->places.count)
        return fault(k, "an unknown place");
    if (number >= k->d->records.len)
        return fault(k, "an unknown dependence record");
    const struct hd_hdt_record *record = hd_vec_at(&k->d->records, number);
    if (!record_fits(record, op))
        return fault(k, "a dependence record that does not fit its operation");
    k->d->far |= record->far;
    k->d->b->exclusions |= order && (op == HD_OP_ACQ || op == HD_OP_REL);
    struct hd_hdt_site site = {.need = record->need,
                               .place = (uint32_t)place,
                               .dep = record->offset,
                               .op = (uint8_t)op,
                               .marked = marked,
                               .order = (uint8_t)(order << HD_F_ORDER_SHIFT),
                               .kind = (uint8_t)hd_op_info[op].kind,
                               .reads = hd_op_reads(op),
                               .leaves = op == HD_OP_WAKE || op == HD_OP_TMO};
    *slot = hd_hdt_define(k->m, &site);
    return true;
}

/* The site of an event that did not come as first guessed. */
static bool other_site(struct chunk *k, uint16_t before, unsigned mode, unsigned *slot)
{
    if (mode == HD_HDT_SITE_OTHER) {
        *slot = k->m->sites[before].other;
    } else if (mode == HD_HDT_SITE_NEW) {
        if (!define_site(k, slot))
            return false;
    } else {
        if (k->refs.end - k->refs.p < 2)
            return fault(k, "the stream of sites ends early");
        *slot = hd_hdt_get16(k->refs.p);
        k->refs.p += 2;
    }
    if (*slot >= k->m->n_sites)
        return fault(k, "an unknown site");
    hd_hdt_follow(&k->m->sites[before], *slot);
    return true;
}

/* The object of an event that did not come with the stride of its context. */
static uint32_t other_object(struct chunk *k, const struct hd_hdt_thread *th,
                             const struct hd_hdt_context *cx, unsigned kind, unsigned mode)
{
    if (mode == HD_HDT_OBJ_SAME)
        return th->object[kind];
    if (mode == HD_HDT_OBJ_FRESH)
        return k->m->fresh[kind];
    return cx->object + (uint32_t)hd_hdt_unzigzag(hd_hdt_get_varint(&k->objects));
}

static inline bool read_object(struct chunk *k, struct hd_hdt_thread *th, struct hd_hdt_context *cx,
                               unsigned kind, unsigned mode, uint32_t *object)
{
    *object = cx->object + cx->stride;
    if (mode != HD_HDT_OBJ_STRIDE)
        *object = other_object(k, th, cx, kind, mode);
    if (*object >= k->limit[kind])
        return fault(k, "an unknown object");
    hd_hdt_note_object(k->m, th, cx, kind, mode, *object);
    return true;
}

static uint64_t read_value(struct chunk *k, const struct hd_hdt_thread *th,
                           const struct hd_hdt_context *cx, unsigned mode, uint64_t base,
                           uint64_t guess)
{
    if (mode == HD_HDT_VAL_PREDICTED)
        return guess;
    if (mode == HD_HDT_VAL_COPIED)
        return th->copied;
    if (mode == HD_HDT_VAL_REPEATED)
        return cx->value;
    return base + hd_hdt_unzigzag(hd_hdt_get_varint(&k->values));
}

/* The values of an access in general: explicit, left out, an rmw, or the first of its location.
 * Requires that its other columns are set. */
static void read_values(struct chunk *k, struct hd_hdt_thread *th, struct hd_hdt_context *cx,
                        hd_eid e, bool omitted, unsigned code)
{
    struct hd_builder *b = k->d->b;
    struct hd_event ev = {.op = b->t->op[e], .obj = b->t->obj[e], .has_value = !omitted};
    const struct hd_loc_state *state = hd_vec_at(&b->locs, ev.obj);
    uint64_t base = state->known && !state->unique ? state->bits : 0;
    unsigned mode = code >> HD_HDT_VALUE_SHIFT & 3;
    if (!omitted && !hd_op_writes(ev.op)) {
        ev.value = read_value(k, th, cx, mode, base, base);
        hd_hdt_note_read(th, cx, ev.value);
    } else if (!omitted) {
        if (ev.op == HD_OP_RMW) {
            ev.value = base;
            if (code & HD_HDT_OLD_BIT)
                ev.value += hd_hdt_unzigzag(hd_hdt_get_varint(&k->values));
            base = th->copied = ev.value;
        }
        uint64_t number = read_value(k, th, cx, mode, base, base + cx->rise);
        hd_hdt_note_write(cx, mode, base, number);
        *(ev.op == HD_OP_RMW ? &ev.new_value : &ev.value) = number;
    }
    hd_builder_settle(b, e, &ev);
}

static bool read_thread_op(struct chunk *k, hd_tid thread, hd_eid e)
{
    const struct hd_trace *t = k->d->b->t;
    uint32_t *fork_of = &k->d->b->fork_of.data[t->obj[e]];
    if (t->obj[e] == thread)
        return fault(k, "a thread forks or joins itself");
    if (t->op[e] != HD_OP_FORK)
        return true;
    if (*fork_of != HD_EID_NONE)
        return fault(k, "a thread is forked twice");
    *fork_of = e;
    return true;
}

/* The lock of wait, wake and tmo. A wake or tmo names what its wait named: the condition is the one
 * that the thread used last before, since nothing else may stand between. */
static bool read_lock(struct chunk *k, struct hd_hdt_thread *th, const struct hd_hdt_site *s,
                      uint32_t cond_before, hd_eid e)
{
    struct hd_trace *t = k->d->b->t;
    uint64_t lock = hd_hdt_get_varint(&k->objects);
    if (lock >= k->limit[HD_OBJ_LOCK])
        return fault(k, "an unknown lock");
    if (s->leaves && (lock != th->wait_lock || t->obj[e] != cond_before))
        return fault(k, "a wait is left with another condition or lock");
    t->val[e] = lock;
    hd_builder_use(k->d->b, HD_OBJ_LOCK, (uint32_t)lock);
    th->waits = s->op == HD_OP_WAIT;
    th->wait_lock = (uint32_t)lock;
    return true;
}

/* The object and all that follows for anything but an access. */
static bool read_sync(struct chunk *k, struct hd_hdt_thread *th, hd_tid thread, hd_eid e,
                      unsigned slot, unsigned code)
{
    struct hd_trace *t = k->d->b->t;
    const struct hd_hdt_site *s = &k->m->sites[slot];
    struct hd_hdt_context *cx = hd_hdt_context(k->m, thread, slot);
    uint32_t before = th->object[s->kind];
    t->val[e] = 0;
    t->flags[e] = (uint8_t)(s->order | (s->marked ? HD_F_TRY : 0));
    if (!read_object(k, th, cx, s->kind, code >> HD_HDT_OBJECT_SHIFT & 3, &t->obj[e]))
        return false;
    hd_builder_use(k->d->b, s->kind, t->obj[e]);
    if (s->kind == HD_OBJ_THREAD)
        return read_thread_op(k, thread, e);
    return !hd_op_info[s->op].has_lock || read_lock(k, th, s, before, e);
}

/* An access: nearly all events are, so that this is where the time goes. */
static inline bool read_access(struct chunk *k, const struct columns *c, struct hd_hdt_thread *th,
                               hd_tid thread, hd_eid e, unsigned slot, unsigned code)
{
    const struct hd_hdt_site *s = &k->m->sites[slot];
    struct hd_hdt_context *cx = hd_hdt_context(k->m, thread, slot);
    uint32_t object;
    if (!read_object(k, th, cx, HD_OBJ_LOC, code >> HD_HDT_OBJECT_SHIFT & 3, &object))
        return false;
    struct hd_loc_state *state = &c->locs[object];
    c->obj[e] = object;
    state->events++;
    bool plain = s->op < HD_OP_RMW && !s->marked && code >> HD_HDT_VALUE_SHIFT == 0;
    if (!plain || !state->known || state->unique) {
        read_values(k, th, cx, e, s->marked, code);
        return true;
    }
    if (s->reads) {
        hd_hdt_note_read(th, cx, state->bits);
    } else {
        state->bits += cx->rise;
        state->written = 1;
        cx->value = state->bits;
    }
    c->val[e] = state->bits;
    return true;
}

static inline bool read_event(struct chunk *k, const struct columns *c, struct hd_hdt_thread *th,
                              hd_tid thread, hd_eid e, unsigned code)
{
    unsigned slot = k->m->sites[th->site].next;
    if ((code & 3) && !other_site(k, th->site, code & 3, &slot))
        return false;
    const struct hd_hdt_site *s = &k->m->sites[slot];
    if (s->need & ~th->reads)
        return fault(k, "a dependence on something that is not an earlier read of its thread");
    if (s->leaves != th->waits)
        return fault(k, "a wait is not left, or a wake has no wait before it");
    th->site = (uint16_t)slot;
    th->reads = th->reads << 1 | s->reads;
    c->op[e] = s->op;
    c->flags[e] = s->order;
    c->place[e] = s->place;
    c->dep[e] = s->dep;
    if (s->kind == HD_OBJ_LOC)
        return read_access(k, c, th, thread, e, slot, code);
    if (s->kind != HD_OBJ_NONE)
        return read_sync(k, th, thread, e, slot, code);
    c->obj[e] = 0;
    c->val[e] = 0;
    return true;
}

static bool read_run(struct chunk *k, const struct columns *from, struct hd_hdt_cur *runs,
                     const uint8_t *control, uint32_t left, uint32_t *length)
{
    struct hd_builder *b = k->d->b;
    struct hd_trace *t = b->t;
    const struct columns c = *from;
    uint64_t thread = hd_hdt_get_varint(runs), n = hd_hdt_get_varint(runs);
    if (runs->bad || thread >= t->threads.count)
        return fault(k, "an unknown thread");
    if (n == 0 || n > left)
        return fault(k, "the runs do not add up to the events");
    struct hd_hdt_thread *th = hd_vec_at(&k->d->threads, thread);
    hd_eid first = (hd_eid)t->n_events;
    uint32_t pos = b->thread_len.data[thread];
    for (uint32_t i = 0; i < n; i++) {
        c.thread[first + i] = (hd_tid)thread;
        c.pos[first + i] = pos + i;
        if (!read_event(k, &c, th, (hd_tid)thread, first + i, control[i]))
            return false;
    }
    b->thread_len.data[thread] = pos + (uint32_t)n;
    t->n_events += n;
    *length = (uint32_t)n;
    return true;
}

static bool at_end(const struct hd_hdt_cur *c)
{
    return !c->bad && c->p == c->end;
}

static bool read_events(struct chunk *k, struct hd_hdt_cur *runs, const uint8_t *control,
                        uint32_t n)
{
    const struct hd_trace *t = k->d->b->t;
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        k->limit[kind] = (uint32_t)t->objs[kind].count;
    k->limit[HD_OBJ_THREAD] = (uint32_t)t->threads.count;
    while (k->d->threads.len < t->threads.count)
        memset(hd_vec_push(&k->d->threads), 0, sizeof(struct hd_hdt_thread));
    if (n && !k->m->n_sites && (control[0] & 3) != HD_HDT_SITE_NEW)
        return fault(k, "the first event does not define its site");
    struct columns c = {t->op,  t->flags, t->thread,         t->obj, t->place, t->dep,
                        t->pos, t->val,   k->d->b->locs.data};
    uint32_t length;
    for (uint32_t done = 0; done < n; done += length)
        if (!read_run(k, &c, runs, control + done, n - done, &length))
            return false;
    if (!at_end(runs) || !at_end(&k->refs) || !at_end(&k->defs) || !at_end(&k->objects) ||
        !at_end(&k->values))
        return fault(k, "the events do not fill their streams");
    return true;
}

bool hd_hdt_decode(struct hd_hdt_decoder *d, const uint8_t *raw, size_t len, uint32_t n)
{
    struct hd_hdt_cur in[HD_HDT_N_STREAMS];
    size_t head = HD_HDT_N_STREAMS * 4, used = head + n;
    d->fault = "the streams do not fill the chunk";
    if (len < used)
        return false;
    for (int i = 0; i < HD_HDT_N_STREAMS; i++) {
        size_t bytes = hd_hdt_get32(raw + 4 * i);
        if (bytes > len - used)
            return false;
        in[i] = (struct hd_hdt_cur){raw + used, raw + used + bytes, false};
        used += bytes;
    }
    if (used != len)
        return false;
    d->fault = NULL;
    struct chunk k = {.d = d,
                      .m = d->model,
                      .refs = in[HD_HDT_SITE_REFS],
                      .defs = in[HD_HDT_SITE_DEFS],
                      .objects = in[HD_HDT_OBJECTS],
                      .values = in[HD_HDT_VALUES]};
    if (!hd_hdt_intro_read(d, &in[HD_HDT_INTRO]))
        return false;
    if (!read_events(&k, &in[HD_HDT_RUNS], raw + head, n)) {
        d->fault = k.fault;
        return false;
    }
    return true;
}

static bool set_holds(const struct hd_trace *t, hd_eid e, enum hd_dep_role role)
{
    struct hd_deps deps = hd_trace_deps(t, e, role);
    for (uint32_t i = 0; !deps.all && i < deps.n; i++) {
        if (deps.dist[i] > t->pos[e])
            return false;
        if (deps.dist[i] && !hd_op_reads(t->op[hd_trace_back(t, e, deps.dist[i])]))
            return false;
    }
    return true;
}

bool hd_hdt_decode_check_far(const struct hd_trace *t)
{
    for (size_t e = 0; e < t->n_events; e++)
        if (t->dep[e] &&
            (!set_holds(t, (hd_eid)e, HD_DEP_VALUE) || !set_holds(t, (hd_eid)e, HD_DEP_ADDR)))
            return false;
    return true;
}
