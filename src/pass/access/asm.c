/* Inline assembly with a memory operand: what it does there is read from its text and constraints.
 *
 * It is understood when one of its statements names the memory operand, nothing else in it can
 * touch memory, and that statement's mnemonic is known. With a lock prefix, or as xchg, it is
 * atomic; so is a plain mov if the assembly says that it orders memory ("memory" among its
 * clobbers), because that is how locks are given back. Everything else is plain. Texts are in AT&T
 * syntax with $0, $1 ... for operands, as LLVM has them.
 *
 * What is not understood is named by the runtime as not modelled. Its one memory operand, if it has
 * one, is taken as accessed as the constraints say, atomically if the text locks something or
 * orders memory; and as it may loop or branch on what it finds there, a branch on that follows.
 */
#include "pass/access/asm.h"
#include "pass/pass.h"

#include <ctype.h>
#include <string.h>

enum { MAX_STATEMENT = 80 };

struct reading {
    const struct hd_asm *info;
    bool lock;       /* a prefix stood before */
    bool unknown;    /* something that may do anything */
    unsigned n_uses; /* statements that name the memory operand */
    unsigned width; /* bytes of memory by the mnemonic; 0: it has none, the operand's type counts */
    bool atomic, cas, swap, mov, looks;
};

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}
#define IS_ONE_OF(word, list) is_one_of(word, list, sizeof(list) / sizeof((list)[0]))

/* The mnemonic without a suffix for the size of its operands. */
static bool is_mnemonic(const char *word, const char *const *list, size_t n)
{
    size_t len = strlen(word);
    char base[16];
    if (len >= sizeof base)
        return false;
    if (is_one_of(word, list, n))
        return true;
    if (len < 3 || !strchr("bwlq", word[len - 1]))
        return false;
    memcpy(base, word, len);
    base[len - 1] = 0;
    return is_one_of(base, list, n);
}
#define IS_MNEMONIC(word, list) is_mnemonic(word, list, sizeof(list) / sizeof((list)[0]))

static const char *const changing[] = {
    "add", "sub", "and", "or",  "xor",     "inc",       "dec",       "not", "neg",
    "adc", "sbb", "bts", "btr", "btc",     "xadd",      "xchg",      "shl", "shr",
    "sar", "rol", "ror", "mov", "cmpxchg", "cmpxchg8b", "cmpxchg16b"};
static const char *const looking[] = {"cmp", "test", "bt", "movzb", "movsb", "movzw", "movsw"};
/* On registers only; with "set" and "cmov" and a condition as well. */
static const char *const harmless[] = {
    "mov",    "add", "sub",   "and",  "or",     "xor",    "not",    "neg",   "sbb",
    "adc",    "shl", "shr",   "sar",  "cmp",    "test",   "bswap",  "movzb", "movsb",
    "movzw",  "nop", "pause", "cld",  "mfence", "lfence", "sfence", "rdtsc", "cpuid",
    "rdtscp", "rol", "ror",   "xchg", "inc",    "dec",    "movzx",  "movsx"};

/* Whether the text names operand n: "$n" or "${n:...}". */
static bool names_operand(const char *text, unsigned n)
{
    for (const char *at = strchr(text, '$'); at; at = strchr(at + 1, '$')) {
        if (at[1] == '$') { /* a constant */
            at++;
            continue;
        }
        const char *digits = at + 1 + (at[1] == '{');
        unsigned number = 0;
        if (!isdigit((unsigned char)*digits))
            continue;
        while (isdigit((unsigned char)*digits))
            number = number * 10 + (unsigned)(*digits++ - '0');
        if (number == n)
            return true;
    }
    return false;
}

static bool names_memory(const struct reading *r, const char *text)
{
    for (unsigned i = 0; i < r->info->n_operands; i++)
        if (names_operand(text, r->info->operand[i]))
            return true;
    return false;
}

