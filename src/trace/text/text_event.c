/* One event line: fields, operation, arguments. */
#include "trace/text/text_int.h"

#include <string.h>

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

/* The operation of a packed text, or false. */
static inline bool op_of_key(const struct hd_text_reader *r, uint64_t key, enum hd_op *op)
{
    uint64_t i = key_slot(key);
    while (r->ops[i].key && r->ops[i].key != key)
        i = (i + 1) % (1u << HD_TEXT_OP_BITS);
    *op = r->ops[i].op;
    return r->ops[i].key != 0;
}

static enum hd_status find_op(const struct hd_text_reader *r, struct hd_span name, enum hd_op *op,
                              struct hd_err *err)
{
    uint64_t key = 0;
    size_t len = hd_span_len(name);
    for (size_t i = 0; i < len && i < 8; i++)
        key = key << 8 | (unsigned char)name.p[i];
    return len <= 7 && op_of_key(r, key, op) ? HD_OK : unknown_op(name, err);
}

static inline bool takes(enum hd_op op, unsigned n)
{
    const struct hd_op_info *info = &hd_op_info[op];
    if (op == HD_OP_RMW)
        return n == 1 || n == 3;
    if (hd_op_is_access(op))
        return n == 1 || n == 2;
    if (op == HD_OP_FENCE)
        return n <= 1;
    return n == (info->kind == HD_OBJ_NONE ? 0u : 1u + info->has_lock);
}

static enum hd_status wrong_count(const struct hd_text_line *l, struct hd_err *err)
{
    static const char *const arg_of_kind[] = {"(x) or with its value: (x,5)",
                                              "(lock)",
                                              "(condition)",
                                              "(semaphore)",
                                              "(barrier)",
                                              "(thread)",
                                              ""};
    const struct hd_op_info *info = &hd_op_info[l->op];
    const char *args = arg_of_kind[info->kind];
    if (l->op == HD_OP_RMW)
        args = "(x) or with both values: (x,old,new)";
    else if (l->op == HD_OP_FENCE)
        args = " or with its order: fence(acq)";
    else if (info->has_lock)
        args = "(condition,lock)";
    return hd_err_set(err, HD_ERR_INPUT, "wrong number of arguments: expected %s%s, found %u",
                      info->text, args, l->n_args);
}

/* From after '(' to after ')'. */
static enum hd_status split_args(struct hd_span *s, struct hd_text_line *l, struct hd_err *err)
{
    const char *p = s->p, *start = s->p;
    for (; p < s->end && *p != ')'; p++) {
        if (*p != ',')
            continue;
        if (l->n_args < 3)
            l->arg[l->n_args] = hd_text_trim((struct hd_span){start, p});
        l->n_args++;
        start = p + 1;
    }
    if (p == s->end)
        return hd_err_set(err, HD_ERR_INPUT,
                          "expected ')' after the arguments of %s, found the end of the field",
                          hd_op_info[l->op].text);
    struct hd_span last = hd_text_trim((struct hd_span){start, p});
    if (l->n_args < 3)
        l->arg[l->n_args] = last;
    if (l->n_args || last.p < last.end)
        l->n_args++;
    s->p = p + 1;
    return HD_OK;
}

