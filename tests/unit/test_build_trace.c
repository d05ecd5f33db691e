/* Recordings made by hand: what they become, and what is refused. */
#include "base/interrupt.h"
#include "build/build.h"
#include "recording/recnames.h"
#include "recording/recmeta.h"
#include "log/rt_pack_plain.h"
#include "model/check.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

static const char path[] = HD_TEST_TMP "/drive_build.rec";

struct log {
    struct hd_pack *pack;
    uint64_t *keys;
    uint8_t *bytes;
    size_t n;
    uint32_t count; /* events so far: enough while tokens are used by one thread only */
    struct hd_recmeta meta;
};

static struct log start(void)
{
    struct log l = {
        calloc(1, sizeof *l.pack), calloc(HD_LOG_KEYS, 8), calloc(1, HD_LOG_CHUNK), 0, 0, {{0}}};
    assert_non_null(l.pack);
    assert_non_null(l.keys);
    assert_non_null(l.bytes);
    hd_recmeta_init(&l.meta);
    return l;
}

#define PLACE 0x9000

/* Words as in HD_LOG_KINDS; with HD_LOG_SITE, accesses end with the tokens of address and value. */
static void put(struct log *l, enum hd_log_kind kind, unsigned aux, unsigned n, ...)
{
    uint64_t w[5] = {0};
    va_list args;
    va_start(args, n);
    for (unsigned i = 0; i < n; i++)
        w[i] = va_arg(args, uint64_t);
    va_end(args);
    uint8_t *p = l->bytes + l->n, *end;
    bool access = kind >= HD_LOG_READ && kind <= HD_LOG_RMW;
    unsigned shape = (unsigned)kind | (access ? (unsigned)__builtin_ctz(aux & 15) : 3u) << 6 |
                     (aux & HD_LOG_SITE ? HD_SHAPE_SITE : 0);
    if (hd_shape_parts(shape)) {
        hd_tok val = kind == HD_LOG_BRANCH ? w[0] : w[3];
        end = hd_put_packed(l->pack, l->keys, p, PLACE, shape, l->count, w, w[2], val);
    } else {
        end = hd_put_plain(l->pack, l->keys, p, aux, PLACE);
        for (unsigned i = 0; i < n; i++)
            end = hd_put_varint(end, w[i]);
        hd_put_done(p, kind);
    }
    l->count += kind <= HD_LOG_LAST_EVENT;
    l->n = (size_t)(end - l->bytes);
}

static void put_range(struct log *l, enum hd_log_kind kind, uint64_t addr, const char *bytes,
                      size_t n)
{
    uint8_t *p = l->bytes + l->n;
    uint8_t *q = hd_put_plain(l->pack, l->keys, p, 0, PLACE);
    l->n = (size_t)(hd_put_range(l->pack, q, addr, (const uint8_t *)bytes, n) - l->bytes);
    hd_put_done(p, kind);
    l->count++;
}

#define U(x) ((uint64_t)(x))

/* Writes the recording to the file at path. */
static void save(struct log *l, int level)
{
    struct hd_rec_writer w;
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    hd_rec_writer_init(&w, fd);
    hd_rec_put(&w, HD_REC_LOG, l->bytes, l->n, level);
    struct hd_symbols *symbols = hd_symbols_new();
    hd_recnames_write(&w, l->keys, l->pack->n_slots + 1, symbols);
    hd_symbols_free(symbols);
    hd_rec_put(&w, HD_REC_META, l->meta.text.data, l->meta.text.len, level);
    hd_rec_put(&w, HD_REC_END, NULL, 0, 0);
    assert_int_equal(w.error, 0);
    hd_rec_writer_fini(&w);
    close(fd);
    hd_recmeta_fini(&l->meta);
    free(l->pack);
    free(l->keys);
    free(l->bytes);
}

static char data[1 << 20];

static size_t load(void)
{
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t len = fread(data, 1, sizeof data, f);
    fclose(f);
    unlink(path);
    return len;
}

static enum hd_status finish(struct log *l, struct hd_trace **t, struct hd_build_info *info)
{
    struct hd_err err = {0};
    save(l, 1);
    struct hd_build_watch watch = {.keep_all = true}; /* most have one thread only */
    return hd_build_trace(path, data, load(), &watch, t, info, &err);
}

static void expect_consistent(const struct hd_trace *t)
{
    struct hd_err err = {0};
    hd_eid bad;
    if (hd_check_trace(t, &bad, &err) != HD_OK)
        fail_msg("event %u: %s", bad + 1, err.text);
}

/* Memory changed behind our back, and nobody knows who did it: the write stands right before the
 * read, behind all that the other thread did. */
static void outside_write(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 4, 2, U(0x1000), U(1));
    put(&l, HD_LOG_FORK, 0, 1, U(1));
    put(&l, HD_LOG_SWITCH, 0, 1, U(1));
    put(&l, HD_LOG_READ, 4, 2, U(0x1000), U(2));
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 1);
    assert_int_equal(t->n_events, 6);
    assert_int_equal(t->op[2], HD_OP_POST);
    assert_int_equal(t->thread[2], 0);
    assert_int_equal(t->op[3], HD_OP_SEM);
    assert_int_equal(t->op[4], HD_OP_WRITE);
    assert_int_equal(t->thread[4], 1);
    assert_string_equal(hd_trace_place_name(t, 4), "outside");
    assert_string_equal(hd_trace_thread_name(t, 1), "T1.1");
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

