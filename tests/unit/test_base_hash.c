/* The hash map against a plain array, and the hash functions against collisions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { KEYS = 5000, OPS = 200000 };

static struct {
    uint32_t value;
    bool there;
} model[KEYS];

static uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    return hd_hash_mix(*state);
}

/* Keys of three shapes: small, far apart, and equal in their low bits. */
static uint64_t key_of(uint32_t k)
{
    return k % 3 == 0 ? k : k % 3 == 1 ? (uint64_t)k << 44 : (uint64_t)k * UINT64_C(0x100000001);
}

static size_t check_all(const struct hd_map *m)
{
    size_t n = 0;
    for (uint32_t k = 0; k < KEYS; k++) {
        uint32_t value = 77;
        assert_int_equal(hd_map_get(m, key_of(k), &value), model[k].there);
        assert_int_equal(value, model[k].there ? model[k].value : 77);
        n += model[k].there;
    }
    return n;
}

static void agrees_with_a_plain_array(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_map m = {0};
    uint64_t seed = 1;
    memset(model, 0, sizeof model);
    for (int op = 0; op < OPS; op++) {
        uint32_t k = (uint32_t)(random_next(&seed) % KEYS), value = 77;
        if (op % 40000 == 39999) {
            assert_int_equal(check_all(&m), m.len);
            hd_map_clear(&m);
            memset(model, 0, sizeof model);
        } else if (random_next(&seed) % 2) {
            bool fresh;
            uint32_t *slot = hd_map_put(&m, key_of(k), &fresh);
            assert_int_equal(fresh, !model[k].there);
            assert_int_equal(*slot, model[k].there ? model[k].value : 0);
            *slot = model[k].value = (uint32_t)op;
            model[k].there = true;
        } else {
            assert_int_equal(hd_map_get(&m, key_of(k), &value), model[k].there);
            assert_int_equal(value, model[k].there ? model[k].value : 77);
        }
    }
    assert_int_equal(check_all(&m), m.len);
    hd_map_fini(&m);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void empty_map(void **state)
{
    (void)state;
    struct hd_map m = {0};
    uint32_t value = 77;
    assert_false(hd_map_get(&m, 0, &value));
    hd_map_clear(&m);
    assert_false(hd_map_get(&m, 0, &value));
    *hd_map_put(&m, 0, NULL) = 5;
    *hd_map_put(&m, UINT64_MAX, NULL) = 6;
    assert_true(hd_map_get(&m, 0, &value));
    assert_int_equal(value, 5);
    assert_true(hd_map_get(&m, UINT64_MAX, &value));
    assert_int_equal(value, 6);
    hd_map_fini(&m);
    hd_map_fini(&m);
}

/* The clearing counter is 32 bits wide; a wrap must not bring old keys back. */
static void many_clears(void **state)
{
    (void)state;
    struct hd_map m = {0};
    uint32_t value;
    *hd_map_put(&m, 42, NULL) = 1;
    m.round = UINT32_MAX;
    *hd_map_put(&m, 43, NULL) = 1;
    hd_map_clear(&m);
    *hd_map_put(&m, 44, NULL) = 1;
    assert_false(hd_map_get(&m, 42, &value));
    assert_false(hd_map_get(&m, 43, &value));
    assert_true(hd_map_get(&m, 44, &value));
    hd_map_fini(&m);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void hashes_of_short_texts_differ(void **state)
{
    (void)state;
    enum { N = 200000 };
    static uint64_t hashes[N];
    static const char *const shapes[] = {"x%d", "T%d", "src/dir/file%d.c:12", "%d"};
    for (int i = 0; i < N; i++) {
        char text[64];
        snprintf(text, sizeof text, shapes[i % 4], i / 4);
        hashes[i] = hd_hash_bytes(text, strlen(text), 0);
    }
    qsort(hashes, N, sizeof *hashes, compare_u64);
    for (int i = 1; i < N; i++)
        assert_true(hashes[i] != hashes[i - 1]);
}

/* Every byte and the length count, at every length around the word boundaries. */
static void every_byte_counts(void **state)
{
    (void)state;
    unsigned char text[40] = {0};
    for (size_t len = 0; len < sizeof text; len++) {
        uint64_t plain = hd_hash_bytes(text, len, 0);
        assert_true(plain == hd_hash_bytes(text, len, 0));
        assert_true(plain != hd_hash_bytes(text, len + 1, 0));
        assert_true(plain != hd_hash_bytes(text, len, 1));
        for (size_t i = 0; i < len; i++) {
            text[i] = 1;
            assert_true(hd_hash_bytes(text, len, 0) != plain);
            text[i] = 0;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_with_a_plain_array),
        cmocka_unit_test(empty_map),
        cmocka_unit_test(many_clears),
        cmocka_unit_test(hashes_of_short_texts_differ),
        cmocka_unit_test(every_byte_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
