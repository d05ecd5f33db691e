#include "concolic/shared_arena.h"

#include "base/log.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t padded(size_t n)
{
    return (n + 7) & ~(size_t)7;
}

/* ---- making ---- */

struct writer {
    int fd;
    uint64_t at;
    bool failed;
};

static void put(struct writer *w, const void *data, size_t n)
{
    static const char zeros[8];
    struct {
        const void *data;
        size_t n;
    } parts[] = {{data, n}, {zeros, padded(n) - n}};
    for (int i = 0; i < 2; i++) {
        if (parts[i].n == 0)
            continue;
        ssize_t done = pwrite(w->fd, parts[i].data, parts[i].n, (off_t)w->at);
        w->failed |= done != (ssize_t)parts[i].n;
        w->at += parts[i].n;
    }
}

static void put_object(struct writer *w, struct hd_input_bytes name, struct hd_input_bytes bytes)
{
    struct hd_sym_given g = {(uint32_t)name.len, (uint32_t)bytes.len};
    put(w, &g, sizeof g);
    put(w, name.data, name.len);
    put(w, bytes.data, bytes.len);
}

static void put_input(struct writer *w, const struct hd_input *in, bool repeat)
{
    struct hd_sym_header h = {.magic = HD_SYM_MAGIC, .version = HD_SYM_VERSION};
    w->at = HD_SYM_AT_GIVEN;
    for (size_t i = 0; i < in->places.len; i++)
        put_object(w, *(struct hd_input_bytes *)hd_vec_at(&in->places, i),
                   (struct hd_input_bytes){NULL, 0});
    for (size_t i = 0; i < in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&in->objects, i);
        put_object(w, o->name, o->bytes);
    }
    h.flags = repeat ? HD_SYM_REPEAT : 0;
    h.given_bytes = (uint32_t)(w->at - HD_SYM_AT_GIVEN);
    w->at = 0;
    put(w, &h, sizeof h);
}

static size_t total(const struct hd_input *in)
{
    size_t n = 0;
    for (size_t i = 0; i < in->places.len; i++)
        n += 16 + ((struct hd_input_bytes *)hd_vec_at(&in->places, i))->len;
    for (size_t i = 0; i < in->objects.len; i++) {
        const struct hd_input_object *o = hd_vec_at(&in->objects, i);
        n += 32 + o->name.len + o->bytes.len;
    }
    return n;
}

enum hd_status hd_shared_arena_create(const char *path, const struct hd_input *in, bool repeat,
                                      struct hd_err *err)
{
    if (total(in) > HD_SYM_MAX_GIVEN)
        return hd_err_set(err, HD_ERR_LIMIT, "the input is larger than %u bytes", HD_SYM_MAX_GIVEN);
    struct writer w = {.fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600)};
    if (w.fd < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    w.failed = !repeat && ftruncate(w.fd, (off_t)HD_SYM_SIZE) < 0;
    if (!w.failed)
        put_input(&w, in, repeat);
    close(w.fd);
    if (w.failed)
        return hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    return HD_OK;
}

/* ---- checking ---- */

static uint64_t mask(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static int64_t as_signed(uint64_t v, unsigned width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)((v ^ sign) - sign);
}

/* A division that the program survived is defined; anything else is only a check that fails. */
static uint64_t divide(enum hd_sym_op op, uint64_t a, uint64_t b, unsigned width)
{
    int64_t x = as_signed(a, width), y = as_signed(b, width);
    if (b == 0)
        return 0;
    switch (op) {
    case HD_SYM_UDIV:
        return a / b;
    case HD_SYM_UREM:
        return a % b;
    case HD_SYM_SDIV:
        return y == -1 ? 0 - a : (uint64_t)(x / y);
    default:
        return y == -1 ? 0 : (uint64_t)(x % y);
    }
}

static uint64_t shift(enum hd_sym_op op, uint64_t a, uint64_t by, unsigned width)
{
    if (by >= width)
        return op == HD_SYM_ASHR && as_signed(a, width) < 0 ? UINT64_MAX : 0;
    if (op == HD_SYM_SHL)
        return a << by;
    return op == HD_SYM_LSHR ? a >> by : (uint64_t)(as_signed(a, width) >> by);
}

