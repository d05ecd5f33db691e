/* log/: what the writer packs the reader unpacks, for random records of every shape; and bytes that
 * no writer made are refused or read, never read beyond their end. */
#include "base/rng.h"
#include "log/rt_pack_plain.h"
#include "log/rt_unpack_plain.h"

#include <stdlib.h>
#include <string.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

enum { RECORDS = 200000, KINDS_TRIED = 12, PLACES = 40, CELLS = 300, LONGEST = 5000 };

struct both {
    struct hd_pack *writer;
    uint64_t *keys;
    struct hd_raw_reader reader;
    struct hd_rng rng;
};

/* A record as it was written. */
struct given {
    unsigned kind, shape, aux;
    uint64_t place, w[3];
    hd_tok addr, val;
    uint8_t data[LONGEST];
    size_t len;
};

static void begin(struct both *b, uint64_t seed)
{
    *b = (struct both){.writer = calloc(1, sizeof *b->writer), .keys = calloc(HD_LOG_KEYS, 8)};
    b->reader = (struct hd_raw_reader){.pack = calloc(1, sizeof *b->writer),
                                       .shapes = calloc(HD_LOG_KEYS, sizeof *b->reader.shapes),
                                       .contents = malloc(HD_LOG_CHUNK)};
    assert_non_null(b->writer);
    assert_non_null(b->reader.pack);
    hd_rng_init(&b->rng, seed);
}

static void end(struct both *b)
{
    free(b->writer);
    free(b->keys);
    free(b->reader.pack);
    free(b->reader.shapes);
    free(b->reader.contents);
}

/* The driver reads the keys after the run. */
static void learn_keys(struct both *b)
{
    struct hd_raw_reader *u = &b->reader;
    for (; u->n_keys <= b->writer->n_slots; u->n_keys++) {
        u->pack->slots[u->n_keys].key = b->keys[u->n_keys];
        u->shapes[u->n_keys] = hd_unpack_shape(b->keys[u->n_keys]);
    }
}

static uint64_t any_word(struct hd_rng *rng)
{
    uint64_t w = hd_rng_next(rng);
    switch (hd_rng_below(rng, 5)) {
    case 0:
        return w;
    case 1:
        return w & 0xff;
    case 2:
        return w & 0xffffffff;
    case 3:
        return UINT64_MAX - (w & 0xffff);
    default:
        return 0;
    }
}

static hd_tok any_tok(struct both *b)
{
    uint32_t count = b->reader.count, far = (uint32_t)hd_rng_below(&b->rng, 9);
    if (hd_rng_below(&b->rng, 3) == 0)
        return HD_TOK_NONE;
    return (hd_tok)(count - far) << 32 | (uint32_t) - (count - far / 2);
}

static void fill_packed(struct both *b, struct given *g)
{
    static const unsigned kinds[KINDS_TRIED] = {
        HD_LOG_READ, HD_LOG_WRITE,  HD_LOG_AREAD,      HD_LOG_AWRITE,
        HD_LOG_RMW,  HD_LOG_BRANCH, HD_LOG_RANGE_READ, HD_LOG_RANGE_WRITE,
        HD_LOG_ACQ,  HD_LOG_ALLOC,  HD_LOG_WAIT,       HD_LOG_ORDER};
    g->kind = kinds[hd_rng_below(&b->rng, KINDS_TRIED)];
    bool wide = g->kind == HD_LOG_RANGE_READ || g->kind == HD_LOG_RANGE_WRITE;
    bool sized = wide || (g->kind >= HD_LOG_READ && g->kind <= HD_LOG_RMW);
    unsigned log_size = sized ? (unsigned)hd_rng_below(&b->rng, wide ? 3 : 4) : 0;
    bool site = wide || (sized && hd_rng_below(&b->rng, 2));
    g->shape = g->kind | log_size << 6 | (site ? HD_SHAPE_SITE : 0);
    g->place = 0x400000 + 16 * hd_rng_below(&b->rng, PLACES);
    g->w[0] =
        sized ? UINT64_C(0x7f0000001000) + 8 * hd_rng_below(&b->rng, CELLS) : any_word(&b->rng);
    unsigned bits = sized && !wide ? 8 * hd_shape_size(g->shape) : 64;
    g->w[1] = any_word(&b->rng) & UINT64_MAX >> (64 - bits);
    g->w[2] = any_word(&b->rng) & UINT64_MAX >> (64 - bits);
    if (wide) {
        g->len = hd_shape_wide(g->shape);
        for (size_t i = 0; i < g->len; i++)
            g->data[i] = hd_rng_below(&b->rng, 2) ? 0 : (uint8_t)hd_rng_next(&b->rng);
        g->w[1] = (uint64_t)(uintptr_t)g->data;
    }
    g->addr = any_tok(b);
    g->val = any_tok(b);
}

