/* The checked functions that -D_FORTIFY_SOURCE puts in the place of the plain ones. Runs in the
 * user's process; see the rules in rt.h. Where the check fails, libc's own says so and aborts. */
#include "rt/libc/fortify.h"

#include "rt/core/real.h"
#include "rt/libc/stdio_format.h"
#include "rt/libc/str.h"

#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

HD_EXPORT void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__memcpy_chk, 4);
    if (n > room)
        return hd_real.__memcpy_chk(to, from, n, room);
    hd_rt_copy(to, from, n, by);
    return to;
}

HD_EXPORT void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__memmove_chk, 4);
    if (n > room)
        return hd_real.__memmove_chk(to, from, n, room);
    hd_rt_copy(to, from, n, by);
    return to;
}

HD_EXPORT void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__mempcpy_chk, 4);
    if (n > room)
        return hd_real.__mempcpy_chk(to, from, n, room);
    hd_rt_copy(to, from, n, by);
    return (char *)to + n;
}

HD_EXPORT void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__memset_chk, 4);
    if (n > room)
        return hd_real.__memset_chk(to, byte, n, room);
    hd_rt_fill(to, byte, n, by);
    return to;
}

HD_EXPORT char *__strcpy_chk(char *to, const char *from, size_t room)
{
    struct hd_caller by = HD_BY(__strcpy_chk, 3);
    size_t n = strlen(from) + 1;
    if (n > room)
        return hd_real.__strcpy_chk(to, from, room);
    hd_rt_copy(to, from, n, by);
    return to;
}

HD_EXPORT char *__stpcpy_chk(char *to, const char *from, size_t room)
{
    struct hd_caller by = HD_BY(__stpcpy_chk, 3);
    size_t n = strlen(from) + 1;
    if (n > room)
        return hd_real.__stpcpy_chk(to, from, room);
    hd_rt_copy(to, from, n, by);
    return to + n - 1;
}

HD_EXPORT char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__strncpy_chk, 4);
    return n > room ? hd_real.__strncpy_chk(to, from, n, room) : hd_rt_copy_padded(to, from, n, by);
}

HD_EXPORT char *__strcat_chk(char *to, const char *from, size_t room)
{
    struct hd_caller by = HD_BY(__strcat_chk, 3);
    return strlen(to) + strlen(from) + 1 > room ? hd_real.__strcat_chk(to, from, room)
                                                : hd_rt_append(to, from, SIZE_MAX, by);
}

HD_EXPORT char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__strncat_chk, 4);
    return strlen(to) + strnlen(from, n) + 1 > room ? hd_real.__strncat_chk(to, from, n, room)
                                                    : hd_rt_append(to, from, n, by);
}

HD_EXPORT char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__stpncpy_chk, 4);
    if (n > room)
        return hd_real.__stpncpy_chk(to, from, n, room);
    hd_rt_copy_padded(to, from, n, by);
    return to + strnlen(to, n);
}

HD_EXPORT void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
    struct hd_caller by = HD_BY(__explicit_bzero_chk, 3);
    if (n > room)
        hd_real.__explicit_bzero_chk(to, n, room);
    else
        hd_rt_fill(to, 0, n, by);
}

/* ---- printf ---- */

#define WITH_ARGS(last, call)                                                                      \
    va_list a;                                                                                     \
    va_start(a, last);                                                                             \
    int r = call;                                                                                  \
    va_end(a);                                                                                     \
    return r

HD_EXPORT int __vfprintf_chk(FILE *f, int flag, const char *format, va_list a)
{
    return hd_rt_vfprintf(f, flag, format, a, HD_BY_LIST(__vfprintf_chk, 4));
}

HD_EXPORT int __vprintf_chk(int flag, const char *format, va_list a)
{
    return hd_rt_vfprintf(stdout, flag, format, a, HD_BY_LIST(__vprintf_chk, 3));
}

HD_EXPORT int __fprintf_chk(FILE *f, int flag, const char *format, ...)
{
    WITH_ARGS(format, hd_rt_vfprintf(f, flag, format, a, HD_BY(__fprintf_chk, HD_FLOW_ARGS)));
}

HD_EXPORT int __printf_chk(int flag, const char *format, ...)
{
    WITH_ARGS(format, hd_rt_vfprintf(stdout, flag, format, a, HD_BY(__printf_chk, HD_FLOW_ARGS)));
}

