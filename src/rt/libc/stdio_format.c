/* printf and scanf. Runs in the user's process; see the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/libc/format.h"
#include "rt/libc/fortify.h"
#include "rt/core/real.h"
#include "rt/libc/stdio.h"
#include "rt/libc/stdio_format.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static void wrote_all(const struct hd_stdio *c, const struct hd_format_out *outs, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        hd_rt_wrote(c->pc, outs[i].p, outs[i].n);
}

static void formatted(const struct hd_stdio *c, struct hd_caller by, const char *to, size_t n)
{
    hd_rt_depend_numbers(c->me, by);
    hd_rt_wrote(by.pc, to, n);
}

int hd_rt_vfprintf(FILE *f, int flag, const char *format, va_list a, struct hd_caller by)
{
    struct hd_stdio c;
    struct hd_format_out outs[HD_FORMAT_OUTS];
    bool on = hd_rt_stdio_begin(&c, f, false, by);
    unsigned n = on && c.memory ? hd_rt_format_reads(format, a, by.pc, outs) : 0;
    int r = flag < 0 ? hd_real.vfprintf(f, format, a) : hd_real.__vfprintf_chk(f, flag, format, a);
    if (on) {
        wrote_all(&c, outs, n);
        hd_rt_stdio_end(&c);
    }
    return r;
}

int hd_rt_vsnprintf(char *to, size_t size, int flag, const char *format, va_list a,
                    struct hd_caller by)
{
    struct hd_stdio c;
    struct hd_format_out outs[HD_FORMAT_OUTS];
    bool on = hd_rt_stdio_begin(&c, NULL, false, by);
    unsigned n = on && c.memory ? hd_rt_format_reads(format, a, by.pc, outs) : 0;
    int r = flag < 0 ? hd_real.vsnprintf(to, size, format, a)
                     : hd_real.__vsnprintf_chk(to, size, flag, size, format, a);
    if (!on)
        return r;
    if (c.memory && r >= 0 && size)
        formatted(&c, by, to, (size_t)r < size ? (size_t)r + 1 : size);
    wrote_all(&c, outs, n);
    hd_rt_stdio_end(&c);
    return r;
}

int hd_rt_vsprintf(char *to, const char *format, va_list a, struct hd_caller by)
{
    struct hd_stdio c;
    struct hd_format_out outs[HD_FORMAT_OUTS];
    bool on = hd_rt_stdio_begin(&c, NULL, false, by);
    unsigned n = on && c.memory ? hd_rt_format_reads(format, a, by.pc, outs) : 0;
    int r = hd_real.vsprintf(to, format, a);
    if (!on)
        return r;
    if (c.memory && r >= 0)
        formatted(&c, by, to, (size_t)r + 1);
    wrote_all(&c, outs, n);
    hd_rt_stdio_end(&c);
    return r;
}

int hd_rt_vasprintf(char **to, const char *format, va_list a, struct hd_caller by)
{
    struct hd_stdio c;
    struct hd_format_out outs[HD_FORMAT_OUTS];
    bool on = hd_rt_stdio_begin(&c, NULL, false, by);
    unsigned n = on && c.memory ? hd_rt_format_reads(format, a, by.pc, outs) : 0;
    int r = hd_real.vasprintf(to, format, a);
    if (!on)
        return r;
    if (r >= 0) {
        hd_rt_log2(HD_LOG_ALLOC, 0, by.pc, (uintptr_t)*to, (size_t)r + 1);
        if (c.memory) {
            hd_rt_wrote(by.pc, to, sizeof *to);
            formatted(&c, by, *to, (size_t)r + 1);
        }
    }
    wrote_all(&c, outs, n);
    hd_rt_stdio_end(&c);
    return r;
}

/* Passes the variable arguments on: `call` uses a. */
#define WITH_ARGS(last, call)                                                                      \
    va_list a;                                                                                     \
    va_start(a, last);                                                                             \
    int r = call;                                                                                  \
    va_end(a);                                                                                     \
    return r

HD_EXPORT int vfprintf(FILE *restrict f, const char *restrict format, va_list a)
{
    return hd_rt_vfprintf(f, -1, format, a, HD_BY_LIST(vfprintf, 3));
}

HD_EXPORT int vprintf(const char *restrict format, va_list a)
{
    return hd_rt_vfprintf(stdout, -1, format, a, HD_BY_LIST(vprintf, 2));
}

HD_EXPORT int printf(const char *restrict format, ...)
{
    WITH_ARGS(format, hd_rt_vfprintf(stdout, -1, format, a, HD_BY(printf, HD_FLOW_ARGS)));
}

HD_EXPORT int fprintf(FILE *restrict f, const char *restrict format, ...)
{
    WITH_ARGS(format, hd_rt_vfprintf(f, -1, format, a, HD_BY(fprintf, HD_FLOW_ARGS)));
}

HD_EXPORT int vsnprintf(char *restrict to, size_t size, const char *restrict format, va_list a)
{
    return hd_rt_vsnprintf(to, size, -1, format, a, HD_BY_LIST(vsnprintf, 4));
}

