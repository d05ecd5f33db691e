/* Writing canonical text and plain STD. */
#include "base/alloc.h"
#include "trace/text/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FLUSH_AT = 1 << 16 };

/* Lines gather here; one fwrite takes many of them. A failed stream is told of at the end. */
struct out {
    FILE *file;
    char *data;
    size_t len, cap;
    int error;         /* errno of the first write that failed, or 0 */
    uint64_t too_long; /* the number of the first event whose line readers would refuse, or 0 */
};

/* Room for n more bytes. */
static char *room(struct out *o, size_t n)
{
    if (o->len + n > o->cap) {
        size_t cap = (o->len + n) * 2;
        o->data = hd_realloc(o->data, o->cap, cap);
        o->cap = cap;
    }
    return o->data + o->len;
}

static void put(struct out *o, const char *text, size_t len)
{
    memcpy(room(o, len), text, len);
    o->len += len;
}

static void put_text(struct out *o, const char *text)
{
    put(o, text, strlen(text));
}

static void put_char(struct out *o, char c)
{
    *room(o, 1) = c;
    o->len++;
}

static void put_number(struct out *o, uint64_t number)
{
    char digits[20], *p = digits + sizeof digits;
    do
        *--p = (char)('0' + number % 10);
    while (number /= 10);
    put(o, p, (size_t)(digits + sizeof digits - p));
}

static void put_name(struct out *o, const struct hd_names *names, uint32_t id)
{
    put(o, hd_names_text(names, id), hd_names_len(names, id));
}

static void flush(struct out *o)
{
    if (!o->error && fwrite(o->data, 1, o->len, o->file) != o->len)
        o->error = errno ? errno : EIO;
    o->len = 0;
}

static enum hd_status close_out(struct out *o, struct hd_err *err)
{
    flush(o);
    hd_free(o->data, o->cap);
    if (o->too_long)
        return hd_err_set(err, HD_ERR_LIMIT, "event %llu needs a line of more than %u bytes",
                          (unsigned long long)o->too_long, HD_TEXT_MAX_LINE);
    if (!o->error && (fflush(o->file) != 0 || ferror(o->file)))
        o->error = errno ? errno : EIO;
    return o->error ? hd_err_set(err, HD_ERR_IO, "%s", strerror(o->error)) : HD_OK;
}

static void put_args(struct out *o, const struct hd_trace *t, hd_eid e)
{
    enum hd_op op = t->op[e];
    const struct hd_op_info *info = &hd_op_info[op];
    bool values = hd_op_is_access(op) && !(t->flags[e] & HD_F_OMITTED);
    if (op == HD_OP_FENCE) {
        put_char(o, '(');
        put_text(o, hd_mem_order_info[hd_trace_order(t, e)].text);
        put_char(o, ')');
    }
    if (info->kind == HD_OBJ_NONE)
        return;
    put_char(o, '(');
    put_name(o, info->kind == HD_OBJ_THREAD ? &t->threads : &t->objs[info->kind], t->obj[e]);
    if (info->has_lock) {
        put_char(o, ',');
        put_name(o, &t->objs[HD_OBJ_LOCK], hd_trace_lock(t, e));
    }
    if (values && hd_op_reads(op)) {
        put_char(o, ',');
        put_number(o, hd_trace_read_value(t, e).bits);
    }
    if (values && hd_op_writes(op)) {
        put_char(o, ',');
        put_number(o, hd_trace_write_value(t, e).bits);
    }
    put_char(o, ')');
}

/* Distances ascend, so events come out latest first; event numbers read better ascending. */
static void put_set(struct out *o, const struct hd_trace *t, hd_eid e, const char *name,
                    struct hd_deps deps)
{
    put_text(o, name);
    for (uint32_t i = deps.n; i-- > 0;) {
        put_number(o, (uint64_t)hd_trace_back(t, e, deps.dist[i]) + 1);
        if (i > 0)
            put_char(o, ',');
    }
}

/* An empty addr is the default and is not written; an empty deps or val is not, and is. True: wrote
 * something. */
