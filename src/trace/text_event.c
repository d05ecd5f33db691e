/* One event line: fields, operation, arguments. */
#include "trace/text_int.h"

#include <string.h>

/* The operation field taken apart. Arguments beyond the third are only counted. */
struct call {
    enum hd_op op;
    unsigned n_args;
    struct hd_span arg[3];
};

static uint64_t key_slot(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - HD_TEXT_OP_BITS);
}

void hd_text_index_ops(struct hd_text_reader *r)
{
    for (int op = 0; op < HD_OP_COUNT; op++) {
        uint64_t key = 0;
        for (const char *p = hd_op_info[op].text; *p; p++)
            key = key << 8 | (unsigned char)*p;
        uint64_t i = key_slot(key);
        while (r->ops[i].key)
            i = (i + 1) % (1u << HD_TEXT_OP_BITS);
        r->ops[i] = (struct hd_text_op){key, (enum hd_op)op};
    }
}

static enum hd_status unknown_op(struct hd_span name, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    const char *nearest = hd_text_nearest_op(name);
    if (name.p == name.end)
        return hd_err_set(err, HD_ERR_INPUT,
                          "expected an operation after the thread, found nothing");
    return hd_err_set(err, HD_ERR_INPUT, "unknown operation '%s'%s%s%s",
                      hd_text_quote(name, quoted), nearest ? "; did you mean '" : "",
                      nearest ? nearest : "",
                      nearest ? "'?" : "; expected one of r w ar aw rmw br acq rel fork join ...");
}

static enum hd_status find_op(const struct hd_text_reader *r, struct hd_span name, enum hd_op *op,
                              struct hd_err *err)
{
    uint64_t key = 0;
    size_t len = hd_span_len(name);
    for (size_t i = 0; i < len && i < 8; i++)
        key = key << 8 | (unsigned char)name.p[i];
    uint64_t i = key_slot(key);
    while (r->ops[i].key && r->ops[i].key != key)
        i = (i + 1) % (1u << HD_TEXT_OP_BITS);
    if (!r->ops[i].key || len > 7 || !key)
        return unknown_op(name, err);
    *op = r->ops[i].op;
    return HD_OK;
}

static bool takes(enum hd_op op, unsigned n)
{
    const struct hd_op_info *info = &hd_op_info[op];
    if (op == HD_OP_RMW)
        return n == 1 || n == 3;
    if (hd_op_is_access(op))
        return n == 1 || n == 2;
    return n == (info->kind == HD_OBJ_NONE ? 0u : 1u + info->has_lock);
}

static enum hd_status wrong_count(const struct call *call, struct hd_err *err)
{
    static const char *const arg_of_kind[] = {"(x) or with its value: (x,5)",
                                              "(lock)",
                                              "(condition)",
                                              "(semaphore)",
                                              "(barrier)",
                                              "(thread)",
                                              ""};
    const struct hd_op_info *info = &hd_op_info[call->op];
    const char *args = arg_of_kind[info->kind];
    if (call->op == HD_OP_RMW)
        args = "(x) or with both values: (x,old,new)";
    else if (info->has_lock)
        args = "(condition,lock)";
    return hd_err_set(err, HD_ERR_INPUT, "wrong number of arguments: expected %s%s, found %u",
                      info->text, args, call->n_args);
}

/* From after '(' to after ')'. */
static enum hd_status split_args(struct hd_span *s, struct call *call, struct hd_err *err)
{
    const char *p = s->p, *start = s->p;
    for (; p < s->end && *p != ')'; p++) {
        if (*p != ',')
            continue;
        if (call->n_args < 3)
            call->arg[call->n_args] = hd_text_trim((struct hd_span){start, p});
        call->n_args++;
        start = p + 1;
    }
    if (p == s->end)
        return hd_err_set(err, HD_ERR_INPUT,
                          "expected ')' after the arguments of %s, found the end of the field",
                          hd_op_info[call->op].text);
    struct hd_span last = hd_text_trim((struct hd_span){start, p});
    if (call->n_args < 3)
        call->arg[call->n_args] = last;
    if (call->n_args || last.p < last.end)
        call->n_args++;
    s->p = p + 1;
    return HD_OK;
}

