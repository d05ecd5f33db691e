/* Runs in the user's process; see the rules in rt.h. The log file: heddle/rt_log.h. */
#include "rt/access.h"
#include "rt/blocks.h"
#include "rt/policy.h"
#include "rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CHUNK_WORDS (HD_LOG_CHUNK / 8)

static int log_fd = -1;
static uint64_t *chunk; /* mapped chunk, or the sink */
static char log_path[4096];

static void *map_at(size_t len, uint64_t offset, int fd, int flags)
{
    long p = hd_rt_syscall(SYS_mmap, 0, (long)len, PROT_READ | PROT_WRITE, flags, fd, (long)offset);
    return p < 0 && p > -4096 ? NULL : (void *)p;
}

static bool has_claimed(struct hd_log_header *h)
{
    uint32_t nobody = 0;
    return h->magic == HD_LOG_MAGIC && h->version == HD_LOG_VERSION &&
           __atomic_compare_exchange_n(&h->owner, &nobody,
                                       (uint32_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0), false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static struct hd_log_header *map_header(const char *path, long how)
{
    long fd = hd_rt_syscall(SYS_open, (long)path, how | O_RDWR | O_CLOEXEC, 0600, 0, 0, 0);
    if (fd < 0)
        return NULL;
    log_fd = hd_rt_high_fd((int)fd);
    if (how & O_CREAT)
        hd_rt_syscall(SYS_ftruncate, log_fd, HD_LOG_PAGE, 0, 0, 0, 0);
    return map_at(HD_LOG_PAGE, 0, log_fd, MAP_SHARED);
}

static void drop(struct hd_log_header *h)
{
    if (h)
        hd_rt_syscall(SYS_munmap, (long)h, HD_LOG_PAGE, 0, 0, 0, 0);
    if (log_fd >= 0)
        hd_rt_syscall(SYS_close, log_fd, 0, 0, 0, 0, 0);
    log_fd = -1;
}

/* A log of our own, with the settings of another one. Its name is in log_path. */
static bool open_own(const struct hd_log_header *like)
{
    struct hd_log_header copy = *like, *h = map_header(log_path, O_CREAT | O_EXCL);
    if (!h) {
        drop(NULL);
        return false;
    }
    copy.owner = (uint32_t)hd_rt_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
    copy.outcome = copy.lost = 0;
    copy.chunks = 0;
    *h = copy;
    rt.header = h;
    hd_rt_log_grow();
    return true;
}

static bool add_suffix(const char *suffix)
{
    size_t n = strlen(log_path), m = strlen(suffix);
    if (n + m + 1 > sizeof log_path)
        return false;
    hd_rt_memmove(log_path + n, suffix, m + 1);
    return true;
}

static const char *number(char text[8], unsigned n)
{
    char *p = text + 7;
    *p = 0;
    for (; n; n /= 10)
        *--p = (char)('0' + n % 10);
    *--p = '.';
    return p;
}

/* This process was recorded before it became this program: h, or the log of a child, says so. */
static bool open_after_exec(struct hd_log_header *h)
{
    size_t base = strlen(log_path);
    char text[8];
    bool mine = h && h->owner == (uint32_t)getpid();
    for (unsigned n = 1; !mine && n <= HD_LOG_CHILDREN; n++) {
        drop(h);
        log_path[base] = 0;
        h = add_suffix(number(text, n)) ? map_header(log_path, 0) : NULL;
        mine = h && h->owner == (uint32_t)getpid();
        if (!h)
            break;
    }
    struct hd_log_header like = mine ? *h : (struct hd_log_header){0};
    drop(h);
    while (mine && add_suffix(".x"))
        if (open_own(&like))
            return true;
    return false;
}

bool hd_rt_log_open(void)
{
    const char *path = hd_rt_getenv(HD_LOG_ENV);
    if (!path || !*path || strlen(path) >= sizeof log_path)
        return false;
    hd_rt_memmove(log_path, path, strlen(path) + 1);
    struct hd_log_header *h = map_header(log_path, 0);
    if (!h || !has_claimed(h))
        return open_after_exec(h);
    rt.header = h;
    hd_rt_log_grow();
    return true;
}

bool hd_rt_log_child(unsigned n)
{
    char text[8];
    struct hd_log_header like = *rt.header;
    drop(rt.header);
    chunk = NULL; /* the parent's; nobody writes there any more */
    return n && add_suffix(number(text, n)) && open_own(&like);
}

/* Records that cannot be kept go to private memory, over and over. */
static void use_sink(int error)
{
    static uint64_t *sink;
    if (!sink)
        sink = map_at(HD_LOG_CHUNK, 0, -1, MAP_PRIVATE | MAP_ANONYMOUS);
    if (!sink)
        __builtin_trap();
    if (rt.header && !rt.header->lost && error)
        rt.header->lost = (uint32_t)error;
    rt.log_pos = sink;
    rt.log_end = sink + CHUNK_WORDS;
}

void hd_rt_log_grow(void)
{
    if (rt.follow)
        hd_rt_follow_catch_up();
    if (log_fd < 0 || (rt.header && rt.header->lost)) {
        use_sink(0);
        return;
    }
    uint64_t offset = HD_LOG_PAGE + rt.header->chunks * HD_LOG_CHUNK;
    /* Reserve the blocks now: a full disk must show here and not as a SIGBUS in the user's code. */
    long r = hd_rt_syscall(SYS_fallocate, log_fd, 0, (long)offset, HD_LOG_CHUNK, 0, 0);
    if (r == -EOPNOTSUPP)
        r = hd_rt_syscall(SYS_ftruncate, log_fd, (long)(offset + HD_LOG_CHUNK), 0, 0, 0, 0);
    uint64_t *next = r < 0 ? NULL : map_at(HD_LOG_CHUNK, offset, log_fd, MAP_SHARED | MAP_POPULATE);
    if (!next) {
        use_sink(r < 0 ? (int)-r : ENOMEM);
        return;
    }
    if (chunk)
        hd_rt_syscall(SYS_munmap, (long)chunk, HD_LOG_CHUNK, 0, 0, 0, 0);
    chunk = next;
    rt.header->chunks++;
    rt.log_pos = chunk;
    rt.log_end = chunk + CHUNK_WORDS - 1; /* one word 0 stays at the end of every chunk */
    if (rt.follow)
        hd_rt_follow_new_chunk();
}

void hd_rt_log_off(void)
{
    static struct hd_log_header none;
    if (log_fd >= 0)
        hd_rt_syscall(SYS_close, log_fd, 0, 0, 0, 0, 0);
    log_fd = -1;
    rt.header = &none;
    use_sink(0);
}

void hd_rt_log_text(enum hd_log_kind kind, uintptr_t pc, uint64_t word, const char *text)
{
    size_t len = strlen(text), words = (len + 7) / 8;
    uint64_t *p = hd_rt_log_room(3 + words);
    if (words)
        p[2 + words] = 0;
    p[1] = word;
    p[2] = len;
    hd_rt_memmove(p + 3, text, len);
    hd_rt_log_head(p, kind, 0, pc);
}

void hd_rt_log_range_later(struct hd_thread *me, uintptr_t pc, const void *addr, size_t len)
{
    size_t words = (len + 7) / 8;
    if (!len)
        return;
    if (words > HD_LOG_CHUNK / 8 / 2) {
        /* Too long to wait for: the driver finds the new contents at the next read. */
        hd_rt_log_bytes(HD_LOG_RANGE_WRITE, 0, pc, addr, addr, len);
        return;
    }
    uint64_t *p = hd_rt_log_room(3 + words);
    p[1] = (uintptr_t)addr;
    p[2] = len;
    p[2 + words] = 0;
    hd_rt_log_head(p, HD_LOG_RANGE_WRITE, HD_LOG_PENDING, pc);
    me->pend_word = p;
    me->pend_addr = addr;
    me->pend_len = len;
}

void hd_rt_flush_slow(struct hd_thread *me)
{
    uint64_t *p = me->pend_word;
    me->pend_word = NULL;
    if ((*p & 0xff) == HD_LOG_WRITE) {
        p[2] = hd_rt_load(me->pend_addr, (unsigned)me->pend_len);
    } else {
        hd_rt_memmove(p + 3, me->pend_addr, me->pend_len);
    }
    __atomic_store_n(p, *p & ~((uint64_t)HD_LOG_PENDING << 8), __ATOMIC_RELEASE);
}
