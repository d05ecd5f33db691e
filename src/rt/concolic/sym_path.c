/* Operations, the path condition, and the modules with their branches. Runs in the user's process;
 * see the rules in rt.h.
 *
 * `past` of a step: two runs that reach a branch with the same past have, for all that the
 * program's own code can see, the same state there, up to the inputs. Instrumented code keeps
 * __hd_sym_past over every store, every phi and every call into code without hooks (values by their
 * expression when they are symbolic), and models keep __hd_sym_inside over what only they can see;
 * values that were fixed, the functions that are active and the inputs made so far are added here.
 */
#include "rt/concolic/rt_sym.h"

#include "abi/rt_abi.h"

#define MODEL_OUTCOMES 0x40000000u

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

/* Return addresses of the functions that are active; frames that do not look like ours end it. */
static uint64_t stack_hash(void)
{
    uint64_t h = 1;
    const uintptr_t *frame = __builtin_frame_address(0);
    for (int i = 0; i < 48; i++) {
        uintptr_t up = frame[0];
        h = mix(h, frame[1]);
        if (up <= (uintptr_t)frame || up - (uintptr_t)frame > (1u << 16) || up % 8)
            break;
        frame = (const uintptr_t *)up;
    }
    return h;
}

/* Whether there is something to tell, and of which kind. */
static bool is_news(uint32_t expr, bool taken, enum hd_sym_step_kind *kind)
{
    static uint32_t n_new;
    struct hd_sym_node *n = &hd_rt_sym.nodes[expr];
    if (!expr || n->op == HD_SYM_CONST)
        return false;
    if (n->asserted & 1u << taken) {
        *kind = HD_SYM_AGAIN;
        if (hd_rt_sym.told[expr] == n_new + 1)
            return false;
    } else {
        n_new++;
    }
    hd_rt_sym.told[expr] = n_new + 1;
    n->asserted |= (uint8_t)(1u << taken);
    return true;
}

void hd_rt_sym_step(uint32_t expr, bool taken, enum hd_sym_step_kind kind, uint32_t branch,
                    uint32_t other)
{
    struct hd_sym_header *h = hd_rt_sym.header;
    if (!is_news(expr, taken, &kind))
        return;
    if (h->n_steps >= HD_SYM_MAX_STEPS) {
        h->lost[HD_SYM_LOST_FULL]++;
        return;
    }
    struct hd_sym_step *s = (struct hd_sym_step *)(hd_rt_sym.base + HD_SYM_AT_STEPS) + h->n_steps;
    *s = (struct hd_sym_step){.expr = expr,
                              .branch = branch,
                              .other = other,
                              .thread = hd_rt_me ? (uint16_t)hd_rt_me->num : 0,
                              .taken = taken,
                              .kind = (uint8_t)kind};
    s->past = mix(mix(mix(__hd_sym_past, __hd_sym_inside), stack_hash()), h->n_objects);
    __atomic_store_n(&h->n_steps, h->n_steps + 1, __ATOMIC_RELEASE);
}

/* ---- operations ---- */

static uint32_t operand(uint32_t id, unsigned width, uint64_t value)
{
    return id ? id : hd_rt_sym_const(width, value);
}

HD_EXPORT uint32_t __hd_sym_binary(uint32_t op, uint32_t a, uint32_t b, uint64_t va, uint64_t vb,
                                   uint64_t result)
{
    unsigned width = op >> 8;
    enum hd_sym_op kind = (enum hd_sym_op)(op & 0xff);
    if (!hd_rt_sym.on || (!a && !b))
        return 0;
    hd_rt_sym.header->hooks++;
    bool compares = kind >= HD_SYM_EQ && kind <= HD_SYM_SLE;
    return hd_rt_sym_make(kind, compares ? 1 : width, operand(a, width, va), operand(b, width, vb),
                          0, result);
}

HD_EXPORT uint32_t __hd_sym_cast(uint32_t op, uint32_t from, uint32_t id, uint64_t result)
{
    (void)from;
    if (!hd_rt_sym.on || !id)
        return 0;
    if (hd_rt_sym_node(id)->width == op >> 8)
        return id;
    return hd_rt_sym_make((enum hd_sym_op)(op & 0xff), op >> 8, id, 0, 0, result);
}

HD_EXPORT uint32_t __hd_sym_select(uint32_t width, uint32_t c, uint32_t t, uint32_t f, uint64_t vt,
                                   uint64_t vf)
{
    unsigned bits = width & 0xff;
    bool cond = width >> 8;
    if (!hd_rt_sym.on || !c)
        return cond ? t : f;
    uint32_t x = operand(t, bits, vt), y = operand(f, bits, vf);
    return x == y ? t : hd_rt_sym_make(HD_SYM_ITE, bits, c, x, y, cond ? vt : vf);
}

