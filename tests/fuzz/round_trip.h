/* What must hold of any trace that a reader has taken: text and .hdt give it back, and the digest
 * does not notice the way. */
#ifndef HD_TESTS_FUZZ_ROUND_TRIP_H
#define HD_TESTS_FUZZ_ROUND_TRIP_H

#include "require.h"
#include "trace/digest.h"
#include "trace/hdt/hdt.h"
#include "trace/text/text.h"
#include "../support/trace_equal.h"

static void require_equal(const struct hd_trace *a, const struct hd_trace *b, const char *what)
{
    struct trace_difference difference;
    char x[HD_DIGEST_SIZE], y[HD_DIGEST_SIZE];
    require(trace_equal(a, b, &difference), what, difference.text);
    hd_digest_trace(a, x);
    hd_digest_trace(b, y);
    require(!strcmp(x, y), what, "the digests differ");
}

struct bytes {
    char *data;
    size_t len;
};

typedef enum hd_status (*trace_writer)(const struct hd_trace *t, FILE *out, struct hd_err *err);

static struct bytes written(const struct hd_trace *t, trace_writer write, enum hd_status *status)
{
    struct bytes b = {0};
    struct hd_err err = {0};
    FILE *out = open_memstream(&b.data, &b.len);
    *status = write(t, out, &err);
    fclose(out);
    return b;
}

/* A trace that did not come from text may hold names that text cannot; nothing is to be done then.
 */
static void round_trip_text(const struct hd_trace *t, bool from_text)
{
    enum hd_status status;
    struct hd_err err = {0};
    struct hd_trace *back = NULL;
    struct bytes once = written(t, hd_text_write, &status);
    require(status == HD_OK || !from_text, "text", "what was read cannot be written");
    if (status == HD_OK) {
        status = hd_text_read(once.data, once.len, "again", &back, &err);
        require(status == HD_OK, "text", err.text);
        require_equal(t, back, "text");
        struct bytes twice = written(back, hd_text_write, &status);
        require(once.len == twice.len && !memcmp(once.data, twice.data, once.len), "text",
                "it is not canonical");
        free(twice.data);
        hd_trace_free(back);
    }
    free(once.data);
}

static void round_trip_hdt(const struct hd_trace *t)
{
    enum hd_status status;
    struct hd_err err = {0};
    struct hd_trace *back = NULL;
    struct hd_hdt_info info;
    struct bytes once = written(t, hd_hdt_write, &status);
    require(status == HD_OK, "hdt", "what was read cannot be written");
    status = hd_hdt_read(once.data, once.len, "again", &back, &info, &err);
    require(status == HD_OK && !info.truncated, "hdt", err.text);
    require_equal(t, back, "hdt");
    hd_trace_free(back);
    free(once.data);
}

#endif
