/* Symbolic addresses: what a read or write at any place of an object would give. Runs in the user's
 * process; see the rules in rt.h.
 *
 * The object is a variable that the pass named, a heap block, or a table of ctype.h. Inside it the
 * address is symbolic up to a bound; then it becomes concrete and is counted. That the address
 * stays inside is a check of the path: negating it asks for an input that leaves the object. */
#include "rt/concolic/rt_sym.h"

#include <ctype.h>

#define MAX_READ  512u /* places that a read may reach */
#define MAX_WRITE 64u
#define BLOCKS    4096u

struct object {
    uintptr_t start;
    uint64_t size;
};
static struct object told;
static struct object blocks[BLOCKS]; /* the latest heap blocks, in turn */
static unsigned next_block;
static struct { /* where addresses came from, by id */
    uint32_t id;
    struct object object;
} based[1024];

void hd_rt_sym_born(const void *p, size_t n)
{
    if (!hd_rt_sym.on)
        return;
    blocks[next_block++ % BLOCKS] = (struct object){(uintptr_t)p, n};
}

HD_EXPORT void __hd_sym_object(void *p, uint64_t n)
{
    told = (struct object){(uintptr_t)p, n};
}

HD_EXPORT void __hd_sym_based(uint32_t id, void *p, uint64_t n)
{
    if (!id)
        return;
    based[id % 1024].id = id;
    based[id % 1024].object = (struct object){(uintptr_t)p, n};
}

static bool holds(struct object o, uintptr_t a, unsigned n)
{
    return o.size && a >= o.start && a - o.start + n <= o.size;
}

/* The tables are indexed from -128 to 255. */
static bool find_ctype(uintptr_t a, unsigned n, struct object *out)
{
    const struct object tables[] = {
        {(uintptr_t)(*__ctype_b_loc() - 128), 384 * sizeof(unsigned short)},
        {(uintptr_t)(*__ctype_tolower_loc() - 128), 384 * sizeof(int)},
        {(uintptr_t)(*__ctype_toupper_loc() - 128), 384 * sizeof(int)},
    };
    for (unsigned i = 0; i < 3; i++)
        if (holds(tables[i], a, n)) {
            *out = tables[i];
            return true;
        }
    return false;
}

/* The address was made from that of a variable, and perhaps added to since. */
static bool find_based(uintptr_t a, unsigned n, uint32_t id, struct object *out)
{
    for (int i = 0; i < 8 && id; i++) {
        *out = based[id % 1024].object;
        if (based[id % 1024].id == id && holds(*out, a, n))
            return true;
        const struct hd_sym_node *node = hd_rt_sym_node(id);
        id = node->op == HD_SYM_ADD ? node->a : 0;
    }
    return false;
}

static struct object take_hint(void)
{
    struct object hint = told;
    told = (struct object){0, 0};
    return hint;
}

static bool find_object(struct object hint, const void *p, unsigned n, uint32_t id,
                        struct object *out)
{
    *out = hint;
    if (hint.size)
        return holds(hint, (uintptr_t)p, n);
    for (unsigned k = 0; k < BLOCKS; k++) {
        *out = blocks[(next_block - 1 - k) % BLOCKS];
        if (holds(*out, (uintptr_t)p, n))
            return true;
    }
    return find_based((uintptr_t)p, n, id, out) || find_ctype((uintptr_t)p, n, out);
}

/* ---- leaving an object ---- */

static bool find_block(uintptr_t a, struct object *out)
{
    for (unsigned k = 0; k < BLOCKS; k++) {
        *out = blocks[(next_block - 1 - k) % BLOCKS];
        if (holds(*out, a, 1))
            return true;
    }
    return false;
}

#define NEAR 4096u /* bytes: an index may be counted from so far outside of the block, h[i - 3] */

/* The heap block that an address was made from: it stands as a number in the sum. All numbers of
 * the sum together must lead to it or near it: a program may count with addresses, and come from
 * one object to another by a difference. */
