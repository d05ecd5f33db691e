/* Directive lines: !control, !init, !sem, !barrier. */
#include "trace/text/text_int.h"

#include <string.h>

static bool is(struct hd_span s, const char *word)
{
    return hd_span_len(s) == strlen(word) && !memcmp(s.p, word, strlen(word));
}

/* Cuts the first word off s. */
static struct hd_span first_word(struct hd_span *s)
{
    struct hd_span word = hd_text_trim(*s);
    s->p = word.p;
    while (s->p < word.end && !hd_text_blank(*s->p))
        s->p++;
    word.end = s->p;
    *s = hd_text_trim(*s);
    return word;
}

/* Cuts the last word off s: a name may hold blanks, so the number is what stands after the last
 * one. */
static struct hd_span last_word(struct hd_span *s)
{
    struct hd_span word = *s;
    word.p = s->end;
    while (word.p > s->p && !hd_text_blank(word.p[-1]))
        word.p--;
    s->end = word.p;
    *s = hd_text_trim(*s);
    return word;
}

static enum hd_status control(struct hd_text_reader *r, struct hd_span rest, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    if (is(rest, "branches"))
        return hd_builder_control(r->b, HD_CONTROL_BRANCHES, err);
    if (is(rest, "all"))
        return hd_builder_control(r->b, HD_CONTROL_ALL, err);
    return hd_err_set(err, HD_ERR_INPUT,
                      "expected '!control branches' or '!control all', found '%s'",
                      hd_text_quote(rest, quoted));
}

struct named {
    const char *word;
    enum hd_obj_kind kind;
    bool may_be_negative;
    const char *usage;
    enum hd_status (*apply)(struct hd_builder *b, uint32_t obj, uint64_t number,
                            struct hd_err *err);
};

/* The directives that give an object a number. */
static const struct named named[] = {
    {"init", HD_OBJ_LOC, true, "!init location value", hd_builder_init},
    {"sem", HD_OBJ_SEM, false, "!sem semaphore count", hd_builder_sem},
    {"barrier", HD_OBJ_BARRIER, false, "!barrier barrier size", hd_builder_barrier},
};

static enum hd_status give_number(struct hd_text_reader *r, const struct named *d,
                                  struct hd_span rest, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    uint64_t number;
    uint32_t obj;
    struct hd_span whole = rest, last = last_word(&rest);
    if (rest.p == rest.end)
        return hd_err_set(err, HD_ERR_INPUT, "expected '%s', found only '%s'", d->usage,
                          hd_text_quote(whole, quoted));
    enum hd_number result = hd_text_number(last, d->may_be_negative, &number);
    if (result != HD_NUMBER_OK)
        return hd_err_set(err, HD_ERR_INPUT, "expected '%s', but '%s' is %s", d->usage,
                          hd_text_quote(last, quoted),
                          result == HD_NUMBER_RANGE ? "out of range"
                          : d->may_be_negative      ? "not a number"
                                                    : "not a number without sign");
    enum hd_status status = hd_text_name(r, d->kind, rest, &obj, err);
    return status == HD_OK ? d->apply(r->b, obj, number, err) : status;
}

enum hd_status hd_text_directive(struct hd_text_reader *r, struct hd_span line, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    struct hd_span word = first_word(&line);
    word.p++; /* the '!' */
    if (is(word, "control"))
        return control(r, line, err);
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        if (is(word, named[i].word))
            return give_number(r, &named[i], line, err);
    return hd_err_set(err, HD_ERR_INPUT,
                      "unknown directive '!%s': expected !control, !init, !sem or !barrier",
                      hd_text_quote(word, quoted));
}
