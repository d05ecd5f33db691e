/* The attribute field of an event: deps=, val=, addr=, mo=, try. */
#include "trace/text/text_int.h"

#include <string.h>

static enum hd_status parse_event_number(struct hd_span s, struct hd_span name, hd_eid *event,
                                         struct hd_err *err)
{
    uint64_t number;
    char quoted[HD_TEXT_QUOTE];
    enum hd_number result = hd_text_number(s, false, &number);
    if (result == HD_NUMBER_MALFORMED || (result == HD_NUMBER_OK && number == 0))
        return hd_err_set(err, HD_ERR_INPUT,
                          "expected an event number from 1 on in %.*s=, found '%s'",
                          (int)hd_span_len(name), name.p, hd_text_quote(s, quoted));
    if (result == HD_NUMBER_RANGE || number > HD_MAX_EVENTS)
        return hd_err_set(err, HD_ERR_INPUT, "a dependence on event %s, which is not earlier",
                          hd_text_quote(s, quoted));
    *event = (hd_eid)(number - 1);
    return HD_OK;
}

static enum hd_status parse_list(struct hd_span s, struct hd_span name, struct hd_u32vec *list,
                                 struct hd_err *err)
{
    list->len = 0;
    s = hd_text_trim(s);
    if (s.p == s.end)
        return HD_OK;
    for (;;) {
        const char *comma = memchr(s.p, ',', hd_span_len(s));
        struct hd_span item = {s.p, comma ? comma : s.end};
        hd_eid event = 0;
        enum hd_status status = parse_event_number(hd_text_trim(item), name, &event, err);
        if (status != HD_OK)
            return status;
        hd_u32vec_push(list, event);
        if (!comma)
            return HD_OK;
        s.p = comma + 1;
    }
}

static bool is(struct hd_span s, const char *word)
{
    return hd_span_len(s) == strlen(word) && !memcmp(s.p, word, strlen(word));
}

/* Which set an attribute fills, or NULL with the error set. */
static struct hd_dep_list *target(struct hd_span name, struct hd_event *ev, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    const char *carriers = NULL;
    struct hd_dep_list *list = NULL;
    if (is(name, "deps")) {
        carriers = "br";
        list = ev->op == HD_OP_BRANCH ? &ev->deps : NULL;
    } else if (is(name, "val")) {
        carriers = "w, aw and rmw";
        list = hd_op_writes(ev->op) ? &ev->deps : NULL;
    } else if (is(name, "addr")) {
        carriers = "r, w, ar, aw and rmw";
        list = hd_op_is_access(ev->op) ? &ev->addr : NULL;
    }
    if (list && !list->given)
        return list;
    hd_text_quote(name, quoted);
    if (!carriers)
        hd_err_set(err, HD_ERR_INPUT,
                   "unknown attribute '%s': expected deps=, val=, addr=, mo= or try", quoted);
    else if (!list)
        hd_err_set(err, HD_ERR_INPUT, "attribute %s= is for %s, found on %s", quoted, carriers,
                   hd_op_info[ev->op].text);
    else
        hd_err_set(err, HD_ERR_INPUT, "attribute %s= is given twice", quoted);
    return NULL;
}

static enum hd_status parse_try(struct hd_event *ev, struct hd_err *err)
{
    if (ev->op != HD_OP_ACQ && ev->op != HD_OP_RACQ)
        return hd_err_set(err, HD_ERR_INPUT, "attribute try is for acq and racq, found on %s",
                          hd_op_info[ev->op].text);
    if (ev->tries)
        return hd_err_set(err, HD_ERR_INPUT, "attribute try is given twice");
    ev->tries = true;
    return HD_OK;
}

enum hd_status hd_text_order(struct hd_span word, struct hd_event *ev, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    int order = 0;
    while (order < HD_ORDER_COUNT && !is(word, hd_mem_order_info[order].text))
        order++;
    if (order == HD_ORDER_COUNT)
        return hd_err_set(err, HD_ERR_INPUT,
                          "unknown memory order '%s': expected sc, rlx, con, acq, rel or ar",
                          hd_text_quote(word, quoted));
    ev->order = (enum hd_mem_order)order;
    return HD_OK;
}

/* *given: the line has an order already. */
static enum hd_status parse_order(struct hd_span word, struct hd_event *ev, bool *given,
                                  struct hd_err *err)
{
    if (!hd_op_is_atomic(ev->op) && ev->op != HD_OP_ACQ && ev->op != HD_OP_REL)
        return hd_err_set(err, HD_ERR_INPUT,
                          "attribute mo= is for ar, aw, rmw, acq and rel, found on %s",
                          hd_op_info[ev->op].text);
    if (*given)
        return hd_err_set(err, HD_ERR_INPUT, "attribute mo= is given twice");
    *given = true;
    return hd_text_order(word, ev, err);
}

static enum hd_status parse_attribute(struct hd_text_reader *r, struct hd_span item,
                                      struct hd_event *ev, bool *ordered, struct hd_err *err)
{
    const char *eq = memchr(item.p, '=', hd_span_len(item));
    char quoted[HD_TEXT_QUOTE];
    if (is(item, "try"))
        return parse_try(ev, err);
    if (!eq)
        return hd_err_set(err, HD_ERR_INPUT, "expected an attribute name=events, found '%s'",
                          hd_text_quote(item, quoted));
    struct hd_span name = hd_text_trim((struct hd_span){item.p, eq});
    if (is(name, "mo"))
        return parse_order(hd_text_trim((struct hd_span){eq + 1, item.end}), ev, ordered, err);
    struct hd_dep_list *list = target(name, ev, err);
    if (!list)
        return HD_ERR_INPUT;
    struct hd_u32vec *events = list == &ev->addr ? &r->addr : &r->deps;
    enum hd_status status = parse_list((struct hd_span){eq + 1, item.end}, name, events, err);
    *list = (struct hd_dep_list){true, (uint32_t)events->len, events->data};
    return status;
}

enum hd_status hd_text_attributes(struct hd_text_reader *r, struct hd_span field,
                                  struct hd_event *ev, struct hd_err *err)
{
    bool ordered = false;
    if (field.p == field.end)
        return HD_OK;
    for (;;) {
        const char *semicolon = memchr(field.p, ';', hd_span_len(field));
        struct hd_span item = {field.p, semicolon ? semicolon : field.end};
        enum hd_status status = parse_attribute(r, hd_text_trim(item), ev, &ordered, err);
        if (status != HD_OK || !semicolon)
            return status;
        field.p = semicolon + 1;
    }
}
