#include "trace/hdt/hdt_encode.h"

#include "base/hash.h"

/* Tables that a chunk adds to: the object kinds in order, threads, then places and records. */
enum { PLACES = HD_OBJ_NONE, RECORDS, TABLES };

/* Enough names for one chunk: far below the limit of the format, far above what 128 Ki events
 * bring. */
#define INTRO_BYTES (4u << 20)

/* What the reader will know about the memory of a location. */
struct memory {
    uint64_t number;
    bool settled; /* a read of the initial value changes nothing any more */
};

struct hd_hdt_encoder {
    const struct hd_trace *t;
    struct hd_hdt_model *model;
    struct hd_hdt_thread *threads;
    struct memory *memory; /* by location */
    uint32_t *record_at;   /* by number: its offset in the pool; one more for the end */
    uint32_t *record_of;   /* by offset in the pool: its number; else meaningless */
    size_t n_records;
    uint32_t done[TABLES];   /* introduced so far */
    uint32_t *heads, *links; /* site slots + 1 by hash of their content, chained */
    uint32_t events;         /* encoded since the last take */
    struct hd_hdt_buf control, streams[HD_HDT_N_STREAMS];
};

static size_t record_length(const uint32_t *record)
{
    size_t len = 1;
    for (uint32_t bit = 1; bit <= 2; bit *= 2)
        if (record[0] & bit)
            len += record[len] + 1;
    return len;
}

static void number_records(struct hd_hdt_encoder *enc)
{
    const struct hd_trace *t = enc->t;
    enc->record_at = hd_alloc((t->n_dep_pool + 1) * sizeof *enc->record_at);
    enc->record_of = hd_calloc(t->n_dep_pool + 1, sizeof *enc->record_of);
    size_t at = 0;
    for (; at < t->n_dep_pool; at += record_length(t->dep_pool + at)) {
        enc->record_of[at] = (uint32_t)enc->n_records;
        enc->record_at[enc->n_records++] = (uint32_t)at;
    }
    enc->record_at[enc->n_records] = (uint32_t)at;
}

struct hd_hdt_encoder *hd_hdt_encoder_new(const struct hd_trace *t)
{
    struct hd_hdt_encoder *enc = hd_calloc(1, sizeof *enc);
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    enc->t = t;
    enc->model = hd_hdt_model_new();
    enc->threads = hd_calloc(t->threads.count, sizeof *enc->threads);
    enc->memory = hd_calloc(locs, sizeof *enc->memory);
    enc->heads = hd_calloc(HD_HDT_SITES, sizeof *enc->heads);
    enc->links = hd_calloc(HD_HDT_SITES, sizeof *enc->links);
    for (size_t i = 0; i < locs; i++)
        if (t->loc_init[i].how == HD_INIT_GIVEN)
            enc->memory[i] = (struct memory){t->loc_init[i].value.bits, true};
    number_records(enc);
    enc->done[RECORDS] = 1; /* record 0 is built in */
    return enc;
}

void hd_hdt_encoder_free(struct hd_hdt_encoder *enc)
{
    const struct hd_trace *t = enc->t;
    hd_hdt_model_free(enc->model);
    hd_free(enc->threads, t->threads.count * sizeof *enc->threads);
    hd_free(enc->memory, hd_trace_n_objs(t, HD_OBJ_LOC) * sizeof *enc->memory);
    hd_free(enc->heads, HD_HDT_SITES * sizeof *enc->heads);
    hd_free(enc->links, HD_HDT_SITES * sizeof *enc->links);
    hd_free(enc->record_at, (t->n_dep_pool + 1) * sizeof *enc->record_at);
    hd_free(enc->record_of, (t->n_dep_pool + 1) * sizeof *enc->record_of);
    hd_hdt_buf_fini(&enc->control);
    for (int i = 0; i < HD_HDT_N_STREAMS; i++)
        hd_hdt_buf_fini(&enc->streams[i]);
    hd_free(enc, sizeof *enc);
}

/* ---- names, directives, records ---- */

static const struct hd_names *table_names(const struct hd_trace *t, unsigned table)
{
    if (table < HD_OBJ_KINDS)
        return &t->objs[table];
    return table == HD_OBJ_THREAD ? &t->threads : &t->places;
}

static void need(uint32_t *wanted, uint32_t id)
{
    if (*wanted <= id)
        *wanted = id + 1;
}

