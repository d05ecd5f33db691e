/* Growable arrays: contents survive growth, memory is given back, impossible sizes are fatal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/vec.h"

static void u32_push_and_read_back(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_u32vec v = {0};
    for (uint32_t i = 0; i < 100000; i++)
        hd_u32vec_push(&v, i * 7);
    assert_int_equal(v.len, 100000);
    for (uint32_t i = 0; i < 100000; i++)
        assert_int_equal(v.data[i], i * 7);
    assert_int_equal(hd_alloc_in_use() - base, v.cap * sizeof *v.data);
    hd_u32vec_fini(&v);
    assert_null(v.data);
    hd_u32vec_fini(&v);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void reserve_makes_room_once(void **state)
{
    (void)state;
    struct hd_u32vec v = {0};
    hd_u32vec_reserve(&v, 1000);
    uint32_t *data = v.data;
    for (uint32_t i = 0; i < 1000; i++)
        hd_u32vec_push(&v, i);
    assert_ptr_equal(v.data, data);
    hd_u32vec_reserve(&v, 10);
    assert_ptr_equal(v.data, data);
    hd_u32vec_fini(&v);
}

struct triple {
    uint64_t a;
    uint16_t b;
    char c;
};

static void trimmed_to_what_is_there(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_u32vec numbers = {0};
    struct hd_vec pairs = HD_VEC_INIT(uint64_t);
    hd_u32vec_trim(&numbers); /* empty ones stay so */
    hd_vec_trim(&pairs);
    for (uint32_t i = 0; i < 100; i++) {
        hd_u32vec_push(&numbers, i);
        *(uint64_t *)hd_vec_push(&pairs) = i;
    }
    hd_u32vec_trim(&numbers);
    hd_vec_trim(&pairs);
    assert_int_equal(hd_alloc_in_use() - base, 100 * (sizeof(uint32_t) + sizeof(uint64_t)));
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(numbers.data[i], i);
        assert_int_equal(*(uint64_t *)hd_vec_at(&pairs, i), i);
    }
    hd_u32vec_push(&numbers, 7); /* and grow again */
    assert_int_equal(numbers.data[100], 7);
    hd_u32vec_fini(&numbers);
    hd_vec_fini(&pairs);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void elements_of_any_size(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_vec v = HD_VEC_INIT(struct triple);
    for (unsigned i = 0; i < 5000; i++)
        *(struct triple *)hd_vec_push(&v) = (struct triple){i, (uint16_t)(i / 2), (char)(i % 100)};
    for (unsigned i = 0; i < 5000; i++) {
        const struct triple *t = hd_vec_at(&v, i);
        assert_int_equal(t->a, i);
        assert_int_equal(t->b, i / 2);
        assert_int_equal(t->c, i % 100);
    }
    hd_vec_fini(&v);
    *(struct triple *)hd_vec_push(&v) = (struct triple){1, 2, 3};
    assert_int_equal(v.len, 1);
    hd_vec_fini(&v);
    assert_int_equal(hd_alloc_in_use(), base);
}

static jmp_buf out;

static void jump_out(size_t bytes)
{
    (void)bytes;
    longjmp(out, 1);
}

static void impossible_sizes_are_fatal(void **state)
{
    (void)state;
    struct hd_u32vec v = {0};
    struct hd_vec w = HD_VEC_INIT(struct triple);
    volatile int caught = 0;
    hd_alloc_set_oom_hook(jump_out);
    if (!setjmp(out))
        hd_u32vec_reserve(&v, SIZE_MAX / 4 + 2);
    else
        caught++;
    if (!setjmp(out))
        hd_vec_reserve(&w, SIZE_MAX / 16 + 2);
    else
        caught++;
    hd_alloc_set_oom_hook(NULL);
    assert_int_equal(caught, 2);
    assert_int_equal(v.cap + w.cap, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(u32_push_and_read_back),     cmocka_unit_test(reserve_makes_room_once),
        cmocka_unit_test(trimmed_to_what_is_there),   cmocka_unit_test(elements_of_any_size),
        cmocka_unit_test(impossible_sizes_are_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