static bool put_attributes(struct out *o, const struct hd_trace *t, hd_eid e)
{
    enum hd_op op = t->op[e];
    struct hd_deps value = {.all = true}, addr = {0};
    if (op == HD_OP_BRANCH || hd_op_writes(op))
        value = hd_trace_deps(t, e, HD_DEP_VALUE);
    if (hd_op_is_access(op))
        addr = hd_trace_deps(t, e, HD_DEP_ADDR);
    if (!value.all)
        put_set(o, t, e, op == HD_OP_BRANCH ? "|deps=" : "|val=", value);
    if (addr.n)
        put_set(o, t, e, value.all ? "|addr=" : ";addr=", addr);
    return !value.all || addr.n;
}

static void put_event(struct out *o, const struct hd_trace *t, hd_eid e)
{
    put_name(o, &t->threads, t->thread[e]);
    put_char(o, '|');
    put_text(o, hd_op_info[t->op[e]].text);
    put_args(o, t, e);
    put_char(o, '|');
    put_name(o, &t->places, t->place[e]);
    bool attributes = t->dep[e] && put_attributes(o, t, e);
    if (t->flags[e] & HD_F_ORDER && t->op[e] != HD_OP_FENCE) {
        put_text(o, attributes ? ";mo=" : "|mo=");
        put_text(o, hd_mem_order_info[hd_trace_order(t, e)].text);
        attributes = true;
    }
    if (t->flags[e] & HD_F_TRY)
        put_text(o, attributes ? ";try" : "|try");
    put_char(o, '\n');
}

static void put_events(struct out *o, const struct hd_trace *t)
{
    for (size_t e = 0; e < t->n_events; e++) {
        size_t start = o->len;
        put_event(o, t, (hd_eid)e);
        if (o->len - start > HD_TEXT_MAX_LINE && !o->too_long)
            o->too_long = e + 1;
        if (o->len >= FLUSH_AT)
            flush(o);
    }
}

void hd_text_write_event(const struct hd_trace *t, hd_eid e, FILE *out)
{
    struct out o = {.file = out};
    put_event(&o, t, e);
    flush(&o);
    hd_free(o.data, o.cap);
}

/* An object that has a directive. */
struct directive {
    uint64_t first; /* its first event; objects without events come last, by name */
    const char *name;
    uint64_t number;
};

