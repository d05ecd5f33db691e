/* A race behind each library function that has a model: the value that the function answers, or
 * writes, has to be followed to get there. Input: five bytes, and which of them all is tried. With
 * -DCORRECT every variable has its lock. */
#include <ctype.h>
#include <heddle/annotate.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned char in[5] = "abcd";
static char text[6];

static void run(void *(*body)(void *))
{
    pthread_t s, t;
    pthread_create(&s, NULL, body, NULL);
    pthread_create(&t, NULL, body, NULL);
    pthread_join(s, NULL);
    pthread_join(t, NULL);
}

#ifdef CORRECT
#define ADD(variable)                                                                              \
    pthread_mutex_lock(&lock);                                                                     \
    (variable)++;                                                                                  \
    pthread_mutex_unlock(&lock)
#else
#define ADD(variable) (variable)++
#endif

/* MODEL(name) is the condition for the race on the variable race_<name>. */
#define MODEL(name)                                                                                \
    static int race_##name;                                                                        \
    static void *body_##name(void *p)                                                              \
    {                                                                                              \
        ADD(race_##name);                                                                          \
        return p;                                                                                  \
    }                                                                                              \
    static int is_##name(void)

static int by_value(const void *a, const void *b)
{
    return *(const unsigned char *)a - *(const unsigned char *)b;
}

static int sum(int n, ...)
{
    va_list l;
    int s = 0;
    va_start(l, n);
    while (n-- > 0)
        s = s * 3 + va_arg(l, int);
    va_end(l);
    return s;
}

static long mixed(const char *what, ...)
{
    va_list l;
    long s = 0;
    va_start(l, what);
    for (; *what; what++)
        s += *what == 'i'   ? va_arg(l, int)
             : *what == 'l' ? va_arg(l, long)
             : *what == 'd' ? (long)va_arg(l, double)
                            : *va_arg(l, unsigned char *);
    va_end(l);
    return s;
}

MODEL(strsep)
{
    char *rest = text, *first = strsep(&rest, ":;");
    return rest && strcmp(first, "k") == 0 && *rest == '7';
}

MODEL(strtok)
{
    char *a = strtok(text, " ,"), *b = a ? strtok(NULL, " ,") : NULL;
    return b && *a == 'x' && strcmp(b, "yz") == 0;
}

MODEL(strtok_r)
{
    char *save, *a = strtok_r(text, "=", &save), *b = a ? strtok_r(NULL, "=", &save) : NULL;
    return b && strcmp(a, "on") == 0 && *b == '1';
}

MODEL(snprintf)
{
    char out[16];
    snprintf(out, sizeof out, "<%d>", in[0] | in[1] << 8);
    return strcmp(out, "<4321>") == 0;
}

MODEL(sprintf)
{
    char out[32];
    text[2] = 0;
    sprintf(out, "%s-%02x%c", text, in[2], 'e');
    return strcmp(out, "go-0fe") == 0;
}

MODEL(sscanf_d)
{
    int n = 0;
    return sscanf(text, "%d", &n) == 1 && n == -37;
}

MODEL(sscanf_x)
{
    unsigned n = 0;
    char c = 0;
    return sscanf(text, "%x%c", &n, &c) == 2 && n == 0xbe && c == '!';
}

MODEL(sscanf_s)
{
    char word[8] = "";
    unsigned n = 0;
    return sscanf(text, "%s %u", word, &n) == 2 && strcmp(word, "up") == 0 && n == 5;
}

MODEL(qsort)
{
    unsigned char v[3] = {50, in[0], 90};
    qsort(v, 3, 1, by_value);
    return v[1] == 77;
}

MODEL(bsearch)
{
    static const unsigned char v[5] = {3, 8, 21, 77, 130};
    return bsearch(&in[0], v, 5, 1, by_value) == &v[3];
}

MODEL(div)
{
    div_t d = div(in[0], 10);
    return d.quot == 17 && d.rem == 3;
}

MODEL(ldiv)
{
    ldiv_t d = ldiv(in[0], 9L);
    return d.quot == 20 && d.rem == 5;
}

MODEL(varargs)
{
    return sum(3, 1, in[0], 2) == 9 + 3 * 200 + 2;
}

MODEL(varargs_mixed)
{
    return mixed("ildpiil", 5, (long)in[0], 2.0, &in[1], 7, 9, (long)in[2]) ==
               5 + 201 + 2 + 202 + 16 + 99 &&
           in[0] == 201 && in[1] == 202;
}

MODEL(strtol_16)
{
    text[4] = 0;
    return strtol(text, NULL, 16) == 0xbeef;
}

MODEL(strtol_0)
{
    return strtol(text, NULL, 0) == 0x1a;
}

MODEL(strncasecmp)
{
    return strncasecmp(text, "YeS", 3) == 0;
}

MODEL(strspn)
{
    return strspn(text, "ab") == 3;
}

MODEL(strcspn)
{
    return strcspn(text, "\n") == 2;
}

MODEL(strpbrk)
{
    char *p = strpbrk(text, "!?");
    return p == text + 1;
}

MODEL(strstr)
{
    return strstr(text, "oz") == text + 2;
}

MODEL(memmem)
{
    return memmem(in, 5, "rt", 2) == in + 3;
}

MODEL(memchr)
{
    return memchr(in, 200, 5) == in + 4;
}

MODEL(toupper)
{
    return toupper(in[0]) == 'Q' && in[0] != 'Q' && tolower(in[1]) == 'r' && in[1] != 'r';
}

/* clang-format off */
#define ALL(X)                                                                                     \
    X(strsep) X(strtok) X(strtok_r) X(snprintf) X(sprintf) X(sscanf_d) X(sscanf_x) X(sscanf_s)     \
    X(qsort) X(bsearch) X(div) X(ldiv) X(varargs) X(varargs_mixed) X(strtol_16) X(strtol_0)        \
    X(strncasecmp) X(strspn) X(strcspn) X(strpbrk) X(strstr) X(memmem) X(memchr) X(toupper)
/* clang-format on */

int main(int argc, char **argv)
{
#define NAME(name)                                                                                 \
    if (strcmp(argv[1], #name) == 0 && is_##name())                                                \
        run(body_##name);
    heddle_make_symbolic(in, sizeof in, "in");
    memcpy(text, in, 5);
    if (argc > 1) {
        ALL(NAME)
    }
    return 0;
}