static enum hd_status parse_call(const struct hd_text_reader *r, struct hd_span field,
                                 struct hd_text_line *l, struct hd_err *err)
{
    struct hd_span s = hd_text_trim(field), name = s;
    char quoted[HD_TEXT_QUOTE];
    while (s.p < s.end && *s.p != '(')
        s.p++;
    name.end = s.p;
    enum hd_status status = find_op(r, hd_text_trim(name), &l->op, err);
    if (status == HD_OK && s.p < s.end) {
        s.p++;
        status = split_args(&s, l, err);
        if (status == HD_OK && s.p < s.end)
            return hd_err_set(err, HD_ERR_INPUT, "expected nothing after ')', found '%s'",
                              hd_text_quote(s, quoted));
    }
    if (status == HD_OK && !takes(l->op, l->n_args))
        return wrong_count(l, err);
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

static enum hd_status fill_args(struct hd_text_reader *r, const struct hd_text_line *l,
                                struct hd_event *ev, struct hd_err *err)
{
    const struct hd_op_info *info = &hd_op_info[l->op];
    enum hd_status status = HD_OK;
    if (l->op == HD_OP_FENCE)
        return l->n_args ? hd_text_order(l->arg[0], ev, err) : HD_OK;
    if (info->kind != HD_OBJ_NONE)
        status = hd_text_name(r, info->kind, l->arg[0], &ev->obj, err);
    if (status == HD_OK && info->has_lock)
        return hd_text_name(r, HD_OBJ_LOCK, l->arg[1], &ev->lock, err);
    if (status != HD_OK || !hd_op_is_access(l->op) || l->n_args == 1)
        return status;
    ev->has_value = true;
    status = parse_value(l->arg[1], &ev->value, err);
    if (status == HD_OK && l->op == HD_OP_RMW)
        status = parse_value(l->arg[2], &ev->new_value, err);
    return status;
}

/* Splits any line; absent fields are empty. */
static enum hd_status split_line(const struct hd_text_reader *r, struct hd_span line,
                                 struct hd_text_line *l, struct hd_err *err)
{
    struct hd_span field[4];
    char quoted[HD_TEXT_QUOTE];
    unsigned n = 0;
    for (const char *p = line.p; p && n < 5; n++) {
        const char *bar = memchr(p, '|', (size_t)(line.end - p));
        if (n < 4)
            field[n] = hd_text_trim((struct hd_span){p, bar ? bar : line.end});
        p = bar ? bar + 1 : NULL;
    }
    if (n < 2)
        return hd_err_set(err, HD_ERR_INPUT, "expected thread|operation|location, found '%s'",
                          hd_text_quote(line, quoted));
    if (n > 4)
        return hd_err_set(
            err, HD_ERR_INPUT,
            "expected at most 4 fields, thread|operation|location|attributes, found more");
    for (unsigned i = n; i < 4; i++)
        field[i] = (struct hd_span){line.end, line.end};
    *l = (struct hd_text_line){.thread = field[0], .place = field[2], .attributes = field[3]};
    return parse_call(r, field[1], l, err);
}

/* Bytes at which a scan of the quick way stops. The byte after a line is always one of them. */
static const bool stops[256] = {['|'] = 1, ['('] = 1, [','] = 1, [')'] = 1, ['\n'] = 1, ['\r'] = 1};

/* The next stop from p on. */
static inline const char *scan(const char *p)
{
    while (!stops[(unsigned char)*p])
        p++;
    return p;
}

/* Not empty, and no blanks at its ends. */
static inline bool tight(struct hd_span s)
{
    return s.p < s.end && !hd_text_blank(s.p[0]) && !hd_text_blank(s.end[-1]);
}

/* The operation that p begins with; NULL when it is none, else the byte after. */
static inline const char *quick_op(const struct hd_text_reader *r, const char *p, enum hd_op *op)
{
    uint64_t key = 0;
    const char *start = p;
    for (; *p >= 'a' && *p <= 'z'; p++)
        key = key << 8 | (unsigned char)*p;
    return p - start <= 7 && op_of_key(r, key, op) ? p : NULL;
}

/* Location and attributes, from the '|' before them or the end of the line. */
static inline bool quick_rest(const char *p, const char *end, struct hd_text_line *l)
{
    l->place = l->attributes = (struct hd_span){end, end};
    if (p == end)
        return true;
    if (*p != '|')
        return false;
    p++;
    const char *bar = memchr(p, '|', (size_t)(end - p));
    l->place = (struct hd_span){p, bar ? bar : end};
    if (bar) {
        l->attributes = hd_text_trim((struct hd_span){bar + 1, end});
        if (memchr(bar + 1, '|', (size_t)(end - bar - 1)))
            return false;
    }
    return l->place.p == l->place.end || tight(l->place);
}

/* The quick way: lines without stray blanks, which is nearly all of them. False means that
 * split_line shall judge; what is split here would be split there in the same way. */
static inline bool quick_line(const struct hd_text_reader *r, struct hd_span line,
                              struct hd_text_line *l)
{
    const char *p = scan(line.p);
    unsigned n = 0;
    l->thread = (struct hd_span){line.p, p};
    if (*p != '|' || !tight(l->thread) || !(p = quick_op(r, p + 1, &l->op)))
        return false;
    if (*p == '(') {
        do {
            const char *start = p + 1;
            p = scan(start);
            if (n == 3)
                return false;
            l->arg[n] = (struct hd_span){start, p};
            if (!tight(l->arg[n++]))
                return false;
        } while (*p == ',');
        if (*p++ != ')')
            return false;
    }
    l->n_args = n;
    return takes(l->op, l->n_args) && quick_rest(p, line.end, l);
}

enum hd_status hd_text_event(struct hd_text_reader *r, struct hd_span line, struct hd_err *err)
{
    struct hd_event ev = {0};
    struct hd_text_line l;
    enum hd_status status = quick_line(r, line, &l) ? HD_OK : split_line(r, line, &l, err);
    if (status == HD_OK)
        status = hd_text_name(r, HD_OBJ_THREAD, l.thread, &ev.thread, err);
    if (status != HD_OK)
        return status;
    ev.op = l.op;
    status = fill_args(r, &l, &ev, err);
    if (status == HD_OK)
        status = hd_text_name(r, HD_TEXT_PLACE, l.place, &ev.place, err);
    if (status == HD_OK && l.attributes.p < l.attributes.end)
        status = hd_text_attributes(r, l.attributes, &ev, err);
    return status == HD_OK ? hd_builder_add(r->b, &ev, err) : status;
}