static int by_appearance(const void *a, const void *b)
{
    const struct directive *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* Whether the object needs a directive, and its number. A semaphore that starts at 0 needs one only
 * if nothing else mentions it. */
static bool directive_number(const struct hd_trace *t, enum hd_obj_kind kind, uint32_t id,
                             bool occurs, uint64_t *number)
{
    if (kind == HD_OBJ_LOC) {
        *number = t->loc_init[id].value.bits;
        return t->loc_init[id].how == HD_INIT_GIVEN;
    }
    *number = kind == HD_OBJ_SEM ? t->sem_init[id] : t->barrier_size[id];
    return kind == HD_OBJ_BARRIER || *number || !occurs;
}

/* In order of first appearance, not of id: ids depend on where directives stood in the input. */
static void put_directives(struct out *o, const struct hd_trace *t, enum hd_obj_kind kind,
                           const char *word)
{
    size_t count = hd_trace_n_objs(t, kind), n = 0;
    struct directive *list = hd_alloc(count * sizeof *list);
    for (uint32_t id = 0; id < count; id++) {
        size_t events;
        const hd_eid *event = hd_trace_obj_events(t, kind, id, &events);
        list[n].first = events ? event[0] : UINT64_MAX;
        list[n].name = hd_trace_obj_name(t, kind, id);
        if (directive_number(t, kind, id, events > 0, &list[n].number))
            n++;
    }
    qsort(list, n, sizeof *list, by_appearance);
    for (size_t i = 0; i < n; i++) {
        put_text(o, word);
        put_text(o, list[i].name);
        put_char(o, ' ');
        put_number(o, list[i].number);
        put_char(o, '\n');
    }
    hd_free(list, count * sizeof *list);
}

static enum hd_status check_names(const struct hd_names *names,
                                  bool (*ok)(const char *name, size_t len), const char *what,
                                  struct hd_err *err)
{
    for (uint32_t id = 0; id < names->count; id++)
        if (!ok(hd_names_text(names, id), hd_names_len(names, id)))
            return hd_err_set(err, HD_ERR_INPUT, "text cannot hold the name of %s %u", what,
                              id + 1);
    return HD_OK;
}

static enum hd_status check_all_names(const struct hd_trace *t, struct hd_err *err)
{
    static const char *const what[] = {"location", "lock", "condition", "semaphore", "barrier"};
    enum hd_status status = check_names(&t->threads, hd_text_thread_ok, "thread", err);
    if (status == HD_OK)
        status = check_names(&t->places, hd_text_place_ok, "source place", err);
    for (int kind = 0; status == HD_OK && kind < HD_OBJ_KINDS; kind++)
        status = check_names(&t->objs[kind], hd_text_name_ok, what[kind], err);
    return status;
}

enum hd_status hd_text_write(const struct hd_trace *t, FILE *out, struct hd_err *err)
{
    struct out o = {.file = out};
    enum hd_status status = check_all_names(t, err);
    if (status != HD_OK)
        return status;
    if (t->control == HD_CONTROL_BRANCHES)
        put_text(&o, "!control branches\n");
    put_directives(&o, t, HD_OBJ_LOC, "!init ");
    put_directives(&o, t, HD_OBJ_SEM, "!sem ");
    put_directives(&o, t, HD_OBJ_BARRIER, "!barrier ");
    put_events(&o, t);
    return close_out(&o, err);
}

/* Why plain STD cannot say this event, or NULL. */
static const char *not_std(const struct hd_trace *t, hd_eid e)
{
    switch ((enum hd_op)t->op[e]) {
    case HD_OP_READ:
    case HD_OP_WRITE:
        if (!(t->flags[e] & HD_F_OMITTED))
            return "it has no values";
        return t->dep[e] ? "it has no attributes" : NULL;
    case HD_OP_ACQ:
    case HD_OP_REL:
    case HD_OP_FORK:
    case HD_OP_JOIN:
    case HD_OP_BEGIN:
    case HD_OP_END:
        return NULL;
    default:
        return "it has only r, w, acq, rel, fork, join, begin and end";
    }
}

enum hd_status hd_text_check_std(const struct hd_trace *t, struct hd_err *err)
{
    if (t->control == HD_CONTROL_BRANCHES)
        return hd_err_set(err, HD_ERR_INPUT, "plain STD cannot say '!control branches'");
    for (hd_eid e = 0; e < t->n_events; e++) {
        const char *reason = not_std(t, e);
        if (reason)
            return hd_err_set(err, HD_ERR_INPUT, "plain STD cannot say event %llu, a %s: %s",
                              (unsigned long long)e + 1, hd_op_info[t->op[e]].text, reason);
    }
    for (uint32_t x = 0; x < hd_trace_n_objs(t, HD_OBJ_LOC); x++)
        if (t->loc_init[x].how == HD_INIT_GIVEN)
            return hd_err_set(err, HD_ERR_INPUT, "plain STD cannot say the initial value of %s",
                              hd_trace_obj_name(t, HD_OBJ_LOC, x));
    if (hd_trace_n_objs(t, HD_OBJ_SEM))
        return hd_err_set(err, HD_ERR_INPUT, "plain STD cannot say the semaphore %s",
                          hd_trace_obj_name(t, HD_OBJ_SEM, 0));
    if (hd_trace_n_objs(t, HD_OBJ_BARRIER))
        return hd_err_set(err, HD_ERR_INPUT, "plain STD cannot say the barrier %s",
                          hd_trace_obj_name(t, HD_OBJ_BARRIER, 0));
    return check_all_names(t, err);
}

enum hd_status hd_text_write_std(const struct hd_trace *t, FILE *out, struct hd_err *err)
{
    struct out o = {.file = out};
    enum hd_status status = hd_text_check_std(t, err);
    if (status != HD_OK)
        return status;
    put_events(&o, t);
    return close_out(&o, err);
}