/* Programs give memory of any size as a char when they only want an address there. */
static unsigned width_of(const char *word)
{
    static const struct {
        const char *word;
        unsigned width;
    } fixed[] = {{"cmpxchg16b", 16}, {"cmpxchg8b", 8}, {"movzb", 1},
                 {"movsb", 1},       {"movzw", 2},     {"movsw", 2}};
    static const char suffixes[] = "bwlq";
    for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
        if (strncmp(word, fixed[i].word, strlen(fixed[i].word)) == 0)
            return fixed[i].width;
    if (IS_ONE_OF(word, changing) || IS_ONE_OF(word, looking))
        return 0;
    const char *suffix = strchr(suffixes, word[strlen(word) - 1]);
    return suffix ? 1u << (suffix - suffixes) : 0;
}

static void read_use(struct reading *r, const char *word)
{
    r->n_uses++;
    r->width = width_of(word);
    bool changes = IS_MNEMONIC(word, changing);
    r->looks = IS_MNEMONIC(word, looking);
    r->unknown |= !changes && !r->looks;
    r->mov = strncmp(word, "mov", 3) == 0;
    r->cas = strncmp(word, "cmpxchg", 7) == 0;
    r->swap = strncmp(word, "xchg", 4) == 0;
    r->atomic = r->lock || r->swap;
}

static void read_statement(struct reading *r, char *text)
{
    while (isspace((unsigned char)*text))
        text++;
    size_t len = strcspn(text, " \t");
    if (len == 0)
        return;
    char *rest = text + len;
    if (*rest)
        *rest++ = 0;
    if (strcmp(text, "lock") == 0) {
        r->lock = true;
        read_statement(r, rest);
        return;
    }
    if (strcmp(text, "rep") == 0 && strspn(rest, " \t") == strlen(rest))
        return; /* of "rep; nop" */
    if (strcmp(text, "rep") == 0 && strcmp(rest + strspn(rest, " \t"), "nop") == 0)
        return;
    if (names_memory(r, rest))
        read_use(r, text);
    else if (strstr(rest, "(%rsp)") || strstr(rest, "(%esp)"))
        r->unknown |= !r->lock; /* a locked access to the own stack: a barrier */
    else
        r->unknown |= strchr(rest, '(') || strchr(rest, '*') ||
                      !(IS_MNEMONIC(text, harmless) || strncmp(text, "set", 3) == 0 ||
                        strncmp(text, "cmov", 4) == 0);
    r->lock = false;
}

static struct reading read_text(const struct hd_asm *info)
{
    struct reading r = {.info = info};
    const char *at = info->text;
    char statement[MAX_STATEMENT];
    while (*at && !r.unknown) {
        size_t len = strcspn(at, ";\n");
        r.unknown = len >= sizeof statement || memchr(at, ':', len) || strstr(at, "$(");
        if (r.unknown)
            break;
        for (size_t i = 0; i < len; i++)
            statement[i] = (char)tolower((unsigned char)at[i]);
        statement[len] = 0;
        read_statement(&r, statement);
        at += len + (at[len] != 0);
    }
    return r;
}

static bool has_size(uint64_t n)
{
    return n == 1 || n == 2 || n == 4 || n == 8 || n == 16;
}

/* The kind of access, as a site; size 0: not understood. */
static struct hd_site access_of(const struct hd_asm *info, const struct reading *r)
{
    struct hd_site site = {.size = r->width ? r->width : (uint32_t)info->size,
                           .flags = HD_SITE_VOLATILE | (r->swap ? 0 : HD_SITE_OWN)};
    if (r->unknown || r->n_uses != 1 || !has_size(site.size) || info->n_pointers != 1)
        return (struct hd_site){0};
    bool atomic = r->atomic || (r->mov && info->clobbers && site.size <= 8);
    bool reads = info->reads && !(r->mov && info->writes), writes = info->writes && !r->looks;
    site.order = site.fail_order = __ATOMIC_SEQ_CST;
    if (r->atomic)
        site.kind = r->cas ? HD_SITE_CAS : HD_SITE_RMW;
    else if (reads && writes)
        site.kind = HD_SITE_COPY; /* plain: a read, then a write */
    else if (writes)
        site.kind = atomic ? HD_SITE_AWRITE : HD_SITE_WRITE;
    else
        site.kind = atomic ? HD_SITE_AREAD : HD_SITE_READ;
    return site.size <= 8 || r->atomic ? site : (struct hd_site){0};
}

