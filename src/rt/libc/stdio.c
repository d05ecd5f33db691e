/* stdio: locks, and calls with plain buffers. Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/stdio.h"

#include "rt/core/live_arrivals.h"
#include "rt/core/range_log.h"
#include "rt/libc/format.h"
#include "rt/libc/fortify.h"
#include "rt/libc/io_calls.h"
#include "rt/core/modules.h"
#include "rt/core/real.h"

#include <errno.h>
#include <string.h>
#include <sys/syscall.h>

/* ---- the lock ---- */

static void take(struct hd_thread *me, struct hd_sync *l, uintptr_t pc)
{
    if (l->owner == me) {
        l->depth++;
        hd_rt_log1(HD_LOG_ACQ, pc, l->addr);
    } else {
        hd_rt_lock_acquire(me, l, HD_NEVER, pc);
    }
}

HD_EXPORT void flockfile(FILE *f)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me) {
        hd_real.flockfile(f);
        return;
    }
    hd_rt_arg_dep(flockfile);
    take(me, hd_rt_sync(f, HD_SYNC_LOCK), HD_PC);
    hd_rt_leave(me);
}

HD_EXPORT int ftrylockfile(FILE *f)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me)
        return hd_real.ftrylockfile(f);
    hd_rt_arg_dep(ftrylockfile);
    struct hd_sync *l = hd_rt_sync(f, HD_SYNC_LOCK);
    int r = 0;
    if (l->owner == me)
        take(me, l, HD_PC);
    else
        r = hd_rt_lock_acquire(me, l, 0, HD_PC) == HD_LOCK_TIMEOUT;
    hd_rt_leave(me);
    return r;
}

HD_EXPORT void funlockfile(FILE *f)
{
    struct hd_thread *me = hd_rt_enter();
    if (!me) {
        hd_real.funlockfile(f);
        return;
    }
    hd_rt_arg_dep(funlockfile);
    struct hd_sync *l = hd_rt_sync(f, HD_SYNC_LOCK);
    if (l->owner == me)
        hd_rt_lock_release(me, l, HD_PC);
    hd_rt_leave(me);
}

/* ---- the frame of a call ---- */

/* A thread that is cancelled while it waits gives the lock back, as libc does. */
static void give_back(struct hd_stdio **waiting)
{
    struct hd_stdio *c = *waiting;
    struct hd_thread *me = c && c->lock ? hd_rt_enter_at(NULL, 0, c->pc) : NULL;
    if (!me)
        return;
    hd_rt_lock_release(me, c->lock, c->pc);
    hd_rt_leave(me);
}

static void wait_for_input(struct hd_stdio *c)
{
    __attribute__((cleanup(give_back))) struct hd_stdio *waiting = c;
    hd_rt_fd_wait(c->me, c->file->_fileno, POLLIN);
    waiting = NULL;
}

bool hd_rt_stdio_begin(struct hd_stdio *c, FILE *file, bool input, struct hd_caller by)
{
    uintptr_t pc = by.pc;
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, pc);
    if (!me)
        return false;
    *c = (struct hd_stdio){.me = me, .file = file, .pc = pc, .memory = hd_rt_module_has(pc)};
    if (!input && c->memory) /* what comes from outside depends on more */
        hd_rt_depend(me, by);
    if (!file)
        return true;
    if (rt.multi) {
        c->lock = hd_rt_sync(file, HD_SYNC_LOCK);
        take(me, c->lock, pc);
    }
    if (input)
        hd_rt_arrivals_asked(file->_fileno);
    if (input && file->_fileno >= 0 && file->_IO_read_ptr >= file->_IO_read_end)
        wait_for_input(c);
    c->chan = rt.multi && file->_fileno >= 0 ? hd_rt_chan(file->_fileno, !input) : NULL;
    c->input = input;
    c->there = c->chan ? hd_rt_chan_inbox(file->_fileno, !input) : 0;
    me->in_wait = true; /* libc may wait in the kernel now: handlers need not */
    return true;
}

void hd_rt_stdio_settle(struct hd_stdio *c)
{
    c->me->in_wait = false;
    if (c->chan) {
        int now = hd_rt_chan_inbox(c->file->_fileno, !c->input);
        if (now > c->there)
            hd_rt_chan_sent(c->chan, (uint64_t)(now - c->there), NULL, c->pc);
        else if (now < c->there)
            hd_rt_chan_received(c->chan, (uint64_t)(c->there - now), c->pc);
        else if (c->file->_flags & _IO_EOF_SEEN)
            hd_rt_chan_closed(c->chan, c->pc);
    }
    c->chan = NULL;
}

