/* Functions of libc that put their result into memory of the caller, or into memory of their own
 * that the next call uses again. Runs in the user's process; see the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/core/real.h"
#include "rt/libc/str.h"

static void reads(uintptr_t pc, const void *p, size_t n)
{
    if (p && n)
        hd_rt_log_bytes(HD_LOG_RANGE_READ, 0, pc, p, p, n);
}

static void reads_text(uintptr_t pc, const char *text)
{
    reads(pc, text, text ? strlen(text) + 1 : 0);
}

static void writes(uintptr_t pc, const void *p, size_t n)
{
    if (p && n)
        hd_rt_wrote(pc, p, n);
}

static void writes_text(uintptr_t pc, const char *text)
{
    writes(pc, text, text ? strlen(text) + 1 : 0);
}

/* before and after: what is read and written, with pc and the result r. Others do not run between
 * them: libc holds locks of its own in some of these calls. */
#define RESULT(type, name, params, args, n, before, after)                                         \
    HD_EXPORT type name params                                                                     \
    {                                                                                              \
        struct hd_caller by = HD_BY(name, n);                                                      \
        uintptr_t pc = by.pc;                                                                      \
        struct hd_thread *me = hd_rt_str_enter(by);                                                \
        if (!me) {                                                                                 \
            if (!hd_real.name)                                                                     \
                hd_rt_real_find();                                                                 \
            return hd_real.name args;                                                              \
        }                                                                                          \
        before;                                                                                    \
        type r = hd_real.name args;                                                                \
        after;                                                                                     \
        hd_rt_leave(me);                                                                           \
        return r;                                                                                  \
    }

/* ---- time ---- */

RESULT(struct tm *, localtime_r, (const time_t *t, struct tm *out), (t, out), 2,
       reads(pc, t, sizeof *t), writes(pc, r, sizeof *r))
RESULT(struct tm *, gmtime_r, (const time_t *t, struct tm *out), (t, out), 2,
       reads(pc, t, sizeof *t), writes(pc, r, sizeof *r))
RESULT(struct tm *, localtime, (const time_t *t), (t), 1, reads(pc, t, sizeof *t),
       writes(pc, r, sizeof *r))
RESULT(struct tm *, gmtime, (const time_t *t), (t), 1, reads(pc, t, sizeof *t),
       writes(pc, r, sizeof *r))
RESULT(char *, asctime_r, (const struct tm *tm, char *out), (tm, out), 2, reads(pc, tm, sizeof *tm),
       writes_text(pc, r))
RESULT(char *, ctime_r, (const time_t *t, char *out), (t, out), 2, reads(pc, t, sizeof *t),
       writes_text(pc, r))
RESULT(char *, asctime, (const struct tm *tm), (tm), 1, reads(pc, tm, sizeof *tm),
       writes_text(pc, r))
RESULT(char *, ctime, (const time_t *t), (t), 1, reads(pc, t, sizeof *t), writes_text(pc, r))
RESULT(time_t, mktime, (struct tm * tm), (tm), 1, reads(pc, tm, sizeof *tm),
       writes(pc, tm, sizeof *tm))
RESULT(size_t, strftime, (char *out, size_t max, const char *format, const struct tm *tm),
       (out, max, format, tm), 4, (reads_text(pc, format), reads(pc, tm, sizeof *tm)),
       writes(pc, out, r ? r + 1 : 0))

/* ---- files and the system ---- */

RESULT(int, stat, (const char *path, struct stat *out), (path, out), 2, reads_text(pc, path),
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, lstat, (const char *path, struct stat *out), (path, out), 2, reads_text(pc, path),
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, fstat, (int fd, struct stat *out), (fd, out), 2, (void)0,
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, fstatat, (int fd, const char *path, struct stat *out, int flags),
       (fd, path, out, flags), 4, reads_text(pc, path), writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, stat64, (const char *path, struct stat64 *out), (path, out), 2, reads_text(pc, path),
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, lstat64, (const char *path, struct stat64 *out), (path, out), 2, reads_text(pc, path),
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, fstat64, (int fd, struct stat64 *out), (fd, out), 2, (void)0,
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, fstatat64, (int fd, const char *path, struct stat64 *out, int flags),
       (fd, path, out, flags), 4, reads_text(pc, path), writes(pc, r ? NULL : out, sizeof *out))