HD_EXPORT uint32_t __hd_sym_offset(uint32_t base, uint64_t address, uint32_t index, uint64_t value,
                                   uint64_t scale)
{
    if (!hd_rt_sym.on || (!base && !index))
        return 0;
    uint32_t by = index;
    if (index && hd_rt_sym_node(index)->width < 64)
        by = hd_rt_sym_make(HD_SYM_SEXT, 64, index, 0, 0, value);
    if (by && scale != 1)
        by = hd_rt_sym_make(HD_SYM_MUL, 64, by, hd_rt_sym_const(64, scale), 0, value * scale);
    if (!by && value * scale == 0)
        return base;
    return hd_rt_sym_make(HD_SYM_ADD, 64, operand(base, 64, address),
                          operand(by, 64, value * scale), 0, address + value * scale);
}

/* ---- the path ---- */

static uint32_t outcome(const struct hd_sym_module *m, uint32_t number)
{
    return m->first + number;
}

HD_EXPORT void __hd_sym_branch(void *module, uint32_t first, uint32_t id, uint32_t taken)
{
    if (!hd_rt_sym.on)
        return;
    hd_rt_sym.header->hooks++;
    hd_rt_sym_step(id, taken, HD_SYM_BRANCH, outcome(module, first + taken),
                   outcome(module, first + !taken));
}

/* One comparison after the other, up to the case that was taken. */
HD_EXPORT void __hd_sym_switch(void *module, void *cases, uint32_t id, uint64_t value,
                               uint32_t width)
{
    const uint64_t *words = cases;
    uint32_t first = (uint32_t)words[0], n = (uint32_t)(words[0] >> 32);
    if (!hd_rt_sym.on || !id)
        return;
    hd_rt_sym.header->hooks++;
    for (uint32_t i = 0; i < n; i++) {
        bool hit = words[1 + i] == value;
        uint32_t is =
            hd_rt_sym_make(HD_SYM_EQ, 1, id, hd_rt_sym_const(width, words[1 + i]), 0, hit);
        uint32_t mine = outcome(module, first + i);
        uint32_t rest = i + 1 == n ? outcome(module, first + n) : HD_SYM_NO_OUTCOME;
        hd_rt_sym_step(is, hit, HD_SYM_BRANCH, hit ? mine : rest, hit ? rest : mine);
        if (hit)
            return;
    }
}

