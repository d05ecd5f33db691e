/* A runtime for the tests of the pass: every hook checks what it can and prints one line, to the
 * file named by LOGRT. One thread at a time is enough here.
 *
 *   ID HOOK NAME FUNCTION:LINE ... addr=TOKEN val=TOKEN = VALUE
 *
 * Tokens: "-" none, "7" one read, "3-7" a range, and what __hd_more added follows after "+".
 */
#include "abi/rt_abi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

__thread struct hd_flow __hd_flow;

static FILE *out;
static struct hd_module *modules;
static char more[2][200];

void __tsan_init(void);
void __tsan_init(void)
{
}

static void start(void)
{
    const char *name = getenv("LOGRT");
    if (!out)
        out = name ? fopen(name, "w") : stderr;
}

void __hd_module_init(struct hd_module *m)
{
    start();
    if (m->version != HD_ABI_VERSION)
        abort();
    m->next = modules;
    modules = m;
}

static const struct hd_module *module_of(const struct hd_site *s)
{
    const struct hd_module *m = modules;
    while (m && !(s >= m->sites && s < m->sites + m->n_sites))
        m = m->next;
    if (!m)
        abort();
    return m;
}

static void print_tok(const char *label, hd_tok t, int role)
{
    fprintf(out, " %s=", label);
    if (t == HD_TOK_NONE)
        fputs("-", out);
    else if (t == HD_TOK_ALL)
        fputs("all", out);
    else if (hd_tok_lo(t) == hd_tok_hi(t))
        fprintf(out, "%u", hd_tok_lo(t));
    else
        fprintf(out, "%u-%u", hd_tok_lo(t), hd_tok_hi(t));
    fputs(more[role], out);
    more[role][0] = 0;
}

static void print_place(const char *hook, const struct hd_site *s)
{
    const struct hd_module *m = module_of(s);
    const char *name = m->strings + s->name;
    fprintf(out, "%s %s %s:%u", hook, *name ? name : "?", m->strings + s->func, s->line);
}

static void event(const char *hook, const struct hd_site *s)
{
    fprintf(out, "%u ", ++__hd_flow.count);
    print_place(hook, s);
}

static hd_tok this_event(void)
{
    fputs("\n", out);
    return hd_tok_range(__hd_flow.count, __hd_flow.count);
}