RESULT(char *, getcwd, (char *out, size_t n), (out, n), 2, (void)0, writes_text(pc, out ? r : NULL))
RESULT(ssize_t, readlink, (const char *path, char *out, size_t n), (path, out, n), 3,
       reads_text(pc, path), writes(pc, out, r > 0 ? (size_t)r : 0))
RESULT(int, gethostname, (char *out, size_t n), (out, n), 2, (void)0,
       writes_text(pc, r ? NULL : out))
RESULT(char *, realpath, (const char *path, char *out), (path, out), 2, reads_text(pc, path),
       writes_text(pc, out ? r : NULL))
/* With _FORTIFY_SOURCE: the room that the compiler knows of comes last. No header declares them for
 * those who do not ask for it. */
HD_EXPORT char *__getcwd_chk(char *out, size_t n, size_t room);
HD_EXPORT ssize_t __readlink_chk(const char *path, char *out, size_t n, size_t room);
HD_EXPORT int __gethostname_chk(char *out, size_t n, size_t room);
HD_EXPORT char *__realpath_chk(const char *path, char *out, size_t room);
RESULT(char *, __getcwd_chk, (char *out, size_t n, size_t room), (out, n, room), 3, (void)0,
       writes_text(pc, out ? r : NULL))
RESULT(ssize_t, __readlink_chk, (const char *path, char *out, size_t n, size_t room),
       (path, out, n, room), 4, reads_text(pc, path), writes(pc, out, r > 0 ? (size_t)r : 0))
RESULT(int, __gethostname_chk, (char *out, size_t n, size_t room), (out, n, room), 3, (void)0,
       writes_text(pc, r ? NULL : out))
RESULT(char *, __realpath_chk, (const char *path, char *out, size_t room), (path, out, room), 3,
       reads_text(pc, path), writes_text(pc, out ? r : NULL))
RESULT(int, uname, (struct utsname * out), (out), 1, (void)0,
       writes(pc, r ? NULL : out, sizeof *out))
RESULT(int, rand_r, (unsigned *seed), (seed), 1, reads(pc, seed, sizeof *seed),
       writes(pc, seed, sizeof *seed))

/* ---- addresses ---- */

static size_t address_size(int family)
{
    return family == AF_INET    ? sizeof(struct in_addr)
           : family == AF_INET6 ? sizeof(struct in6_addr)
                                : 0;
}

/* What was there: libc writes as much as the caller had room for. */
static size_t name_size(const socklen_t *n, socklen_t room)
{
    return *n < room ? *n : room;
}

RESULT(const char *, inet_ntop, (int family, const void *from, char *out, socklen_t n),
       (family, from, out, n), 4, reads(pc, from, address_size(family)), writes_text(pc, r))
RESULT(int, inet_pton, (int family, const char *text, void *out), (family, text, out), 3,
       reads_text(pc, text), writes(pc, r == 1 ? out : NULL, address_size(family)))
RESULT(int, inet_aton, (const char *text, struct in_addr *out), (text, out), 2,
       reads_text(pc, text), writes(pc, r ? out : NULL, sizeof *out))
RESULT(char *, inet_ntoa, (struct in_addr in), (in), 1, (void)0, writes_text(pc, r))
RESULT(int, getsockname, (int fd, struct sockaddr *out, socklen_t *n), (fd, out, n), 3,
       reads(pc, n, sizeof *n);
       socklen_t room = *n,
       (writes(pc, r ? NULL : out, name_size(n, room)), writes(pc, r ? NULL : n, sizeof *n)))
RESULT(int, getpeername, (int fd, struct sockaddr *out, socklen_t *n), (fd, out, n), 3,
       reads(pc, n, sizeof *n);
       socklen_t room = *n,
       (writes(pc, r ? NULL : out, name_size(n, room)), writes(pc, r ? NULL : n, sizeof *n)))

/* It may ask other machines: others run meanwhile. */
HD_EXPORT int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                          struct addrinfo **out)
{
    struct hd_caller by = HD_BY(getaddrinfo, 4);
    struct hd_thread *me = hd_rt_str_enter(by);
    if (!hd_real.getaddrinfo)
        hd_rt_real_find();
    if (me) {
        reads_text(by.pc, node);
        reads_text(by.pc, service);
        reads(by.pc, hints, sizeof *hints);
        hd_rt_leave(me);
    }
    int r = hd_real.getaddrinfo(node, service, hints, out);
    me = me && !r ? hd_rt_enter_at(NULL, 0, by.pc) : NULL;
    if (me) {
        hd_rt_wrote(by.pc, out, sizeof *out);
        hd_rt_leave(me);
    }
    return r;
}
