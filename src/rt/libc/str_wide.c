/* Wide strings as accesses, when instrumented code calls these functions. Runs in the user's
 * process; see the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/core/real.h"
#include "rt/libc/format.h"
#include "rt/libc/fortify.h"
#include "rt/core/modules.h"
#include "rt/core/rt.h"
#include "rt/libc/str.h"

#include <wchar.h>

#define BYTES(n) ((n) * sizeof(wchar_t))

static size_t length(const wchar_t *s, size_t max)
{
    size_t n = 0;
    while (n < max && s[n])
        n++;
    return n;
}

static size_t measured(const wchar_t *s, size_t max, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t n = length(s, max);
    if (me) {
        hd_rt_reads_on(by.pc, s, BYTES(n < max ? n + 1 : n));
        hd_rt_leave(me);
    }
    return n;
}

HD_EXPORT size_t wcslen(const wchar_t *s)
{
    return measured(s, SIZE_MAX, HD_BY(wcslen, 1));
}

HD_EXPORT size_t wcsnlen(const wchar_t *s, size_t max)
{
    return measured(s, max, HD_BY(wcsnlen, 2));
}

/* Up to max characters and the final zero, if that is among them. Returns how many. */
static size_t copy(wchar_t *to, const wchar_t *from, size_t max, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t len = length(from, max), n = len < max ? len + 1 : len;
    if (me)
        hd_rt_reads_on(by.pc, from, BYTES(n));
    hd_rt_memmove(to, from, BYTES(n));
    if (me) {
        hd_rt_wrote(by.pc, to, BYTES(n));
        hd_rt_leave(me);
    }
    return n;
}

static wchar_t *copy_padded(wchar_t *to, const wchar_t *from, size_t n, struct hd_caller by)
{
    size_t done = copy(to, from, n, by);
    hd_rt_fill(to + done, 0, BYTES(n - done), by);
    return to;
}

static wchar_t *append(wchar_t *to, const wchar_t *from, struct hd_caller by)
{
    copy(to + measured(to, SIZE_MAX, by), from, SIZE_MAX, by);
    return to;
}

HD_EXPORT wchar_t *wcscpy(wchar_t *restrict to, const wchar_t *restrict from)
{
    copy(to, from, SIZE_MAX, HD_BY(wcscpy, 2));
    return to;
}

HD_EXPORT wchar_t *wcsncpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    return copy_padded(to, from, n, HD_BY(wcsncpy, 3));
}

HD_EXPORT wchar_t *wcscat(wchar_t *restrict to, const wchar_t *restrict from)
{
    return append(to, from, HD_BY(wcscat, 2));
}

static int compared(const wchar_t *a, const wchar_t *b, size_t n, bool text, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t i = 0;
    while (i < n && a[i] == b[i] && (!text || a[i]))
        i++;
    int r = i == n || a[i] == b[i] ? 0 : a[i] < b[i] ? -1 : 1;
    if (me) {
        hd_rt_reads_on(by.pc, a, BYTES(i < n ? i + 1 : n));
        hd_rt_reads_on(by.pc, b, BYTES(i < n ? i + 1 : n));
        hd_rt_leave(me);
    }
    return r;
}

HD_EXPORT int wcscmp(const wchar_t *a, const wchar_t *b)
{
    return compared(a, b, SIZE_MAX, true, HD_BY(wcscmp, 2));
}

HD_EXPORT int wcsncmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    return compared(a, b, n, true, HD_BY(wcsncmp, 3));
}

HD_EXPORT int wmemcmp(const wchar_t *a, const wchar_t *b, size_t n)
{
    return compared(a, b, n, false, HD_BY(wmemcmp, 3));
}

static wchar_t *find(const wchar_t *s, wchar_t c, size_t n, bool text, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    size_t i = 0;
    while (i < n && s[i] != c && (!text || s[i]))
        i++;
    const wchar_t *found = i < n && s[i] == c ? s + i : NULL;
    if (me) {
        hd_rt_reads_on(by.pc, s, BYTES(i < n ? i + 1 : n));
        hd_rt_leave(me);
    }
    return (wchar_t *)(uintptr_t)found;
}

HD_EXPORT wchar_t *wcschr(const wchar_t *s, wchar_t c)
{
    return find(s, c, SIZE_MAX, true, HD_BY(wcschr, 2));
}

HD_EXPORT wchar_t *wmemchr(const wchar_t *s, wchar_t c, size_t n)
{
    return find(s, c, n, false, HD_BY(wmemchr, 3));
}

HD_EXPORT wchar_t *wmemcpy(wchar_t *restrict to, const wchar_t *restrict from, size_t n)
{
    hd_rt_copy(to, from, BYTES(n), HD_BY(wmemcpy, 3));
    return to;
}

HD_EXPORT wchar_t *wmemmove(wchar_t *to, const wchar_t *from, size_t n)
{
    hd_rt_copy(to, from, BYTES(n), HD_BY(wmemmove, 3));
    return to;
}

static wchar_t *set(wchar_t *to, wchar_t c, size_t n, struct hd_caller by)
{
    struct hd_thread *me = n ? hd_rt_str_enter(by) : NULL;
    for (size_t i = 0; i < n; i++)
        ((volatile wchar_t *)to)[i] = c; /* no compiler makes a call of it */
    if (me) {
        hd_rt_wrote(by.pc, to, BYTES(n));
        hd_rt_leave(me);
    }
    return to;
}

HD_EXPORT wchar_t *wmemset(wchar_t *to, wchar_t c, size_t n)
{
    return set(to, c, n, HD_BY(wmemset, 3));
}

/* ---- with _FORTIFY_SOURCE; room counts characters ---- */

HD_EXPORT wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room)
{
    struct hd_caller by = HD_BY(__wcscpy_chk, 3);
    if (length(from, SIZE_MAX) >= room)
        return hd_real.__wcscpy_chk(to, from, room);
    copy(to, from, SIZE_MAX, by);
    return to;
}

HD_EXPORT wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__wcsncpy_chk, 4);
    return n > room ? hd_real.__wcsncpy_chk(to, from, n, room) : copy_padded(to, from, n, by);
}

HD_EXPORT wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room)
{
    struct hd_caller by = HD_BY(__wcscat_chk, 3);
    bool fits = length(to, SIZE_MAX) + length(from, SIZE_MAX) < room;
    return fits ? append(to, from, by) : hd_real.__wcscat_chk(to, from, room);
}

HD_EXPORT wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__wmemcpy_chk, 4);
    if (n > room)
        return hd_real.__wmemcpy_chk(to, from, n, room);
    hd_rt_copy(to, from, BYTES(n), by);
    return to;
}

HD_EXPORT wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__wmemmove_chk, 4);
    if (n > room)
        return hd_real.__wmemmove_chk(to, from, n, room);
    hd_rt_copy(to, from, BYTES(n), by);
    return to;
}

HD_EXPORT wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__wmemset_chk, 4);
    return n > room ? hd_real.__wmemset_chk(to, c, n, room) : set(to, c, n, by);
}
