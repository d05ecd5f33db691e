/* random SEED: prints a C program of one or two bytes of input, for test_random.sh.
 *
 * Every branch of the source has marks. A mark is a letter in the program's log, behind an asm that
 * no compiler can merge with another, so two inputs with different logs took different paths, at
 * any level of optimisation. Built with -DREFERENCE the program prints the log of every input there
 * is; otherwise it is meant for heddle hunt and prints the log of the one it is given. There is no
 * undefined behaviour, and main resets all state. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t state;
static int marks, inputs, depth_left, in_helper;

static uint32_t pick(uint32_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % n);
}

static const char *const types[] = {"int8_t",   "uint8_t", "int16_t",  "uint16_t",
                                    "uint32_t", "int32_t", "uint64_t", "int64_t"};
static const char *any_type(void)
{
    return types[pick(8)];
}

static void mark(void)
{
    int k = marks++;
    printf("MARK(%d) ", k);
}

/* ---- expressions ---- */

static void expr(int depth);

static void leaf(void)
{
    uint32_t k = pick(12);
    if (k < 4)
        printf(in_helper ? "p" : "in[%u]", pick((uint32_t)inputs));
    else if (k < 7)
        printf(in_helper ? "q" : "v%u", pick(8));
    else if (k < 8)
        printf("g%u", pick(4));
    else if (k < 9)
        printf("(%s)%u", any_type(), pick(300));
    else
        printf("%u", pick(4) ? pick(256) : pick(70000));
}

static void pair(const char *format, int depth)
{
    for (; *format; format++) {
        if (*format == '$')
            expr(depth - 1);
        else if (*format == '#')
            printf("%u", 1 + pick(13));
        else if (*format == '@')
            printf("%s", any_type());
        else
            putchar(*format);
    }
}

/* $ is an expression, # a small number, @ a type. */
static const char *const forms[] = {
    "((uint32_t)($) + (uint32_t)($))",
    "((uint64_t)($) - (uint64_t)($))",
    "((uint32_t)($) * #u)",
    "((uint64_t)($) * (uint64_t)($))",
    "((uint32_t)($) << (($) & 31))",
    "((uint64_t)($) >> (($) & 63))",
    "((int32_t)($) >> #)",
    "((int64_t)($) >> (($) & 31))",
    "((uint32_t)($) / ((uint32_t)($) | 1))",
    "((uint64_t)($) % ((uint64_t)($) | 1))",
    "((int32_t)($) / #)",
    "((int64_t)($) % #)",
    "quotient((int32_t)($), (int32_t)($))",
    "(($) & ($))",
    "(($) | ($))",
    "(($) ^ ($))",
    "((@)($))",
    "((@)(@)($))",
    "(($) < ($))",
    "(($) == ($))",
    "((int32_t)($) <= (int32_t)($))",
    "((uint8_t)($) > (uint8_t)($))",
    "(($) != #)",
    "(($) ? ($) : ($))",
    "(~(uint32_t)($))",
    "(-(int64_t)(int32_t)($))",
    "garray[($) & 7]",
    "table[($) & 15]",
    "bytes[($) & 7]",
    "(int64_t)(&garray[($) & 7] - &garray[($) & 3])",
    "helper#a(($), ($))",
    "(uint32_t)__builtin_popcount((uint32_t)($))",
    "(uint32_t)__builtin_bswap32((uint32_t)($))",
    "small.a",
    "(uint32_t)small.c",
    "both.whole",
    "(($) && ($))",
    "(($) || ($))",
    "(!($))",
    "(uint16_t)((uint32_t)($) << #)",
    "((uint32_t)($) << # | (uint32_t)($) >> (32 - #))",
};

static void expr(int depth)
{
    if (depth <= 0) {
        leaf();
        return;
    }
    const char *form = forms[pick(sizeof forms / sizeof *forms)];
    if (strncmp(form, "helper", 6) == 0) {
        if (in_helper) {
            leaf();
            return;
        }
        printf("helper%u(", pick(3));
        expr(depth - 1);
        printf(", ");
        expr(depth - 1);
        printf(")");
        return;
    }
    pair(form, depth);
}