HD_EXPORT int snprintf(char *restrict to, size_t size, const char *restrict format, ...)
{
    WITH_ARGS(format, hd_rt_vsnprintf(to, size, -1, format, a, HD_BY(snprintf, HD_FLOW_ARGS)));
}

HD_EXPORT int vsprintf(char *restrict to, const char *restrict format, va_list a)
{
    return hd_rt_vsprintf(to, format, a, HD_BY_LIST(vsprintf, 3));
}

HD_EXPORT int sprintf(char *restrict to, const char *restrict format, ...)
{
    WITH_ARGS(format, hd_rt_vsprintf(to, format, a, HD_BY(sprintf, HD_FLOW_ARGS)));
}

HD_EXPORT int vasprintf(char **restrict to, const char *restrict format, va_list a)
{
    return hd_rt_vasprintf(to, format, a, HD_BY_LIST(vasprintf, 3));
}

HD_EXPORT int asprintf(char **restrict to, const char *restrict format, ...)
{
    WITH_ARGS(format, hd_rt_vasprintf(to, format, a, HD_BY(asprintf, HD_FLOW_ARGS)));
}

/* The text goes through write(), which knows about pipes. */
static int to_descriptor(int fd, const char *format, va_list a, struct hd_caller by)
{
    char *text;
    int r = hd_rt_vasprintf(&text, format, a, by);
    if (r < 0)
        return r;
    ssize_t done = r ? hd_rt_write_fd(fd, text, (size_t)r, by.pc) : 0;
    int saved = errno;
    free(text);
    errno = saved;
    return done < 0 ? -1 : r;
}

HD_EXPORT int vdprintf(int fd, const char *restrict format, va_list a)
{
    return to_descriptor(fd, format, a, HD_BY_LIST(vdprintf, 3));
}

HD_EXPORT int dprintf(int fd, const char *restrict format, ...)
{
    WITH_ARGS(format, to_descriptor(fd, format, a, HD_BY(dprintf, HD_FLOW_ARGS)));
}

/* ---- scanf ---- */

typedef int scan_file(FILE *, const char *, va_list);
typedef int scan_text(const char *, const char *, va_list);

static int scan(scan_file *real, FILE *f, const char *format, va_list a, struct hd_caller by)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, true, by))
        return real(f, format, a);
    va_list again;
    va_copy(again, a);
    int r = real(f, format, a);
    hd_rt_stdio_settle(&c);
    if (c.memory)
        hd_rt_format_wrote(format, again, r, by.pc);
    va_end(again);
    hd_rt_stdio_end(&c);
    return r;
}

static int scan_from(scan_text *real, const char *text, const char *format, va_list a,
                     struct hd_caller by)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, NULL, false, by))
        return real(text, format, a);
    va_list again;
    va_copy(again, a);
    if (c.memory)
        hd_rt_reads_on(by.pc, text, strlen(text) + 1);
    int r = real(text, format, a);
    if (c.memory)
        hd_rt_format_wrote(format, again, r, by.pc);
    va_end(again);
    hd_rt_stdio_end(&c);
    return r;
}

/* C89, C99 and C23 read numbers differently, and have functions of their own. */
#define SCANS(prefix, real)                                                                        \
    HD_EXPORT int prefix##vfscanf(FILE *restrict f, const char *restrict format, va_list a)        \
    {                                                                                              \
        return scan(hd_real.real##vfscanf, f, format, a, HD_BY_LIST(prefix##vfscanf, 3));          \
    }                                                                                              \
    HD_EXPORT int prefix##vscanf(const char *restrict format, va_list a)                           \
    {                                                                                              \
        return scan(hd_real.real##vfscanf, stdin, format, a, HD_BY_LIST(prefix##vscanf, 2));       \
    }                                                                                              \
    HD_EXPORT int prefix##vsscanf(const char *restrict text, const char *restrict format,          \
                                  va_list a)                                                       \
    {                                                                                              \
        return scan_from(hd_real.real##vsscanf, text, format, a, HD_BY_LIST(prefix##vsscanf, 3));  \
    }                                                                                              \
    HD_EXPORT int prefix##fscanf(FILE *restrict f, const char *restrict format, ...)               \
    {                                                                                              \
        WITH_ARGS(format,                                                                          \
                  scan(hd_real.real##vfscanf, f, format, a, HD_BY(prefix##fscanf, HD_FLOW_ARGS))); \
    }                                                                                              \
    HD_EXPORT int prefix##scanf(const char *restrict format, ...)                                  \
    {                                                                                              \
        WITH_ARGS(format, scan(hd_real.real##vfscanf, stdin, format, a,                            \
                               HD_BY(prefix##scanf, HD_FLOW_ARGS)));                               \
    }                                                                                              \
    HD_EXPORT int prefix##sscanf(const char *restrict text, const char *restrict format, ...)      \
    {                                                                                              \
        WITH_ARGS(format, scan_from(hd_real.real##vsscanf, text, format, a,                        \
                                    HD_BY(prefix##sscanf, HD_FLOW_ARGS)));                         \
    }

SCANS(hd_c89_, )
SCANS(__isoc99_, __isoc99_)
SCANS(__isoc23_, __isoc23_)