static bool find_origin(uint32_t id, struct object *out)
{
    uintptr_t sum = 0;
    bool found = false;
    for (int i = 0; i < 8 && id; i++) {
        const struct hd_sym_node *n = hd_rt_sym_node(id);
        bool adds = n->op == HD_SYM_ADD;
        uint32_t known = !adds ? id : hd_rt_sym_node(n->b)->op == HD_SYM_CONST ? n->b : n->a;
        if (hd_rt_sym_node(known)->op == HD_SYM_CONST) {
            uintptr_t number = (uintptr_t)hd_rt_sym_node(known)->value;
            sum += number;
            found = found || find_block(number, out);
        }
        id = adds ? (known == n->a ? n->b : n->a) : 0;
    }
    if (found && sum - (out->start - NEAR) <= out->size + 2 * NEAR)
        return true;
    *out = (struct object){0, 0};
    return false;
}

static uint64_t load(const void *p, unsigned n)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < n; i++)
        v |= (uint64_t)((const uint8_t *)p)[i] << 8 * i;
    return v;
}

/* Places that an access of n bytes may have in the object, with the phase of this one. */
static unsigned places(struct object o, const void *p, unsigned n, uintptr_t *first)
{
    uint64_t phase = ((uintptr_t)p - o.start) % n;
    *first = o.start + phase;
    return (unsigned)((o.size - phase) / n > UINT32_MAX ? UINT32_MAX : (o.size - phase) / n);
}

static uint32_t compare(enum hd_sym_op op, uint32_t addr, uint64_t with)
{
    uint64_t v = hd_rt_sym_node(addr)->value;
    bool r = op == HD_SYM_EQ ? v == with : op == HD_SYM_ULT ? v < with : v <= with;
    return hd_rt_sym_make(op, 1, addr, hd_rt_sym_const(64, with), 0, r);
}

/* The input chose an address outside of the object that it was to point into: the program ends
 * here. Nothing is said where it is not known what that object is. */