static bool compare(enum hd_sym_op op, uint64_t a, uint64_t b, unsigned width)
{
    int64_t x = as_signed(a, width), y = as_signed(b, width);
    switch (op) {
    case HD_SYM_EQ:
        return a == b;
    case HD_SYM_NE:
        return a != b;
    case HD_SYM_UGT:
        return a > b;
    case HD_SYM_UGE:
        return a >= b;
    case HD_SYM_ULT:
        return a < b;
    case HD_SYM_ULE:
        return a <= b;
    case HD_SYM_SGT:
        return x > y;
    case HD_SYM_SGE:
        return x >= y;
    case HD_SYM_SLT:
        return x < y;
    default:
        return x <= y;
    }
}

static uint64_t arithmetic(enum hd_sym_op op, uint64_t a, uint64_t b)
{
    switch (op) {
    case HD_SYM_ADD:
        return a + b;
    case HD_SYM_SUB:
        return a - b;
    case HD_SYM_MUL:
        return a * b;
    case HD_SYM_AND:
        return a & b;
    case HD_SYM_OR:
        return a | b;
    default:
        return a ^ b;
    }
}

uint64_t hd_shared_arena_eval(const struct hd_sym_node *nodes, uint32_t id)
{
    const struct hd_sym_node *n = &nodes[id], *a = &nodes[n->a], *b = &nodes[n->b];
    enum hd_sym_op op = n->op;
    uint64_t v = n->value;
    if (op >= HD_SYM_UDIV && op <= HD_SYM_SREM)
        v = divide(op, a->value, b->value, a->width);
    else if (op >= HD_SYM_SHL && op <= HD_SYM_ASHR)
        v = shift(op, a->value, b->value, a->width);
    else if (op >= HD_SYM_EQ && op <= HD_SYM_SLE)
        v = compare(op, a->value, b->value, a->width);
    else if (op >= HD_SYM_ADD && op <= HD_SYM_XOR)
        v = arithmetic(op, a->value, b->value);
    else if (op == HD_SYM_ZEXT)
        v = a->value;
    else if (op == HD_SYM_SEXT)
        v = (uint64_t)as_signed(a->value, a->width);
    else if (op == HD_SYM_EXTRACT)
        v = a->value >> n->b;
    else if (op == HD_SYM_CONCAT)
        v = a->value << b->width | b->value;
    else if (op == HD_SYM_ITE)
        v = a->value ? b->value : nodes[n->c].value;
    return v & mask(n->width);
}

static bool widths_fit(const struct hd_sym_node *nodes, const struct hd_sym_node *n)
{
    unsigned a = nodes[n->a].width, b = nodes[n->b].width;
    enum hd_sym_op op = n->op;
    if (op >= HD_SYM_ADD && op <= HD_SYM_XOR)
        return a == b && a == n->width;
    if (op >= HD_SYM_EQ && op <= HD_SYM_SLE)
        return a == b && n->width == 1;
    if (op == HD_SYM_ZEXT || op == HD_SYM_SEXT)
        return a < n->width;
    if (op == HD_SYM_EXTRACT)
        return n->b < 64 && n->b + n->width <= a;
    if (op == HD_SYM_CONCAT)
        return a + b == n->width;
    return a == 1 && b == n->width && nodes[n->c].width == b; /* ITE */
}

static bool is_sound(const struct hd_shared_arena *a, uint32_t id)
{
    const struct hd_sym_node *n = &a->nodes[id];
    if (n->op == HD_SYM_NONE || n->op >= HD_SYM_OP_COUNT || n->width == 0 || n->width > 64)
        return false;
    if (n->op == HD_SYM_CONST)
        return (n->value & ~mask(n->width)) == 0;
    if (n->op == HD_SYM_INPUT)
        return n->width == 8 && n->a < a->n_objects && n->b < a->objects[n->a].size;
    bool two = n->op != HD_SYM_ZEXT && n->op != HD_SYM_SEXT && n->op != HD_SYM_EXTRACT;
    if (n->a == 0 || n->a >= id || (two && (n->b == 0 || n->b >= id)))
        return false;
    if (n->op == HD_SYM_ITE && (n->c == 0 || n->c >= id))
        return false;
    return widths_fit(a->nodes, n) && hd_shared_arena_eval(a->nodes, id) == n->value;
}