/* Raises wanted[] to what the events [from, to) name. */
static void collect(const struct hd_hdt_encoder *enc, hd_eid from, hd_eid to, uint32_t *wanted)
{
    const struct hd_trace *t = enc->t;
    for (hd_eid e = from; e < to; e++) {
        const struct hd_op_info *info = &hd_op_info[t->op[e]];
        need(&wanted[HD_OBJ_THREAD], t->thread[e]);
        need(&wanted[PLACES], t->place[e]);
        need(&wanted[RECORDS], enc->record_of[t->dep[e]]);
        if (info->kind != HD_OBJ_NONE)
            need(&wanted[info->kind], t->obj[e]);
        if (info->has_lock)
            need(&wanted[HD_OBJ_LOCK], (uint32_t)t->val[e]);
    }
}

/* Bytes that an entry of a table takes, or a little more. */
static size_t entry_bytes(const struct hd_hdt_encoder *enc, unsigned table, uint32_t id)
{
    if (table == RECORDS)
        return (enc->record_at[id + 1] - enc->record_at[id]) * 5;
    return hd_names_len(table_names(enc->t, table), id) + 30;
}

static void put_record(struct hd_hdt_buf *out, const uint32_t *record)
{
    const uint32_t *set = record + 1;
    hd_hdt_buf_varint(out, record[0]);
    for (uint32_t bit = 1; bit <= 2; bit *= 2) {
        if (!(record[0] & bit))
            continue;
        hd_hdt_buf_varint(out, set[0]);
        for (uint32_t i = 1, before = 0; i <= set[0]; before = set[i++])
            hd_hdt_buf_varint(out, set[i] - before);
        set += set[0] + 1;
    }
}

/* The directives of the objects [from[kind], done[kind]). */
static void put_directives(struct hd_hdt_encoder *enc, const uint32_t *from)
{
    const struct hd_trace *t = enc->t;
    struct hd_hdt_buf *out = &enc->streams[HD_HDT_INTRO];
    uint32_t given = 0, before = from[HD_OBJ_LOC];
    for (uint32_t i = before; i < enc->done[HD_OBJ_LOC]; i++)
        given += t->loc_init[i].how == HD_INIT_GIVEN;
    hd_hdt_buf_varint(out, given);
    for (uint32_t i = before; i < enc->done[HD_OBJ_LOC]; i++) {
        if (t->loc_init[i].how != HD_INIT_GIVEN)
            continue;
        hd_hdt_buf_varint(out, i - before);
        hd_hdt_buf_varint(out, t->loc_init[i].value.bits);
        before = i;
    }
    for (uint32_t i = from[HD_OBJ_SEM]; i < enc->done[HD_OBJ_SEM]; i++)
        hd_hdt_buf_varint(out, t->sem_init[i]);
    for (uint32_t i = from[HD_OBJ_BARRIER]; i < enc->done[HD_OBJ_BARRIER]; i++)
        hd_hdt_buf_varint(out, t->barrier_size[i]);
}

/* Writes the INTRO stream up to wanted[] or until the chunk is full; true when all is in. */
static bool put_intro(struct hd_hdt_encoder *enc, const uint32_t *wanted)
{
    struct hd_hdt_buf *out = &enc->streams[HD_HDT_INTRO];
    uint32_t from[TABLES], upto[TABLES];
    size_t bytes = 0;
    bool all = true;
    for (unsigned table = 0; table < TABLES; table++) {
        from[table] = upto[table] = enc->done[table];
        while (upto[table] < wanted[table] && bytes < INTRO_BYTES)
            bytes += entry_bytes(enc, table, upto[table]++);
        all = all && upto[table] >= wanted[table];
        enc->done[table] = upto[table];
    }
    for (unsigned table = 0; table < RECORDS; table++) {
        const struct hd_names *names = table_names(enc->t, table);
        hd_hdt_buf_varint(out, upto[table] - from[table]);
        for (uint32_t id = from[table]; id < upto[table]; id++) {
            size_t len = hd_names_len(names, id);
            hd_hdt_buf_varint(out, len);
            memcpy(hd_hdt_buf_more(out, len), hd_names_text(names, id), len);
        }
    }
    put_directives(enc, from);
    hd_hdt_buf_varint(out, upto[RECORDS] - from[RECORDS]);
    for (uint32_t id = from[RECORDS]; id < upto[RECORDS]; id++)
        put_record(out, enc->t->dep_pool + enc->record_at[id]);
    return all;
}

bool hd_hdt_encoder_introduce(struct hd_hdt_encoder *enc, hd_eid from, hd_eid to)
{
    uint32_t wanted[TABLES] = {0};
    collect(enc, from, to, wanted);
    return put_intro(enc, wanted);
}

bool hd_hdt_encoder_leftover(struct hd_hdt_encoder *enc)
{
    uint32_t wanted[TABLES];
    bool any = false;
    for (unsigned table = 0; table < TABLES; table++) {
        wanted[table] = table == RECORDS ? (uint32_t)enc->n_records
                                         : (uint32_t)table_names(enc->t, table)->count;
        any = any || wanted[table] > enc->done[table];
    }
    if (any)
        put_intro(enc, wanted);
    return any;
}