static void look_outside(struct object hint, const void *p, unsigned n, uint32_t id, bool writes)
{
    struct object o = hint;
    uintptr_t a = (uintptr_t)p;
    bool heap = !o.size && find_origin(id, &o);
    if (!o.size || holds(o, a, n))
        return;
    uint32_t start = hd_rt_sym_const(64, o.start);
    uint32_t offset = hd_rt_sym_make(HD_SYM_SUB, 64, id, start, 0, a - o.start);
    if (offset && o.size >= n) /* another input stays inside */
        hd_rt_sym_step(compare(HD_SYM_ULE, offset, o.size - n), false, HD_SYM_CHECK,
                       HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    hd_rt_sym_misuse(writes ? "out of bounds: write" : "out of bounds: read", n,
                     (int64_t)(a - o.start), o.size, heap ? "heap block" : "variable");
}

/* At least so many of the lowest bits of its value are 0, for every input. */
static unsigned low_zeros(uint32_t id, int depth)
{
    const struct hd_sym_node *n = hd_rt_sym_node(id);
    unsigned a, b;
    if (n->op == HD_SYM_CONST)
        return n->value ? (unsigned)__builtin_ctzll(n->value) : 64;
    if (depth == 0)
        return 0;
    switch (n->op) {
    case HD_SYM_ADD:
    case HD_SYM_SUB:
    case HD_SYM_OR:
    case HD_SYM_XOR:
        a = low_zeros(n->a, depth - 1);
        b = low_zeros(n->b, depth - 1);
        return a < b ? a : b;
    case HD_SYM_MUL:
        return low_zeros(n->a, depth - 1) + low_zeros(n->b, depth - 1);
    case HD_SYM_AND:
        a = low_zeros(n->a, depth - 1);
        b = low_zeros(n->b, depth - 1);
        return a > b ? a : b;
    case HD_SYM_SHL:
        b = hd_rt_sym_node(n->b)->op == HD_SYM_CONST ? (unsigned)hd_rt_sym_node(n->b)->value : 0;
        return low_zeros(n->a, depth - 1) + b;
    case HD_SYM_ZEXT:
    case HD_SYM_SEXT:
        return low_zeros(n->a, depth - 1);
    default:
        return 0;
    }
}

/* Also which bytes of a larger unit it starts at is a choice of the input, unless it has none. */
static void stay_inside(struct object o, uint32_t addr, uintptr_t first, unsigned n)
{
    uint64_t v = hd_rt_sym_node(addr)->value, phase = first - o.start;
    uint32_t start = hd_rt_sym_const(64, o.start);
    uint32_t offset = hd_rt_sym_make(HD_SYM_SUB, 64, addr, start, 0, v - o.start);
    if (!offset)
        return;
    hd_rt_sym_step(compare(HD_SYM_ULE, offset, o.size - n), true, HD_SYM_CHECK, HD_SYM_NO_OUTCOME,
                   HD_SYM_NO_OUTCOME);
    if (n == 1 || (phase == 0 && low_zeros(offset, 8) >= (unsigned)__builtin_ctz(n)))
        return;
    hd_rt_sym_fix(hd_rt_sym_make(HD_SYM_AND, 64, offset, hd_rt_sym_const(64, n - 1), 0, phase));
}

static uint32_t node_at(uintptr_t a, unsigned n)
{
    uint64_t v = load((void *)a, n);
    uint32_t id = hd_rt_sym_bytes((void *)a, n, v);
    return id ? id : hd_rt_sym_const(8 * n, v);
}

/* From the last place to the first; neighbours with the same value share one comparison. */
bool hd_rt_sym_read_at(const void *p, unsigned n, uint32_t addr, uint32_t *id)
{
    struct object o;
    uintptr_t first;
    struct object hint = take_hint();
    look_outside(hint, p, n, addr, false);
    if (!find_object(hint, p, n, addr, &o) || (n & (n - 1)))
        return false;
    unsigned count = places(o, p, n, &first);
    if (count == 0 || count > MAX_READ)
        return false;
    stay_inside(o, addr, first, n);
    uintptr_t here = (uintptr_t)hd_rt_sym_node(addr)->value;
    uint32_t result = node_at(first + (uint64_t)(count - 1) * n, n), last = result;
    for (unsigned k = count - 1; k-- > 0 && result;) {
        uint32_t value = node_at(first + (uint64_t)k * n, n);
        uintptr_t next = first + (uint64_t)(k + 1) * n;
        if (value == last)
            continue;
        last = value;
        uint64_t v = hd_rt_sym_node(here < next ? value : result)->value;
        uint32_t before = compare(HD_SYM_ULT, addr, next);
        result = hd_rt_sym_make(HD_SYM_ITE, 8 * n, before, value, result, v);
    }
    *id = result && hd_rt_sym_node(result)->op == HD_SYM_CONST ? 0 : result;
    return true;
}

/* Before the store: memory holds what the places keep if the address points elsewhere. */
bool hd_rt_sym_write_at(const void *p, unsigned n, uint32_t addr, uint32_t value_id, uint64_t value)
{
    struct object o;
    uintptr_t first;
    struct object hint = take_hint();
    look_outside(hint, p, n, addr, true);
    if (!find_object(hint, p, n, addr, &o) || (n & (n - 1)))
        return false;
    unsigned count = places(o, p, n, &first);
    if (count == 0 || count > MAX_WRITE)
        return false;
    stay_inside(o, addr, first, n);
    uint32_t new = value_id ? value_id : hd_rt_sym_const(8 * n, value);
    if (hd_rt_sym_node(new)->width != 8 * n)
        new = hd_rt_sym_make(HD_SYM_ZEXT, 8 * n, new, 0, 0, value);
    for (unsigned k = 0; k < count && new; k++) {
        uintptr_t at = first + (uint64_t)k * n;
        uint32_t old = node_at(at, n), hit = compare(HD_SYM_EQ, addr, at), id = new;
        if (old != new)
            id = hd_rt_sym_make(HD_SYM_ITE, 8 * n, hit, new, old,
                                hd_rt_sym_node(at == (uintptr_t)p ? new : old)->value);
        hd_rt_sym_set_bytes((void *)at, n, id && hd_rt_sym_node(id)->op != HD_SYM_CONST ? id : 0);
    }
    return true;
}
