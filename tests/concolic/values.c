/* One small computation for each sort of value. `followed`: what expressions can follow; which one
 * is run is input too, so that a search finds all. `lost`: what becomes concrete and must be
 * counted; argv[1] names it. See test_values.sh. */
#define _GNU_SOURCE
#include <ctype.h>
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <stdatomic.h>
#include <strings.h>

struct pair {
    int a, b;
};
struct four {
    int16_t a, b, c;
    int8_t d;
};
struct mixed {
    long a;
    int b;
};
struct big {
    int v[8];
};
__attribute__((noinline)) static int use_pair(struct pair p)
{
    return p.a * 2 + p.b;
}
__attribute__((noinline)) static int use_mixed(struct mixed p)
{
    return (int)p.a * 2 + p.b;
}
__attribute__((noinline)) static int use_big(struct big p)
{
    return p.v[0] + p.v[7];
}
__attribute__((noinline)) static struct pair make_pair(int x)
{
    return (struct pair){x, x + 1};
}
__attribute__((noinline)) static struct mixed make_mixed(int x)
{
    return (struct mixed){x, x + 1};
}
__attribute__((noinline)) static struct big make_big(int x)
{
    struct big b = {{0}};
    b.v[3] = x;
    return b;
}
__attribute__((noinline)) static int sum_all(int n, ...)
{
    va_list ap;
    int s = 0;
    va_start(ap, n);
    while (n-- > 0)
        s += va_arg(ap, int);
    va_end(ap);
    return s;
}
static void *thread(void *p)
{
    return (void *)((long)p + 5);
}
static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
static int shared;
static atomic_int at;
static void *reads_shared(void *p)
{
    (void)p;
    return shared == 77 ? (void *)1 : NULL;
}

#define VALUE(n) static int v_##n(const unsigned char *in, int x)
#define USE      (void)in, (void)x;

VALUE(pair)
{
    USE return use_pair((struct pair){x, in[2]}) == 999;
}

VALUE(mixed)
{
    USE return use_mixed((struct mixed){x, in[2]}) == 999;
}

VALUE(big)
{
    USE struct big b = {{x, 0, 0, 0, 0, 0, 0, in[2]}};
    return use_big(b) == 999;
}

VALUE(retpair)
{
    USE struct pair p = make_pair(x);
    return p.a == 4242 && p.b == 4243;
}

VALUE(retmixed)
{
    USE struct mixed p = make_mixed(x);
    return p.b == 4243;
}

VALUE(retbig)
{
    USE struct big b = make_big(x);
    return b.v[3] == 4243;
}

VALUE(assign)
{
    USE struct big b = make_big(1), c;
    b.v[5] = x;
    c = b;
    return c.v[5] == 777;
}

VALUE(varargs)
{
    USE return sum_all(3, 1, x, 2) == 1000;
}

VALUE(float)
{
    USE return (float)x * 0.5f == 100.0f;
}

VALUE(double)
{
    USE return (double)x + 0.25 > 4000.0;
}

VALUE(fmem)
{
    USE float f;
    memcpy(&f, in, 4);
    return f > 1e30f;
}

VALUE(int128)
{
    USE __int128 w = (__int128)x * x;
    return (long)(w >> 2) == 2500;
}

VALUE(strtod)
{
    USE char t[8] = {0};
    memcpy(t, in, 4);
    return atof(t) == 3.5;
}

VALUE(sprintf)
{
    USE char t[32];
    snprintf(t, sizeof t, "%d", x);
    return strcmp(t, "4321") == 0;
}

VALUE(sprintfs)
{
    USE char t[32], u[8] = {0};
    memcpy(u, in, 4);
    snprintf(t, sizeof t, "<%s>", u);
    return strcmp(t, "<ab>") == 0;
}

VALUE(printf_float)
{
    USE char t[32];
    snprintf(t, sizeof t, "%d %.1f", x, 1.5);
    return strcmp(t, "7 1.5") == 0;
}

VALUE(qsort)
{
    USE int v[3] = {5, x, 7};
    qsort(v, 3, sizeof *v, by_value);
    return v[2] == 5000;
}

VALUE(thread)
{
    USE pthread_t t;
    void *r;
    pthread_create(&t, NULL, thread, (void *)(long)x);
    pthread_join(t, &r);
    return (long)r == 1239;
}

VALUE(shared)
{
    USE pthread_t t;
    void *r;
    shared = x;
    pthread_create(&t, NULL, reads_shared, NULL);
    pthread_join(t, &r);
    return r != NULL;
}

VALUE(atomic)
{
    USE atomic_store(&at, x);
    atomic_fetch_add(&at, 3);
    return atomic_load(&at) == 1003;
}

