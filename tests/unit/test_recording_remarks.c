/* Remarks: kind and subject come back, repeats are dropped, sentences are those of the table. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "base/alloc.h"
#include "recording/remarks.h"

static void keeps_kind_and_subject(void **state)
{
    (void)state;
    size_t base = hd_alloc_in_use();
    struct hd_remarks r = {0};
    hd_remarks_add(&r, HD_REMARK_STUCK, "T1.2 (worker)");
    hd_remarks_add(&r, HD_REMARK_FORKED, "");
    hd_remarks_addf(&r, HD_REMARK_UNMODELLED, "the program imports %s", "pthread_kill_other");
    hd_remarks_add(&r, HD_REMARK_STUCK, "T1.2 (worker)");  /* again */
    hd_remarks_add(&r, HD_REMARK_LOADED, "T1.2 (worker)"); /* same subject, another kind */
    assert_int_equal(hd_remarks_count(&r), 4);
    assert_int_equal(hd_remarks_kind(&r, 0), HD_REMARK_STUCK);
    assert_string_equal(hd_remarks_subject(&r, 0), "T1.2 (worker)");
    assert_int_equal(hd_remarks_kind(&r, 2), HD_REMARK_UNMODELLED);
    char text[HD_REMARK_SIZE];
    assert_string_equal(hd_remarks_text(&r, 0, text),
                        "thread T1.2 (worker) was stuck in a call that is not modelled; others "
                        "went on");
    assert_string_equal(hd_remarks_text(&r, 1, text),
                        "the program forked; this child is not recorded");
    assert_string_equal(hd_remarks_text(&r, 2, text),
                        "not modelled: the program imports pthread_kill_other");
    assert_int_equal(hd_remarks_kind(&r, 3), HD_REMARK_LOADED);
    hd_remarks_fini(&r);
    assert_int_equal(hd_alloc_in_use(), base);
}

static void merges_in_order(void **state)
{
    (void)state;
    struct hd_remarks a = {0}, b = {0};
    hd_remarks_add(&a, HD_REMARK_OTHER, "one");
    hd_remarks_add(&b, HD_REMARK_OTHER, "two");
    hd_remarks_add(&b, HD_REMARK_OTHER, "one");
    hd_remarks_merge(&a, &b);
    assert_int_equal(hd_remarks_count(&a), 2);
    assert_string_equal(hd_remarks_subject(&a, 1), "two");
    hd_remarks_fini(&a);
    hd_remarks_fini(&b);
}

static void cuts_long_subjects(void **state)
{
    (void)state;
    char many[2000], text[HD_REMARK_SIZE];
    memset(many, 'x', sizeof many - 1);
    many[sizeof many - 1] = 0;
    struct hd_remarks r = {0};
    hd_remarks_add(&r, HD_REMARK_STUCK, many);
    hd_remarks_addf(&r, HD_REMARK_STUCK, "%s", many); /* cut in the same place */
    assert_int_equal(hd_remarks_count(&r), 1);
    assert_int_equal(strlen(hd_remarks_subject(&r, 0)), 500);
    hd_remarks_text(&r, 0, text);
    assert_non_null(strstr(text, "others went on"));
    hd_remarks_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_kind_and_subject),
        cmocka_unit_test(merges_in_order),
        cmocka_unit_test(cuts_long_subjects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
