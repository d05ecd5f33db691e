/* Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/views.h"

#include "rt/core/range_log.h"
#include "rt/libc/sync.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define VIEWED      (UINT64_C(1) << 63) /* no address of user code */
#define OFFSET_BITS 44
#define OBJECTS     (VIEWED >> OFFSET_BITS) /* the builder has as many */
#define BUCKETS     1024u

struct object {
    uint64_t device, inode, born; /* born 0: not known */
    uint64_t number;
    unsigned views;
    struct object *next;
};

struct view {
    uintptr_t start, end;
    uint64_t offset; /* in the object */
    struct object *of;
    bool writable;
};

static struct object *objects[BUCKETS]; /* that may come again */
static struct view *views;              /* by start; they do not overlap */
static size_t n_views, room;
static uint64_t made; /* objects */
static bool forked;

static struct object *new_object(uint64_t device, uint64_t inode, uint64_t born)
{
    if (made + 1 >= OBJECTS)
        return NULL;
    struct object *o = hd_rt_mem(sizeof *o);
    *o = (struct object){device, inode, born, ++made, 0, NULL};
    return o;
}

static struct object **bucket_of(uint64_t device, uint64_t inode)
{
    return &objects[((device ^ inode) * UINT64_C(0x9e3779b97f4a7c15) >> 32) % BUCKETS];
}

/* NULL: none yet. */
static struct object *known_object(uint64_t device, uint64_t inode, uint64_t born)
{
    struct object *o = *bucket_of(device, inode);
    while (o &&
           (o->device != device || o->inode != inode || o->born != born || (!o->born && !o->views)))
        o = o->next;
    return o;
}

static struct object *object_of(uint64_t device, uint64_t inode, uint64_t born)
{
    struct object **bucket = bucket_of(device, inode), *o = known_object(device, inode, born);
    if (o || !(o = new_object(device, inode, born)))
        return o;
    o->next = *bucket;
    *bucket = o;
    return o;
}

/* Each mapping of it is memory of its own. */
static bool is_dev_zero(const struct statx *st)
{
    return S_ISCHR(st->stx_mode) && st->stx_rdev_major == 1 && st->stx_rdev_minor == 5;
}

static bool look_at(int fd, struct statx *st)
{
    memset(st, 0, sizeof *st);
    return hd_rt_syscall(SYS_statx, fd, (long)"", AT_EMPTY_PATH,
                         STATX_TYPE | STATX_INO | STATX_BTIME, (long)st, 0) >= 0;
}

static uint64_t device_of(const struct statx *st)
{
    return (uint64_t)st->stx_dev_major << 32 | st->stx_dev_minor;
}

static uint64_t birth_of(const struct statx *st)
{
    uint64_t born = (uint64_t)st->stx_btime.tv_sec * 1000000000u + st->stx_btime.tv_nsec;
    return st->stx_mask & STATX_BTIME ? born : 0;
}

/* NULL: it cannot be known, or there are too many. */
static struct object *object_behind(int fd)
{
    struct statx st = {0};
    if (fd >= 0 && !look_at(fd, &st))
        return NULL;
    if (fd < 0 || is_dev_zero(&st)) /* anonymous: one of its own, which a child of fork shares */
        return new_object(UINT64_MAX, 0, 1);
    return object_of(device_of(&st), st.stx_ino, birth_of(&st));
}

/* NULL: no part of it is mapped. */
static const struct object *viewed_behind(int fd)
{
    struct statx st;
    if (!n_views || !look_at(fd, &st))
        return NULL;
    const struct object *o = known_object(device_of(&st), st.stx_ino, birth_of(&st));
    return o && o->views ? o : NULL;
}

static void log_view(const struct view *v, bool inherited)
{
    hd_rt_log3(HD_LOG_VIEW, inherited && v->writable, 0, v->start, v->of->number, v->offset);
}

/* The first view that ends after addr. */
static size_t place_of(uintptr_t addr)
{
    size_t from = 0, to = n_views;
    while (from < to) {
        size_t half = from + (to - from) / 2;
        if (views[half].end <= addr)
            from = half + 1;
        else
            to = half;
    }
    return from;
}

static const struct view *view_at(uintptr_t addr)
{
    size_t at = place_of(addr);
    return at < n_views && views[at].start <= addr ? &views[at] : NULL;
}

static void insert(struct view v)
{
    if (n_views == room) {
        const struct view *old = views;
        room = room ? 2 * room : 64;
        views = hd_rt_mem(room * sizeof *views);
        if (n_views)
            memcpy(views, old, n_views * sizeof *views);
    }
    size_t at = place_of(v.start);
    memmove(views + at + 1, views + at, (n_views++ - at) * sizeof *views);
    views[at] = v;
    v.of->views++;
}

static void add(struct object *o, uintptr_t addr, size_t n, uint64_t offset, bool writable)
{
    uint64_t most = UINT64_C(1) << OFFSET_BITS;
    hd_rt_views_unmapped(addr, n); /* what a fixed mapping took the place of */
    if (!o || offset >= most || n >= most - offset)
        return;
    struct view v = {addr, addr + n, offset, o, writable};
    insert(v);
    log_view(&v, false);
}