static void condition(void)
{
    static const char *const forms[] = {
        "(uint8_t)($) < #0",    "($) == ($)",   "(int8_t)($) > (int8_t)($)",   "(($) & #) == 0",
        "(uint16_t)($) >= ($)", "($) % # == 1", "(int32_t)($) < (int32_t)($)",
    };
    /* What is divided has no sign. */
    const char *form = forms[pick(7)];
    if (strchr(form, '%'))
        pair("(uint32_t)($) % (#u + 1) == 1", 2);
    else
        pair(form, 2);
}

/* ---- statements ---- */

static void block(int depth);

static void assign(void)
{
    if (pick(4) == 0)
        printf("g%u = ", pick(4));
    else
        printf("v%u = ", pick(8));
    printf("(%s)(", any_type());
    expr(2 + (int)pick(2));
    printf(");\n");
}

static void branch(int depth)
{
    printf("if (");
    condition();
    printf(") {\n");
    mark();
    block(depth - 1);
    printf("} else {\n");
    mark();
    block(depth - 1);
    printf("}\n");
}

static void cases(int depth)
{
    uint32_t n = 2 + pick(3), step = 1 + pick(40);
    printf("switch ((%s)(", types[pick(6)]);
    expr(2);
    printf(") & 127) {\n");
    for (uint32_t i = 0; i < n; i++) {
        printf("case %u:\n", i * step);
        mark();
        if (pick(2))
            block(depth - 1);
        if (pick(4))
            printf("break;\n");
        else
            printf("__attribute__((fallthrough));\n");
    }
    printf("default:\n");
    mark();
    printf("break;\n}\n");
}

static void loop(int depth)
{
    printf("for (uint32_t i = 0; i < (uint32_t)((");
    expr(1);
    printf(") & 3); i++) {\n");
    mark();
    if (depth > 1 && pick(2))
        assign();
    printf("v%u += (uint8_t)(i * %u);\n}\n", pick(8), pick(9));
}