/* The same for a text that is not understood. An atomic one may leave what was there. */
static struct hd_site guess_of(const struct hd_asm *info)
{
    struct hd_site site = {.size = (uint32_t)info->size,
                           .order = __ATOMIC_SEQ_CST,
                           .flags = HD_SITE_VOLATILE | HD_SITE_OWN};
    if (!has_size(info->size) || info->size > 8 || info->n_pointers != 1)
        return (struct hd_site){0};
    bool atomic = info->clobbers || strstr(info->text, "lock") || strstr(info->text, "xchg");
    if (!info->writes)
        site.kind = atomic ? HD_SITE_AREAD : HD_SITE_READ;
    else if (atomic)
        site.kind = HD_SITE_CAS;
    else
        site.kind = info->reads ? HD_SITE_COPY : HD_SITE_WRITE;
    return site;
}

/* told: its access to memory follows. */
static void name_it(struct hd_fn *f, LLVMValueRef call, bool told)
{
    uint8_t flags = told ? HD_SITE_OWN : 0;
    LLVMValueRef site =
        hd_sites_add(f, call, (struct hd_site){.kind = HD_SITE_ASM, .flags = flags});
    hd_hooks_call(f, HD_HOOK_asm, &site);
}

/* decides: it may go other ways with what it finds. */
static void access(struct hd_fn *f, LLVMValueRef call, LLVMValueRef ptr, struct hd_site site,
                   bool decides)
{
    struct hd_pass *p = f->p;
    struct hd_dep addr = hd_deps_of(f, ptr), given = {0};
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        hd_deps_of(f, LLVMGetOperand(call, i));
    LLVMPositionBuilderBefore(p->b, call);
    hd_vars_name(f, ptr, site.size, &site);
    LLVMValueRef record = hd_sites_add(f, call, site), where = hd_hooks_ptr(p, ptr);
    hd_hooks_call(f, HD_HOOK_rmw_pre, (LLVMValueRef[]){record, where, hd_deps_pass_addr(f, addr)});
    hd_hooks_after(p->b, call);
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++)
        hd_deps_add(f, p->b, &given, hd_deps_of(f, LLVMGetOperand(call, i)));
    LLVMValueRef val = hd_deps_pass(f, given, HD_MORE_VAL);
    struct hd_dep result = {
        1, {hd_hooks_call(f, HD_HOOK_asm_post, (LLVMValueRef[]){record, where, val})}};
    if (decides)
        hd_control_decided(f, call, result);
    hd_deps_add(f, p->b, &result, given);
    hd_deps_set_all(f, call, result);
}

void hd_asm_call(struct hd_fn *f, LLVMValueRef call)
{
    struct hd_asm info = {0};
    hd_shim_asm(call, &info);
    if (info.n_pointers == 0 && !info.clobbers)
        return;
    struct reading r = read_text(&info);
    if (info.n_pointers == 0) {
        if (r.unknown)
            name_it(f, call, false);
        return;
    }
    struct hd_site site = access_of(&info, &r);
    bool understood = site.size && LLVMIsACallInst(call);
    if (*info.text == 0)
        return; /* only keeps the compiler from moving things */
    if (!understood)
        site = LLVMIsACallInst(call) ? guess_of(&info) : (struct hd_site){0};
    if (!understood)
        name_it(f, call, site.size);
    if (site.size && hd_locals_hooked(f, info.pointer))
        access(f, call, info.pointer, site, !understood);
}