struct told {
    unsigned times;
    uint64_t done, total;
    bool stop;
};

static void tell(void *ctx, uint64_t done, uint64_t total)
{
    struct told *told = ctx;
    assert_true(done > told->done); /* also in walks that nobody foresaw */
    assert_true(!told->total || total == told->total);
    assert_true(done <= total);
    *told = (struct told){told->times + 1, done, total, told->stop};
    if (told->stop)
        hd_interrupt_request();
}

/* 200,000 writes; with a write from outside at the end the log is walked once more. */
static void make_long(bool outside)
{
    struct log l = start();
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    for (uint64_t i = 0; i < 200000; i++)
        put(&l, HD_LOG_WRITE, 4, 2, U(0x1000 + i % 100 * 8), i);
    put(&l, HD_LOG_READ, 4, 2, U(0x1000), U(outside ? 7 : 199900));
    save(&l, 1);
}

static void told_how_far(void **state)
{
    (void)state;
    for (int outside = 0; outside < 2; outside++) {
        struct told told = {0};
        struct hd_build_watch watch = {.progress = tell, .ctx = &told, .keep_all = true};
        struct hd_trace *t;
        struct hd_build_info info;
        struct hd_err err = {0};
        make_long(outside);
        size_t len = load();
        assert_int_equal(hd_build_trace(path, data, len, &watch, &t, &info, &err), HD_OK);
        expect_consistent(t);
        assert_int_equal(t->n_events, 200001 + outside);
        assert_int_equal(info.outside_writes, outside);
        assert_int_equal(told.times, 6 + 3 * outside);
        assert_true(told.done > told.total / 2);
        hd_trace_free(t);
        hd_build_info_fini(&info);
        told = (struct told){.stop = true};
        hd_interrupt_catch();
        assert_int_equal(hd_build_trace(path, data, len, &watch, &t, &info, &err), HD_ERR_STOPPED);
        assert_null(t);
        assert_int_equal(told.times, 1);
        hd_build_info_fini(&info);
        hd_interrupt_catch();
        assert_int_equal(hd_build_count(path, data, len, &watch, &info, &err), HD_ERR_STOPPED);
        hd_build_info_fini(&info);
        hd_interrupt_catch();
        assert_int_equal(hd_build_count(path, data, len, NULL, &info, &err), HD_OK);
        assert_int_equal(info.events, 200001);
        hd_build_info_fini(&info);
        hd_interrupt_release();
    }
}

/* An 8-byte write and a 4-byte read of its upper half: two cells. */
static void mixed_sizes(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 8, 2, U(0x1000), U(0x500000003));
    put(&l, HD_LOG_READ, 4, 2, U(0x1004), U(5));
    put(&l, HD_LOG_RMW, 4, 3, U(0x1000), U(3), U(4));
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 0);
    assert_int_equal(t->n_events, 4);
    assert_int_equal(hd_trace_n_objs(t, HD_OBJ_LOC), 2);
    assert_int_equal(hd_trace_write_value(t, 0).bits, 3);
    assert_int_equal(hd_trace_write_value(t, 1).bits, 5);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* A write whose value never came: the last one of the log. */
static void pending(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_READ, 4, 2, U(0x1000), U(1));
    hd_recmeta_add_number(&l.meta, "pending-kind", HD_LOG_WRITE);
    hd_recmeta_add_number(&l.meta, "pending-pc", PLACE);
    hd_recmeta_add_number(&l.meta, "pending-address", 0x1000);
    hd_recmeta_add_number(&l.meta, "pending-bytes", 4);
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(t->n_events, 2);
    assert_int_equal(t->op[1], HD_OP_WRITE);
    assert_true(hd_trace_write_value(t, 1).unique);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* A block that two threads use and one frees; its address comes again. */
