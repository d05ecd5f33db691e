/* The arena: mapping it, making nodes. Runs in the user's process; see the rules in rt.h. */
#include "rt/core/rt_check.h"
#include "rt/concolic/rt_sym.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

struct hd_sym hd_rt_sym;
HD_EXPORT uint8_t __hd_sym_filter[65536];
HD_EXPORT __thread struct hd_sym_flow __hd_sym_flow;
HD_EXPORT uint64_t __hd_sym_past;
HD_EXPORT uint64_t __hd_sym_inside;
static uint32_t no_shapes[1];
HD_EXPORT uint32_t *__hd_sym_shapes = no_shapes;

static uint32_t *table; /* ids by hash; open addressing, at most half full */
static size_t table_size;

/* A forked child has the mapping too, but is not part of the run. */
static void in_child(void)
{
    hd_rt_sym.on = false;
    for (size_t i = 0; i < sizeof __hd_sym_filter; i++)
        __hd_sym_filter[i] = 0;
}

static void *private_memory(size_t bytes)
{
    void *p = hd_rt_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

/* The file of a run that is repeated ends behind what is given, and is only read. */
static struct hd_sym_header *read_given(int fd, const struct hd_sym_header *head)
{
    long bytes = (long)(HD_SYM_AT_GIVEN + head->given_bytes);
    char *p = head->given_bytes <= HD_SYM_MAX_GIVEN ? private_memory(HD_SYM_SIZE) : NULL;
    for (long done = 0; p && done < bytes;) {
        long n = hd_rt_syscall(SYS_pread64, fd, (long)p + done, bytes - done, done, 0, 0);
        if (n <= 0)
            return NULL;
        done += n;
    }
    return (struct hd_sym_header *)(void *)p;
}

/* NULL: not for us. */
static struct hd_sym_header *map(int fd)
{
    struct hd_sym_header head;
    if (hd_rt_syscall(SYS_pread64, fd, (long)&head, sizeof head, 0, 0, 0) != (long)sizeof head)
        return NULL;
    bool repeat = head.flags & HD_SYM_REPEAT;
    if (head.magic != HD_SYM_MAGIC || head.version != HD_SYM_VERSION || (head.owner && !repeat))
        return NULL;
    if (repeat)
        return read_given(fd, &head);
    void *p = hd_rt_mmap(NULL, HD_SYM_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (p == MAP_FAILED)
        return NULL;
    /* Reading ahead in a file of holes fills memory with zeros that are not read. */
    hd_rt_syscall(SYS_madvise, (long)p, (long)HD_SYM_SIZE, MADV_RANDOM, 0, 0, 0);
    return p;
}

void hd_rt_sym_open(void)
{
    static bool tried;
    const char *path = getenv(HD_SYM_ENV);
    if (tried || !rt.on || !path || !*path)
        return;
    tried = true;
    long fd = hd_rt_syscall(SYS_open, (long)path, O_RDWR | O_CLOEXEC, 0, 0, 0, 0);
    if (fd < 0)
        return;
    struct hd_sym_header *h = map((int)fd);
    hd_rt_syscall(SYS_close, fd, 0, 0, 0, 0, 0);
    if (!h)
        return;
    table_size = 1u << 14;
    table = private_memory(table_size * sizeof *table);
    hd_rt_sym.shapes = private_memory((size_t)HD_SYM_MAX_NODES * sizeof(uint32_t));
    hd_rt_sym.told = private_memory((size_t)HD_SYM_MAX_NODES * sizeof(uint32_t));
    if (!table || !hd_rt_sym.shapes || !hd_rt_sym.told)
        return;
    h->owner = (uint32_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    h->n_nodes = h->n_strings = 1; /* 0 stands for none */
    hd_rt_sym.header = h;
    hd_rt_sym.base = (uint8_t *)h;
    hd_rt_sym.nodes = (struct hd_sym_node *)((char *)h + HD_SYM_AT_NODES);
    __hd_sym_shapes = hd_rt_sym.shapes;
    pthread_atfork(NULL, NULL, in_child);
    hd_rt_sym.on = true;
    hd_rt_sym_fence_watch();
}

void hd_rt_sym_lost(enum hd_sym_lost why)
{
    if (hd_rt_sym.on)
        hd_rt_sym.header->lost[why]++;
}

uint32_t hd_rt_sym_string(const char *text, size_t len)
{
    struct hd_sym_header *h = hd_rt_sym.header;
    uint32_t at = h->n_strings;
    if (at + len + 1 > HD_SYM_MAX_STRINGS)
        return 0;
    char *to = (char *)hd_rt_sym.base + HD_SYM_AT_STRINGS + at;
    for (size_t i = 0; i < len; i++)
        to[i] = text[i];
    h->n_strings += (uint32_t)len + 1;
    return at;
}

/* ---- hash-consing ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static uint64_t hash_node(const struct hd_sym_node *n)
{
    uint64_t h = mix((uint64_t)n->op << 8 | n->width, (uint64_t)n->a << 32 | n->b);
    return mix(h, (uint64_t)n->c ^ (n->op == HD_SYM_CONST ? n->value << 1 : 0));
}

static bool same(const struct hd_sym_node *x, const struct hd_sym_node *y)
{
    return x->op == y->op && x->width == y->width && x->a == y->a && x->b == y->b && x->c == y->c &&
           (x->op != HD_SYM_CONST || x->value == y->value);
}

static void grow(void)
{
    size_t size = table_size * 4;
    uint32_t *wide = private_memory(size * sizeof *wide);
    if (!wide)
        return;
    for (uint32_t id = 1; id < hd_rt_sym.header->n_nodes; id++) {
        size_t i = hash_node(&hd_rt_sym.nodes[id]) & (size - 1);
        while (wide[i])
            i = (i + 1) & (size - 1);
        wide[i] = id;
    }
    hd_rt_munmap(table, table_size * sizeof *table);
    table = wide;
    table_size = size;
}

/* Inputs count by the name of their object, which is the same in every run; its number is not. */
static uint32_t shape_of(const struct hd_sym_node *n)
{
    const uint32_t *s = hd_rt_sym.shapes;
    uint64_t h = mix(77, (uint64_t)n->op << 8 | n->width);
    if (n->op == HD_SYM_CONST)
        return (uint32_t)mix(h, n->value) | 1;
    if (n->op == HD_SYM_INPUT) {
        const struct hd_sym_object *o =
            (struct hd_sym_object *)(hd_rt_sym.base + HD_SYM_AT_OBJECTS) + n->a;
        for (const char *c = o->name; *c; c++)
            h = mix(h, (uint8_t)*c);
        return (uint32_t)mix(h, n->b) | 1;
    }
    h = mix(h, s[n->a]);
    h = mix(h, n->op == HD_SYM_EXTRACT ? n->b : s[n->b]);
    return (uint32_t)mix(h, s[n->c]) | 1;
}

static uint64_t mask(unsigned width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static uint32_t intern(struct hd_sym_node n)
{
    struct hd_sym_header *h = hd_rt_sym.header;
    size_t i = hash_node(&n) & (table_size - 1);
    HD_RT_CHECK(n.op > HD_SYM_NONE && n.op < HD_SYM_OP_COUNT && n.width >= 1 && n.width <= 64);
    HD_RT_CHECK(n.value == (n.value & mask(n.width)));
    HD_RT_CHECK(n.op == HD_SYM_INPUT || n.op == HD_SYM_CONST || (n.a && n.a < h->n_nodes));
    HD_RT_CHECK(n.op == HD_SYM_INPUT || n.op == HD_SYM_EXTRACT || n.b < h->n_nodes);
    for (; table[i]; i = (i + 1) & (table_size - 1))
        if (same(&hd_rt_sym.nodes[table[i]], &n))
            return table[i];
    if (h->n_nodes >= HD_SYM_MAX_NODES || h->n_nodes * 2 >= table_size) {
        if (h->n_nodes < HD_SYM_MAX_NODES)
            grow();
        if (h->n_nodes >= HD_SYM_MAX_NODES || h->n_nodes * 2 >= table_size) {
            h->lost[HD_SYM_LOST_FULL]++;
            return 0;
        }
        return intern(n);
    }
    uint32_t id = h->n_nodes;
    hd_rt_sym.nodes[id] = n;
    hd_rt_sym.shapes[id] = shape_of(&n);
    table[i] = id;
    __atomic_store_n(&h->n_nodes, id + 1, __ATOMIC_RELEASE);
    return id;
}

uint32_t hd_rt_sym_const(unsigned width, uint64_t value)
{
    return intern((struct hd_sym_node){
        .op = HD_SYM_CONST, .width = (uint8_t)width, .value = value & mask(width)});
}

/* ---- simplification ---- */

uint32_t hd_rt_sym_extract(uint32_t id, unsigned low, unsigned width)
{
    const struct hd_sym_node n = *hd_rt_sym_node(id);
    HD_RT_CHECK(id && width && low + width <= n.width);
    uint64_t value = n.value >> low & mask(width);
    if (low == 0 && width == n.width)
        return id;
    switch (n.op) {
    case HD_SYM_CONST:
        return hd_rt_sym_const(width, value);
    case HD_SYM_EXTRACT:
        return hd_rt_sym_extract(n.a, low + n.b, width);
    case HD_SYM_ZEXT:
    case HD_SYM_SEXT: {
        unsigned inner = hd_rt_sym_node(n.a)->width;
        if (low + width <= inner)
            return hd_rt_sym_extract(n.a, low, width);
        if (n.op == HD_SYM_ZEXT && low >= inner)
            return hd_rt_sym_const(width, 0);
        if (low == 0) /* still an extension, a shorter one */
            return intern((struct hd_sym_node){
                .op = n.op, .width = (uint8_t)width, .a = n.a, .value = value});
        break;
    }
    case HD_SYM_CONCAT: {
        unsigned right = hd_rt_sym_node(n.b)->width;
        if (low + width <= right)
            return hd_rt_sym_extract(n.b, low, width);
        if (low >= right)
            return hd_rt_sym_extract(n.a, low - right, width);
        break;
    }
    default:
        break;
    }
    return intern((struct hd_sym_node){
        .op = HD_SYM_EXTRACT, .width = (uint8_t)width, .a = id, .b = low, .value = value});
}

static uint32_t concat(uint32_t a, uint32_t b, unsigned width, uint64_t value)
{
    const struct hd_sym_node *x = hd_rt_sym_node(a), *y = hd_rt_sym_node(b);
    if (x->op == HD_SYM_EXTRACT && y->op == HD_SYM_EXTRACT && x->a == y->a &&
        x->b == y->b + y->width)
        return hd_rt_sym_extract(x->a, y->b, width);
    if (x->op == HD_SYM_EXTRACT && x->a == b && x->b == y->width)
        return hd_rt_sym_extract(b, 0, width);
    if (x->op == HD_SYM_CONST && x->value == 0)
        return hd_rt_sym_make(HD_SYM_ZEXT, width, b, 0, 0, value);
    return intern((struct hd_sym_node){
        .op = HD_SYM_CONCAT, .width = (uint8_t)width, .a = a, .b = b, .value = value});
}

/* A truth value that was widened and is compared with 0 or 1 again. */
static uint32_t undo_widening(enum hd_sym_op op, uint32_t a, uint32_t b, uint64_t value)
{
    const struct hd_sym_node *x = hd_rt_sym_node(a), *y = hd_rt_sym_node(b);
    if (x->op != HD_SYM_ZEXT || hd_rt_sym_node(x->a)->width != 1 || y->op != HD_SYM_CONST)
        return 0;
    if ((op == HD_SYM_NE && y->value == 0) || (op == HD_SYM_EQ && y->value == 1))
        return x->a;
    if ((op == HD_SYM_EQ && y->value == 0) || (op == HD_SYM_NE && y->value == 1))
        return intern((struct hd_sym_node){
            .op = HD_SYM_EQ, .width = 1, .a = x->a, .b = hd_rt_sym_const(1, 0), .value = value});
    return 0;
}

static bool is_const(uint32_t id)
{
    return !id || hd_rt_sym_node(id)->op == HD_SYM_CONST;
}

uint32_t hd_rt_sym_make(enum hd_sym_op op, unsigned width, uint32_t a, uint32_t b, uint32_t c,
                        uint64_t value)
{
    value &= mask(width);
    if (op == HD_SYM_INPUT)
        return intern((struct hd_sym_node){
            .op = op, .width = (uint8_t)width, .a = a, .b = b, .value = value});
    if (!a || (is_const(a) && (op == HD_SYM_EXTRACT || (is_const(b) && is_const(c)))))
        return 0;
    uint32_t id = 0;
    if (op == HD_SYM_EXTRACT)
        id = hd_rt_sym_extract(a, b, width);
    else if (op == HD_SYM_CONCAT)
        id = concat(a, b, width, value);
    else if (op == HD_SYM_ZEXT && hd_rt_sym_node(a)->op == HD_SYM_ZEXT)
        id = hd_rt_sym_make(op, width, hd_rt_sym_node(a)->a, 0, 0, value);
    else if (op == HD_SYM_EQ || op == HD_SYM_NE)
        id = undo_widening(op, a, b, value);
    if (!id)
        id = intern((struct hd_sym_node){
            .op = op, .width = (uint8_t)width, .a = a, .b = b, .c = c, .value = value});
    return is_const(id) ? 0 : id;
}
