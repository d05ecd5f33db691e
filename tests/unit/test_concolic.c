/* Inputs as files, arenas that a dying program may have damaged, questions about paths, the tree.
 */
#include "concolic/shared_arena.h"
#include "concolic/formula.h"
#include "concolic/ktest.h"
#include "concolic/path.h"
#include "concolic/tree.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *file_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/concolic-%s", HD_TEST_TMP, name);
    return path;
}

/* ---- inputs ---- */

static void test_input_round_trip(void **state)
{
    struct hd_input in, back;
    struct hd_err err = {0};
    (void)state;
    hd_input_init(&in);
    hd_input_word(&in, "./prog");
    hd_input_word(&in, "a \"b\" \\");
    hd_input_place(&in, "input:argv:1:8");
    hd_input_set(&in, "argv1", "x\0\xff\n", 4);
    hd_input_set(&in, "stdin", "", 0);
    assert_int_equal(hd_input_save(file_of("in"), &in, &err), HD_OK);
    assert_int_equal(hd_input_load(file_of("in"), &back, &err), HD_OK);
    assert_int_equal(back.words.len, 2);
    assert_string_equal(((struct hd_input_bytes *)hd_vec_at(&back.words, 1))->data, "a \"b\" \\");
    const struct hd_input_object *o = hd_input_find(&back, "argv1");
    assert_non_null(o);
    assert_int_equal(o->bytes.len, 4);
    assert_memory_equal(o->bytes.data, "x\0\xff\n", 4);
    assert_int_equal(hd_input_find(&back, "stdin")->bytes.len, 0);
    hd_input_fini(&in);
    hd_input_fini(&back);
}

static void test_input_malformed(void **state)
{
    static const char *const texts[] = {"",
                                        "something\n",
                                        "heddle-input-1\nobject\n",
                                        "heddle-input-1\nobject x y\n",
                                        "heddle-input-1\nobject x \"\\q\"\n",
                                        "heddle-input-1\nword \"open\n",
                                        "heddle-input-1\nthing \"x\"\n",
                                        "heddle-input-1\nobject x \"\\x4\"\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct hd_input in;
        struct hd_err err = {0};
        FILE *f = fopen(file_of("bad"), "w");
        assert_non_null(f);
        fputs(texts[i], f);
        fclose(f);
        assert_int_equal(hd_input_load(file_of("bad"), &in, &err), HD_ERR_INPUT);
        assert_true(err.line > 0 && err.text[0]);
        hd_input_fini(&in);
    }
    struct hd_input none;
    struct hd_err err = {0};
    assert_int_equal(hd_input_load(file_of("not-there"), &none, &err), HD_ERR_IO);
    hd_input_fini(&none);
}

/* ---- arenas ---- */

static void put(int fd, uint64_t at, const void *data, size_t n)
{
    assert_int_equal(pwrite(fd, data, n, (off_t)at), (ssize_t)n);
}

static void put_node(int fd, uint32_t id, struct hd_sym_node n)
{
    put(fd, HD_SYM_AT_NODES + (uint64_t)id * sizeof n, &n, sizeof n);
}

/* One byte of input "in" with value 5; x = zext(in) * 3 == 15 holds. */
static void make_arena(struct hd_sym_node last)
{
    struct hd_input in;
    struct hd_err err = {0};
    hd_input_init(&in);
    assert_int_equal(hd_shared_arena_create(file_of("arena"), &in, false, &err), HD_OK);
    hd_input_fini(&in);
    int fd = open(file_of("arena"), O_RDWR);
    struct hd_sym_header h = {.magic = HD_SYM_MAGIC,
                              .version = HD_SYM_VERSION,
                              .owner = 1,
                              .n_nodes = 7,
                              .n_steps = 1,
                              .n_objects = 1,
                              .n_data = 1};
    struct hd_sym_object o = {.name = "in", .size = 1};
    struct hd_sym_step s = {.expr = 6, .taken = 1};
    put(fd, 0, &h, sizeof h);
    put(fd, HD_SYM_AT_OBJECTS, &o, sizeof o);
    put(fd, HD_SYM_AT_DATA, "\5", 1);
    put(fd, HD_SYM_AT_STEPS, &s, sizeof s);
    put_node(fd, 1, (struct hd_sym_node){.op = HD_SYM_INPUT, .width = 8, .value = 5});
    put_node(fd, 2, (struct hd_sym_node){.op = HD_SYM_ZEXT, .width = 32, .a = 1, .value = 5});
    put_node(fd, 3, (struct hd_sym_node){.op = HD_SYM_CONST, .width = 32, .value = 3});
    put_node(fd, 4,
             (struct hd_sym_node){.op = HD_SYM_MUL, .width = 32, .a = 2, .b = 3, .value = 15});
    put_node(fd, 5, (struct hd_sym_node){.op = HD_SYM_CONST, .width = 32, .value = 15});
    put_node(fd, 6, last);
    close(fd);
}

static const struct hd_sym_node good = {.op = HD_SYM_EQ, .width = 1, .a = 4, .b = 5, .value = 1};

static void test_arena_good(void **state)
{
    struct hd_shared_arena a;
    struct hd_err err = {0};
    (void)state;
    make_arena(good);
    assert_int_equal(hd_shared_arena_open(file_of("arena"), &a, &err), HD_OK);
    assert_int_equal(a.bad, 0);
    assert_int_equal(a.n_nodes, 7);
    assert_int_equal(a.n_steps, 1);
    hd_shared_arena_close(&a);
}

