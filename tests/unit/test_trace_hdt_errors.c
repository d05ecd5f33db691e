/* Every refusal of the .hdt reader has a case here, made by hand with right checksums, and the
 * golden files read for ever. */
#include "test_trace_hdt.h"

#include "heddle/trace_fmt.h"
#include "trace/hdt/hdt_int.h"
#include "trace/text/text.h"

#include <zlib.h>

#include "../support/trace_equal.h"

struct span {
    const char *data;
    size_t len;
};
#define S(text)                                                                                    \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* A file in the making. */
struct file {
    uint8_t data[1 << 23];
    size_t len;
    uint32_t sequence;
};

static struct file file;

static void put_header(uint32_t version, uint32_t flags)
{
    file.len = HD_HDT_HEADER_BYTES;
    file.sequence = 0;
    memcpy(file.data, HD_HDT_MAGIC, HD_HDT_MAGIC_LEN);
    hd_hdt_put16(file.data + HD_HDT_AT_VERSION, version);
    hd_hdt_put16(file.data + HD_HDT_AT_HEADER_SIZE, HD_HDT_HEADER_BYTES);
    hd_hdt_put32(file.data + HD_HDT_AT_FLAGS, flags);
    hd_hdt_put32(file.data + HD_HDT_AT_HEADER_CRC,
                 (uint32_t)crc32(0, file.data, HD_HDT_AT_HEADER_CRC));
}

static void put_chunk(unsigned type, unsigned flags, const void *payload, size_t len, size_t raw,
                      uint32_t events)
{
    uint8_t *h = file.data + file.len;
    assert_true(file.len + HD_HDT_CHUNK_BYTES + len <= sizeof file.data);
    hd_hdt_put16(h + HD_HDT_AT_TYPE, type);
    hd_hdt_put16(h + HD_HDT_AT_CHUNK_FLAGS, flags);
    hd_hdt_put32(h + HD_HDT_AT_SEQUENCE, file.sequence++);
    hd_hdt_put32(h + HD_HDT_AT_STORED_BYTES, (uint32_t)len);
    hd_hdt_put32(h + HD_HDT_AT_RAW_BYTES, (uint32_t)raw);
    hd_hdt_put32(h + HD_HDT_AT_EVENTS, events);
    hd_hdt_put32(h + HD_HDT_AT_PAYLOAD_CRC, (uint32_t)crc32(0, payload, (uInt)len));
    hd_hdt_put32(h + HD_HDT_AT_CHUNK_CRC, (uint32_t)crc32(0, h, HD_HDT_AT_CHUNK_CRC));
    memcpy(h + HD_HDT_CHUNK_BYTES, payload, len);
    file.len += HD_HDT_CHUNK_BYTES + len;
}

static void put_end(uint64_t events)
{
    uint8_t payload[HD_HDT_END_BYTES];
    hd_hdt_put64(payload, events);
    put_chunk(HD_HDT_CHUNK_END, 0, payload, sizeof payload, sizeof payload, 0);
}

/* Reads the file; the answer is HD_OK if expected is NULL, else a refusal that says so. */
static void expect(const char *expected)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    uint8_t *copy = malloc(file.len); /* its own block, so that a read past the end is seen */
    memcpy(copy, file.data, file.len);
    enum hd_status status = hd_hdt_read(copy, file.len, "made.hdt", &t, NULL, &err);
    free(copy);
    if (!expected && status != HD_OK)
        fail_msg("refused: %s", err.text);
    if (expected && (status == HD_OK || !strstr(err.text, expected)))
        fail_msg("expected '%s', got '%s'", expected, status == HD_OK ? "a trace" : err.text);
    if (expected) {
        assert_null(t);
        assert_string_equal(err.file, "made.hdt");
    }
    hd_trace_free(t);
}

/* ---- the container ---- */

static void empty_files(void **state)
{
    (void)state;
    put_header(1, 0);
    expect(NULL);
    put_end(0);
    expect(NULL);
}

static void bad_headers(void **state)
{
    (void)state;
    put_header(1, 0);
    file.data[1] = 'h';
    expect("not an .hdt trace");
    put_header(1, 0);
    file.len = HD_HDT_HEADER_BYTES - 1;
    expect("ends inside its header");
    put_header(4, 0);
    expect("format version 4; this heddle reads versions 1 to 3");
    put_header(0, 0);
    expect("format version 0; this heddle reads versions 1 to 3");
    put_header(1, 0);
    file.data[HD_HDT_AT_FLAGS] ^= 1;
    expect("checksum of the header");
    put_header(1, 2);
    expect("unknown fields or flags");
}

