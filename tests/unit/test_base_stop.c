/* Scopes of base/stop.h: bounds nest, an answer stays, and outside of all scopes nothing stops. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/progress.h"
#include "base/stop.h"

static void deadlines_nest(void **state)
{
    (void)state;
    struct hd_stop_scope none = hd_stop_begin(hd_progress_now() - 1, 0);
    assert_int_equal(hd_stop_now(), HD_STOP_TIME);
    struct hd_stop_scope outer = hd_stop_begin(hd_progress_now() + 1000, 0);
    assert_int_equal(hd_stop_now(), HD_STOP_TIME); /* the earlier deadline holds */
    assert_int_equal(hd_stop_end(outer), HD_STOP_TIME);
    assert_int_equal(hd_stop_end(none), HD_STOP_TIME);
    assert_int_equal(hd_stop_now(), HD_STOP_NO);
}

static void an_inner_stop_is_its_own(void **state)
{
    (void)state;
    struct hd_stop_scope none = hd_stop_begin(0, 0);
    struct hd_stop_scope outer = hd_stop_begin(hd_progress_now() - 1, 0);
    assert_int_equal(hd_stop_now(), HD_STOP_TIME);
    assert_int_equal(hd_stop_end(outer), HD_STOP_TIME);
    assert_int_equal(hd_stop_now(), HD_STOP_NO);
    assert_int_equal(hd_stop_end(none), HD_STOP_NO);
}

/* What was left half done because memory was short stays half done when some is freed. */
static void an_answer_stays(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_stop_scope none = hd_stop_begin(0, base + 1000);
    assert_int_equal(hd_stop_now(), HD_STOP_NO);
    assert_int_equal(hd_stop_memory(), 1000);
    void *block = hd_alloc(2000);
    assert_int_equal(hd_stop_memory(), 0);
    assert_int_equal(hd_stop_now(), HD_STOP_MEMORY);
    hd_free(block, 2000);
    assert_int_equal(hd_stop_now(), HD_STOP_MEMORY);
    assert_int_equal(hd_stop_end(none), HD_STOP_MEMORY);
    assert_true(hd_stop_memory() == SIZE_MAX);
}

static void interrupts_count_inside(void **state)
{
    (void)state;
    hd_interrupt_catch();
    hd_interrupt_request();
    assert_int_equal(hd_stop_now(), HD_STOP_NO);
    struct hd_stop_scope none = hd_stop_begin(0, 0);
    assert_true(hd_stop_often(1024));
    assert_int_equal(hd_stop_end(none), HD_STOP_ASKED);
    hd_interrupt_catch();
    hd_interrupt_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deadlines_nest),
        cmocka_unit_test(an_inner_stop_is_its_own),
        cmocka_unit_test(an_answer_stays),
        cmocka_unit_test(interrupts_count_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