static enum hd_status parse_call(const struct hd_text_reader *r, struct hd_span field,
                                 struct call *call, struct hd_err *err)
{
    struct hd_span s = hd_text_trim(field), name = s;
    char quoted[HD_TEXT_QUOTE];
    while (s.p < s.end && *s.p != '(')
        s.p++;
    name.end = s.p;
    enum hd_status status = find_op(r, hd_text_trim(name), &call->op, err);
    if (status == HD_OK && s.p < s.end) {
        s.p++;
        status = split_args(&s, call, err);
        if (status == HD_OK && s.p < s.end)
            return hd_err_set(err, HD_ERR_INPUT, "expected nothing after ')', found '%s'",
                              hd_text_quote(s, quoted));
    }
    if (status == HD_OK && !takes(call->op, call->n_args))
        return wrong_count(call, err);
    return status;
}

static enum hd_status parse_value(struct hd_span s, uint64_t *value, struct hd_err *err)
{
    char quoted[HD_TEXT_QUOTE];
    switch (hd_text_number(s, true, value)) {
    case HD_NUMBER_OK:
        return HD_OK;
    case HD_NUMBER_RANGE:
        return hd_err_set(err, HD_ERR_INPUT,
                          "value '%s' is out of range: expected -2^63 to 2^64 - 1",
                          hd_text_quote(s, quoted));
    default:
        return hd_err_set(err, HD_ERR_INPUT, "expected a value, a decimal or 0x number, found '%s'",
                          hd_text_quote(s, quoted));
    }
}

static enum hd_status fill_args(struct hd_text_reader *r, const struct call *call,
                                struct hd_event *ev, struct hd_err *err)
{
    const struct hd_op_info *info = &hd_op_info[call->op];
    enum hd_status status = HD_OK;
    if (info->kind != HD_OBJ_NONE)
        status = hd_text_name(r, info->kind, call->arg[0], &ev->obj, err);
    if (status == HD_OK && info->has_lock)
        return hd_text_name(r, HD_OBJ_LOCK, call->arg[1], &ev->lock, err);
    if (status != HD_OK || !hd_op_is_access(call->op) || call->n_args == 1)
        return status;
    ev->has_value = true;
    status = parse_value(call->arg[1], &ev->value, err);
    if (status == HD_OK && call->op == HD_OP_RMW)
        status = parse_value(call->arg[2], &ev->new_value, err);
    return status;
}

/* Splits at '|'; absent fields are empty. Returns the number of fields, at most 5 (5: too many). */
static unsigned split_fields(struct hd_span line, struct hd_span field[4])
{
    unsigned n = 0;
    const char *p = line.p;
    for (;;) {
        const char *bar = memchr(p, '|', (size_t)(line.end - p));
        if (n < 4)
            field[n] = (struct hd_span){p, bar ? bar : line.end};
        n++;
        if (!bar || n == 5)
            break;
        p = bar + 1;
    }
    for (unsigned i = n; i < 4; i++)
        field[i] = (struct hd_span){line.end, line.end};
    return n;
}

enum hd_status hd_text_event(struct hd_text_reader *r, struct hd_span line, struct hd_err *err)
{
    struct hd_span field[4];
    struct hd_event ev = {0};
    struct call call = {0};
    char quoted[HD_TEXT_QUOTE];
    unsigned n = split_fields(line, field);
    if (n < 2)
        return hd_err_set(err, HD_ERR_INPUT, "expected thread|operation|location, found '%s'",
                          hd_text_quote(line, quoted));
    if (n > 4)
        return hd_err_set(
            err, HD_ERR_INPUT,
            "expected at most 4 fields, thread|operation|location|attributes, found more");
    enum hd_status status = hd_text_name(r, HD_OBJ_THREAD, hd_text_trim(field[0]), &ev.thread, err);
    if (status == HD_OK)
        status = parse_call(r, field[1], &call, err);
    if (status != HD_OK)
        return status;
    ev.op = call.op;
    status = fill_args(r, &call, &ev, err);
    if (status == HD_OK)
        status = hd_text_name(r, HD_TEXT_PLACE, hd_text_trim(field[2]), &ev.place, err);
    if (status == HD_OK && n == 4)
        status = hd_text_attributes(r, hd_text_trim(field[3]), &ev, err);
    return status == HD_OK ? hd_builder_add(r->b, &ev, err) : status;
}