/* ---- events ---- */

static bool same_site(const struct hd_hdt_site *a, const struct hd_hdt_site *b)
{
    return a->place == b->place && a->dep == b->dep && a->op == b->op && a->marked == b->marked &&
           a->order == b->order;
}

static uint32_t *chain_of(struct hd_hdt_encoder *enc, const struct hd_hdt_site *s)
{
    uint64_t key = (uint64_t)s->place << 32 |
                   (s->dep << 6 ^ (uint32_t)s->marked << 5 ^ s->op ^ (uint32_t)s->order << 3);
    return &enc->heads[hd_hash_mix(key) % HD_HDT_SITES];
}

static bool find_site(struct hd_hdt_encoder *enc, const struct hd_hdt_site *s, unsigned *slot)
{
    for (uint32_t i = *chain_of(enc, s); i; i = enc->links[i - 1]) {
        if (same_site(&enc->model->sites[i - 1], s)) {
            *slot = i - 1;
            return true;
        }
    }
    return false;
}

static unsigned define_site(struct hd_hdt_encoder *enc, const struct hd_hdt_site *s)
{
    struct hd_hdt_model *m = enc->model;
    if (m->n_sites == HD_HDT_SITES) {
        uint32_t *link = chain_of(enc, &m->sites[m->next_slot]);
        while (*link != m->next_slot + 1)
            link = &enc->links[*link - 1];
        *link = enc->links[m->next_slot];
    }
    unsigned slot = hd_hdt_define(m, s);
    uint32_t *head = chain_of(enc, s);
    enc->links[slot] = *head;
    *head = slot + 1;
    return slot;
}

/* Codes the site of an event after slot `before`; returns the mode and sets *slot. */
static unsigned put_site(struct hd_hdt_encoder *enc, uint16_t before, const struct hd_hdt_site *s,
                         unsigned *slot)
{
    struct hd_hdt_model *m = enc->model;
    const struct hd_hdt_site *last = &m->sites[before];
    if (m->n_sites && same_site(&m->sites[last->next], s)) {
        *slot = last->next;
        return HD_HDT_SITE_NEXT;
    }
    unsigned mode = HD_HDT_SITE_REF;
    if (m->n_sites && same_site(&m->sites[last->other], s)) {
        *slot = last->other;
        mode = HD_HDT_SITE_OTHER;
    } else if (find_site(enc, s, slot)) {
        hd_hdt_put16(hd_hdt_buf_more(&enc->streams[HD_HDT_SITE_REFS], 2), *slot);
    } else {
        struct hd_hdt_buf *out = &enc->streams[HD_HDT_SITE_DEFS];
        *hd_hdt_buf_more(out, 1) = (uint8_t)(s->op | (s->marked ? HD_HDT_DEF_MARK : 0) |
                                             (s->order ? HD_HDT_DEF_ORDER : 0));
        if (s->order)
            *hd_hdt_buf_more(out, 1) = (uint8_t)(s->order >> HD_F_ORDER_SHIFT);
        hd_hdt_buf_varint(out, s->place);
        hd_hdt_buf_varint(out, s->dep);
        *slot = define_site(enc, s);
        mode = HD_HDT_SITE_NEW;
    }
    hd_hdt_follow(&m->sites[before], *slot);
    return mode;
}

static unsigned put_object(struct hd_hdt_encoder *enc, struct hd_hdt_thread *th,
                           struct hd_hdt_context *cx, unsigned kind, uint32_t object)
{
    unsigned mode = HD_HDT_OBJ_EXPLICIT;
    if (object == cx->object + cx->stride) {
        mode = HD_HDT_OBJ_STRIDE;
    } else if (object == th->object[kind]) {
        mode = HD_HDT_OBJ_SAME;
    } else if (object == enc->model->fresh[kind]) {
        mode = HD_HDT_OBJ_FRESH;
    } else {
        uint64_t difference = (uint64_t)object - cx->object;
        hd_hdt_buf_varint(&enc->streams[HD_HDT_OBJECTS], hd_hdt_zigzag(difference));
    }
    hd_hdt_note_object(enc->model, th, cx, kind, mode, object);
    return mode;
}

static unsigned put_value(struct hd_hdt_encoder *enc, const struct hd_hdt_thread *th,
                          const struct hd_hdt_context *cx, uint64_t base, uint64_t guess,
                          uint64_t number)
{
    if (number == guess)
        return HD_HDT_VAL_PREDICTED;
    if (number == th->copied)
        return HD_HDT_VAL_COPIED;
    if (number == cx->value)
        return HD_HDT_VAL_REPEATED;
    hd_hdt_buf_varint(&enc->streams[HD_HDT_VALUES], hd_hdt_zigzag(number - base));
    return HD_HDT_VAL_EXPLICIT;
}