static void bad_chunks(void **state)
{
    (void)state;
    put_header(1, 0);
    put_end(0);
    file.data[HD_HDT_HEADER_BYTES] ^= 1;
    expect("chunk 0 at offset 20: the checksum of its header");
    put_header(1, 0);
    put_end(0);
    file.data[file.len - 1] ^= 1;
    expect("chunk 0 at offset 20: the checksum of its payload");
    put_header(1, 0);
    file.sequence = 1;
    put_end(0);
    expect("out of sequence");
    put_header(1, 0);
    put_chunk(77, 0, "", 0, 0, 0);
    expect("its type is unknown and it is not optional");
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_META, 0, "\1k", 2, 2, 0);
    expect("its type is unknown and it is not optional");
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, 4, "", 0, 0, 0);
    expect("unknown flags");
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_END, 0, "\0", 1, 1, 0);
    expect("a malformed end chunk");
    put_header(1, 0);
    put_end(1);
    expect("counts other events");
    put_header(1, 0);
    put_end(0);
    file.data[file.len++] = 0;
    expect("something stands behind the end chunk");
}

static void bad_sizes(void **state)
{
    (void)state;
    static const uint32_t raw[] = {HD_HDT_RATIO_BASE + 4 * HD_HDT_RATIO + 1, HD_HDT_MAX_RAW + 1, 3};
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
        put_header(1, 0);
        put_chunk(HD_HDT_CHUNK_DATA, i < 2 ? HD_HDT_ZSTD : 0, "abcd", 4, raw[i], 0);
        expect("sizes in its header are not allowed");
    }
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, 0, "abcd", 4, 4, 5);
    expect("sizes in its header are not allowed");
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, HD_HDT_ZSTD, "abcd", 4, 24, 0);
    expect("does not unpack");
}

static void optional_chunks_are_skipped(void **state)
{
    (void)state;
    struct hd_trace *t;
    struct hd_hdt_info info;
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_META, HD_HDT_OPTIONAL, "\3keyvalue", 9, 9, 0);
    put_chunk(99, HD_HDT_OPTIONAL | 0x80, "future", 6, 1000000, 5);
    put_end(0);
    assert_int_equal(hd_hdt_read(file.data, file.len, "made.hdt", &t, &info, NULL), HD_OK);
    assert_int_equal(info.chunks, 3);
    assert_int_equal(info.skipped, 2);
    assert_int_equal(info.version, 1);
    assert_false(info.truncated);
    hd_trace_free(t);
    file.data[HD_HDT_HEADER_BYTES + HD_HDT_CHUNK_BYTES] ^= 1;
    expect("checksum of its payload");
}

/* ---- the payload ---- */

struct payload {
    const char *expected; /* NULL: reads well */
    struct span intro, runs, refs, defs, objects, values, control;
};

static void put_payload(const struct payload *p)
{
    static uint8_t raw[1 << 23];
    const struct span *streams[] = {&p->intro, &p->runs,    &p->refs,
                                    &p->defs,  &p->objects, &p->values};
    size_t len = 4 * HD_HDT_N_STREAMS;
    memcpy(raw + len, p->control.data, p->control.len);
    len += p->control.len;
    for (int i = 0; i < HD_HDT_N_STREAMS; i++) {
        hd_hdt_put32(raw + 4 * i, (uint32_t)streams[i]->len);
        memcpy(raw + len, streams[i]->data, streams[i]->len);
        len += streams[i]->len;
    }
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, 0, raw, len, len, (uint32_t)p->control.len);
    put_end(p->control.len);
}

/* Location x, locks l and m, condition c and d, threads s and t, place p; more may follow. */
#define NAMES                                                                                      \
    "\1\1x"                                                                                        \
    "\2\1l\1m"                                                                                     \
    "\2\1c\1d"                                                                                     \
    "\0\0"                                                                                         \
    "\2\1s\1t"                                                                                     \
    "\1\1p"
#define PLAIN NAMES "\0\0" /* no initial values, no records */

