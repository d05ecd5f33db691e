/* The digest: the same for equal content, different for any change, and the same tomorrow. */
#include "base/alloc.h"
#include "trace/digest.h"
#include "trace/text/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void digest(const char *text, char out[HD_DIGEST_SIZE])
{
    struct hd_trace *t;
    struct hd_err err = {0};
    if (hd_text_read(text, strlen(text), "in", &t, &err) != HD_OK)
        fail_msg("%s:%llu: %s", err.file, (unsigned long long)err.line, err.text);
    hd_digest_trace(t, out);
    hd_trace_free(t);
}

static const char base_text[] = "!control branches\n!init x 5\n!sem s 1\n!barrier b 1\n"
                                "t|r(x,5)|p\nt|r(y)|p\nt|w(x,6)|q|val=1\nt|rmw(z,1,2)|q\n"
                                "t|acq(l)|q\nt|wait(c,l)|q\nt|tmo(c,l)|q\nt|br|q|deps=1\n"
                                "t|fork(u)|q\nu|sem(s)|r\nu|barin(b)|r\n";

/* Each pair is a piece of base_text and what stands there instead. All results must differ. */
static const char *const changes[][2] = {
    {"!control branches\n", ""},
    {"!init x 5\n", ""},
    {"!init x 5", "!init x 6"},
    {"!init x 5", "!init w 5"},
    {"!sem s 1", "!sem s 2"},
    {"!sem s 1\n", ""},
    {"!sem s 1", "!sem s 1\n!sem s3 0"},
    {"!barrier b 1", "!barrier b 2"},
    {"t|r(x,5)|p", "t|r(x,4)|p"},
    {"t|r(x,5)|p", "t|r(x)|p"},
    {"t|r(x,5)|p", "t|ar(x,5)|p"},
    {"t|r(x,5)|p", "t|r(x,5)|q"},
    {"t|r(x,5)|p", "t|r(y,5)|p"},
    {"t|r(y)|p", "t|r(y)|p|addr=1"},
    {"t|r(y)|p", "t|r(y)|pp"},
    {"|val=1", "|val="},
    {"|val=1", "|val=2"},
    {"|val=1", "|val=1,2"},
    {"|val=1", "|val=1;addr=1"},
    {"|val=1", "|addr=1"},
    {"|val=1", ""},
    {"rmw(z,1,2)", "rmw(z,1,3)"},
    {"rmw(z,1,2)", "rmw(z,2,2)"},
    {"rmw(z,1,2)", "rmw(z)"},
    {"acq(l)", "acq(k)"},
    {"t|tmo(c,l)", "t|wake(c,l)"},
    {"wait(c,l)|q\nt|tmo(c,l)", "wait(d,l)|q\nt|tmo(d,l)"},
    {"wait(c,l)|q\nt|tmo(c,l)", "wait(c,k)|q\nt|tmo(c,k)"},
    {"deps=1", "deps=2"},
    {"t|fork(u)|q\nu|sem(s)", "t|fork(v)|q\nv|sem(s)"},
    {"t|fork(u)|q\n", ""},
    {"u|barin(b)", "u|barout(b)"},
    {"u|barin(b)|r\n", ""},
};
enum { CHANGES = sizeof changes / sizeof *changes };

static void test_changes(void **state)
{
    (void)state;
    char seen[CHANGES + 1][HD_DIGEST_SIZE];
    digest(base_text, seen[CHANGES]);
    for (size_t i = 0; i < CHANGES; i++) {
        char text[1024];
        const char *at = strstr(base_text, changes[i][0]);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - base_text), base_text, changes[i][1],
                 at + strlen(changes[i][0]));
        digest(text, seen[i]);
        assert_string_not_equal(seen[i], seen[CHANGES]);
        for (size_t j = 0; j < i; j++)
            if (!strcmp(seen[i], seen[j]))
                fail_msg("changes %zu and %zu have one digest", i, j);
    }
}

/* Directives elsewhere, other layout, other notation: the content is the same. */
static void test_same_content(void **state)
{
    (void)state;
    char a[HD_DIGEST_SIZE], b[HD_DIGEST_SIZE];
    digest("!init y 1\n!init x 0x10\n!sem q 3\n!sem p 2\nt|w(x,-1)|\nt|r(y)|\nt|post(p)|\n", a);
    digest("# c\n!sem p 2\n!control all\n!init x 16\n t | w(x,18446744073709551615)\r\n"
           "!init y 1\nt|r(y)||addr=\nt|post(p)\n!sem q 3\n",
           b);
    assert_string_equal(a, b);
}

/* Witness files carry digests: a change of these values needs a new version prefix. */
static void test_stable(void **state)
{
    (void)state;
    char out[HD_DIGEST_SIZE];
    digest("", out);
    assert_string_equal(out, "hd1-5acd68dc6d60ff3036a5d939905b3047");
    digest(base_text, out);
    assert_string_equal(out, "hd1-ef82d6fb938136498abe45668e3f8b49");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_changes),
        cmocka_unit_test(test_same_content),
        cmocka_unit_test(test_stable),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    return failed || hd_alloc_in_use() != 0;
}