static void free_block(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_ALLOC, 0, 2, U(0x2000), U(16));
    put(&l, HD_LOG_WRITE, 4, 2, U(0x2000), U(0));
    put(&l, HD_LOG_FORK, 0, 1, U(1));
    put(&l, HD_LOG_SWITCH, 0, 1, U(1));
    put(&l, HD_LOG_READ, 4, 2, U(0x2000), U(9));
    put(&l, HD_LOG_FREE, 0, 1, U(0x2000));
    put(&l, HD_LOG_ALLOC, 0, 2, U(0x2000), U(16));
    put(&l, HD_LOG_READ, 4, 2, U(0x2000), U(1));
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 1); /* the value that was read */
    assert_int_equal(hd_trace_n_objs(t, HD_OBJ_LOC), 2);
    assert_string_equal(hd_trace_obj_name(t, HD_OBJ_LOC, 1), "heap#2+0");
    assert_int_equal(t->op[6], HD_OP_WRITE); /* the free */
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Ranges come back whether their bytes are new, known, copied or all the same; a limit cuts. */
static void ranges(void **state)
{
    static const char text[] = "0123456789abcdefghij", zeros[20];
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put_range(&l, HD_LOG_RANGE_WRITE, 0x1000, text, 20);
    put_range(&l, HD_LOG_RANGE_READ, 0x1000, text, 20);
    put_range(&l, HD_LOG_RANGE_WRITE, 0x5000, text, 20);
    put_range(&l, HD_LOG_RANGE_WRITE, 0x1000, zeros, 20);
    put_range(&l, HD_LOG_RANGE_READ, 0x5000, text, 20);
    put_range(&l, HD_LOG_RANGE_READ, 0x1000, zeros, 20);
    put_range(&l, HD_LOG_RANGE_READ, 0x1000, zeros, 20);
    hd_recmeta_add_number(&l.meta, "limit", 6);
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(info.outside_writes, 0);
    assert_int_equal(info.limit, 6);
    assert_int_equal(t->n_events, 6);
    assert_int_equal(hd_trace_write_value(t, 0).bits, hd_trace_read_value(t, 4).bits);
    assert_int_equal(hd_trace_write_value(t, 3).bits, hd_trace_read_value(t, 5).bits);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Tokens become dependences on the thread's own reads. */
static void tokens(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    uint64_t one = hd_tok_range(1, 1), both = hd_tok_range(1, 2), none = HD_TOK_NONE;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_SITES, 0, 2, U(0x9000), U(0));
    put(&l, HD_LOG_READ, 4 | HD_LOG_SITE, 3, U(0x1000), U(1), none);
    put(&l, HD_LOG_READ, 4 | HD_LOG_SITE, 3, U(0x1004), U(1), one);
    put(&l, HD_LOG_BRANCH, HD_LOG_SITE, 1, both);
    put(&l, HD_LOG_WRITE, 4 | HD_LOG_SITE, 4, U(0x1008), U(1), none, one);
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    expect_consistent(t);
    assert_int_equal(t->control, HD_CONTROL_BRANCHES);
    assert_int_equal(t->n_events, 4);
    struct hd_deps d = hd_trace_deps(t, 1, HD_DEP_ADDR);
    assert_false(d.all);
    assert_int_equal(d.n, 1);
    assert_int_equal(hd_trace_back(t, 1, d.dist[0]), 0);
    d = hd_trace_deps(t, 2, HD_DEP_CONTROL);
    assert_int_equal(d.n, 2);
    d = hd_trace_deps(t, 3, HD_DEP_VALUE);
    assert_int_equal(d.n, 1);
    assert_int_equal(hd_trace_back(t, 3, d.dist[0]), 0);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Damage of the log ends it; what stands before it is kept. */
static void damage(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 4, 2, U(0x1000), U(1));
    l.bytes[l.n++] = 3;
    l.bytes[l.n++] = 77; /* no such slot */
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    assert_true(info.broken);
    assert_int_equal(t->n_events, 1);
    hd_trace_free(t);
    hd_build_info_fini(&info);
    l = start();
    put(&l, HD_LOG_SWITCH, 0, 1, U(1) << 40);
    assert_int_equal(finish(&l, &t, &info), HD_OK);
    assert_true(info.broken);
    hd_trace_free(t);
    hd_build_info_fini(&info);
}

/* Damage of the file is refused, wherever it is; so is a file that is cut short anywhere. */
static void damaged_file(void **state)
{
    struct log l = start();
    struct hd_trace *t;
    struct hd_build_info info;
    struct hd_err err = {0};
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    put(&l, HD_LOG_WRITE, 4, 2, U(0x1000), U(1));
    save(&l, 0);
    size_t len = load();
    for (size_t i = 0; i < len; i++) {
        data[i] ^= 0x40;
        assert_int_equal(hd_build_trace(path, data, len, NULL, &t, &info, &err), HD_ERR_INPUT);
        hd_build_info_fini(&info);
        data[i] ^= 0x40;
        assert_int_equal(hd_build_trace(path, data, i, NULL, &t, &info, &err), HD_ERR_INPUT);
        hd_build_info_fini(&info);
    }
}

/* A long recording can be left before its end. */
static void interrupted(void **state)
{
    struct log l = start();
    struct hd_trace *t = NULL;
    struct hd_build_info info;
    (void)state;
    put(&l, HD_LOG_SWITCH, 0, 1, U(0));
    for (int i = 0; i < 1 << 17; i++)
        put(&l, HD_LOG_WRITE, 4, 2, U(0x1000), U(i & 1));
    hd_interrupt_request();
    assert_int_equal(finish(&l, &t, &info), HD_ERR_STOPPED);
    assert_null(t);
    hd_build_info_fini(&info);
    hd_interrupt_catch(); /* forgets the request */
    hd_interrupt_release();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outside_write), cmocka_unit_test(told_how_far),
        cmocka_unit_test(mixed_sizes),   cmocka_unit_test(pending),
        cmocka_unit_test(free_block),    cmocka_unit_test(ranges),
        cmocka_unit_test(tokens),        cmocka_unit_test(damage),
        cmocka_unit_test(damaged_file),  cmocka_unit_test(interrupted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
