/* More functions that read strings, when instrumented code calls them: searching, comparing without
 * case, numbers. Runs in the user's process; see the rules in rt.h. libc does the work; what it
 * looked at is logged from what it answers. */
#include "rt/core/range_log.h"
#include "rt/libc/format.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"
#include "rt/libc/str.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void read_text(const char *s, uintptr_t pc)
{
    hd_rt_reads(pc, s, strlen(s) + 1);
}

/* Two texts are read whole: no more than what may have been looked at is wrong by little. */
#define OF_TWO(ret, name, params, args, a, b)                                                      \
    HD_EXPORT ret name params                                                                      \
    {                                                                                              \
        struct hd_caller by = HD_BY(name, 2);                                                      \
        struct hd_thread *me = hd_rt_str_enter(by);                                                \
        ret r = hd_real.name args;                                                                 \
        if (me) {                                                                                  \
            read_text(a, by.pc);                                                                   \
            read_text(b, by.pc);                                                                   \
            hd_rt_leave(me);                                                                       \
        }                                                                                          \
        return r;                                                                                  \
    }

OF_TWO(char *, strstr, (const char *s, const char *part), (s, part), s, part)
OF_TWO(char *, strpbrk, (const char *s, const char *set), (s, set), s, set)
OF_TWO(size_t, strspn, (const char *s, const char *set), (s, set), s, set)
OF_TWO(size_t, strcspn, (const char *s, const char *set), (s, set), s, set)
OF_TWO(int, strcasecmp, (const char *a, const char *b), (a, b), a, b)
OF_TWO(char *, strcasestr, (const char *s, const char *part), (s, part), s, part)
OF_TWO(int, strcoll, (const char *a, const char *b), (a, b), a, b)
OF_TWO(int, strverscmp, (const char *a, const char *b), (a, b), a, b)

HD_EXPORT int strncasecmp(const char *a, const char *b, size_t n)
{
    struct hd_caller by = HD_BY(strncasecmp, 3);
    struct hd_thread *me = hd_rt_str_enter(by);
    int r = hd_real.strncasecmp(a, b, n);
    if (me) {
        size_t x = strnlen(a, n), y = strnlen(b, n);
        hd_rt_reads(by.pc, a, x < n ? x + 1 : x);
        hd_rt_reads(by.pc, b, y < n ? y + 1 : y);
        hd_rt_leave(me);
    }
    return r;
}

/* memcmp of which only the zero counts: compilers make it of both memcmp and strcmp. */
HD_EXPORT int bcmp(const void *a, const void *b, size_t n)
{
    struct hd_caller by = HD_BY(bcmp, 3);
    struct hd_thread *me = hd_rt_str_enter(by);
    const unsigned char *x = a, *y = b;
    size_t i = 0;
    while (i < n && x[i] == y[i])
        i++;
    if (me) {
        hd_rt_reads(by.pc, a, i < n ? i + 1 : n);
        hd_rt_reads(by.pc, b, i < n ? i + 1 : n);
        hd_rt_leave(me);
    }
    return i < n;
}

HD_EXPORT void *memrchr(const void *p, int byte, size_t n)
{
    struct hd_caller by = HD_BY(memrchr, 3);
    struct hd_thread *me = hd_rt_str_enter(by);
    const char *r = hd_real.memrchr(p, byte, n);
    if (me) {
        hd_rt_reads(by.pc, r ? r : p, r ? n - (size_t)(r - (const char *)p) : n);
        hd_rt_leave(me);
    }
    return (void *)(uintptr_t)r;
}

/* Both end at what they find, which is there: a byte of the text or its final zero. */
HD_EXPORT char *strchrnul(const char *s, int byte)
{
    struct hd_caller by = HD_BY(strchrnul, 2);
    struct hd_thread *me = hd_rt_str_enter(by);
    char *r = hd_real.strchrnul(s, byte);
    if (me) {
        hd_rt_reads(by.pc, s, (size_t)(r - s) + 1);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT void *rawmemchr(const void *s, int byte)
{
    struct hd_caller by = HD_BY(rawmemchr, 2);
    struct hd_thread *me = hd_rt_str_enter(by);
    char *r = hd_real.rawmemchr(s, byte);
    if (me) {
        hd_rt_reads(by.pc, s, (size_t)(r - (const char *)s) + 1);
        hd_rt_leave(me);
    }
    return r;
}

/* A number: the text up to where it ends, with one byte more, and the place of that end. */
static void numbered(struct hd_thread *me, const char *s, char *stop, char **end, uintptr_t pc)
{
    if (end)
        *end = stop;
    if (!me)
        return;
    hd_rt_reads(pc, s, (size_t)(stop - s) + 1);
    if (end)
        hd_rt_wrote(pc, end, sizeof *end);
    hd_rt_leave(me);
}

#define NUMBER(ret, name)                                                                          \
    HD_EXPORT ret name(const char *restrict s, char **restrict end, int base)                      \
    {                                                                                              \
        struct hd_caller by = HD_BY(name, 3);                                                      \
        struct hd_thread *me = hd_rt_str_enter(by);                                                \
        char *stop;                                                                                \
        ret r = hd_real.name(s, &stop, base);                                                      \
        numbered(me, s, stop, end, by.pc);                                                         \
        return r;                                                                                  \
    }
NUMBER(long, strtol)
NUMBER(long long, strtoll)
NUMBER(unsigned long, strtoul)
NUMBER(unsigned long long, strtoull)

#define FRACTION(ret, name)                                                                        \
    HD_EXPORT ret name(const char *restrict s, char **restrict end)                                \
    {                                                                                              \
        struct hd_caller by = HD_BY(name, 2);                                                      \
        struct hd_thread *me = hd_rt_str_enter(by);                                                \
        char *stop;                                                                                \
        ret r = hd_real.name(s, &stop);                                                            \
        numbered(me, s, stop, end, by.pc);                                                         \
        return r;                                                                                  \
    }
FRACTION(float, strtof)
FRACTION(double, strtod)
FRACTION(long double, strtold)

#define PLAIN_NUMBER(ret, name, real)                                                              \
    HD_EXPORT ret name(const char *s)                                                              \
    {                                                                                              \
        struct hd_caller by = HD_BY(name, 1);                                                      \
        struct hd_thread *me = hd_rt_str_enter(by);                                                \
        char *stop;                                                                                \
        ret r = (ret)real;                                                                         \
        numbered(me, s, stop, NULL, by.pc);                                                        \
        return r;                                                                                  \
    }
PLAIN_NUMBER(int, atoi, hd_real.strtol(s, &stop, 10))
PLAIN_NUMBER(long, atol, hd_real.strtol(s, &stop, 10))
PLAIN_NUMBER(long long, atoll, hd_real.strtoll(s, &stop, 10))
PLAIN_NUMBER(double, atof, hd_real.strtod(s, &stop))