VALUE(cas)
{
    USE int e = 55;
    at = x;
    return atomic_compare_exchange_strong(&at, &e, 9);
}

VALUE(switch)
{
    USE switch (x)
    {
    case 10:
        return 0;
    case 20000:
        return 1;
    case 7:
        return 0;
    default:
        return 0;
    }
}

VALUE(div)
{
    USE return x != 0 && 10000 / x == 37;
}

VALUE(mod)
{
    USE return x % 1000 == 333;
}

VALUE(sdiv)
{
    USE int16_t s = (int16_t)x;
    return s / 7 == -300;
}

VALUE(shift)
{
    USE return ((unsigned)x << 3 | (unsigned)x >> 13) % 65536 == 0x1234;
}

VALUE(varshift)
{
    USE return (1u << (in[2] & 31)) == 0x400000u;
}

VALUE(ashift)
{
    USE int16_t s = (int16_t)x;
    return (s >> 3) == -77;
}

VALUE(select)
{
    USE int m = x > 100 ? x : 100, k = in[2] < 9 ? 4 : 5;
    return m * k == 4444;
}

VALUE(read)
{
    USE static const int t[64] = {[33] = 9};
    return t[in[2] & 63] == 9;
}

VALUE(readheap)
{
    USE int *t = calloc(64, sizeof *t);
    t[44] = 8;
    int r = t[in[2] & 63] == 8;
    free(t);
    return r;
}

VALUE(write)
{
    USE int t[16] = {0};
    t[in[2] & 15] = 3;
    return t[11] == 3;
}

VALUE(out)
{
    USE static int t[16];
    if (in[2] < 16)
        t[in[2]] = 1;
    return t[9];
}

VALUE(cast)
{
    USE int8_t s = (int8_t)in[2];
    return (int)s == -77;
}

VALUE(narrow)
{
    USE uint8_t s = (uint8_t)(x + 17);
    return s == 3 && x > 300;
}

VALUE(mul)
{
    USE uint64_t h = 5381;
    for (int i = 0; i < 3; i++)
        h = h * 33 + in[i];
    return h == 193456677;
}

VALUE(strlen)
{
    USE char t[9] = {0};
    memcpy(t, in, 8);
    return strlen(t) == 5;
}

VALUE(strchr)
{
    USE char t[9] = {0};
    memcpy(t, in, 5);
    char *p = strchr(t, '=');
    return p && p - t == 3 && p[1] == 'x';
}

VALUE(strstr)
{
    USE char t[9] = {0};
    memcpy(t, in, 5);
    return strstr(t, "xyz") != NULL;
}

VALUE(strcpy)
{
    USE char t[9] = {0}, u[9];
    memcpy(t, in, 8);
    strcpy(u, t);
    return strcmp(u, "ok") == 0;
}

VALUE(strcat)
{
    USE char t[9] = {0}, u[19] = "a";
    memcpy(t, in, 8);
    strcat(u, t);
    return strcmp(u, "abc") == 0;
}

VALUE(memcmp)
{
    USE return memcmp(in, "magic", 5) == 0;
}

VALUE(strncmp)
{
    USE return strncmp((const char *)in, "heddle", 6) == 0;
}

VALUE(strcasecmp)
{
    USE char t[9] = {0};
    memcpy(t, in, 8);
    return strcasecmp(t, "yes") == 0;
}

VALUE(strtolend)
{
    USE char t[9] = {0}, *e;
    memcpy(t, in, 5);
    return strtol(t, &e, 10) == 17 && *e == ';';
}

VALUE(strsep)
{
    USE char t[9] = {0}, *p = t;
    memcpy(t, in, 5);
    char *q = strsep(&p, ":");
    return q && p && strcmp(q, "k") == 0;
}

VALUE(ctype)
{
    USE return isdigit(in[0]) && isupper(in[1]) && tolower(in[1]) == 'q' && isspace(in[2]) &&
        ispunct(in[3]) && isxdigit(in[4]) && isalpha(in[4]);
}

VALUE(toupper)
{
    USE return toupper(in[0]) == 'Z' && in[0] != 'Z';
}

VALUE(memchr)
{
    USE const unsigned char *p = memchr(in, 7, 8);
    return p == in + 6;
}

VALUE(strdup)
{
    USE char t[9] = {0};
    memcpy(t, in, 8);
    char *u = strdup(t);
    int r = strcmp(u, "go") == 0;
    free(u);
    return r;
}

VALUE(memset)
{
    USE char t[4];
    memset(t, in[2], 4);
    return t[3] == 99;
}

VALUE(memmove)
{
    USE char t[9] = {0};
    memcpy(t, in, 8);
    memmove(t + 1, t, 5);
    return t[3] == 'k';
}