void hd_rt_stdio_end(struct hd_stdio *c)
{
    int saved = errno;
    hd_rt_stdio_settle(c);
    if (c->lock)
        hd_rt_lock_release(c->me, c->lock, c->pc);
    hd_rt_leave(c->me);
    errno = saved;
}

/* ---- calls that only need the lock ---- */

#define LOCKED(ret, name, n, params, args, file, input)                                            \
    HD_EXPORT ret name params                                                                      \
    {                                                                                              \
        struct hd_stdio c;                                                                         \
        if (!hd_rt_stdio_begin(&c, file, input, HD_BY(name, n)))                                   \
            return hd_real.name args;                                                              \
        ret r = hd_real.name args;                                                                 \
        hd_rt_stdio_end(&c);                                                                       \
        return r;                                                                                  \
    }

LOCKED(int, fputc, 2, (int byte, FILE *f), (byte, f), f, false)
LOCKED(int, putc, 2, (int byte, FILE *f), (byte, f), f, false)
LOCKED(int, putchar, 1, (int byte), (byte), stdout, false)
LOCKED(int, fgetc, 1, (FILE * f), (f), f, true)
LOCKED(int, getc, 1, (FILE * f), (f), f, true)
LOCKED(int, getchar, 0, (void), (), stdin, true)
LOCKED(int, ungetc, 2, (int byte, FILE *f), (byte, f), f, false)
LOCKED(int, fseek, 3, (FILE * f, long at, int from), (f, at, from), f, false)
LOCKED(int, fseeko, 3, (FILE * f, off_t at, int from), (f, at, from), f, false)
LOCKED(long, ftell, 1, (FILE * f), (f), f, false)
LOCKED(off_t, ftello, 1, (FILE * f), (f), f, false)
LOCKED(int, feof, 1, (FILE * f), (f), f, false)
LOCKED(int, ferror, 1, (FILE * f), (f), f, false)
LOCKED(int, fflush, 1, (FILE * f), (f), f, false)
LOCKED(int, setvbuf, 4, (FILE *restrict f, char *restrict buf, int mode, size_t n),
       (f, buf, mode, n), f, false)

HD_EXPORT void rewind(FILE *f)
{
    struct hd_stdio c;
    bool on = hd_rt_stdio_begin(&c, f, false, HD_BY(rewind, 1));
    hd_real.rewind(f);
    if (on)
        hd_rt_stdio_end(&c);
}

HD_EXPORT void clearerr(FILE *f)
{
    struct hd_stdio c;
    bool on = hd_rt_stdio_begin(&c, f, false, HD_BY(clearerr, 1));
    hd_real.clearerr(f);
    if (on)
        hd_rt_stdio_end(&c);
}

/* The stream is gone, and its descriptor with it: both may come back as something else. */
HD_EXPORT int fclose(FILE *f)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, false, HD_BY(fclose, 1)))
        return hd_real.fclose(f);
    int fd = f->_fileno;
    if (c.chan) {
        hd_real.fflush(f);
        int now = hd_rt_chan_inbox(fd, true);
        if (now > c.there)
            hd_rt_chan_sent(c.chan, (uint64_t)(now - c.there), NULL, c.pc);
        c.chan = NULL;
    }
    hd_rt_chan_closing(fd, c.pc);
    int r = hd_real.fclose(f);
    hd_rt_stdio_end(&c);
    return r;
}

/* ---- calls with buffers ---- */

static void reads(const struct hd_stdio *c, const void *p, size_t n)
{
    if (c->memory)
        hd_rt_reads(c->pc, p, n);
}

static void writes(struct hd_stdio *c, const void *p, size_t n)
{
    hd_rt_stdio_settle(c);
    if (c->memory && n)
        hd_rt_wrote(c->pc, p, n);
}

HD_EXPORT int fputs(const char *restrict s, FILE *restrict f)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, false, HD_BY(fputs, 2)))
        return hd_real.fputs(s, f);
    reads(&c, s, strlen(s) + 1);
    int r = hd_real.fputs(s, f);
    hd_rt_stdio_end(&c);
    return r;
}