/* Templates: $ is an expression, # a small number, @ a type, % a local. */
static const char *const steps[] = {
    "garray[($) & 7] = (int32_t)($);\n",
    "bytes[($) & 7] = (uint8_t)($);\n",
    "{ int16_t t[6] = {1, 2, 3, 4, 5, 6}; t[(uint32_t)($) % 6u] = (int16_t)($); % = t[#&3]; }\n",
    "{ uint64_t t[4] = {7, 8, 9, 1}; t[($) & 3] += (uint64_t)($); % = (uint8_t)t[($) & 3]; }\n",
    "{ uint8_t t[8]; memcpy(t, in, INPUTS); memcpy(t + INPUTS, bytes, 4); uint32_t w; memcpy(&w, "
    "t, 4); % = w; }\n",
    "{ uint32_t w = (uint32_t)($); memcpy(bytes + (# & 3), &w, 4); }\n",
    "{ uint16_t w = (uint16_t)($); memcpy(bytes + (($) & 3), &w, 2); }\n",
    "{ uint16_t w; memcpy(&w, bytes + (($) & 3), 2); % = w; }\n",
    "memset(bytes, (uint8_t)($), #&7);\n",
    "memset(bytes, 5, ($) & 7);\n",
    "memmove(bytes + 1, bytes, 5);\n",
    "small.a = (uint8_t)($); small.b = (int16_t)($);\n",
    "small.c = (uint32_t)($) & 31; small.d = (uint32_t)($) & 7;\n",
    "small = change(small, (uint8_t)($)); % = small.b;\n",
    "{ struct pairs p = make_pair((int32_t)($), (uint64_t)($)); % = (uint32_t)p.x; % = "
    "(uint32_t)p.y; }\n",
    "{ struct large l = {{1, 2, 3, 4, 5}, 9}; l.v[(uint32_t)($) % 5u] = (int32_t)($); % = "
    "sum_large(l); }\n",
    "{ struct large l = make_large((int32_t)($)); % = l.v[2]; % = (uint32_t)l.last; }\n",
    "both.whole = (uint32_t)($); % = both.part[#&3];\n",
    "both.part[($) & 3] = (uint8_t)($);\n",
    "% = (uint32_t)calls[($) & 3]((int32_t)($));\n",
    "{ int32_t (*f)(int32_t) = ($) ? call0 : call3; % = (uint32_t)f((int32_t)($)); }\n",
    "through_thread((int32_t)($)); % = (uint32_t)shared;\n",
    "% = (uint32_t)(uintptr_t)thread_result((uint32_t)($));\n",
    "{ int32_t *p = garray + (($) & 3); p += 2; *p = (int32_t)($); % = (uint32_t)p[-1]; }\n",
    "{ const int16_t *p = table + (($) & 7), *q = table + (($) & 7); % = p < q; % = (uint32_t)(p - "
    "q); }\n",
    "{ uint8_t *h = malloc(8); memset(h, 3, 8); h[($) & 7] = (uint8_t)($); % = h[($) & 7]; "
    "free(h); }\n",
    "{ uint32_t r; % = __builtin_add_overflow((uint32_t)($), (uint32_t)($), &r); % = r; }\n",
    "{ int32_t r; % = __builtin_mul_overflow((int32_t)($), (int32_t)($), &r); % = (uint32_t)r; }\n",
    "% = ($) ? (uint32_t)__builtin_clz((uint32_t)($) | 1) : 4;\n",
    "{ _Bool b = ($); % = b; flag = !b; }\n",
    "% = flag;\n",
    "bytes[7] = 0; % = (uint32_t)strlen((char *)bytes);\n",
    "bytes[7] = 0; % = (uint32_t)(strcmp((char *)bytes, \"\\3\\2\") < 0);\n",
    "% = (uint32_t)(memcmp(bytes, in, INPUTS) == 0);\n",
    "% = (uint32_t)recurse((uint32_t)($) & 3);\n",
    "for (int i = 0; i < 8; i++) bytes[i] ^= (uint8_t)(in[0] + i);\n",
    "for (int i = 0; i < 8; i++) % += bytes[i];\n",
    "for (int i = 0; i < 8; i++) garray[i] = (int32_t)((uint32_t)garray[i] * 3u + (uint32_t)%);\n",
    "{ static uint32_t kept; kept += (uint32_t)($); % = kept & 255; kept = 0; }\n",
    "% = (uint32_t)atomic_fetch_add(&counter, (int)($) & 15); % += "
    "(uint32_t)atomic_load(&counter);\n",
    "{ int e = #; % = atomic_compare_exchange_strong(&counter, &e, (int)($) & 63); % = "
    "(uint32_t)e; }\n",
    "{ uint32_t *t[3] = {&v32a, &v32b, &v32a}; *t[(uint32_t)($) % 3u] = (uint32_t)($); % = v32a; "
    "}\n",
    "{ const char *s = ($) & 1 ? \"hello\" : \"other\"; % = (uint8_t)s[($) & 3]; }\n",
    "{ uint16_t w; memcpy(&w, &bytes[# & 3], 2); % = (uint32_t)(w >> 3 & 1023); }\n",
    "% = (uint32_t)((__uint128_t)(uint64_t)($) * (uint64_t)($) >> 64);\n",
    "% = (uint32_t)(float)(uint16_t)($);\n",
    "% = variadic(2, (int)($), (int)($));\n",
    "% = (uint32_t)two_dims[($) & 1][($) & 3];\n",
    "{ struct pairs t[3] = {{1, 2}, {3, 4}, {5, 6}}; t[(uint32_t)($) % 3u].x = (int32_t)($); % = "
    "(uint32_t)t[1].x; % = (uint32_t)t[(uint32_t)($) % 3u].y; }\n",
    "% = (uint32_t)abs((int16_t)($));\n",
    "% = (uint32_t)toupper((uint8_t)($) & 127); % = isdigit((uint8_t)($)) != 0;\n",
};

