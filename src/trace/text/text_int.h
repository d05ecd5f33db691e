/* The inside of the text reader, shared by text_read.c (blocks and lines), text_event.c (one event
 * line), text_attr.c (attributes), text_directive.c (directives), text_names.c (names to ids) and
 * text_lex.c (numbers, quoting, suggestions). Only these files include this.
 *
 * Speed comes from two things: nothing is allocated for a line, and a cache of recent names answers
 * most lookups without touching the name tables. A name is checked for forbidden bytes once, when
 * it is new.
 */
#ifndef HD_TRACE_TEXT_TEXT_INT_H
#define HD_TRACE_TEXT_TEXT_INT_H

#include "base/vec.h"
#include "trace/builder.h"
#include "trace/text/text.h"

struct hd_span {
    const char *p, *end;
};

static inline size_t hd_span_len(struct hd_span s)
{
    return (size_t)(s.end - s.p);
}

static inline bool hd_text_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline struct hd_span hd_text_trim(struct hd_span s)
{
    while (s.p < s.end && hd_text_blank(*s.p))
        s.p++;
    while (s.p < s.end && hd_text_blank(s.end[-1]))
        s.end--;
    return s;
}

/* A cached name. Up to 24 bytes, lo, mid and hi are all of it; beyond, lo is a hash. tag is length
 * * 8 + kind + 1, so that a zeroed slot matches nothing. */
struct hd_text_slot {
    uint64_t lo, mid, hi;
    uint32_t tag, id;
};

/* Two slots that share a cache line; the first is the newer one. */
struct hd_text_set {
    struct hd_text_slot slot[2];
};

/* The cache begins with 64 sets, so that small inputs cost little, and is replaced after some lines
 * by one of 4096 sets of 64 bytes: 256 KiB, half of a common second-level cache. */
enum { HD_TEXT_CACHE_SMALL = 6, HD_TEXT_CACHE_BITS = 12, HD_TEXT_CACHE_AFTER = 4096 };

/* 25 operations in 64 slots; the longest text, tryfail, has 7 bytes and packs into one word. */
#define HD_TEXT_OP_BITS 6

#define HD_TEXT_PLACE HD_OBJ_NONE /* the name kind of source places */

struct hd_text_op {
    uint64_t key; /* the bytes of its text, first byte highest; 0: empty */
    enum hd_op op;
};

struct hd_text_reader {
    struct hd_builder *b;
    char *name;
    uint64_t line; /* of the line being read, from 1 */
    char *carry;   /* the start of a line whose end has not come yet */
    size_t carry_len, carry_cap;
    struct hd_u32vec deps, addr; /* the sets of the line being read */
    struct hd_vec barrier_line;  /* uint64_t by barrier: the line of its first mention */
    struct hd_text_op ops[1u << HD_TEXT_OP_BITS];
    void *cache_memory;
    struct hd_text_set *cache; /* in cache_memory, at the start of a cache line */
    unsigned cache_bits;
};

/* An event line taken apart. Arguments beyond the third are only counted. Blanks around are cut
 * off. */
struct hd_text_line {
    struct hd_span thread, place, attributes;
    enum hd_op op;
    unsigned n_args;
    struct hd_span arg[3];
};

/* text_event.c, text_directive.c: one line without its end, not blank, not a comment. Errors carry
 * no place yet; text_read.c adds it. */
enum hd_status hd_text_event(struct hd_text_reader *r, struct hd_span line, struct hd_err *err);
enum hd_status hd_text_directive(struct hd_text_reader *r, struct hd_span line, struct hd_err *err);

/* text_event.c: fills r->ops. */
void hd_text_index_ops(struct hd_text_reader *r);

/* text_attr.c: the attribute field of an event whose op is set; fills ev->deps and ev->addr, which
 * point into the reader until the next line. */
enum hd_status hd_text_attributes(struct hd_text_reader *r, struct hd_span field,
                                  struct hd_event *ev, struct hd_err *err);

/* The memory order of the event, as fence(ORDER) or mo=ORDER say it. */
enum hd_status hd_text_order(struct hd_span word, struct hd_event *ev, struct hd_err *err);

/* text_names.c: the id of a name of this kind; HD_ERR_INPUT when it is empty or holds a forbidden
 * byte. */
enum hd_status hd_text_name(struct hd_text_reader *r, unsigned kind, struct hd_span name,
                            uint32_t *id, struct hd_err *err);

/* A new, empty cache of 1 << bits sets; 0 bits free it. */
void hd_text_cache(struct hd_text_reader *r, unsigned bits);

/* text_lex.c */
enum hd_number { HD_NUMBER_OK, HD_NUMBER_MALFORMED, HD_NUMBER_RANGE };
enum hd_number hd_text_number(struct hd_span s, bool may_be_negative, uint64_t *value);

/* Copies at most 40 bytes for an error message, control bytes as \xNN, "..." when cut. Returns out.
 */
#define HD_TEXT_QUOTE 200
const char *hd_text_quote(struct hd_span s, char out[HD_TEXT_QUOTE]);

/* The operation that a misspelt or long name probably means, or NULL. */
const char *hd_text_nearest_op(struct hd_span name);

#endif
