/* Cells and regions: how bytes become locations, also when addresses are used again. */
#include "build/cells.h"
#include "build/regions.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static void split_where_accesses_end(void **state)
{
    struct hd_cells c;
    (void)state;
    hd_cells_init(&c);
    hd_cells_mark(&c, 1000, 8);
    hd_cells_mark(&c, 1004, 4);
    hd_cells_mark(&c, 1060, 200);
    assert_int_equal(hd_cells_next(&c, 1000, 8), 4);
    assert_int_equal(hd_cells_next(&c, 1004, 4), 4);
    assert_int_equal(hd_cells_next(&c, 1060, 200), 200); /* one cell, over several pages */
    hd_cells_mark(&c, 1100, 1);
    assert_int_equal(hd_cells_next(&c, 1060, 200), 40);
    assert_int_equal(hd_cells_next(&c, 1100, 160), 1);
    hd_cells_fini(&c);
}

static void ids_are_given_once(void **state)
{
    struct hd_cells c;
    bool fresh;
    uint64_t at;
    (void)state;
    hd_cells_init(&c);
    hd_cells_mark(&c, 64, 8);
    hd_cells_mark(&c, 200, 8);
    assert_int_equal(hd_cells_used(&c, 0, 1000, &at), HD_CELL_NONE);
    uint32_t id = hd_cells_id(&c, 200, &fresh);
    assert_true(fresh);
    assert_int_equal(hd_cells_id(&c, 200, &fresh), id);
    assert_false(fresh);
    assert_int_equal(hd_cells_used(&c, 0, 1000, &at), id);
    assert_int_equal(at, 200);
    assert_int_equal(hd_cells_used(&c, 201, 1000, &at), HD_CELL_NONE);
    hd_cells_fini(&c);
}

static void bytes_are_touched_once(void **state)
{
    struct hd_cells c;
    (void)state;
    hd_cells_init(&c);
    assert_true(hd_cells_touch(&c, 1000, 8));
    assert_false(hd_cells_touch(&c, 1000, 1));
    assert_false(hd_cells_touch(&c, 1007, 8)); /* and seven bytes more */
    assert_false(hd_cells_touch(&c, 1014, 1));
    assert_true(hd_cells_touch(&c, 1015, 1));
    assert_true(hd_cells_touch(&c, 4090, 5000)); /* over several blocks */
    assert_false(hd_cells_touch(&c, 9089, 1));
    assert_true(hd_cells_touch(&c, 9090, 1));
    assert_false(hd_cells_touch(&c, 4096, 64));
    hd_cells_fini(&c);
}

