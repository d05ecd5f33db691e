/* Memory and string functions that are called less often, when instrumented code calls them: those
 * that write into the text they look at, copies that end at a byte, and other names of what
 * str.c has. Runs in the user's process; see the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/libc/format.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"
#include "rt/libc/str.h"

#include <string.h>
#include <strings.h>

/* Ends the piece of n bytes at p; returns where the next one starts, or NULL. */
static char *cut(struct hd_thread *me, char *p, size_t n, uintptr_t pc)
{
    if (!p[n])
        return NULL;
    p[n] = 0;
    if (me)
        hd_rt_wrote(pc, p + n, 1);
    return p + n + 1;
}

static void read_for(struct hd_thread *me, const char *p, size_t n, const char *set, uintptr_t pc)
{
    if (!me)
        return;
    hd_rt_reads(pc, p, n);
    hd_rt_reads(pc, set, strlen(set) + 1);
}

/* What comes next depends on it. */
static void read_position(struct hd_thread *me, char **at, uintptr_t pc)
{
    hd_rt_reads(pc, at, sizeof *at);
    hd_rt_switch_point(me, pc);
}

static char *next_piece(char *text, const char *set, char **at, struct hd_caller by)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    char *piece = NULL, *p = text ? text : *at;
    if (me && !text)
        read_position(me, at, by.pc);
    if (p) {
        size_t skip = hd_real.strspn(p, set), n = hd_real.strcspn(p + skip, set);
        read_for(me, p, skip + n + 1, set, by.pc);
        char *next = cut(me, p + skip, n, by.pc);
        piece = n ? p + skip : NULL;
        *at = next ? next : p + skip + n;
        if (me)
            hd_rt_wrote(by.pc, at, sizeof *at);
    }
    if (me)
        hd_rt_leave(me);
    return piece;
}

HD_EXPORT char *strtok_r(char *restrict text, const char *restrict set, char **restrict at)
{
    return next_piece(text, set, at, HD_BY(strtok_r, 3));
}

/* Not inside the function: the name, which reports show, is then the same from every compiler. */
static char *strtok_position;

/* One for all threads, as it is in libc: two that use it at the same time race. */
HD_EXPORT char *strtok(char *restrict text, const char *restrict set)
{
    return next_piece(text, set, &strtok_position, HD_BY(strtok, 2));
}

HD_EXPORT char *strsep(char **restrict at, const char *restrict set)
{
    struct hd_caller by = HD_BY(strsep, 2);
    struct hd_thread *me = hd_rt_str_enter(by);
    char *p = *at;
    if (me)
        read_position(me, at, by.pc);
    if (p) {
        size_t n = hd_real.strcspn(p, set);
        read_for(me, p, n + 1, set, by.pc);
        *at = cut(me, p, n, by.pc);
        if (me)
            hd_rt_wrote(by.pc, at, sizeof *at);
    }
    if (me)
        hd_rt_leave(me);
    return p;
}

HD_EXPORT void *memccpy(void *restrict to, const void *restrict from, int byte, size_t n)
{
    struct hd_caller by = HD_BY(memccpy, 4);
    struct hd_thread *me = hd_rt_str_enter(by);
    const char *s = from;
    size_t k = 0;
    while (k < n && s[k] != (char)byte)
        k++;
    bool found = k < n;
    k += found;
    if (me)
        hd_rt_reads(by.pc, from, k);
    hd_rt_memmove(to, from, k);
    if (me) {
        hd_rt_wrote(by.pc, to, k);
        hd_rt_leave(me);
    }
    return found ? (char *)to + k : NULL;
}

HD_EXPORT char *stpncpy(char *restrict to, const char *restrict from, size_t n)
{
    hd_rt_copy_padded(to, from, n, HD_BY(stpncpy, 3));
    return to + strnlen(to, n);
}

HD_EXPORT void bcopy(const void *from, void *to, size_t n)
{
    hd_rt_copy(to, from, n, HD_BY(bcopy, 3));
}

HD_EXPORT void bzero(void *to, size_t n)
{
    hd_rt_fill(to, 0, n, HD_BY(bzero, 2));
}

HD_EXPORT void explicit_bzero(void *to, size_t n)
{
    hd_rt_fill(to, 0, n, HD_BY(explicit_bzero, 2));
}

HD_EXPORT void *memmem(const void *s, size_t n, const void *part, size_t m)
{
    struct hd_caller by = HD_BY(memmem, 4);
    struct hd_thread *me = hd_rt_str_enter(by);
    char *r = hd_real.memmem(s, n, part, m);
    if (me) {
        hd_rt_reads(by.pc, s, r ? (size_t)(r - (const char *)s) + m : n);
        hd_rt_reads(by.pc, part, m);
        hd_rt_leave(me);
    }
    return r;
}
