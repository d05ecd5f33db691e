/* The binary format: round trips, truncation, damage. */
#include "base/stop.h"
#include "test_trace_hdt.h"

static void check_round_trip(const struct hd_trace *t, uint32_t chunk_events)
{
    struct bytes f = write_hdt(t, chunk_events);
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
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct hd_trace *t = random_trace(seed, (unsigned)(seed % 97));
        check_round_trip(t, (uint32_t)(seed % 5));
        hd_trace_free(t);
    }
}

/* More sites than slots: the random dependences make nearly every event a site of its own. */
static void round_trip_many_sites(void **state)
{
    (void)state;
    struct hd_trace *t = random_trace(7, 300000);
    check_round_trip(t, 0);
    hd_trace_free(t);
}

/* More names than one chunk introduces, most of them in no event. */
static void round_trip_many_names(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    struct hd_trace *t;
    struct hd_err err;
    char name[64];
    hd_tid thread;
    assert_int_equal(hd_builder_thread(b, "t", 1, &thread, &err), HD_OK);
    uint32_t place = hd_builder_place(b, "", 0);
    for (unsigned i = 0; i < 150000; i++) {
        int len = sprintf(name, "a location with a long name, number %u", i);
        uint32_t loc = hd_builder_obj(b, HD_OBJ_LOC, name, (size_t)len);
        if (i % 3 == 0)
            assert_int_equal(hd_builder_init(b, loc, i, &err), HD_OK);
        if (i == 90000 || i == 110000) {
            struct hd_event ev = {.op = HD_OP_READ, .thread = thread, .obj = loc, .place = place};
            assert_int_equal(hd_builder_add(b, &ev, &err), HD_OK);
        }
    }
    assert_int_equal(hd_builder_finish(b, &t, &err), HD_OK);
    check_round_trip(t, 0);
    hd_trace_free(t);
}

/* So regular that it packs better than the format allows: the writer pads. */
static void round_trip_one_event_again_and_again(void **state)
{
    (void)state;
    struct hd_builder *b = hd_builder_new();
    struct hd_trace *t;
    struct hd_err err;
    hd_tid thread;
    assert_int_equal(hd_builder_thread(b, "t", 1, &thread, &err), HD_OK);
    struct hd_event ev = {.op = HD_OP_WRITE,
                          .thread = thread,
                          .obj = hd_builder_obj(b, HD_OBJ_LOC, "x", 1),
                          .place = hd_builder_place(b, "a.c:1", 5),
                          .has_value = true};
    for (unsigned i = 0; i < 400000; i++, ev.value++)
        assert_int_equal(hd_builder_add(b, &ev, &err), HD_OK);
    assert_int_equal(hd_builder_finish(b, &t, &err), HD_OK);
    check_round_trip(t, 0);
    struct bytes f = write_hdt(t, 0);
    assert_in_range(f.len, 400000 / 64, 400000 / 32);
    free(f.data);
    hd_trace_free(t);
}

/* Checks the trace of a file that was cut off, from chunks of `chunk` events each. */
static void check_prefix(const struct hd_trace *t, const struct hd_trace *back,
                         const struct hd_hdt_info *info, uint32_t chunk)
{
    size_t events = info->chunks * chunk;
    assert_true(info->truncated);
    assert_int_equal(back->n_events, events < t->n_events ? events : t->n_events);
    assert_int_equal(back->control, t->control);
    for (hd_eid e = 0; e < back->n_events; e++) {
        assert_true(given_equal(t, back, e));
        if (hd_op_is_access(t->op[e]) && !(t->flags[e] & HD_F_OMITTED))
            assert_true(values_equal(t, back, e));
    }
}

/* Every prefix reads as the events of its whole chunks, or is refused when the header is torn. */
static void truncate_everywhere(void **state)
{
    (void)state;
    const uint32_t chunk = 7;
    struct hd_trace *t = random_trace(11, 60);
    struct bytes f = write_hdt(t, chunk);
    size_t most = 0;
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
            check_prefix(t, back, &info, chunk);
            assert_true(info.chunks >= most);
            most = info.chunks;
            hd_trace_free(back);
        }
        free(cut);
    }
    assert_true(most > 5);
    free(f.data);
    hd_trace_free(t);
}

/* A trace for which there is no room: its beginning is read, not nothing. */
static void short_memory_gives_a_beginning(void **state)
{
    (void)state;
    const uint32_t chunk = 1000;
    struct hd_trace *t = random_trace(5, 200000), *back;
    struct bytes f = write_hdt(t, chunk);
    struct hd_hdt_info info;
    struct hd_err err = {0};
    struct hd_stop_scope around = hd_stop_begin(0, hd_alloc_in_use() + 4000000);
    assert_int_equal(hd_hdt_read(f.data, f.len, "mem", &back, &info, &err), HD_OK);
    assert_int_equal(hd_stop_end(around), HD_STOP_MEMORY);
    assert_int_equal(info.cut, HD_STOP_MEMORY);
    check_prefix(t, back, &info, chunk);
    assert_in_range(back->n_events, 20000, 150000);
    hd_trace_free(back);
    free(f.data);
    hd_trace_free(t);
}

static void flip_everywhere(void **state)
{
    (void)state;
    struct hd_trace *t = random_trace(12, 60);
    struct bytes f = write_hdt(t, 20);
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

static void full_disk_is_reported(void **state)
{
    (void)state;
    struct hd_trace *t = random_trace(13, 200);
    struct hd_err err = {0};
    FILE *full = fopen("/dev/full", "w");
    if (!full)
        skip();
    assert_int_equal(hd_hdt_write(t, full, &err), HD_ERR_IO);
    assert_non_null(strstr(err.text, "cannot write the trace: "));
    fclose(full);
    hd_trace_free(t);
}

static void nothing_leaks(void **state)
{
    (void)state;
    size_t before = hd_alloc_in_use();
    struct hd_trace *t = random_trace(14, 100), *back;
    struct bytes f = write_hdt(t, 10);
    for (size_t at = 20; at < f.len; at += 3) {
        f.data[at] ^= 0x55;
        assert_int_equal(hd_hdt_read(f.data, f.len, "bad", &back, NULL, NULL), HD_ERR_INPUT);
        f.data[at] ^= 0x55;
    }
    free(f.data);
    hd_trace_free(t);
    assert_int_equal(hd_alloc_in_use(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(round_trip_random),
        cmocka_unit_test(round_trip_many_sites),
        cmocka_unit_test(round_trip_many_names),
        cmocka_unit_test(round_trip_one_event_again_and_again),
        cmocka_unit_test(truncate_everywhere),
        cmocka_unit_test(short_memory_gives_a_beginning),
        cmocka_unit_test(flip_everywhere),
        cmocka_unit_test(full_disk_is_reported),
        cmocka_unit_test(nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
