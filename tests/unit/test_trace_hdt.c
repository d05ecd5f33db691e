/* The binary format: round trips, truncation, damage. */
#include "test_trace_hdt.h"

static void check_round_trip(const struct hd_trace *t)
{
    struct bytes f = write_hdt(t);
    struct hd_trace *back;
    struct hd_hdt_info info;
    struct hd_err err = {0};
    assert_true(hd_hdt_is(f.data, f.len));
    if (hd_hdt_read(f.data, f.len, "mem", &back, &info, &err) != HD_OK)
        fail_msg("refused: %s", err.text);
    assert_false(info.truncated);
    assert_int_equal(info.used_bytes, f.len);
    assert_true(traces_equal(t, back));
    hd_trace_free(back);
    free(f.data);
}

static void round_trip_random(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 3000; seed++) {
        struct hd_trace *t = random_trace(seed, (unsigned)(seed % 97));
        check_round_trip(t);
        hd_trace_free(t);
    }
    struct hd_trace *large = random_trace(7, 300000);
    check_round_trip(large);
    hd_trace_free(large);
}

/* Every prefix reads as the events of its whole chunks, or is refused when the header is torn. */
static void truncate_everywhere(void **state)
{
    (void)state;
    struct hd_trace *t = random_trace(11, 60);
    struct bytes f = write_hdt(t);
    for (size_t len = 0; len < f.len; len++) {
        char *cut = malloc(len + 1); /* its own block, so that a read past the end is seen */
        memcpy(cut, f.data, len);
        struct hd_trace *back;
        struct hd_hdt_info info;
        struct hd_err err = {0};
        enum hd_status status = hd_hdt_read(cut, len, "cut", &back, &info, &err);
        if (len < 20) {
            assert_int_equal(status, HD_ERR_INPUT);
        } else {
            assert_int_equal(status, HD_OK);
            assert_true(info.truncated);
            assert_true(back->n_events == (info.chunks ? t->n_events : 0));
            for (hd_eid e = 0; e < back->n_events; e++)
                assert_true(given_equal(t, back, e));
            hd_trace_free(back);
        }
        free(cut);
    }
    free(f.data);
    hd_trace_free(t);
}

static void flip_everywhere(void **state)
{
    (void)state;
    struct hd_trace *t = random_trace(12, 60);
    struct bytes f = write_hdt(t);
    for (size_t bit = 0; bit < f.len * 8; bit++) {
        f.data[bit / 8] ^= (char)(1 << bit % 8);
        struct hd_trace *back;
        struct hd_err err = {0};
        assert_int_equal(hd_hdt_read(f.data, f.len, "flip", &back, NULL, &err), HD_ERR_INPUT);
        assert_null(back);
        if (bit / 8 >= 20) {
            assert_non_null(strstr(err.text, "chunk "));
            assert_non_null(strstr(err.text, "offset "));
        }
        f.data[bit / 8] ^= (char)(1 << bit % 8);
    }
    free(f.data);
    hd_trace_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_random),
        cmocka_unit_test(truncate_everywhere),
        cmocka_unit_test(flip_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