static void put_step(const char *s)
{
    for (; *s; s++) {
        if (*s == '$')
            expr(1 + (int)pick(2));
        else if (*s == '#')
            printf("%u", 1 + pick(13));
        else if (*s == '@')
            printf("%s", any_type());
        else if (*s == '%' && (s[1] == ' ' || s[1] == ')') &&
                 (s[2] == '=' || s[2] == '+' || s[1] == ')'))
            printf("v%u", pick(8));
        else
            putchar(*s);
    }
}

static void block(int depth)
{
    uint32_t n = 1 + pick(3);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = pick(10);
        if (k < 2 && depth > 0 && depth_left-- > 0)
            branch(depth);
        else if (k < 3 && depth > 0 && depth_left-- > 0)
            cases(depth);
        else if (k < 4 && depth > 0 && depth_left-- > 0)
            loop(depth);
        else if (k < 6)
            assign();
        else
            put_step(steps[pick(sizeof steps / sizeof *steps)]);
    }
}

static const char prelude[] =
    "#include <ctype.h>\n#include <heddle/annotate.h>\n#include <pthread.h>\n#include <stdarg.h>\n"
    "#include <stdatomic.h>\n#include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
    "#include <string.h>\n"
    "static char made[4096];\nstatic unsigned n_made;\n"
    "static __attribute__((noinline)) void made_mark(char c) { if (n_made < sizeof made - 1) "
    "made[n_made++] = c; }\n"
    "#ifdef NO_LOG\n#define MARK(k) __asm__ volatile(\"# mark \" #k);\n"
    "#else\n#define MARK(k) __asm__ volatile(\"# mark \" #k ::: \"memory\"); made_mark((char)('0' "
    "+ "
    "k));\n#endif\n"
    "struct small { uint8_t a; int16_t b; unsigned c : 5, d : 3; };\n"
    "struct pairs { int32_t x; uint64_t y; };\n"
    "struct large { int32_t v[5]; int64_t last; };\n"
    "static struct small small;\nstatic union { uint32_t whole; uint8_t part[4]; } both;\n"
    "static int32_t garray[8];\nstatic uint8_t bytes[8], in[INPUTS];\n"
    "static const int16_t table[16] = {3, -7, 100, 2, 2, 2, 9, 0, 255, 256, -1, 4, 4, 77, 5, 6};\n"
    "static int32_t two_dims[2][4] = {{1, 2, 3, 4}, {9, 8, 7, 6}};\n"
    "static int32_t g0, g1, shared;\nstatic uint8_t g2;\nstatic uint64_t g3;\n"
    "static uint32_t v32a, v32b;\nstatic _Bool flag;\nstatic _Atomic int counter;\n"
    "static int32_t quotient(int32_t a, int32_t b) { return b == 0 || (a == INT32_MIN && b == -1) "
    "? "
    "5 : a / b; }\n"
    "static int32_t call0(int32_t x) { return (int32_t)((uint32_t)x + 1u); }\n"
    "static int32_t call1(int32_t x) { return x ^ 21; }\n"
    "static int32_t call2(int32_t x) { (void)x; return 77; }\n"
    "static int32_t call3(int32_t x) { return x > 9 ? 9 : x; }\n"
    "static int32_t (*const calls[4])(int32_t) = {call0, call1, call2, call3};\n"
    "static struct small change(struct small s, uint8_t by) { s.b = (int16_t)(s.b + by); s.a ^= "
    "by; "
    "return s; }\n"
    "static struct pairs make_pair(int32_t x, uint64_t y) { struct pairs p = {x, y + 1}; return p; "
    "}\n"
    "static __attribute__((noinline)) uint32_t sum_large(struct large l) { uint32_t n = "
    "(uint32_t)l.last; for (int i = 0; i < 5; i++) n += (uint32_t)l.v[i]; return n; }\n"
    "static __attribute__((noinline)) struct large make_large(int32_t x) { struct large l = {{x, "
    "2, "
    "x, 4, 5}, x}; return l; }\n"
    "static uint32_t recurse(uint32_t n) { return n == 0 ? 1 : n * recurse(n - 1); }\n"
    "static uint32_t variadic(int n, ...) { va_list l; uint32_t s = 0; va_start(l, n); while (n-- "
    "> "
    "0) s = s * 3 + (uint32_t)va_arg(l, int); va_end(l); return s; }\n"
    "static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;\n"
    "static void *add_shared(void *p) { pthread_mutex_lock(&lock); shared = (int32_t)((uint32_t)"
    "shared * 3u + *(uint32_t *)p); pthread_mutex_unlock(&lock); return NULL; }\n"
    "static void through_thread(int32_t x) { pthread_t t; pthread_create(&t, NULL, add_shared, "
    "&x); "
    "pthread_join(t, NULL); }\n"
    "static void *double_it(void *p) { return (void *)((uintptr_t)p * 2); }\n"
    "static void *thread_result(uint32_t x) { pthread_t t; void *r; pthread_create(&t, NULL, "
    "double_it, (void *)(uintptr_t)x); pthread_join(t, &r); return r; }\n"
    "static void reset(void) { memset(&small, 0, sizeof small); small.a = 3; small.b = -4; "
    "both.whole = 0x1020304; for (int i = 0; i < 8; i++) { garray[i] = i * 5; bytes[i] = (uint8_t)"
    "(i + 2); } g0 = 11; g1 = -3; g2 = 200; g3 = 0; shared = 1; v32a = v32b = 6; flag = 1; counter "
    "= 4; n_made = 0; two_dims[0][0] = 1; memset(made, 0, sizeof made); }\n";

