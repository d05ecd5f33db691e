/* Names of locks from the types of a recording, also from damaged ones. */
#include "recording/rectypes.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void read_types(const char *text, struct hd_rectypes *t)
{
    struct hd_rec_writer w;
    struct hd_rec rec;
    struct hd_err err = {0};
    static char data[65536];
    FILE *f = tmpfile();
    assert_non_null(f);
    hd_rec_writer_init(&w, fileno(f));
    hd_rec_put(&w, HD_REC_TYPES, text, strlen(text), 0);
    hd_rec_put(&w, HD_REC_END, NULL, 0, 0);
    size_t len = (size_t)w.size;
    hd_rec_writer_fini(&w);
    assert_int_equal(pread(fileno(f), data, sizeof data, 0), len);
    fclose(f);
    assert_int_equal(hd_rec_open("types", data, len, &rec, &err), HD_OK);
    hd_rectypes_read(&rec, t);
    hd_rec_close(&rec);
}

static const char types[] = "T 48 inner\nL 8 1 0 -1 guard\nF 0 n\n"
                            "T 128 outer\nF 0 hits\nL 8 2 48 0 in\nL 104 1 0 -1 m\n"
                            "A 0 inner_alias\n"
                            "T 16 twice\nF 0 a\nL 8 1 0 -1 l\nT 16 twice\nF 0 b\nL 8 1 0 -1 l\n"
                            "V 5000 1 0 -1 alone\nV 1000 3 128 1 table\nV 6000 4 40 -1 locks\n";

static void variables_are_named(void **state)
{
    struct hd_rectypes t;
    char name[100];
    (void)state;
    read_types(types, &t);
    assert_true(hd_rectypes_variable(&t, 5000, name, sizeof name));
    assert_string_equal(name, "alone");
    assert_true(hd_rectypes_variable(&t, 1000 + 128 + 104, name, sizeof name));
    assert_string_equal(name, "table[1].m");
    assert_true(hd_rectypes_variable(&t, 1000 + 256 + 8 + 48 + 8, name, sizeof name));
    assert_string_equal(name, "table[2].in[1].guard");
    assert_true(hd_rectypes_variable(&t, 6000 + 120, name, sizeof name));
    assert_string_equal(name, "locks[3]");
    assert_false(hd_rectypes_variable(&t, 6000 + 160, name, sizeof name)); /* behind the last */
    assert_false(hd_rectypes_variable(&t, 1000 + 5, name, sizeof name));   /* no lock there */
    assert_false(hd_rectypes_variable(&t, 999, name, sizeof name));
    hd_rectypes_fini(&t);
}

static void collect(void *ctx, uint64_t offset, const char *name)
{
    char *text = ctx;
    sprintf(text + strlen(text), "%s at %d; ", name, (int)offset);
}

static void fields_lead_to_locks(void **state)
{
    struct hd_rectypes t;
    uint32_t type;
    uint64_t offset;
    char text[300] = "";
    (void)state;
    read_types(types, &t);
    assert_true(hd_rectypes_field(&t, "outer.hits", &type, &offset));
    assert_int_equal(offset, 0);
    hd_rectypes_locks(&t, type, collect, text);
    assert_string_equal(text, "outer.in[0].guard at 16; outer.in[1].guard at 64; outer.m at 104; ");
    assert_true(hd_rectypes_field(&t, "inner_alias.n", &type, &offset));
    assert_int_equal(type, 0);
    assert_false(hd_rectypes_field(&t, "outer.in.n", &type, &offset));
    assert_false(hd_rectypes_field(&t, "outer.other", &type, &offset));
    assert_false(hd_rectypes_field(&t, "twice.a", &type, &offset)); /* which of the two? */
    assert_false(hd_rectypes_field(&t, "outer", &type, &offset));
    hd_rectypes_fini(&t);
}

static void damage_costs_names_only(void **state)
{
    static const char *const bad[] = {"",
                                      "X\n",
                                      "L 0 1 0 -1 m\n",
                                      "T x\n",
                                      "T 8 t\nL 0 1 0 7 m\n",
                                      "T 8 t\nL 0 1 0 0 t\nV 10 1 0 0 v\n", /* holds itself */
                                      "V 10 0 0 -1 v\n",
                                      "V 10 5 0 -1 v\n",
                                      "A 3 t\n"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct hd_rectypes t;
        char name[64];
        read_types(bad[i], &t);
        assert_false(hd_rectypes_variable(&t, 10, name, sizeof name));
        if (t.types.len) {
            char text[30000] = "";
            hd_rectypes_locks(&t, 0, collect, text);
        }
        hd_rectypes_fini(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variables_are_named),
        cmocka_unit_test(fields_lead_to_locks),
        cmocka_unit_test(damage_costs_names_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