static void values_of_cells(void **state)
{
    const uint8_t bytes[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    uint8_t other[12];
    (void)state;
    assert_int_equal(hd_cells_value(bytes, 1), 1);
    assert_int_equal(hd_cells_value(bytes, 2), 0x0201);
    for (int i = 0; i < 12; i++)
        other[i] = bytes[i];
    assert_true(hd_cells_value(bytes, 12) == hd_cells_value(other, 12));
    other[11]++;
    assert_false(hd_cells_value(bytes, 12) == hd_cells_value(other, 12));
}

static void address_reuse_is_a_new_life(void **state)
{
    struct hd_regions r;
    uint64_t room;
    (void)state;
    hd_regions_init(&r);
    struct hd_region *a = hd_regions_add(&r, HD_REGION_HEAP, 0x1000, 64, 0);
    assert_ptr_equal(hd_regions_find(&r, 0x1010, &room), a);
    assert_int_equal(room, 48);
    assert_ptr_equal(hd_regions_block(&r, 0x1000), a);
    a->freed = true;
    assert_ptr_equal(hd_regions_find(&r, 0x1010, &room), a); /* late accesses still find it */
    assert_null(hd_regions_block(&r, 0x1000));
    uint64_t old = hd_region_linear(a, 0x1010);
    struct hd_region *b = hd_regions_add(&r, HD_REGION_HEAP, 0x0ff0, 64, 0);
    assert_ptr_equal(hd_regions_find(&r, 0x1010, &room), b);
    assert_int_equal(b->number, 2);
    assert_true(hd_region_linear(b, 0x1010) != old);
    assert_int_equal(hd_regions_find(&r, 0x1035, &room)->kind, HD_REGION_STATIC);
    hd_regions_fini(&r);
}

static void regions_come_back(void **state)
{
    struct hd_regions r;
    struct hd_region *first[100];
    uint64_t room;
    (void)state;
    hd_regions_init(&r);
    for (uint64_t i = 0; i < 100; i++)
        first[i] = hd_regions_add(&r, HD_REGION_HEAP, 0x1000 + i * 7919 % 100 * 32, 32, 0);
    for (uint64_t i = 0; i < 100; i++)
        assert_ptr_equal(hd_regions_find(&r, 0x1000 + i * 7919 % 100 * 32 + 5, &room), first[i]);
    hd_regions_cut(&r, 0x1000, 320);
    assert_int_equal(hd_regions_find(&r, 0x1000 + 319, &room)->kind, HD_REGION_STATIC);
    assert_int_equal(hd_regions_find(&r, 0x1000 + 320, &room)->kind, HD_REGION_HEAP);
    hd_regions_rewind(&r);
    assert_int_equal(hd_regions_find(&r, 0x1000 + 320, &room)->kind, HD_REGION_STATIC);
    for (uint64_t i = 0; i < 100; i++)
        assert_ptr_equal(hd_regions_add(&r, HD_REGION_HEAP, 0x1000 + i * 7919 % 100 * 32, 32, 0),
                         first[i]);
    hd_regions_fini(&r);
}

#define SPACE 4000

/* What is remembered about addresses must not outlive a change: compared with a plain table. */
static void regions_agree_with_a_table(void **state)
{
    static struct hd_region *owner[SPACE];
    struct hd_regions r;
    uint64_t room;
    uint32_t seed = 1;
    (void)state;
    hd_regions_init(&r);
    for (int step = 0; step < 20000; step++) {
        seed = seed * 1103515245u + 12345u;
        uint64_t start = seed >> 8 & 2047, len = 1 + (seed >> 20 & 63), end = start + len;
        if (step % 3 == 0) {
            for (uint64_t i = start; i < end; i++)
                for (size_t k = 0; owner[i] && k < SPACE; k++)
                    if (k != i && owner[k] == owner[i])
                        owner[k] = NULL; /* what is touched goes as a whole */
            struct hd_region *g = NULL;
            if (seed & 64)
                g = hd_regions_add(&r, HD_REGION_HEAP, 0x5000 + start, len, 0);
            else
                hd_regions_cut(&r, 0x5000 + start, len);
            for (uint64_t i = start; i < end; i++)
                owner[i] = g;
        }
        struct hd_region *g = hd_regions_find(&r, 0x5000 + start, &room);
        assert_ptr_equal(g, owner[start] ? owner[start] : &r.static_region);
        uint64_t same = 0;
        while (start + same < SPACE && owner[start + same] == owner[start])
            same++;
        assert_true(start + same == SPACE ? room >= same : room == same);
    }
    hd_regions_fini(&r);
}

/* Of a mapping that is cut, or covered in part, what is left keeps its linear addresses; also when
 * the log is read again. */
static void what_is_left_of_a_mapping_stays(void **state)
{
    static uint64_t linear[2][SPACE]; /* 0: nobody's */
    struct hd_regions r;
    uint64_t room;
    (void)state;
    hd_regions_init(&r);
    for (int pass = 0; pass < 2; pass++) {
        uint32_t seed = 1;
        for (int step = 0; step < 20000; step++) {
            seed = seed * 1103515245u + 12345u;
            uint64_t start = seed >> 8 & 2047, len = 1 + (seed >> 20 & 63);
            const struct hd_region *g = NULL;
            if (seed & 64)
                g = hd_regions_add(&r, HD_REGION_MAP, 0x5000 + start, len, 0);
            else
                hd_regions_cut(&r, 0x5000 + start, len);
            for (uint64_t i = start; i < start + len; i++)
                linear[pass][i] = g ? hd_region_linear(g, 0x5000 + i) : 0;
            uint64_t at = seed >> 10 & 2047;
            g = hd_regions_find(&r, 0x5000 + at, &room);
            assert_int_equal(g == &r.static_region ? 0 : hd_region_linear(g, 0x5000 + at),
                             linear[pass][at]);
            assert_true(g == &r.static_region || room <= g->end - (0x5000 + at));
        }
        hd_regions_rewind(&r);
    }
    assert_memory_equal(linear[0], linear[1], sizeof linear[0]);
    hd_regions_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_where_accesses_end),
        cmocka_unit_test(ids_are_given_once),
        cmocka_unit_test(values_of_cells),
        cmocka_unit_test(address_reuse_is_a_new_life),
        cmocka_unit_test(regions_come_back),
        cmocka_unit_test(bytes_are_touched_once),
        cmocka_unit_test(regions_agree_with_a_table),
        cmocka_unit_test(what_is_left_of_a_mapping_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