static uint32_t at_most(uint32_t n, uint32_t max)
{
    return n < max ? n : max;
}

static void check(struct hd_shared_arena *a)
{
    const struct hd_sym_header *h = a->header;
    a->n_objects = at_most(h->n_objects, HD_SYM_MAX_OBJECTS);
    for (uint32_t i = 0; i < a->n_objects; i++) {
        const struct hd_sym_object *o = &a->objects[i];
        if (!memchr(o->name, 0, sizeof o->name) || o->start > HD_SYM_MAX_DATA ||
            o->size > HD_SYM_MAX_DATA - o->start)
            a->n_objects = i;
    }
    a->n_nodes = at_most(h->n_nodes, HD_SYM_MAX_NODES);
    for (uint32_t id = 1; id < a->n_nodes; id++)
        if (!is_sound(a, id))
            a->n_nodes = a->bad = id;
    a->n_steps = at_most(h->n_steps, HD_SYM_MAX_STEPS);
    for (uint32_t i = 0; i < a->n_steps; i++) {
        uint32_t e = a->steps[i].expr;
        if (e == 0 || e >= a->n_nodes || a->nodes[e].width != 1)
            a->n_steps = i;
    }
    a->n_outcomes = at_most(h->n_outcomes, HD_SYM_MAX_OUTCOMES);
    a->n_branches = at_most(h->n_branches, HD_SYM_MAX_BRANCHES);
}

enum hd_status hd_shared_arena_open(const char *path, struct hd_shared_arena *a, struct hd_err *err)
{
    struct stat st;
    *a = (struct hd_shared_arena){0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return hd_err_set(err, HD_ERR_IO, "cannot read %s: %s", path, strerror(errno));
    bool whole = fstat(fd, &st) == 0 && (uint64_t)st.st_size >= HD_SYM_SIZE;
    void *p = whole ? mmap(NULL, HD_SYM_SIZE, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    close(fd);
    if (p == MAP_FAILED)
        return hd_err_set(err, HD_ERR_IO, "cannot map %s", path);
    a->base = p;
    a->header = p;
    a->nodes = (const void *)(a->base + HD_SYM_AT_NODES);
    a->steps = (const void *)(a->base + HD_SYM_AT_STEPS);
    a->objects = (const void *)(a->base + HD_SYM_AT_OBJECTS);
    a->branches = (const void *)(a->base + HD_SYM_AT_BRANCHES);
    a->cover = a->base + HD_SYM_AT_COVER;
    a->data = a->base + HD_SYM_AT_DATA;
    a->strings = (const char *)a->base + HD_SYM_AT_STRINGS;
    if (a->header->magic != HD_SYM_MAGIC || a->header->owner == 0) {
        hd_shared_arena_close(a);
        return hd_err_set(err, HD_ERR_INPUT,
                          "the program was not built for this: compile and link it with "
                          "heddle cc --concolic");
    }
    check(a);
    HD_DEBUG_LINE(CONCOLIC, "%s: %u nodes, %u choices, %u outcomes%s", path, a->n_nodes, a->n_steps,
                  a->n_outcomes, a->bad ? ", damaged" : "");
    return HD_OK;
}

void hd_shared_arena_close(struct hd_shared_arena *a)
{
    if (a->base)
        munmap((void *)(uintptr_t)a->base, HD_SYM_SIZE);
    a->base = NULL;
}

const char *hd_shared_arena_string(const struct hd_shared_arena *a, uint32_t at)
{
    if (at >= HD_SYM_MAX_STRINGS || !memchr(a->strings + at, 0, HD_SYM_MAX_STRINGS - at))
        return "";
    return a->strings + at;
}