static void helper(int i)
{
    static const char *const results[] = {"uint32_t", "int16_t", "int64_t"};
    in_helper = 1;
    printf("static %s %s helper%d(%s p, %s q)\n{\n(void)p, (void)q;\n",
           pick(2) ? "__attribute__((noinline))" : "", results[i], i, any_type(), any_type());
    if (pick(2)) {
        printf("if (");
        condition();
        printf(") {\n");
        mark();
        printf("return (%s)(", results[i]);
        expr(2);
        printf(");\n}\n");
        mark();
    }
    printf("return (%s)(", results[i]);
    expr(3);
    printf(");\n}\n");
    in_helper = 0;
}

int main(int argc, char **argv)
{
    uint32_t seed = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1;
    state = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    pick(1);
    inputs = 1 + (pick(4) == 0);
    depth_left = 4 + (int)pick(4);
    printf("#define INPUTS %d\n%s", inputs, prelude);
    for (int i = 0; i < 3; i++)
        helper(i);
    printf(
        "static void run(void)\n{\nuint32_t v0 = 1, v3 = 40, v6 = 7; uint64_t v1 = 5; uint8_t v2 "
        "= 200; uint16_t v4 = 9; int64_t v5 = -2; int32_t v7 = 100;\n");
    for (int i = 0; i < 4; i++) {
        put_step(steps[pick(sizeof steps / sizeof *steps)]);
        block(2);
        branch(1);
    }
    printf("if ((v0 ^ v1 ^ v2 ^ v3 ^ v4 ^ (uint64_t)v5 ^ v6 ^ (uint32_t)v7) & 1) { ");
    mark();
    printf("} else { ");
    mark();
    printf("}\n}\n");
    printf(
        "int main(void)\n{\n(void)calls, (void)change, (void)make_pair, (void)sum_large, "
        "(void)make_large, (void)recurse, (void)variadic, (void)through_thread, "
        "(void)thread_result, (void)quotient, (void)table, (void)made_mark; (void)helper0, "
        "(void)helper1, (void)helper2, (void)two_dims;\n"
        "#ifdef REFERENCE\nfor (unsigned i = 0; i < 1u << 8 * INPUTS; i++) {\nreset();\nmemcpy(in, "
        "&i, INPUTS);\nrun();\nprintf(\"%%u %%s\\n\", i, made);\n}\n#else\nreset();\n"
        "heddle_make_symbolic(in, INPUTS, \"in\");\nrun();\nprintf(\"%%u %%s\\n\", in[0] | "
        "(unsigned)in[INPUTS - 1] << 8 * (INPUTS - 1), made);\n#endif\nreturn 0;\n}\n");
    return 0;
}
