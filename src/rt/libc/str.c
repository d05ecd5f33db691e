/* Memory and string functions as accesses, when instrumented code calls them. Runs in the user's
 * process; see the rules in rt.h.
 *
 * Each does its work with code of ours (range_log.c), because libc's own may not be there yet when
 * the loader calls us, and logs what it read and wrote as ranges. */
#include "rt/libc/str.h"

#include "rt/hooks/hook_access.h"
#include "rt/core/range_log.h"
#include "rt/libc/format.h"
#include "rt/core/modules.h"
#include "rt/core/rt.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

void hd_rt_copy(void *to, const void *from, size_t n, struct hd_caller by)
{
    struct hd_thread *me = n ? hd_rt_str_enter(by) : NULL;
    if (me)
        hd_rt_reads(by.pc, from, n);
    hd_rt_memmove(to, from, n);
    if (me) {
        hd_rt_wrote(by.pc, to, n);
        hd_rt_leave(me);
    }
}

HD_EXPORT void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
    hd_rt_copy(to, from, n, HD_BY(memcpy, 3));
    return to;
}

HD_EXPORT void *memmove(void *to, const void *from, size_t n)
{
    hd_rt_copy(to, from, n, HD_BY(memmove, 3));
    return to;
}

HD_EXPORT void *mempcpy(void *restrict to, const void *restrict from, size_t n)
{
    hd_rt_copy(to, from, n, HD_BY(mempcpy, 3));
    return (char *)to + n;
}

void hd_rt_fill(void *to, int byte, size_t n, struct hd_caller by)
{
    struct hd_thread *me = n ? hd_rt_str_enter(by) : NULL;
    hd_rt_memset(to, byte, n);
    if (me) {
        hd_rt_wrote(by.pc, to, n);
        hd_rt_leave(me);
    }
}

HD_EXPORT void *memset(void *to, int byte, size_t n)
{
    hd_rt_fill(to, byte, n, HD_BY(memset, 3));
    return to;
}

/* Whether one of the eight bytes is c. */
static bool has_byte(uint64_t w, unsigned char c)
{
    const uint64_t ones = UINT64_MAX / 255;
    w ^= ones * c;
    return (w - ones) & ~w & ones << 7;
}

/* Whether the eight bytes at p lie in one page: then they may be read when one of them may. */
static bool in_page(const void *p)
{
    return ((uintptr_t)p & 4095) <= 4096 - 8;
}

/* How many bytes of s may be passed because none of them is c or, in texts, zero; at most n. */
static size_t pass_over(const char *s, size_t n, char c, bool text)
{
    size_t i = 0;
    while (n - i >= 8 && in_page(s + i) &&
           !has_byte(*(const hd_u64_any *)(s + i), (unsigned char)c) &&
           !(text && has_byte(*(const hd_u64_any *)(s + i), 0)))
        i += 8;
    return i;
}

static size_t length(const char *s, size_t max)
{
    size_t n = 0;
    while (n < max) {
        n += pass_over(s + n, max - n, 0, false);
        for (unsigned k = 0; k < 8 && n < max; k++, n++)
            if (!s[n])
                return n;
    }
    return n;
}

/* Bytes that are the same in both and, in texts, not zero: eight at a time, not all there are. */
static size_t common(const unsigned char *a, const unsigned char *b, size_t n, bool text)
{
    size_t i = 0;
    while (n - i >= 8 && in_page(a + i) && in_page(b + i) &&
           *(const hd_u64_any *)(a + i) == *(const hd_u64_any *)(b + i) &&
           !(text && has_byte(*(const hd_u64_any *)(a + i), 0)))
        i += 8;
    return i;
}

/* Compares up to n bytes, stopping after a zero when `text`; *seen: bytes looked at. */
static int compare(const unsigned char *a, const unsigned char *b, size_t n, bool text,
                   size_t *seen)
{
    for (size_t i = 0; i < n; i++) {
        if (i % 8 == 0)
            i += common(a + i, b + i, n - i, text);
        if (i == n)
            break;
        if (a[i] != b[i] || (text && !a[i])) {
            *seen = i + 1;
            return a[i] - b[i];
        }
    }
    *seen = n;
    return 0;
}