static uint8_t *put_packed(struct both *b, struct given *g, uint8_t *p)
{
    fill_packed(b, g);
    return hd_put_packed(b->writer, b->keys, p, g->place, g->shape, b->reader.count, g->w, g->addr,
                         g->val);
}

static uint8_t *put_range(struct both *b, struct given *g, uint8_t *p)
{
    g->kind = hd_rng_below(&b->rng, 2) ? HD_LOG_RANGE_READ : HD_LOG_RANGE_WRITE;
    g->place = 0x500000;
    g->w[0] = UINT64_C(0x7f0000001000) + hd_rng_below(&b->rng, 8 * CELLS);
    g->len = (size_t)hd_rng_below(&b->rng, LONGEST);
    bool even = hd_rng_below(&b->rng, 3) == 0;
    for (size_t i = 0; i < g->len; i++)
        g->data[i] = even ? 7 : (uint8_t)hd_rng_next(&b->rng);
    uint8_t *q = hd_put_plain(b->writer, b->keys, p, 0, g->place);
    q = hd_put_range(b->writer, q, g->w[0], g->data, g->len);
    hd_put_done(p, g->kind);
    return q;
}

static void expect(const struct given *g, const struct hd_raw *r)
{
    unsigned parts = g->shape ? hd_shape_parts(g->shape) : HD_PART_WORD0 | HD_PART_WIDE;
    assert_int_equal(r->kind, g->kind);
    assert_int_equal(r->site, g->place);
    if (parts & HD_PART_WORD0)
        assert_int_equal(r->w[0], g->w[0]);
    if (parts & HD_PART_WORD1)
        assert_int_equal(r->w[1], g->w[1]);
    if (parts & HD_PART_NEW)
        assert_int_equal(r->w[2], g->w[2]);
    if (parts & HD_PART_ADDR)
        assert_int_equal(r->addr, g->addr);
    if (parts & HD_PART_VAL)
        assert_int_equal(r->val, g->val);
    if (parts & HD_PART_WIDE) {
        assert_int_equal(r->len, g->len);
        assert_memory_equal(r->data, g->data, g->len);
    }
}

static void what_is_packed_is_unpacked(void **state)
{
    (void)state;
    static uint8_t bytes[LONGEST + 4 * HD_PACK_ROOM];
    static struct given g;
    struct both b;
    begin(&b, 11);
    for (unsigned i = 0; i < RECORDS; i++) {
        memset(bytes, 0, sizeof bytes);
        g = (struct given){0};
        uint8_t *last = i % 100 ? put_packed(&b, &g, bytes) : put_range(&b, &g, bytes);
        const uint8_t *q = bytes + 1;
        struct hd_raw r;
        learn_keys(&b);
        hd_raw_clear(&r);
        assert_int_not_equal(bytes[0], 0);
        for (unsigned k = 0; k < HD_PACK_ROOM; k++) /* a log may end here */
            assert_int_equal(last[k], 0);
        assert_true(
            hd_unpack_next(&b.reader, bytes[0], &q, bytes + sizeof bytes - HD_PACK_ROOM, &r));
        assert_ptr_equal(q, last);
        expect(&g, &r);
        b.reader.count += hd_rng_below(&b.rng, 2);
    }
    end(&b);
}