#define READ(n)                                                                                    \
    hd_tok __hd_read##n(struct hd_site *s, void *p, hd_tok addr)                                   \
    {                                                                                              \
        uint64_t v = 0;                                                                            \
        memcpy(&v, p, n);                                                                          \
        event("read" #n, s);                                                                       \
        print_tok("addr", addr, 1);                                                                \
        fprintf(out, " = %llu", (unsigned long long)v);                                            \
        if (s->size != n)                                                                          \
            abort();                                                                               \
        return this_event();                                                                       \
    }
READ(1)
READ(2)
READ(4)
READ(8)

#define WRITE(n)                                                                                   \
    void __hd_write##n(struct hd_site *s, void *p, hd_tok addr, uint64_t v, hd_tok val)            \
    {                                                                                              \
        (void)p;                                                                                   \
        event("write" #n, s);                                                                      \
        print_tok("addr", addr, 1);                                                                \
        print_tok("val", val, 0);                                                                  \
        fprintf(out, " = %llu", (unsigned long long)v);                                            \
        if (s->size != n)                                                                          \
            abort();                                                                               \
        this_event();                                                                              \
    }
WRITE(1)
WRITE(2)
WRITE(4)
WRITE(8)

static void print_bytes(const void *p, uint64_t n)
{
    fputs(" = ", out);
    for (uint64_t i = 0; i < n && i < 32; i++)
        fprintf(out, "%02x", ((const unsigned char *)p)[i]);
}

hd_tok __hd_read_n(struct hd_site *s, void *p, uint64_t n, hd_tok addr)
{
    event("read_n", s);
    fprintf(out, " n=%llu", (unsigned long long)n);
    print_tok("addr", addr, 1);
    print_bytes(p, n);
    return this_event();
}

void __hd_write_n(struct hd_site *s, void *p, uint64_t n, hd_tok addr, void *bytes, hd_tok val)
{
    (void)p;
    event("write_n", s);
    fprintf(out, " n=%llu", (unsigned long long)n);
    print_tok("addr", addr, 1);
    print_tok("val", val, 0);
    print_bytes(bytes, n);
    this_event();
}

hd_tok __hd_aread(struct hd_site *s, void *p, hd_tok addr)
{
    event("aread", s);
    fprintf(out, " size=%u order=%u", s->size, s->order);
    print_tok("addr", addr, 1);
    print_bytes(p, s->size);
    return this_event();
}

void __hd_awrite(struct hd_site *s, void *p, hd_tok addr, uint64_t lo, uint64_t hi, hd_tok val)
{
    (void)p;
    event("awrite", s);
    fprintf(out, " size=%u order=%u", s->size, s->order);
    print_tok("addr", addr, 1);
    print_tok("val", val, 0);
    fprintf(out, " = %llu,%llu", (unsigned long long)lo, (unsigned long long)hi);
    this_event();
}

void __hd_rmw_pre(struct hd_site *s, void *p, hd_tok addr)
{
    print_place("rmw_pre", s);
    print_tok("addr", addr, 1);
    print_bytes(p, s->size);
    fputs("\n", out);
}

hd_tok __hd_rmw_post(struct hd_site *s, void *p, hd_tok val)
{
    event("rmw", s);
    fprintf(out, " size=%u own=%d", s->size, (s->flags & HD_SITE_OWN) != 0);
    print_tok("val", val, 0);
    print_bytes(p, s->size);
    return this_event();
}

hd_tok __hd_cas_post(struct hd_site *s, void *p, hd_tok val, uint32_t stored)
{
    event("cas", s);
    fprintf(out, " size=%u stored=%u", s->size, stored);
    print_tok("val", val, 0);
    print_bytes(p, s->size);
    return this_event();
}

void __hd_fence(struct hd_site *s)
{
    print_place("fence", s);
    fprintf(out, " order=%u\n", s->order);
}

/* A copy is one event for each side that is not private. */
static void log_copy(const char *hook, struct hd_site *s, uint64_t n, hd_tok addr, hd_tok from)
{
    if (!(s->flags & HD_SITE_SRC_PRIVATE))
        __hd_flow.count++;
    if (!(s->flags & HD_SITE_DST_PRIVATE))
        __hd_flow.count++;
    fprintf(out, "%u ", __hd_flow.count);
    print_place(hook, s);
    fprintf(out, " n=%llu private=%s%s", (unsigned long long)n,
            s->flags & HD_SITE_SRC_PRIVATE ? "from" : "",
            s->flags & HD_SITE_DST_PRIVATE ? "to" : "");
    print_tok("addr", addr, 1);
    print_tok("from", from, 0);
    fputs("\n", out);
}

void __hd_memcpy(struct hd_site *s, void *to, void *from, uint64_t n, hd_tok addr, hd_tok from_addr)
{
    log_copy("memcpy", s, n, addr, from_addr);
    memcpy(to, from, n);
}

void __hd_memmove(struct hd_site *s, void *to, void *from, uint64_t n, hd_tok addr,
                  hd_tok from_addr)
{
    log_copy("memmove", s, n, addr, from_addr);
    memmove(to, from, n);
}

void __hd_memset(struct hd_site *s, void *to, uint32_t byte, uint64_t n, hd_tok addr, hd_tok val)
{
    event("memset", s);
    fprintf(out, " n=%llu byte=%u", (unsigned long long)n, byte & 255);
    print_tok("addr", addr, 1);
    print_tok("val", val, 0);
    this_event();
    memset(to, (int)byte, n);
}

void __hd_branch(struct hd_site *s, hd_tok dep)
{
    if (dep == HD_TOK_NONE && !more[0][0])
        return;
    event("branch", s);
    print_tok("dep", dep, 0);
    this_event();
}

void __hd_icall(struct hd_site *s, void *target, hd_tok dep)
{
    (void)target;
    event("icall", s);
    print_tok("dep", dep, 0);
    this_event();
}

void __hd_more(uint32_t role, hd_tok t)
{
    role &= 1; /* val and dep never meet */
    size_t used = strlen(more[role]);
    if (t != HD_TOK_NONE)
        snprintf(more[role] + used, sizeof more[role] - used, "+%u-%u", hd_tok_lo(t), hd_tok_hi(t));
}

hd_tok __hd_asm_post(struct hd_site *s, void *p, hd_tok val)
{
    event("asm", s);
    fprintf(out, " kind=%d size=%u own=%d", s->kind, s->size, (s->flags & HD_SITE_OWN) != 0);
    print_tok("val", val, 0);
    print_bytes(p, s->size);
    return this_event();
}

void __hd_gone(struct hd_site *s, void *local)
{
    (void)s;
    (void)local;
}

void __hd_returned(struct hd_site *s, void *callee, uint32_t count)
{
    (void)s;
    (void)callee;
    (void)count;
}

void __hd_asm(struct hd_site *s)
{
    print_place("asm", s);
    fputs("\n", out);
}
