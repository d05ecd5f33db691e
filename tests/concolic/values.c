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

static const char *name;
#define FOLLOWED(text) name = text;
static int followed(unsigned which, unsigned char *in)
{
    int x = in[0] | in[1] << 8;
    switch (which) {
    case 0:
        FOLLOWED("pair") return use_pair((struct pair){x, in[2]}) == 999;
    case 1:
        FOLLOWED("mixed") return use_mixed((struct mixed){x, in[2]}) == 999;
    case 2:
        FOLLOWED("big")
        {
            struct big b = {{x, 0, 0, 0, 0, 0, 0, in[2]}};
            return use_big(b) == 999;
        }
    case 3:
        FOLLOWED("retpair")
        {
            struct pair p = make_pair(x);
            return p.a == 4242 && p.b == 4243;
        }
    case 4:
        FOLLOWED("retmixed")
        {
            struct mixed p = make_mixed(x);
            return p.b == 4243;
        }
    case 5:
        FOLLOWED("retbig")
        {
            struct big b = make_big(x);
            return b.v[3] == 4243;
        }
    case 6:
        FOLLOWED("assign")
        {
            struct big b = make_big(1), c;
            b.v[5] = x;
            c = b;
            return c.v[5] == 777;
        }
    case 7:
        FOLLOWED("thread")
        {
            pthread_t t;
            void *r;
            pthread_create(&t, NULL, thread, (void *)(long)x);
            pthread_join(t, &r);
            return (long)r == 1239;
        }
    case 8:
        FOLLOWED("shared")
        {
            pthread_t t;
            void *r;
            shared = x;
            pthread_create(&t, NULL, reads_shared, NULL);
            pthread_join(t, &r);
            return r != NULL;
        }
    case 9:
        FOLLOWED("atomic")
        {
            atomic_store(&at, x);
            atomic_fetch_add(&at, 3);
            return atomic_load(&at) == 1003;
        }
    case 10:
        FOLLOWED("cas")
        {
            int e = 55;
            at = x;
            return atomic_compare_exchange_strong(&at, &e, 9);
        }
    case 11:
        FOLLOWED("switch") switch (x)
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
    case 12:
        FOLLOWED("div") return x != 0 && 10000 / x == 37;
    case 13:
        FOLLOWED("mod") return x % 1000 == 333;
    case 14:
        FOLLOWED("sdiv")
        {
            int16_t s = (int16_t)x;
            return s / 7 == -300;
        }
    case 15:
        FOLLOWED("shift") return ((unsigned)x << 3 | (unsigned)x >> 13) % 65536 == 0x1234;
    case 16:
        FOLLOWED("varshift") return (1u << (in[2] & 31)) == 0x400000u;
    case 17:
        FOLLOWED("ashift")
        {
            int16_t s = (int16_t)x;
            return (s >> 3) == -77;
        }
    case 18:
        FOLLOWED("select")
        {
            int m = x > 100 ? x : 100, k = in[2] < 9 ? 4 : 5;
            return m * k == 4444;
        }
    case 19:
        FOLLOWED("read")
        {
            static const int t[64] = {[33] = 9};
            return t[in[2] & 63] == 9;
        }
    case 20:
        FOLLOWED("readheap")
        {
            int *t = calloc(64, sizeof *t);
            t[44] = 8;
            int r = t[in[2] & 63] == 8;
            free(t);
            return r;
        }
    case 21:
        FOLLOWED("write")
        {
            int t[16] = {0};
            t[in[2] & 15] = 3;
            return t[11] == 3;
        }
    case 22:
        FOLLOWED("out")
        {
            static int t[16];
            if (in[2] < 16)
                t[in[2]] = 1;
            return t[9];
        }
    case 23:
        FOLLOWED("cast")
        {
            int8_t s = (int8_t)in[2];
            return (int)s == -77;
        }
    case 24:
        FOLLOWED("narrow")
        {
            uint8_t s = (uint8_t)(x + 17);
            return s == 3 && x > 300;
        }
    case 25:
        FOLLOWED("mul")
        {
            uint64_t h = 5381;
            for (int i = 0; i < 3; i++)
                h = h * 33 + in[i];
            return h == 193456677;
        }
    case 26:
        FOLLOWED("strlen")
        {
            char t[9] = {0};
            memcpy(t, in, 8);
            return strlen(t) == 5;
        }
    case 27:
        FOLLOWED("strchr")
        {
            char t[9] = {0};
            memcpy(t, in, 8);
            char *p = strchr(t, '=');
            return p && p - t == 3 && p[1] == 'x';
        }
    case 28:
        FOLLOWED("strstr")
        {
            char t[9] = {0};
            memcpy(t, in, 8);
            return strstr(t, "xyz") != NULL;
        }
    case 29:
        FOLLOWED("strcpy")
        {
            char t[9] = {0}, u[9];
            memcpy(t, in, 8);
            strcpy(u, t);
            return strcmp(u, "ok") == 0;
        }
    case 30:
        FOLLOWED("strcat")
        {
            char t[9] = {0}, u[19] = "a";
            memcpy(t, in, 8);
            strcat(u, t);
            return strcmp(u, "abc") == 0;
        }
    case 31:
        FOLLOWED("memcmp") return memcmp(in, "magic", 5) == 0;
    case 32:
        FOLLOWED("strncmp") return strncmp((char *)in, "heddle", 6) == 0;
    case 33:
        FOLLOWED("strcasecmp")
        {
            char t[9] = {0};
            memcpy(t, in, 8);
            return strcasecmp(t, "yes") == 0;
        }
    case 35:
        FOLLOWED("strtolend")
        {
            char t[9] = {0}, *e;
            memcpy(t, in, 8);
            return strtol(t, &e, 10) == 17 && *e == ';';
        }
    case 36:
        FOLLOWED("ctype")
            return isdigit(in[0]) && isupper(in[1]) && tolower(in[1]) == 'q' && isspace(in[2]) &&
            ispunct(in[3]) && isxdigit(in[4]) && isalpha(in[4]);
    case 37:
        FOLLOWED("toupper") return toupper(in[0]) == 'Z' && in[0] != 'Z';
    case 38:
        FOLLOWED("memchr")
        {
            unsigned char *p = memchr(in, 7, 8);
            return p == in + 6;
        }
    case 39:
        FOLLOWED("strdup")
        {
            char t[9] = {0};
            memcpy(t, in, 8);
            char *u = strdup(t);
            int r = strcmp(u, "go") == 0;
            free(u);
            return r;
        }
    case 40:
        FOLLOWED("memset")
        {
            char t[4];
            memset(t, in[2], 4);
            return t[3] == 99;
        }
    case 41:
        FOLLOWED("memmove")
        {
            char t[9] = {0};
            memcpy(t, in, 8);
            memmove(t + 1, t, 5);
            return t[3] == 'k';
        }
    case 42:
        FOLLOWED("realloc")
        {
            char *t = malloc(8);
            memcpy(t, in, 8);
            t = realloc(t, 5000);
            int r = t[5] == 'r';
            free(t);
            return r;
        }
    case 43:
        FOLLOWED("bitfield")
        {
            struct {
                unsigned a : 3, b : 7, c : 6;
            } f;
            memcpy(&f, in, 2);
            return f.b == 93 && f.c == 5;
        }
    case 44:
        FOLLOWED("union")
        {
            union {
                uint32_t w;
                uint8_t b[4];
            } u;
            memcpy(u.b, in, 4);
            return u.w == 0xcafebabe;
        }
    case 45:
        FOLLOWED("ptr")
        {
            int v[4] = {1, 2, 3, 4};
            int *p = v + (in[2] & 3);
            return *p == 3;
        }
    case 46:
        FOLLOWED("fnptr")
        {
            int (*f[2])(int, ...) = {sum_all, NULL};
            return f[0](1, 5) == 5 && x == 321;
        }
    case 47:
        FOLLOWED("popcount") return __builtin_popcount((unsigned)x) == 13;
    case 48:
        FOLLOWED("clz") return x && __builtin_clz((unsigned)x) == 20;
    case 49:
        FOLLOWED("bswap") return __builtin_bswap32((uint32_t)x << 16) == 0x3412;
    case 50:
        FOLLOWED("overflow")
        {
            int r;
            return __builtin_add_overflow(x << 15, x << 15, &r) && x == 40000;
        }
    case 51:
        FOLLOWED("abs") return abs((int16_t)x) == 1234 && (int16_t)x < 0;
    case 52:
        FOLLOWED("rotate")
        {
            uint16_t r = (uint16_t)(x << 5 | x >> 11);
            return r == 0x1234;
        }
    default:
        return 0;
    }
}
static int lost(const char *what, unsigned char *in)
{
    int x = in[0] | in[1] << 8;
#define LOST(text) if (strcmp(what, text) == 0)
    LOST("varargs") return sum_all(3, 1, x, 2) == 1000;
    LOST("float") return (float)x * 0.5f == 100.0f;
    LOST("double") return (double)x + 0.25 > 4000.0;
    LOST("fmem")
    {
        float f;
        memcpy(&f, in, 4);
        return f > 1e30f;
    }
    LOST("int128")
    {
        __int128 w = (__int128)x * x;
        return (long)(w >> 2) == 2500;
    }
    LOST("strtod")
    {
        char t[8] = {0};
        memcpy(t, in, 4);
        return atof(t) == 3.5;
    }
    LOST("sprintf")
    {
        char t[32];
        snprintf(t, sizeof t, "%d", x);
        return strcmp(t, "4321") == 0;
    }
    LOST("sprintfs")
    {
        char t[32], u[8] = {0};
        memcpy(u, in, 4);
        snprintf(t, sizeof t, "<%s>", u);
        return strcmp(t, "<ab>") == 0;
    }
    LOST("qsort")
    {
        int v[3] = {5, x, 7};
        qsort(v, 3, sizeof *v, by_value);
        return v[2] == 5000;
    }
    LOST("strsep")
    {
        char t[9] = {0}, *p = t;
        memcpy(t, in, 8);
        char *q = strsep(&p, ":");
        return q && p && strcmp(q, "k") == 0;
    }
    LOST("div_t")
    {
        div_t d = div(x, 10);
        return d.quot == 321 && d.rem == 7;
    }
    return 0;
}
int main(int argc, char **argv)
{
    unsigned char in[8] = {1, 2, 3, 4, 5, 6, 7, 8}, which = 255;
    heddle_make_symbolic(in, sizeof in, "in");
    if (argc > 1)
        return lost(argv[1], in);
    heddle_make_symbolic(&which, 1, "which");
    if (followed(which, in))
        printf("REACHED %s\n", name);
    return 0;
}