HD_EXPORT int puts(const char *s)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, stdout, false, HD_BY(puts, 1)))
        return hd_real.puts(s);
    reads(&c, s, strlen(s) + 1);
    int r = hd_real.puts(s);
    hd_rt_stdio_end(&c);
    return r;
}

HD_EXPORT void perror(const char *s)
{
    struct hd_stdio c;
    bool on = hd_rt_stdio_begin(&c, stderr, false, HD_BY(perror, 1));
    if (on && s)
        reads(&c, s, strlen(s) + 1);
    hd_real.perror(s);
    if (on)
        hd_rt_stdio_end(&c);
}

HD_EXPORT size_t fwrite(const void *restrict p, size_t size, size_t n, FILE *restrict f)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, false, HD_BY(fwrite, 4)))
        return hd_real.fwrite(p, size, n, f);
    reads(&c, p, size * n);
    size_t r = hd_real.fwrite(p, size, n, f);
    hd_rt_stdio_end(&c);
    return r;
}

size_t hd_rt_fread(void *p, size_t size, size_t n, FILE *f, struct hd_caller by)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, true, by))
        return hd_real.fread(p, size, n, f);
    size_t r = hd_real.fread(p, size, n, f);
    writes(&c, p, size * r);
    hd_rt_stdio_end(&c);
    return r;
}

HD_EXPORT size_t fread(void *restrict p, size_t size, size_t n, FILE *restrict f)
{
    return hd_rt_fread(p, size, n, f, HD_BY(fread, 4));
}

char *hd_rt_fgets(char *p, int n, FILE *f, struct hd_caller by)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, true, by))
        return hd_real.fgets(p, n, f);
    char *r = hd_real.fgets(p, n, f);
    writes(&c, p, r ? strlen(r) + 1 : 0);
    hd_rt_stdio_end(&c);
    return r;
}

HD_EXPORT char *fgets(char *restrict p, int n, FILE *restrict f)
{
    return hd_rt_fgets(p, n, f, HD_BY(fgets, 3));
}

/* libc gets the memory for the line from inside, where we do not see it. */
static ssize_t line(char **p, size_t *n, int end, FILE *f, struct hd_caller by)
{
    struct hd_stdio c;
    if (!hd_rt_stdio_begin(&c, f, true, by))
        return hd_real.getdelim(p, n, end, f);
    char *before = *p;
    size_t had = *n;
    ssize_t r = hd_real.getdelim(p, n, end, f);
    if (*p != before || *n != had) {
        if (before)
            HD_LOGP(HD_LOG_FREE, by.pc, before);
        hd_rt_log2(HD_LOG_ALLOC, 0, by.pc, (uintptr_t)*p, *n);
        writes(&c, p, sizeof *p);
        writes(&c, n, sizeof *n);
    }
    writes(&c, *p, r >= 0 ? (size_t)r + 1 : 0);
    hd_rt_stdio_end(&c);
    return r;
}

HD_EXPORT ssize_t getdelim(char **restrict p, size_t *restrict n, int end, FILE *restrict f)
{
    return line(p, n, end, f, HD_BY(getdelim, 4));
}

HD_EXPORT ssize_t __getdelim(char **restrict p, size_t *restrict n, int end, FILE *restrict f)
{
    return line(p, n, end, f, HD_BY(__getdelim, 4));
}

HD_EXPORT ssize_t getline(char **restrict p, size_t *restrict n, FILE *restrict f)
{
    return line(p, n, '\n', f, HD_BY(getline, 3));
}

/* libc moves the buffer when it likes to. */
#define MEMORY_STREAM(name, type)                                                                  \
    HD_EXPORT FILE *name(type **p, size_t *n)                                                      \
    {                                                                                              \
        struct hd_thread *me = hd_rt_enter();                                                      \
        FILE *f = hd_real.name(p, n);                                                              \
        if (me) {                                                                                  \
            hd_rt_log_text(HD_LOG_NOTE, HD_PC, HD_NOTE_UNMODELLED,                                 \
                           #name " (when its buffer is written is not known)");                    \
            hd_rt_leave(me);                                                                       \
        }                                                                                          \
        return f;                                                                                  \
    }
MEMORY_STREAM(open_memstream, char)
MEMORY_STREAM(open_wmemstream, wchar_t)
