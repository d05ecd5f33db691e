/* Blocks to lines, and the frame of reading. */
#include "base/alloc.h"
#include "trace/builder_int.h"
#include "trace/text/text_int.h"

#include <string.h>

struct hd_text_reader *hd_text_new(const char *name)
{
    struct hd_text_reader *r = hd_calloc(1, sizeof *r);
    r->b = hd_builder_new();
    r->name = hd_strndup(name, strlen(name));
    r->barrier_line = HD_VEC_INIT(uint64_t);
    hd_text_index_ops(r);
    hd_text_cache(r, HD_TEXT_CACHE_SMALL);
    return r;
}

void hd_text_free(struct hd_text_reader *r)
{
    if (!r)
        return;
    hd_builder_free(r->b);
    hd_text_cache(r, 0);
    hd_free(r->name, strlen(r->name) + 1);
    hd_free(r->carry, r->carry_cap);
    hd_u32vec_fini(&r->deps);
    hd_u32vec_fini(&r->addr);
    hd_vec_fini(&r->barrier_line);
    hd_free(r, sizeof *r);
}

/* Adds the place to an error that has none yet. */
static enum hd_status at_line(const struct hd_text_reader *r, uint64_t line, enum hd_status status,
                              struct hd_err *err)
{
    if (status != HD_OK && err) {
        snprintf(err->file, sizeof err->file, "%s", r->name);
        err->line = line;
    }
    return status;
}

static enum hd_status too_long(const struct hd_text_reader *r, struct hd_err *err)
{
    return hd_err_at(err, HD_ERR_INPUT, r->name, r->line + 1,
                     "the line is too long: expected at most %u bytes", HD_TEXT_MAX_LINE);
}

/* Comments and blank lines. Only NUL bytes matter in them: they tell that this is no text. */
static enum hd_status skip(struct hd_span line, struct hd_err *err)
{
    if (memchr(line.p, 0, hd_span_len(line)))
        return hd_err_set(err, HD_ERR_INPUT, "a NUL byte in a comment: expected text");
    return HD_OK;
}

/* One line without its LF, which stands at end. */
static enum hd_status read_line(struct hd_text_reader *r, const char *p, const char *end,
                                struct hd_err *err)
{
    enum hd_status status;
    if ((size_t)(end - p) > HD_TEXT_MAX_LINE)
        return too_long(r, err);
    if (++r->line == 1 && end - p >= 3 && !memcmp(p, "\xef\xbb\xbf", 3))
        p += 3;
    if (r->line == HD_TEXT_CACHE_AFTER)
        hd_text_cache(r, HD_TEXT_CACHE_BITS);
    if (p < end && end[-1] == '\r')
        end--;
    while (p < end && hd_text_blank(*p))
        p++;
    if (p == end)
        return HD_OK;
    struct hd_span line = {p, end};
    if (*p == '#')
        status = skip(line, err);
    else if (*p == '!')
        status = hd_text_directive(r, line, err);
    else if ((status = hd_text_event(r, line, err)) == HD_OK)
        hd_builder_line(r->b, r->line);
    return status == HD_OK ? HD_OK : at_line(r, r->line, status, err);
}

static void keep(struct hd_text_reader *r, const char *p, size_t len)
{
    if (r->carry_len + len + 1 > r->carry_cap) {
        size_t cap = (r->carry_len + len + 1) * 2;
        r->carry = hd_realloc(r->carry, r->carry_cap, cap);
        r->carry_cap = cap;
    }
    memcpy(r->carry + r->carry_len, p, len);
    r->carry_len += len;
    r->carry[r->carry_len] = '\n'; /* lines are read up to a line end that they may lack */
}

enum hd_status hd_text_feed(struct hd_text_reader *r, const char *data, size_t len,
                            struct hd_err *err)
{
    if (!len)
        return HD_OK; /* data may be NULL */
    const char *p = data, *end = data + len;
    while (p < end) {
        const char *lf = memchr(p, '\n', (size_t)(end - p));
        enum hd_status status;
        if (!lf || r->carry_len) {
            keep(r, p, (size_t)((lf ? lf : end) - p));
            if (r->carry_len > HD_TEXT_MAX_LINE)
                return too_long(r, err);
            if (!lf)
                return HD_OK;
            status = read_line(r, r->carry, r->carry + r->carry_len, err);
            r->carry_len = 0;
        } else {
            status = read_line(r, p, lf, err);
        }
        if (status != HD_OK)
            return status;
        p = lf + 1;
    }
    return HD_OK;
}

/* A barrier without a size is known only now; the place to name is where it first occurs. */
static enum hd_status check_barriers(const struct hd_text_reader *r, struct hd_err *err)
{
    for (uint32_t i = 0; i < r->b->barrier_given.len; i++) {
        if (*(const uint64_t *)hd_vec_at(&r->b->barrier_given, i))
            continue;
        const char *name = hd_trace_obj_name(r->b->t, HD_OBJ_BARRIER, i);
        char quoted[HD_TEXT_QUOTE];
        hd_text_quote((struct hd_span){name, name + strlen(name)}, quoted);
        return hd_err_at(err, HD_ERR_INPUT, r->name, *(uint64_t *)hd_vec_at(&r->barrier_line, i),
                         "barrier %s has no size: expected a line '!barrier %s N'", quoted, quoted);
    }
    return HD_OK;
}

enum hd_status hd_text_finish(struct hd_text_reader *r, struct hd_trace **trace, struct hd_err *err)
{
    enum hd_status status = HD_OK;
    *trace = NULL;
    if (r->carry_len)
        status = read_line(r, r->carry, r->carry + r->carry_len, err);
    if (status == HD_OK)
        status = check_barriers(r, err);
    if (status == HD_OK) {
        status = hd_builder_finish(r->b, trace, err);
        at_line(r, err ? err->line : 0, status, err);
        r->b = NULL;
    }
    hd_text_free(r);
    return status;
}

enum hd_status hd_text_read(const char *data, size_t len, const char *name, struct hd_trace **trace,
                            struct hd_err *err)
{
    struct hd_text_reader *r = hd_text_new(name);
    *trace = NULL;
    enum hd_status status = hd_text_feed(r, data, len, err);
    if (status == HD_OK)
        return hd_text_finish(r, trace, err);
    hd_text_free(r);
    return status;
}