/* A branch at this place, written and read. Answers the slot that it got. */
static uint32_t branch_at(struct both *b, uint64_t place)
{
    uint8_t bytes[4 * HD_PACK_ROOM] = {0};
    struct given g = {.kind = HD_LOG_BRANCH,
                      .shape = HD_LOG_BRANCH | 3 << 6 | HD_SHAPE_SITE,
                      .place = place,
                      .val = HD_TOK_NONE};
    const uint8_t *q = bytes + 1;
    struct hd_raw r;
    uint8_t *last = hd_put_packed(b->writer, b->keys, bytes, place, g.shape, b->reader.count, g.w,
                                  g.addr, g.val);
    learn_keys(b);
    hd_raw_clear(&r);
    assert_true(hd_unpack_next(&b->reader, bytes[0], &q, bytes + sizeof bytes - HD_PACK_ROOM, &r));
    assert_ptr_equal(q, last);
    expect(&g, &r);
    /* No slot names 0 as the one that follows: a site without a slot has this id. */
    assert_int_not_equal(hd_pack_at(b->writer, b->writer->prev)->next[0], 0);
    return b->writer->prev / (uint32_t)sizeof(struct hd_pack_slot);
}

/* Each place keeps its slot while the table of keys grows. When no slot is left, keys are spelled
 * out; nothing ever follows in the slot that stands for none. */
static void places_beyond_the_table(void **state)
{
    (void)state;
    struct both b;
    begin(&b, 13);
    const uint32_t most = HD_PACK_NOTHING - 1;
    for (uint32_t i = 1; i <= most; i++)
        assert_int_equal(branch_at(&b, 0x400000 + 32 * (uint64_t)i), i);
    for (uint32_t i = most; i > 0; i--) /* not in the order in which they follow each other */
        assert_int_equal(branch_at(&b, 0x400000 + 32 * (uint64_t)i), i);
    for (uint32_t i = 1; i < 100; i++) {
        uint64_t late = 0x400000 + 32 * (uint64_t)(most + 1 + i % 3);
        assert_int_equal(branch_at(&b, late), 0);
        if (i % 4 == 0)
            branch_at(&b, 0x400000 + 32 * (uint64_t)i);
    }
    const struct hd_pack_slot *none = &b.writer->slots[HD_PACK_NOTHING];
    assert_int_equal(none->key, 0);
    assert_int_equal(b.keys[HD_PACK_NOTHING], 0);
    assert_int_equal(b.writer->n_slots, most);
    end(&b);
}

/* Every buffer is of exactly the size that the reader may touch: the sanitizers see the rest. */
static void foreign_bytes_stay_in_bounds(void **state)
{
    (void)state;
    struct both b;
    begin(&b, 12);
    static struct given g;
    uint8_t *scratch = calloc(1, 4 * HD_PACK_ROOM);
    for (unsigned i = 0; i < 500; i++)
        put_packed(&b, &g, scratch);
    free(scratch);
    learn_keys(&b);
    for (unsigned i = 0; i < 50000; i++) {
        size_t n = 1 + (size_t)hd_rng_below(&b.rng, 40);
        uint8_t *bytes = calloc(1, n + 2 * HD_PACK_ROOM);
        for (size_t k = 0; k < n; k++)
            bytes[k] = (uint8_t)hd_rng_next(&b.rng);
        const uint8_t *q = bytes + 1, *stop = bytes + n + HD_PACK_ROOM;
        struct hd_raw r;
        hd_raw_clear(&r);
        if (hd_unpack_next(&b.reader, bytes[0], &q, stop, &r))
            assert_true(q <= stop && r.kind < HD_LOG_KIND_COUNT);
        free(bytes);
    }
    end(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_is_unpacked),
        cmocka_unit_test(places_beyond_the_table),
        cmocka_unit_test(foreign_bytes_stay_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
