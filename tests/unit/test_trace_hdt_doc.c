/* docs/TRACE_FORMAT.md against include/heddle/trace_fmt.h and trace/ops.h: each table of the
 * document has exactly the rows of the table in the code. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "heddle/trace_fmt.h"
#include "trace/ops.h"
#include "trace/trace.h"

/* Sizes that files depend on. */
_Static_assert(sizeof(HD_HDT_MAGIC) - 1 == HD_HDT_MAGIC_LEN, "magic");
_Static_assert(HD_HDT_AT_HEADER_CRC + 4 == HD_HDT_HEADER_BYTES, "file header");
_Static_assert(HD_HDT_AT_CHUNK_CRC + 4 == HD_HDT_CHUNK_BYTES, "chunk header");
_Static_assert(HD_OP_COUNT == 25, "a new operation raises the format version");
_Static_assert(HD_OP_COUNT <= HD_HDT_DEF_ORDER, "an op fits beside the flags");
_Static_assert(HD_MAX_THREADS == 1048575, "the document names the limit");
#define ADD_BYTES(name, offset, bytes) +(bytes)
_Static_assert(0 HD_HDT_HEADER_FIELDS(ADD_BYTES) == HD_HDT_HEADER_BYTES, "no gaps in the header");
_Static_assert(0 HD_HDT_CHUNK_FIELDS(ADD_BYTES) == HD_HDT_CHUNK_BYTES, "no gaps in chunk headers");

static char *document;

static int load_document(void **state)
{
    (void)state;
    FILE *f = fopen(HD_TESTS_DIR "/../docs/TRACE_FORMAT.md", "rb");
    assert_non_null(f);
    document = calloc(1, 1 << 20);
    assert_true(fread(document, 1, (1 << 20) - 1, f) > 0);
    fclose(f);
    return 0;
}

static int free_document(void **state)
{
    (void)state;
    free(document);
    return 0;
}

/* The first body row of the table whose heading line begins so. */
static const char *table(const char *heading)
{
    const char *at = strstr(document, heading);
    if (!at)
        fail_msg("no table '%s'", heading);
    at = strchr(at, '\n') + 1;   /* the heading */
    return strchr(at, '\n') + 1; /* the rule below it */
}

/* Requires that the row begins so, and moves to the next. */
static void expect_row(const char **row, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
static void expect_row(const char **row, const char *fmt, ...)
{
    char want[128];
    va_list args;
    va_start(args, fmt);
    vsnprintf(want, sizeof want, fmt, args);
    va_end(args);
    if (strncmp(*row, want, strlen(want)))
        fail_msg("expected '%s', the document has '%.60s'", want, *row);
    *row = strchr(*row, '\n') + 1;
}

static void expect_end(const char *row)
{
    if (*row == '|')
        fail_msg("the document has a row too many: '%.60s'", row);
}

static void headers_agree(void **state)
{
    (void)state;
    const char *row = table("| header field | offset | bytes |");
#define ROW(name, offset, bytes) expect_row(&row, "| " #name " | %d | %d |", offset, bytes);
    HD_HDT_HEADER_FIELDS(ROW)
    expect_end(row);
    row = table("| chunk field | offset | bytes |");
    HD_HDT_CHUNK_FIELDS(ROW)
    expect_end(row);
}

static void numbers_agree(void **state)
{
    (void)state;
    const char *row = table("| chunk type | number |");
#define NUMBER_ROW(name, number) expect_row(&row, "| " #name " | %d |", number);
    HD_HDT_CHUNKS(NUMBER_ROW)
    expect_end(row);
    row = table("| stream | position |");
    HD_HDT_STREAMS(NUMBER_ROW)
    expect_end(row);
    row = table("| number | op | object kind |");
    int number = 0;
#define OP_ROW(name, text, kind, lock, words)                                                      \
    expect_row(&row, "| %d | %s | %s%s |", number++, text, #kind, (lock) ? "+LOCK" : "");
    HD_OPS(OP_ROW)
    expect_end(row);
}

static void says(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void says(const char *fmt, ...)
{
    char want[128];
    va_list args;
    va_start(args, fmt);
    vsnprintf(want, sizeof want, fmt, args);
    va_end(args);
    if (!strstr(document, want))
        fail_msg("the document does not say '%s'", want);
}

static void constants_agree(void **state)
{
    (void)state;
    const unsigned char *m = (const unsigned char *)HD_HDT_MAGIC;
    says("# The binary trace format `.hdt`, version %d\n", HD_HDT_VERSION);
    says("| VERSION | 8 | 2 | %d if", HD_HDT_VERSION);
    says("| HEADER_SIZE | 10 | 2 | %d |", HD_HDT_HEADER_BYTES);
    says("| %02X %02X %02X %02X %02X %02X %02X %02X (hex)", m[0], m[1], m[2], m[3], m[4], m[5],
         m[6], m[7]);
    says("header of %d bytes", HD_HDT_CHUNK_BYTES);
    says("RAW_BYTES at most %u;", HD_HDT_MAX_RAW);
    says("EVENTS at most %u ", HD_HDT_MAX_EVENTS);
    says("%u + %u * STORED_BYTES", HD_HDT_RATIO_BASE, HD_HDT_RATIO);
    says("There are %u slots", HD_HDT_SITES);
    says("There are %u *contexts*", HD_HDT_CONTEXTS);
    says("(slot + %u * thread) modulo %u", HD_HDT_CONTEXT_FACTOR, HD_HDT_CONTEXTS);
    says("bit %d OPTIONAL; bit %d ZSTD", __builtin_ctz(HD_HDT_OPTIONAL),
         __builtin_ctz(HD_HDT_ZSTD));
    says("bit %d: the trace has `!control branches`", __builtin_ctz(HD_HDT_HEADER_BRANCHES));
    says("| %d-%d | site: %d the next site, %d the other site, %d slot in SITE_REFS, %d new",
         HD_HDT_SITE_SHIFT, HD_HDT_SITE_SHIFT + 1, HD_HDT_SITE_NEXT, HD_HDT_SITE_OTHER,
         HD_HDT_SITE_REF, HD_HDT_SITE_NEW);
    says("| %d-%d | object: %d stride, %d same, %d fresh, %d explicit", HD_HDT_OBJECT_SHIFT,
         HD_HDT_OBJECT_SHIFT + 1, HD_HDT_OBJ_STRIDE, HD_HDT_OBJ_SAME, HD_HDT_OBJ_FRESH,
         HD_HDT_OBJ_EXPLICIT);
    says("| %d-%d | value: %d predicted, %d copied, %d repeated, %d explicit", HD_HDT_VALUE_SHIFT,
         HD_HDT_VALUE_SHIFT + 1, HD_HDT_VAL_PREDICTED, HD_HDT_VAL_COPIED, HD_HDT_VAL_REPEATED,
         HD_HDT_VAL_EXPLICIT);
    says("| %d | `rmw`: the old value", __builtin_ctz(HD_HDT_OLD_BIT));
}

/* The history ends with the version that the code writes. */
static void history_agrees(void **state)
{
    (void)state;
    const char *row = table("| version | what |");
    for (int version = 1; version <= HD_HDT_VERSION; version++)
        expect_row(&row, "| %d |", version);
    expect_end(row);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(headers_agree),
        cmocka_unit_test(numbers_agree),
        cmocka_unit_test(constants_agree),
        cmocka_unit_test(history_agrees),
    };
    return cmocka_run_group_tests(tests, load_document, free_document);
}