static int compared(const void *a, const void *b, size_t n, bool text, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t seen;
    int r = compare(a, b, n, text, &seen);
    if (me) {
        hd_rt_reads_on(by.pc, a, seen);
        hd_rt_reads_on(by.pc, b, seen);
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int memcmp(const void *a, const void *b, size_t n)
{
    return compared(a, b, n, false, HD_BY(memcmp, 3));
}

HD_EXPORT int strcmp(const char *a, const char *b)
{
    return compared(a, b, SIZE_MAX, true, HD_BY(strcmp, 2));
}

HD_EXPORT int strncmp(const char *a, const char *b, size_t n)
{
    return compared(a, b, n, true, HD_BY(strncmp, 3));
}

static size_t measured(const char *s, size_t max, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t n = length(s, max);
    if (me) {
        hd_rt_reads_on(by.pc, s, n < max ? n + 1 : n);
        hd_rt_leave(me);
    }
    return n;
}

HD_EXPORT size_t strlen(const char *s)
{
    return measured(s, SIZE_MAX, HD_BY(strlen, 1));
}

HD_EXPORT size_t strnlen(const char *s, size_t max)
{
    return measured(s, max, HD_BY(strnlen, 2));
}

/* Copies up to max bytes of a text, and its final zero if that is among them. Returns the length.
 * The length is taken when it is this thread's turn. */
static size_t copy_text(char *to, const char *from, size_t max, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t len = length(from, max), n = len < max ? len + 1 : len;
    if (me)
        hd_rt_reads_on(by.pc, from, n);
    hd_rt_memmove(to, from, n);
    if (me) {
        hd_rt_wrote(by.pc, to, n);
        hd_rt_leave(me);
    }
    return len;
}

HD_EXPORT char *strcpy(char *restrict to, const char *restrict from)
{
    copy_text(to, from, SIZE_MAX, HD_BY(strcpy, 2));
    return to;
}

HD_EXPORT char *stpcpy(char *restrict to, const char *restrict from)
{
    return to + copy_text(to, from, SIZE_MAX, HD_BY(stpcpy, 2));
}

char *hd_rt_copy_padded(char *to, const char *from, size_t n, struct hd_caller by)
{
    size_t len = copy_text(to, from, n, by);
    if (len + 1 < n)
        hd_rt_fill(to + len + 1, 0, n - len - 1, by);
    return to;
}

HD_EXPORT char *strncpy(char *restrict to, const char *restrict from, size_t n)
{
    return hd_rt_copy_padded(to, from, n, HD_BY(strncpy, 3));
}

char *hd_rt_append(char *to, const char *from, size_t max, struct hd_caller by)
{
    size_t at = measured(to, SIZE_MAX, by), n = copy_text(to + at, from, max, by);
    struct hd_thread *me = hd_rt_str_enter(by);
    to[at + n] = 0;
    if (me) {
        hd_rt_wrote(by.pc, to + at + n, 1);
        hd_rt_leave(me);
    }
    return to;
}

HD_EXPORT char *strcat(char *restrict to, const char *restrict from)
{
    return hd_rt_append(to, from, SIZE_MAX, HD_BY(strcat, 2));
}

HD_EXPORT char *strncat(char *restrict to, const char *restrict from, size_t n)
{
    return hd_rt_append(to, from, n, HD_BY(strncat, 3));
}

/* The first byte c among n, or up to and with the final zero when `text`. */
static void *find(const char *s, char c, size_t n, bool text, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    const char *found = NULL;
    size_t i = 0;
    for (; i < n && !found; i++) {
        if (i % 8 == 0)
            i += pass_over(s + i, n - i, c, text);
        if (i == n)
            break;
        if (s[i] == c)
            found = s + i;
        else if (text && !s[i])
            n = i + 1;
    }
    if (me) {
        hd_rt_reads_on(by.pc, s, i);
        hd_rt_leave(me);
    }
    return (void *)(uintptr_t)found;
}

HD_EXPORT void *memchr(const void *s, int c, size_t n)
{
    return find(s, (char)c, n, false, HD_BY(memchr, 3));
}

HD_EXPORT char *strchr(const char *s, int c)
{
    return find(s, (char)c, SIZE_MAX, true, HD_BY(strchr, 2));
}

HD_EXPORT char *strrchr(const char *s, int c)
{
    size_t n = measured(s, SIZE_MAX, HD_BY(strrchr, 2)) + 1;
    while (n-- > 0)
        if (s[n] == (char)c)
            return (char *)(uintptr_t)(s + n);
    return NULL;
}

static char *duplicate(const char *s, size_t n, struct hd_caller by)
{
    char *p = malloc(n + 1);
    if (!p)
        return NULL;
    hd_rt_copy(p, s, n, by);
    struct hd_thread *me = hd_rt_str_enter(by);
    p[n] = 0;
    if (me) {
        hd_rt_wrote(by.pc, p + n, 1);
        hd_rt_leave(me);
    }
    return p;
}

HD_EXPORT char *strdup(const char *s)
{
    struct hd_caller by = HD_BY(strdup, 1);
    return duplicate(s, measured(s, SIZE_MAX, by), by);
}

HD_EXPORT char *strndup(const char *s, size_t n)
{
    struct hd_caller by = HD_BY(strndup, 2);
    return duplicate(s, measured(s, n, by), by);
}