VALUE(realloc)
{
    USE char *t = malloc(8);
    memcpy(t, in, 8);
    t = realloc(t, 5000);
    int r = t[5] == 'r';
    free(t);
    return r;
}

VALUE(bitfield)
{
    USE struct {
        unsigned a : 3, b : 7, c : 6;
    } f;
    memcpy(&f, in, 2);
    return f.b == 93 && f.c == 5;
}

VALUE(union)
{
    USE union {
        uint32_t w;
        uint8_t b[4];
    } u;
    memcpy(u.b, in, 4);
    return u.w == 0xcafebabe;
}

VALUE(ptr)
{
    USE int v[4] = {1, 2, 3, 4};
    int *p = v + (in[2] & 3);
    return *p == 3;
}

VALUE(fnptr)
{
    USE int (*f[2])(int, ...) = {sum_all, NULL};
    return f[0](1, 5) == 5 && x == 321;
}

VALUE(popcount)
{
    USE return __builtin_popcount((unsigned)x) == 13;
}

VALUE(clz)
{
    USE return x && __builtin_clz((unsigned)x) == 20;
}

VALUE(bswap)
{
    USE return __builtin_bswap32((uint32_t)x << 16) == 0x3412;
}

VALUE(overflow)
{
    USE int r;
    return __builtin_add_overflow(x << 15, x << 15, &r) && x == 40000;
}

VALUE(abs)
{
    USE return abs((int16_t)x) == 1234 && (int16_t)x < 0;
}

VALUE(rotate)
{
    USE uint16_t r = (uint16_t)(x << 5 | x >> 11);
    return r == 0x1234;
}

VALUE(div_t)
{
    USE div_t d = div(x, 10);
    return d.quot == 321 && d.rem == 7;
}

struct value {
    const char *name;
    int (*run)(const unsigned char *in, int x);
};
static const struct value followed[] = {
    {"pair", v_pair},
    {"mixed", v_mixed},
    {"big", v_big},
    {"retpair", v_retpair},
    {"retmixed", v_retmixed},
    {"retbig", v_retbig},
    {"assign", v_assign},
    {"thread", v_thread},
    {"shared", v_shared},
    {"atomic", v_atomic},
    {"cas", v_cas},
    {"switch", v_switch},
    {"div", v_div},
    {"mod", v_mod},
    {"sdiv", v_sdiv},
    {"shift", v_shift},
    {"varshift", v_varshift},
    {"ashift", v_ashift},
    {"select", v_select},
    {"read", v_read},
    {"readheap", v_readheap},
    {"write", v_write},
    {"out", v_out},
    {"cast", v_cast},
    {"narrow", v_narrow},
    {"mul", v_mul},
    {"strlen", v_strlen},
    {"strchr", v_strchr},
    {"strstr", v_strstr},
    {"strcpy", v_strcpy},
    {"strcat", v_strcat},
    {"memcmp", v_memcmp},
    {"strncmp", v_strncmp},
    {"strcasecmp", v_strcasecmp},
    {"strtolend", v_strtolend},
    {"ctype", v_ctype},
    {"toupper", v_toupper},
    {"memchr", v_memchr},
    {"strdup", v_strdup},
    {"memset", v_memset},
    {"memmove", v_memmove},
    {"realloc", v_realloc},
    {"bitfield", v_bitfield},
    {"union", v_union},
    {"ptr", v_ptr},
    {"fnptr", v_fnptr},
    {"popcount", v_popcount},
    {"clz", v_clz},
    {"bswap", v_bswap},
    {"overflow", v_overflow},
    {"abs", v_abs},
    {"rotate", v_rotate},
    {"varargs", v_varargs},
    {"sprintf", v_sprintf},
    {"sprintfs", v_sprintfs},
    {"qsort", v_qsort},
    {"strsep", v_strsep},
    {"div_t", v_div_t},
};
static const struct value lost[] = {
    {"float", v_float},   {"double", v_double}, {"fmem", v_fmem},
    {"int128", v_int128}, {"strtod", v_strtod}, {"printf_float", v_printf_float},
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

int main(int argc, char **argv)
{
    unsigned char in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, which = 255;
    heddle_make_symbolic(in, sizeof in, "in");
    int x = in[0] | in[1] << 8;
    for (size_t i = 0; argc > 1 && i < COUNT(lost); i++)
        if (strcmp(argv[1], lost[i].name) == 0)
            return lost[i].run(in, x);
    heddle_make_symbolic(&which, 1, "which");
    for (size_t i = 0; i < COUNT(followed); i++)
        if (which == i) {
            if (followed[i].run(in, x))
                printf("REACHED %s\n", followed[i].name);
            return 0;
        }
    return 0;
}