static const struct payload payloads[] = {
    /* a read of x with value 5, in full */
    {NULL, S(PLAIN), S("\0\1"), S(""), S("\0\0\0"), S(""), S("\x0a"), S("\x33")},

    /* names and directives */
    {"a name runs over", S("\1\5x"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"zero byte, a line end", S("\1\1\n"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"another control character", S("\1\2a\33"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"zero byte, a line end", S("\1\2a\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"a name occurs twice", S("\2\1x\1x"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"more names than bytes", S("\x7f\1x"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"more initial values than bytes", S(NAMES "\x7f"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"an unknown location", S(NAMES "\1\1\5\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"an unknown location", S("\2\1x\1y\0\0\0\0\0\0\2\0\5\0\5"), S(""), S(""), S(""), S(""), S(""),
     S("")},
    {"count of a semaphore", S("\0\0\0\1\1s\0\0\0\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\1"), S(""),
     S(""), S(""), S(""), S(""), S("")},
    {"size of a barrier", S("\0\0\0\0\1\1b\0\0\0\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"do not fill their stream", S(PLAIN "\0"), S(""), S(""), S(""), S(""), S(""), S("")},

    /* dependence records */
    {"more dependence records", S(NAMES "\0\x7f"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"a bad dependence record", S(NAMES "\0\1\4\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"a bad dependence record", S(NAMES "\0\1\0\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"more dependences than bytes", S(NAMES "\0\1\1\x7f"), S(""), S(""), S(""), S(""), S(""),
     S("")},
    {"an empty address", S(NAMES "\0\1\2\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"a bad distance", S(NAMES "\0\1\2\1\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"a bad distance", S(NAMES "\0\1\1\2\1\0"), S(""), S(""), S(""), S(""), S(""), S("")},
    {"a bad distance", S(NAMES "\0\1\1\1\x80\x80\x80\x80\x10"), S(""), S(""), S(""), S(""), S(""),
     S("")},

    /* runs and sites */
    {"an unknown thread", S(PLAIN), S("\2\1"), S(""), S("\0\0\0"), S(""), S("\x0a"), S("\x33")},
    {"do not add up", S(PLAIN), S("\0\2"), S(""), S("\0\0\0"), S(""), S("\x0a"), S("\x33")},
    {"do not add up", S(PLAIN), S("\0\0"), S(""), S("\0\0\0"), S(""), S("\x0a"), S("\x33")},
    {"does not define its site", S(PLAIN), S("\0\1"), S(""), S(""), S(""), S(""), S("\0")},
    {"site definitions ends early", S(PLAIN), S("\0\1"), S(""), S(""), S(""), S(""), S("\3")},
    {"an unknown operation", S(PLAIN), S("\0\1"), S(""), S("\x19\0\0"), S(""), S(""), S("\3")},
    {"in a file of version 1", S(PLAIN), S("\0\1"), S(""), S("\x18\0\0"), S(""), S(""), S("\3")},
    {"in a file of version 1", S(PLAIN), S("\0\1"), S(""), S("\x42\1\0\0"), S(""), S(""), S("\3")},
    {"an unknown operation", S(PLAIN), S("\0\1"), S(""), S("\x85\0\0"), S(""), S(""), S("\3")},
    {"an unknown place", S(PLAIN), S("\0\1"), S(""), S("\5\1\0"), S(""), S(""), S("\3")},
    {"an unknown dependence record", S(PLAIN), S("\0\1"), S(""), S("\5\0\1"), S(""), S(""),
     S("\3")},
    {"stream of sites ends early", S(PLAIN), S("\0\2"), S("\0"), S("\5\0\0"), S(""), S(""),
     S("\3\2")},
    {"an unknown site", S(PLAIN), S("\0\2"), S("\1\0"), S("\5\0\0"), S(""), S(""), S("\3\2")},
    {"do not fill their streams", S(PLAIN), S("\0\1"), S(""), S("\0\0\0"), S(""), S("\x0a\0"),
     S("\x33")},
    {"do not fill their streams", S(PLAIN), S("\0\1"), S(""), S("\0\0\0"), S(""), S(""), S("\x33")},
    {"do not fill their streams", S(PLAIN), S("\0\1\0"), S(""), S("\0\0\0"), S(""), S("\x0a"),
     S("\x33")},

    /* records against ops: deps at a read, addr at a branch, the event itself at a write */
    {"does not fit its operation", S(NAMES "\0\1\1\0"), S("\0\1"), S(""), S("\0\0\1"), S(""), S(""),
     S("\3")},
    {"does not fit its operation", S(NAMES "\0\1\2\1\1"), S("\0\1"), S(""), S("\5\0\1"), S(""),
     S(""), S("\3")},
    {"does not fit its operation", S(NAMES "\0\1\1\1\0"), S("\0\1"), S(""), S("\1\0\1"), S(""),
     S(""), S("\3")},
    {"not an earlier read", S(NAMES "\0\1\1\1\1"), S("\0\1"), S(""), S("\5\0\1"), S(""), S(""),
     S("\3")},
    {"not an earlier read", S(NAMES "\0\1\1\1\1"), S("\0\2"), S(""), S("\1\0\0\5\0\1"), S(""),
     S(""), S("\3\3")},
    {NULL, S(NAMES "\0\1\1\1\1"), S("\0\2"), S(""), S("\0\0\0\5\0\1"), S(""), S(""), S("\3\3")},
    {"not an earlier read", S(NAMES "\0\1\1\1\x41"), S("\0\1"), S(""), S("\5\0\1"), S(""), S(""),
     S("\3")}, /* 65 back: checked in the end */

    /* objects, locks, threads */
    {"an unknown object", S(PLAIN), S("\0\1"), S(""), S("\0\0\0"), S("\2"), S(""), S("\x0f")},
    {"an unknown object", S(PLAIN), S("\0\1"), S(""), S("\x12\0\0"), S(""), S(""), S("\3")},
    {"an unknown lock", S(PLAIN), S("\0\1"), S(""), S("\x0d\0\0"), S("\2"), S(""), S("\3")},
    {"forks or joins itself", S(PLAIN), S("\0\1"), S(""), S("\x0b\0\0"), S(""), S(""), S("\3")},
    {"forks or joins itself", S(PLAIN), S("\0\1"), S(""), S("\x0c\0\0"), S(""), S(""), S("\3")},
    {"a thread is forked twice", S(PLAIN), S("\0\2"), S(""), S("\x0b\0\0"), S("\2"), S(""),
     S("\x0f\4")}, /* explicit t, then `same` */

    /* waits */
    {NULL, S(PLAIN), S("\0\2"), S(""), S("\x0d\0\0\x0e\0\0"), S("\0\0"), S(""), S("\3\3")},
    {"a wake has no wait", S(PLAIN), S("\0\1"), S(""), S("\x0e\0\0"), S("\0"), S(""), S("\3")},
    {"a wait is not left", S(PLAIN), S("\0\2"), S(""), S("\x0d\0\0\5\0\0"), S("\0"), S(""),
     S("\3\3")},
    {"another condition or lock", S(PLAIN), S("\0\2"), S(""), S("\x0d\0\0\x0f\0\0"), S("\0\1"),
     S(""), S("\3\3")},
    {"another condition or lock", S(PLAIN), S("\0\2"), S(""), S("\x0d\0\0\x0f\0\0"), S("\0\2\0"),
     S(""), S("\3\x0f")},
};

static void bad_payloads(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof payloads / sizeof *payloads; i++) {
        put_payload(&payloads[i]);
        expect(payloads[i].expected);
    }
}

static void bad_stream_lengths(void **state)
{
    (void)state;
    uint8_t raw[4 * HD_HDT_N_STREAMS + 1] = {0};
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, 0, raw, 23, 23, 0);
    expect("the streams do not fill the chunk");
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, 0, raw, 25, 25, 0);
    expect("the streams do not fill the chunk");
    hd_hdt_put32(raw + 8, 0xffffffff);
    put_header(1, 0);
    put_chunk(HD_HDT_CHUNK_DATA, 0, raw, 24, 24, 0);
    expect("the streams do not fill the chunk");
}

static void too_many_threads(void **state)
{
    (void)state;
    static char intro[5 + 3 + 8 * 1048576 + 4];
    size_t len = 5;
    memcpy(intro + len, "\x80\x80\x40", 3); /* 1048576 */
    len += 3;
    for (unsigned i = 0; i < 1048576; i++) {
        intro[len++] = 5;
        for (int digit = 0; digit < 5; digit++)
            intro[len++] = (char)('a' + (i >> 4 * digit & 15));
    }
    struct payload p = {.intro = {intro, len + 3}, .runs = S("")};
    p.refs = p.defs = p.objects = p.values = p.control = p.runs;
    put_payload(&p);
    expect("too many threads");
}

/* ---- golden files ---- */

static struct bytes slurp(const char *path)
{
    struct bytes f = {.data = malloc(1 << 20)};
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    f.len = fread(f.data, 1, 1 << 20, in);
    fclose(in);
    return f;
}

static void golden_1(void **state)
{
    (void)state;
    struct bytes text = slurp(HD_TESTS_DIR "/format/golden/v1.txt");
    struct bytes hdt = slurp(HD_TESTS_DIR "/format/golden/v1.hdt");
    struct hd_trace *a, *b;
    struct hd_err err = {0};
    struct hd_hdt_info info;
    struct trace_difference d;
    assert_int_equal(hd_text_read(text.data, text.len, "v1.txt", &a, &err), HD_OK);
    if (hd_hdt_read(hdt.data, hdt.len, "v1.hdt", &b, &info, &err) != HD_OK)
        fail_msg("%s", err.text);
    assert_false(info.truncated);
    assert_int_equal(info.version, 1);
    assert_int_equal(info.skipped, 1);
    if (!trace_equal(a, b, &d))
        fail_msg("the golden file differs: %s", d.text);
    assert_true(traces_equal(a, b));
    for (int op = 0; op < HD_OP_FENCE; op++)
        assert_non_null(memchr(b->op, op, b->n_events));
    hd_trace_free(a);
    hd_trace_free(b);
    free(text.data);
    free(hdt.data);
}

/* Every op that may have an order, with every order that it may have. A file of version 1 has none.
 */
static void golden_2(void **state)
{
    (void)state;
    struct bytes text = slurp(HD_TESTS_DIR "/format/golden/v2.txt");
    struct bytes hdt = slurp(HD_TESTS_DIR "/format/golden/v2.hdt");
    struct hd_trace *a, *b;
    struct hd_err err = {0};
    struct hd_hdt_info info;
    assert_int_equal(hd_text_read(text.data, text.len, "v2.txt", &a, &err), HD_OK);
    assert_int_equal(hd_hdt_read(hdt.data, hdt.len, "v2.hdt", &b, &info, &err), HD_OK);
    assert_int_equal(info.version, 2);
    assert_true(traces_equal(a, b));
    bool seen[HD_OP_COUNT][HD_ORDER_COUNT] = {0};
    for (hd_eid e = 0; e < b->n_events; e++)
        seen[b->op[e]][hd_trace_order(b, e)] = true;
    for (int op = 0; op < HD_OP_COUNT; op++)
        for (int order = 0; order < HD_ORDER_COUNT; order++)
            if (hd_mem_order_fits((enum hd_op)op, (enum hd_mem_order)order) &&
                hd_op_info[op].kind != HD_OBJ_LOCK)
                assert_true(seen[op][order]);
    hd_trace_free(b);
    hd_hdt_put16((uint8_t *)hdt.data + HD_HDT_AT_VERSION, 1);
    hd_hdt_put32((uint8_t *)hdt.data + HD_HDT_AT_HEADER_CRC,
                 (uint32_t)crc32(0, (uint8_t *)hdt.data, HD_HDT_AT_HEADER_CRC));
    assert_int_equal(hd_hdt_read(hdt.data, hdt.len, "v2.hdt", &b, &info, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "a memory order or a fence in a file of version 1"));
    hd_trace_free(a);
    free(text.data);
    free(hdt.data);
}

/* An exclusion; in a file of version 2 it is refused, and in one event alone as well. */
static void golden_3(void **state)
{
    (void)state;
    struct bytes text = slurp(HD_TESTS_DIR "/format/golden/v3.txt");
    struct bytes hdt = slurp(HD_TESTS_DIR "/format/golden/v3.hdt");
    struct hd_trace *a, *b;
    struct hd_err err = {0};
    struct hd_hdt_info info;
    assert_int_equal(hd_text_read(text.data, text.len, "v3.txt", &a, &err), HD_OK);
    assert_int_equal(hd_hdt_read(hdt.data, hdt.len, "v3.hdt", &b, &info, &err), HD_OK);
    assert_int_equal(info.version, 3);
    assert_true(traces_equal(a, b));
    assert_true(hd_trace_excludes_only(b, 0) && hd_trace_excludes_only(b, 3));
    assert_true(b->flags[4] & HD_F_TRY && hd_trace_excludes_only(b, 4));
    assert_false(hd_trace_excludes_only(b, 1) || hd_trace_excludes_only(b, 10));
    hd_trace_free(b);
    hd_hdt_put16((uint8_t *)hdt.data + HD_HDT_AT_VERSION, 2);
    hd_hdt_put32((uint8_t *)hdt.data + HD_HDT_AT_HEADER_CRC,
                 (uint32_t)crc32(0, (uint8_t *)hdt.data, HD_HDT_AT_HEADER_CRC));
    assert_int_equal(hd_hdt_read(hdt.data, hdt.len, "v3.hdt", &b, &info, &err), HD_ERR_INPUT);
    assert_non_null(strstr(err.text, "an exclusion in a file of version 2"));
    hd_trace_free(a);
    free(text.data);
    free(hdt.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(empty_files),
        cmocka_unit_test(bad_headers),
        cmocka_unit_test(bad_chunks),
        cmocka_unit_test(bad_sizes),
        cmocka_unit_test(optional_chunks_are_skipped),
        cmocka_unit_test(bad_payloads),
        cmocka_unit_test(bad_stream_lengths),
        cmocka_unit_test(too_many_threads),
        cmocka_unit_test(golden_1),
        cmocka_unit_test(golden_2),
        cmocka_unit_test(golden_3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