static void test_arena_damaged(void **state)
{
    struct hd_sym_node bad[8];
    (void)state;
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].a = 6;     /* itself */
    bad[1].b = 0;     /* nothing */
    bad[2].value = 0; /* does not follow */
    bad[3].width = 2; /* a comparison has one bit */
    bad[4].op = HD_SYM_OP_COUNT;
    bad[5].a = 1; /* widths differ */
    bad[6].op = HD_SYM_NONE;
    bad[7].b = 4000000000u;
    for (int i = 0; i < 8; i++) {
        struct hd_shared_arena a;
        struct hd_err err = {0};
        make_arena(bad[i]);
        assert_int_equal(hd_shared_arena_open(file_of("arena"), &a, &err), HD_OK);
        assert_int_equal(a.bad, 6);
        assert_int_equal(a.n_steps, 0); /* what rests on it is gone */
        hd_shared_arena_close(&a);
    }
}

static void test_arena_unclaimed(void **state)
{
    struct hd_shared_arena a;
    struct hd_input in;
    struct hd_err err = {0};
    (void)state;
    hd_input_init(&in);
    assert_int_equal(hd_shared_arena_create(file_of("arena"), &in, false, &err), HD_OK);
    assert_int_equal(hd_shared_arena_open(file_of("arena"), &a, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "--concolic"));
    hd_input_fini(&in);
}

/* ---- questions ---- */

static void test_flip(void **state)
{
    struct hd_shared_arena a;
    struct hd_err err = {0};
    struct hd_input in, found;
    struct hd_formula f;
    struct hd_u32vec steps = {0};
    (void)state;
    make_arena(good);
    hd_input_init(&in);
    assert_int_equal(hd_shared_arena_open(file_of("arena"), &a, &err), HD_OK);
    struct hd_path *p = hd_path_new(&a, &in, 1, 100);
    struct hd_bv *bv = hd_bv_new();
    hd_formula_init(&f, bv, p);
    hd_formula_slice(&f, 0, &steps);
    assert_int_equal(steps.len, 0);
    assert_int_equal(hd_formula_flip(&f, &steps, 0, 10, &found), HD_SAT_YES);
    assert_true(hd_input_find(&found, "in")->bytes.data[0] != 5);
    assert_true(hd_formula_implies(&f, 1, p, 0, 10, &steps));
    hd_input_fini(&found);
    hd_formula_fini(&f);
    hd_bv_free(bv);
    hd_path_put(p);
    hd_shared_arena_close(&a);
    hd_input_fini(&in);
    hd_u32vec_fini(&steps);
}

/* ---- the tree ---- */

static void test_tree(void **state)
{
    struct hd_tree t;
    bool fresh;
    (void)state;
    hd_tree_init(&t);
    uint32_t a = hd_tree_enter(&t, 1, 10, &fresh), b = hd_tree_enter(&t, a, 20, &fresh);
    assert_true(fresh);
    assert_int_equal(hd_tree_enter(&t, 1, 10, &fresh), a);
    assert_false(fresh);
    hd_tree_mark(&t, a, 77);
    hd_tree_mark(&t, b, 77);
    assert_int_equal(hd_tree_same(&t, b, 0), a);
    assert_int_equal(hd_tree_same(&t, b, a), 0);
    hd_tree_open(&t, b);
    assert_int_equal(hd_tree_at(&t, 1)->pending, 1);
    hd_tree_close(&t, b, HD_FLIP_UNKNOWN);
    assert_int_equal(hd_tree_at(&t, a)->pending, 0);
    assert_true(hd_tree_at(&t, 1)->given_up);
    assert_true(hd_tree_is_above(&t, a, b));
    assert_false(hd_tree_is_above(&t, b, a));
    hd_tree_fini(&t);
}

static void test_ktest(void **state)
{
    static const char want[] = "KTEST\0\0\0\3\0\0\0\2\0\0\0\2p\0\0\0\0\1\0\0\0\0\0\0\0\0\0"
                               "\0\0\0\1\0\0\0\6stdin\0\0\0\0\3a\0b";
    char got[128];
    struct hd_input in;
    struct hd_err err = {0};
    (void)state;
    hd_input_init(&in);
    hd_input_word(&in, "p");
    hd_input_word(&in, "");
    hd_input_set(&in, "stdin", "a\0b", 3);
    assert_int_equal(hd_ktest_save(file_of("ktest"), &in, &err), HD_OK);
    FILE *f = fopen(file_of("ktest"), "r");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got, f), sizeof want - 1);
    assert_memory_equal(got, want, sizeof want - 1);
    fclose(f);
    assert_int_equal(hd_ktest_plain(file_of("plain"), &in, &err), HD_OK);
    f = fopen(file_of("plain.stdin"), "r");
    assert_non_null(f);
    assert_int_equal(fread(got, 1, sizeof got, f), 3);
    assert_memory_equal(got, "a\0b", 3);
    fclose(f);
    assert_int_equal(hd_ktest_save("/nonexistent/x.ktest", &in, &err), HD_ERR_IO);
    assert_int_equal(hd_ktest_plain("/nonexistent/x", &in, &err), HD_ERR_IO);
    hd_input_fini(&in);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_input_round_trip),
        cmocka_unit_test(test_input_malformed),
        cmocka_unit_test(test_arena_good),
        cmocka_unit_test(test_arena_damaged),
        cmocka_unit_test(test_arena_unclaimed),
        cmocka_unit_test(test_flip),
        cmocka_unit_test(test_tree),
        cmocka_unit_test(test_ktest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
