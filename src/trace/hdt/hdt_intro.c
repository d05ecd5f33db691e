/* The INTRO stream of a DATA chunk: names, directives and dependence records. */
#include "trace/hdt/hdt_intro.h"

#include "base/printable.h"

static bool fault(struct hd_hdt_decoder *d, const char *why)
{
    if (!d->fault)
        d->fault = why;
    return false;
}

static bool read_name(struct hd_hdt_decoder *d, struct hd_hdt_cur *in, unsigned table)
{
    struct hd_trace *t = d->b->t;
    uint64_t len = hd_hdt_get_varint(in);
    if (in->bad || len > (size_t)(in->end - in->p))
        return fault(d, "a name runs over the end of its stream");
    const char *text = (const char *)in->p;
    in->p += len;
    if (memchr(text, 0, len) || !hd_printable_ok(text, len))
        return fault(d, "a name holds a zero byte, a line end or another control character");
    size_t before;
    uint32_t id;
    if (table == HD_OBJ_THREAD) {
        before = t->threads.count;
        if (hd_builder_thread(d->b, text, len, &id, NULL) != HD_OK)
            return fault(d, "too many threads");
    } else if (table == HD_OBJ_NONE) {
        before = t->places.count;
        id = hd_builder_place(d->b, text, len);
    } else {
        before = t->objs[table].count;
        id = hd_builder_obj(d->b, (enum hd_obj_kind)table, text, len);
    }
    return id == before || fault(d, "a name occurs twice");
}

static bool read_names(struct hd_hdt_decoder *d, struct hd_hdt_cur *in, unsigned table)
{
    uint64_t count = hd_hdt_get_varint(in);
    if (count > (size_t)(in->end - in->p))
        return fault(d, "more names than bytes");
    for (uint64_t i = 0; i < count; i++)
        if (!read_name(d, in, table))
            return false;
    return true;
}

static bool read_inits(struct hd_hdt_decoder *d, struct hd_hdt_cur *in, uint64_t first)
{
    uint64_t count = hd_hdt_get_varint(in), loc = first;
    if (count > (size_t)(in->end - in->p))
        return fault(d, "more initial values than bytes");
    for (uint64_t i = 0; i < count; i++) {
        uint64_t gap = hd_hdt_get_varint(in);
        uint64_t value = hd_hdt_get_varint(in);
        if (in->bad || (i > 0 && gap == 0) || gap >= d->b->t->objs[HD_OBJ_LOC].count - loc)
            return fault(d, "an initial value of an unknown location");
        loc += gap;
        hd_builder_init(d->b, (uint32_t)loc, value, NULL); /* new in this chunk: cannot fail */
    }
    return true;
}

static bool read_counts(struct hd_hdt_decoder *d, struct hd_hdt_cur *in, uint64_t sem,
                        uint64_t barrier)
{
    const struct hd_trace *t = d->b->t;
    for (; sem < t->objs[HD_OBJ_SEM].count; sem++)
        if (hd_builder_sem(d->b, (uint32_t)sem, hd_hdt_get_varint(in), NULL) != HD_OK || in->bad)
            return fault(d, "a bad count of a semaphore");
    for (; barrier < t->objs[HD_OBJ_BARRIER].count; barrier++)
        if (hd_builder_barrier(d->b, (uint32_t)barrier, hd_hdt_get_varint(in), NULL) != HD_OK ||
            in->bad)
            return fault(d, "a bad size of a barrier");
    return true;
}

/* One set of a record: its size and the gaps between ascending distances. */
static bool read_set(struct hd_hdt_decoder *d, struct hd_hdt_cur *in, struct hd_hdt_record *record,
                     bool may_own)
{
    uint64_t n = hd_hdt_get_varint(in), distance = 0;
    if (n > (size_t)(in->end - in->p))
        return fault(d, "more dependences than bytes");
    if (n == 0 && !may_own) /* an empty addr adds nothing: equal sets have equal records */
        return fault(d, "an empty address dependence");
    hd_u32vec_push(&d->b->dep_pool, (uint32_t)n);
    for (uint64_t i = 0; i < n; i++) {
        uint64_t gap = hd_hdt_get_varint(in);
        if (in->bad || gap > UINT32_MAX - distance || (gap == 0 && (i > 0 || !may_own)))
            return fault(d, "a bad distance in a dependence");
        distance += gap;
        if (distance == 0)
            record->own = 1;
        else if (distance <= 64)
            record->need |= UINT64_C(1) << (distance - 1);
        else
            record->far = 1;
        hd_u32vec_push(&d->b->dep_pool, (uint32_t)distance);
    }
    return true;
}

static bool read_record(struct hd_hdt_decoder *d, struct hd_hdt_cur *in)
{
    struct hd_hdt_record record = {.offset = (uint32_t)d->b->dep_pool.len};
    uint64_t mask = hd_hdt_get_varint(in);
    if (in->bad || mask < 1 || mask > 3)
        return fault(d, "a bad dependence record");
    record.mask = (uint8_t)mask;
    hd_u32vec_push(&d->b->dep_pool, (uint32_t)mask);
    if ((mask & 1) && !read_set(d, in, &record, true))
        return false;
    if ((mask & 2) && !read_set(d, in, &record, false))
        return false;
    if (d->b->dep_pool.len > UINT32_MAX)
        return fault(d, "too many dependences");
    *(struct hd_hdt_record *)hd_vec_push(&d->records) = record;
    return true;
}

bool hd_hdt_intro_read(struct hd_hdt_decoder *d, struct hd_hdt_cur *in)
{
    const struct hd_trace *t = d->b->t;
    uint64_t first_loc = t->objs[HD_OBJ_LOC].count;
    uint64_t first_sem = t->objs[HD_OBJ_SEM].count;
    uint64_t first_barrier = t->objs[HD_OBJ_BARRIER].count;
    for (unsigned table = 0; table <= HD_OBJ_NONE; table++)
        if (!read_names(d, in, table))
            return false;
    if (!read_inits(d, in, first_loc) || !read_counts(d, in, first_sem, first_barrier))
        return false;
    uint64_t records = hd_hdt_get_varint(in);
    if (records > (size_t)(in->end - in->p))
        return fault(d, "more dependence records than bytes");
    for (uint64_t i = 0; i < records; i++)
        if (!read_record(d, in))
            return false;
    if (in->bad || in->p != in->end)
        return fault(d, "the names do not fill their stream");
    return true;
}