HD_EXPORT void __hd_sym_check(uint32_t width, uint32_t id, uint64_t value)
{
    if (!hd_rt_sym.on || !id)
        return;
    uint32_t is = hd_rt_sym_make(HD_SYM_NE, 1, id, hd_rt_sym_const(width, 0), 0, value != 0);
    hd_rt_sym_step(is, value != 0, HD_SYM_CHECK, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
}

void hd_rt_sym_past(uint64_t what)
{
    __hd_sym_past = mix(__hd_sym_past, what);
}

void hd_rt_sym_fix(uint32_t id)
{
    if (!id)
        return;
    const struct hd_sym_node *n = hd_rt_sym_node(id);
    uint32_t is = hd_rt_sym_make(HD_SYM_EQ, 1, id, hd_rt_sym_const(n->width, n->value), 0, 1);
    hd_rt_sym_step(is, true, HD_SYM_TARGET, HD_SYM_NO_OUTCOME, HD_SYM_NO_OUTCOME);
    hd_rt_sym_past(n->value);
}

HD_EXPORT void __hd_sym_target(uint32_t id, void *target)
{
    (void)target;
    if (hd_rt_sym.on)
        hd_rt_sym_fix(id);
}

static size_t length(const char *s)
{
    size_t n = 0;
    while (s[n])
        n++;
    return n;
}

static bool equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

void hd_rt_sym_name_call(const char *name)
{
    struct hd_sym_header *h = hd_rt_sym.header;
    hd_rt_sym_lost(HD_SYM_LOST_CALL);
    const char *strings = (char *)hd_rt_sym.base + HD_SYM_AT_STRINGS;
    for (uint32_t i = 0; i < h->n_calls; i++)
        if (equal(strings + h->calls[i], name))
            return;
    if (h->n_calls < HD_SYM_MAX_CALLS)
        h->calls[h->n_calls++] = hd_rt_sym_string(name, length(name));
}

/* Code with hooks has taken the ids of its arguments and cleared `callee`. */
HD_EXPORT void __hd_sym_unmodelled(void *name, void *fn)
{
    if (!hd_rt_sym.on || __hd_sym_flow.callee != fn)
        return;
    __hd_sym_flow.callee = NULL;
    if (name)
        hd_rt_sym_name_call(name);
    else
        hd_rt_sym_lost(HD_SYM_LOST_ADDRESS);
}

/* How much of it the function looks at is not known: a symbol near by counts, also behind a pointer
 * at the start. */
HD_EXPORT void __hd_sym_passed(void *name, void *p)
{
    if (!hd_rt_sym.on)
        return;
    bool points = (uintptr_t)p % sizeof(void *) == 0 && hd_rt_sym_has_page(p);
    if (hd_rt_sym_any(p, 64) || (points && hd_rt_sym_any(*(void **)p, 64)))
        hd_rt_sym_name_call(name);
}

/* The same for what surely begins with a pointer, such as a string of C++, and for variable
 * arguments, as the System V ABI lays them out. */
HD_EXPORT void __hd_sym_behind(void *name, void *p, uint32_t is_list)
{
    struct {
        uint32_t gp, fp;
        void *over, *regs;
    } *list = p;
    if (!hd_rt_sym.on || !p)
        return;
    if (is_list ? hd_rt_sym_any(list->over, 64) || hd_rt_sym_any(list->regs, 48)
                : hd_rt_sym_any(p, 32) || hd_rt_sym_any(*(void **)p, 64))
        hd_rt_sym_name_call(name);
}

/* The id of what a model answered, if the real function answered the same. */
HD_EXPORT uint32_t __hd_sym_agreed(void *name, uint32_t id, uint64_t model, uint64_t real)
{
    if (!hd_rt_sym.on || model == real)
        return id;
    hd_rt_sym_name_call(name);
    return 0;
}

/* Variable arguments: the ids of the integers among them, in order. The first go into registers,
 * which the callee saves, the others lie on the stack. */
HD_EXPORT void __hd_sym_dots(void *p, void *ids, uint32_t n)
{
    struct {
        uint32_t gp, fp;
        uint8_t *over, *regs;
    } *list = p;
    if (!hd_rt_sym.on || list->gp > 48)
        return;
    hd_rt_sym_clear(list->regs + list->gp, 48 - list->gp);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t id = ((uint32_t *)ids)[i], at = list->gp + 8 * i;
        if (id)
            hd_rt_sym_set_bytes(at < 48 ? list->regs + at : list->over + (at - 48),
                                (hd_rt_sym_node(id)->width + 7) / 8, id);
    }
}

/* ---- modules ---- */

static void add_branches(struct hd_sym_module *m, uint32_t strings)
{
    struct hd_sym_header *h = hd_rt_sym.header;
    struct hd_sym_branch *to =
        (struct hd_sym_branch *)(hd_rt_sym.base + HD_SYM_AT_BRANCHES) + h->n_branches;
    for (uint32_t i = 0; i < m->n_branches; i++) {
        const uint32_t *row = m->branches + (size_t)i * 5;
        to[i] = (struct hd_sym_branch){m->first + row[0], row[1], strings + row[2],
                                       strings + row[3], row[4]};
    }
    h->n_branches += m->n_branches;
}

HD_EXPORT void __hd_sym_module(void *module)
{
    struct hd_sym_module *m = module;
    struct hd_sym_header *h;
    static uint32_t model_outcomes = MODEL_OUTCOMES;
    if (m->version != HD_SYM_VERSION)
        return;
    if (!hd_rt_ready)
        hd_rt_init();
    hd_rt_sym_open();
    h = hd_rt_sym.header;
    if (!hd_rt_sym.on)
        return;
    if (m->is_model) {
        m->first = model_outcomes;
        model_outcomes += m->n_outcomes;
        return;
    }
    if (m->n_branches > HD_SYM_MAX_BRANCHES - h->n_branches ||
        m->n_outcomes > HD_SYM_MAX_OUTCOMES - h->n_outcomes)
        return; /* its branches stay outside the arena: not covered */
    uint8_t *cover = hd_rt_sym.base + HD_SYM_AT_COVER + h->n_outcomes;
    for (uint32_t i = 0; i < m->n_outcomes; i++)
        cover[i] = m->cover[i];
    m->cover = cover;
    m->first = h->n_outcomes;
    h->n_outcomes += m->n_outcomes;
    add_branches(m, hd_rt_sym_string(m->strings, m->strings_size));
}