static int sized(char *to, size_t size, int flag, size_t room, const char *format, va_list a,
                 struct hd_caller by)
{
    if (size > room) /* ends in libc */
        return hd_real.__vsnprintf_chk(to, size, flag, room, format, a);
    return hd_rt_vsnprintf(to, size, flag, format, a, by);
}

HD_EXPORT int __vsnprintf_chk(char *to, size_t size, int flag, size_t room, const char *format,
                              va_list a)
{
    return sized(to, size, flag, room, format, a, HD_BY_LIST(__vsnprintf_chk, 6));
}

HD_EXPORT int __snprintf_chk(char *to, size_t size, int flag, size_t room, const char *format, ...)
{
    WITH_ARGS(format, sized(to, size, flag, room, format, a, HD_BY(__snprintf_chk, HD_FLOW_ARGS)));
}

/* The plain function if it fits, as a try without a buffer shows. */
static int unsized(char *to, int flag, size_t room, const char *format, va_list a,
                   struct hd_caller by)
{
    va_list again;
    va_copy(again, a);
    int n = hd_real.vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n >= 0 && (size_t)n >= room)
        return hd_real.__vsprintf_chk(to, flag, room, format, a);
    return hd_rt_vsprintf(to, format, a, by);
}

HD_EXPORT int __vsprintf_chk(char *to, int flag, size_t room, const char *format, va_list a)
{
    return unsized(to, flag, room, format, a, HD_BY_LIST(__vsprintf_chk, 5));
}

HD_EXPORT int __sprintf_chk(char *to, int flag, size_t room, const char *format, ...)
{
    WITH_ARGS(format, unsized(to, flag, room, format, a, HD_BY(__sprintf_chk, HD_FLOW_ARGS)));
}

HD_EXPORT int __vasprintf_chk(char **to, int flag, const char *format, va_list a)
{
    (void)flag;
    return hd_rt_vasprintf(to, format, a, HD_BY_LIST(__vasprintf_chk, 4));
}

HD_EXPORT int __asprintf_chk(char **to, int flag, const char *format, ...)
{
    (void)flag;
    WITH_ARGS(format, hd_rt_vasprintf(to, format, a, HD_BY(__asprintf_chk, HD_FLOW_ARGS)));
}

HD_EXPORT int __vdprintf_chk(int fd, int flag, const char *format, va_list a)
{
    (void)flag;
    return vdprintf(fd, format, a);
}

HD_EXPORT int __dprintf_chk(int fd, int flag, const char *format, ...)
{
    (void)flag;
    WITH_ARGS(format, vdprintf(fd, format, a));
}

/* ---- input ---- */

HD_EXPORT char *__fgets_chk(char *p, size_t room, int n, FILE *f)
{
    return n > 0 && (size_t)n > room ? hd_real.__fgets_chk(p, room, n, f)
                                     : hd_rt_fgets(p, n, f, HD_BY(__fgets_chk, 4));
}

HD_EXPORT size_t __fread_chk(void *p, size_t room, size_t size, size_t n, FILE *f)
{
    size_t bytes;
    return __builtin_mul_overflow(size, n, &bytes) || bytes > room
               ? hd_real.__fread_chk(p, room, size, n, f)
               : hd_rt_fread(p, size, n, f, HD_BY(__fread_chk, 5));
}

HD_EXPORT ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
    return n > room ? hd_real.__read_chk(fd, p, n, room) : hd_rt_read_fd(fd, p, n, HD_PC);
}

HD_EXPORT ssize_t __recv_chk(int fd, void *p, size_t n, size_t room, int flags)
{
    return n > room ? hd_real.__recv_chk(fd, p, n, room, flags) : recv(fd, p, n, flags);
}

HD_EXPORT ssize_t __recvfrom_chk(int fd, void *p, size_t n, size_t room, int flags,
                                 struct sockaddr *from, socklen_t *len)
{
    return n > room ? hd_real.__recvfrom_chk(fd, p, n, room, flags, from, len)
                    : recvfrom(fd, p, n, flags, from, len);
}

HD_EXPORT int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
    return room / sizeof *fds < n ? hd_real.__poll_chk(fds, n, timeout, room)
                                  : poll(fds, n, timeout);
}

HD_EXPORT int __ppoll_chk(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
                          const sigset_t *mask, size_t room)
{
    return room / sizeof *fds < n ? hd_real.__ppoll_chk(fds, n, timeout, mask, room)
                                  : ppoll(fds, n, timeout, mask);
}