void hd_rt_views_mapped(uintptr_t addr, size_t n, int fd, off_t offset, bool writable)
{
    add(object_behind(fd), addr, n, fd < 0 ? 0 : (uint64_t)offset, writable);
}

void hd_rt_views_attached(uintptr_t addr, size_t n, int id, bool writable)
{
    add(object_of(UINT64_MAX - 1, (uint64_t)id, 1), addr, n, 0, writable);
}

/* What is left of a view stays one. */
void hd_rt_views_unmapped(uintptr_t addr, size_t n)
{
    bool any = false;
    size_t from = place_of(addr), to = from;
    struct view head = {0}, tail = {0};
    for (; to < n_views && views[to].start < addr + n; to++) {
        struct view v = views[to];
        any = any || v.of->views > 1;
        v.of->views--;
        if (v.start < addr)
            head = (struct view){v.start, addr, v.offset, v.of, v.writable};
        if (v.end > addr + n)
            tail =
                (struct view){addr + n, v.end, v.offset + (addr + n - v.start), v.of, v.writable};
    }
    if (from == to)
        return;
    memmove(views + from, views + to, (n_views - to) * sizeof *views);
    n_views -= to - from;
    if (head.of)
        insert(head);
    if (tail.of)
        insert(tail);
    if (any)
        hd_rt_sync_readdress();
}

void hd_rt_views_moved(uintptr_t from, size_t n, uintptr_t to, size_t now)
{
    const struct view *at = view_at(from);
    struct view v = at ? *at : (struct view){0};
    if (at)
        v.of->views++; /* it does not end meanwhile */
    if (n)
        hd_rt_views_unmapped(from, n);
    add(v.of, to, now, v.offset + (from - v.start), v.writable);
    if (at)
        v.of->views--;
}

void hd_rt_views_writable(uintptr_t addr, size_t n)
{
    for (size_t i = place_of(addr); i < n_views && views[i].start < addr + n; i++)
        views[i].writable = true;
}

bool hd_rt_views_of(int fd)
{
    return viewed_behind(fd);
}

/* A view of the byte at `offset`; else NULL, and *n is at most how far the next view is from it. */
static const struct view *view_of(const struct object *o, uint64_t offset, size_t *n)
{
    for (size_t i = 0; i < n_views; i++) {
        const struct view *v = &views[i];
        if (v->of != o)
            continue;
        if (offset >= v->offset && offset - v->offset < v->end - v->start)
            return v;
        if (v->offset > offset && v->offset - offset < *n)
            *n = v->offset - offset;
    }
    return NULL;
}

/* Bytes that are mapped twice need one write. */
static void put(const struct object *o, uint64_t offset, const char *bytes, size_t n, uintptr_t pc)
{
    for (size_t part; n; offset += part, bytes += part, n -= part) {
        part = n;
        const struct view *v = view_of(o, offset, &part);
        if (!v)
            continue;
        uintptr_t at = v->start + (uintptr_t)(offset - v->offset);
        part = v->end - at < n ? v->end - at : n;
        hd_rt_log_bytes(HD_LOG_RANGE_WRITE, 0, pc, (void *)at, bytes,
                        part); /* NOLINT: an address */
    }
}

void hd_rt_views_wrote(int fd, uint64_t offset, const struct iovec *v, size_t n, uintptr_t pc)
{
    const struct object *o = viewed_behind(fd);
    for (; o && n; v++) {
        size_t part = v->iov_len < n ? v->iov_len : n;
        put(o, offset, v->iov_base, part, pc);
        offset += part;
        n -= part;
    }
}

size_t hd_rt_views_size_at(uintptr_t addr)
{
    const struct view *v = view_at(addr);
    return v && v->start == addr && v->of->device == UINT64_MAX - 1 ? v->end - v->start : 0;
}

void hd_rt_views_log_again(void)
{
    for (size_t i = 0; i < n_views; i++) {
        log_view(&views[i], true);
        hd_rt_log2(HD_LOG_MAP, 0, 0, views[i].start, views[i].end - views[i].start);
    }
}

void hd_rt_views_forked(void)
{
    forked = true;
}

bool hd_rt_views_outer(uintptr_t addr)
{
    return forked && n_views && view_at(addr);
}

uint64_t hd_rt_views_key(uintptr_t addr)
{
    const struct view *v = n_views ? view_at(addr) : NULL;
    return v ? VIEWED | v->of->number << OFFSET_BITS | (v->offset + (addr - v->start)) : addr;
}

uintptr_t hd_rt_views_address(uint64_t key)
{
    uint64_t at = key & ((UINT64_C(1) << OFFSET_BITS) - 1);
    for (size_t i = 0; i < n_views && key & VIEWED; i++) {
        const struct view *v = &views[i];
        if (v->of->number == (key & ~VIEWED) >> OFFSET_BITS && at >= v->offset &&
            at - v->offset < v->end - v->start)
            return v->start + (uintptr_t)(at - v->offset);
    }
    return 0;
}