static void settle_read(struct memory *mem, uint64_t number)
{
    if (!mem->settled)
        *mem = (struct memory){number, true};
}

/* The value part of the control byte of an access whose value is given. */
static unsigned put_values(struct hd_hdt_encoder *enc, struct hd_hdt_thread *th,
                           struct hd_hdt_context *cx, hd_eid e)
{
    const struct hd_trace *t = enc->t;
    struct memory *mem = &enc->memory[t->obj[e]];
    unsigned code = 0, mode;
    if (t->op[e] == HD_OP_READ || t->op[e] == HD_OP_AREAD) {
        mode = put_value(enc, th, cx, mem->number, mem->number, t->val[e]);
        hd_hdt_note_read(th, cx, t->val[e]);
        settle_read(mem, t->val[e]);
        return mode << HD_HDT_VALUE_SHIFT;
    }
    uint64_t number = hd_trace_write_value(t, e).bits, base = mem->number;
    if (t->op[e] == HD_OP_RMW) {
        uint64_t old = hd_trace_read_value(t, e).bits;
        if (old != base) {
            code = HD_HDT_OLD_BIT;
            hd_hdt_buf_varint(&enc->streams[HD_HDT_VALUES], hd_hdt_zigzag(old - base));
        }
        base = th->copied = old;
    }
    mode = put_value(enc, th, cx, base, base + cx->rise, number);
    hd_hdt_note_write(cx, mode, base, number);
    *mem = (struct memory){number, true};
    return code | mode << HD_HDT_VALUE_SHIFT;
}

static void put_event(struct hd_hdt_encoder *enc, struct hd_hdt_thread *th, hd_eid e)
{
    const struct hd_trace *t = enc->t;
    const struct hd_op_info *info = &hd_op_info[t->op[e]];
    struct hd_hdt_site site = {.place = t->place[e],
                               .dep = enc->record_of[t->dep[e]],
                               .op = t->op[e],
                               .order = t->flags[e] & HD_F_ORDER,
                               .marked = (t->flags[e] & (HD_F_OMITTED | HD_F_TRY)) != 0};
    unsigned slot;
    unsigned code = put_site(enc, th->site, &site, &slot);
    th->site = (uint16_t)slot;
    if (info->kind != HD_OBJ_NONE) {
        struct hd_hdt_context *cx = hd_hdt_context(enc->model, t->thread[e], slot);
        code |= put_object(enc, th, cx, info->kind, t->obj[e]) << HD_HDT_OBJECT_SHIFT;
        if (info->kind == HD_OBJ_LOC && !site.marked)
            code |= put_values(enc, th, cx, e);
    }
    if (site.marked && hd_op_writes(t->op[e]))
        enc->memory[t->obj[e]] = (struct memory){0, true};
    if (info->has_lock)
        hd_hdt_buf_varint(&enc->streams[HD_HDT_OBJECTS], t->val[e]);
    *hd_hdt_buf_more(&enc->control, 1) = (uint8_t)code;
}

void hd_hdt_encoder_events(struct hd_hdt_encoder *enc, hd_eid from, hd_eid to)
{
    const hd_tid *thread = enc->t->thread;
    for (hd_eid e = from; e < to;) {
        hd_eid start = e;
        struct hd_hdt_thread *th = &enc->threads[thread[e]];
        for (; e < to && thread[e] == thread[start]; e++)
            put_event(enc, th, e);
        hd_hdt_buf_varint(&enc->streams[HD_HDT_RUNS], thread[start]);
        hd_hdt_buf_varint(&enc->streams[HD_HDT_RUNS], e - start);
    }
    enc->events += to - from;
}

uint32_t hd_hdt_encoder_take(struct hd_hdt_encoder *enc, struct hd_hdt_buf *raw)
{
    uint32_t events = enc->events;
    raw->len = 0;
    for (int i = 0; i < HD_HDT_N_STREAMS; i++)
        hd_hdt_put32(hd_hdt_buf_more(raw, 4), (uint32_t)enc->streams[i].len);
    if (enc->control.len)
        memcpy(hd_hdt_buf_more(raw, enc->control.len), enc->control.data, enc->control.len);
    enc->control.len = 0;
    for (int i = 0; i < HD_HDT_N_STREAMS; i++) {
        struct hd_hdt_buf *stream = &enc->streams[i];
        if (stream->len)
            memcpy(hd_hdt_buf_more(raw, stream->len), stream->data, stream->len);
        stream->len = 0;
    }
    enc->events = 0;
    return events;
}
