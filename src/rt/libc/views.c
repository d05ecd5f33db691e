/* Runs in the user's process; see the rules in rt.h. */
#include "rt/libc/views.h"

#include "rt/libc/sync.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define VIEWED      (UINT64_C(1) << 63) /* no address of user code */
#define OFFSET_BITS 44

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
    struct view *next;
};

static struct object *objects;
static struct view *all, *spare;
static uint64_t made; /* objects */

static struct object *object_of(uint64_t device, uint64_t inode, uint64_t born)
{
    struct object *o = objects;
    while (o &&
           (o->device != device || o->inode != inode || o->born != born || (!o->born && !o->views)))
        o = o->next;
    if (o)
        return o;
    o = hd_rt_mem(sizeof *o);
    *o = (struct object){device, inode, born, ++made, 0, objects};
    objects = o;
    return o;
}

/* NULL: it cannot be known. */
static struct object *object_behind(int fd)
{
    struct statx st;
    memset(&st, 0, sizeof st);
    if (fd < 0) /* anonymous: one of its own, which a child of fork shares */
        return object_of(UINT64_MAX, made + 1, 1);
    if (hd_rt_syscall(SYS_statx, fd, (long)"", AT_EMPTY_PATH, STATX_INO | STATX_BTIME, (long)&st,
                      0) < 0)
        return NULL;
    uint64_t born = (uint64_t)st.stx_btime.tv_sec * 1000000000u + st.stx_btime.tv_nsec;
    return object_of((uint64_t)st.stx_dev_major << 32 | st.stx_dev_minor, st.stx_ino,
                     st.stx_mask & STATX_BTIME ? born : 0);
}

static void log_view(const struct view *v, bool inherited)
{
    hd_rt_log3(HD_LOG_VIEW, inherited && v->writable, 0, v->start, v->of->number, v->offset);
}

static void add(struct object *o, uintptr_t addr, size_t n, uint64_t offset, bool writable)
{
    hd_rt_views_unmapped(addr, n); /* what a fixed mapping took the place of */
    if (!o)
        return;
    struct view *v = spare;
    if (v)
        spare = v->next;
    else
        v = hd_rt_mem(sizeof *v);
    *v = (struct view){addr, addr + n, offset, o, writable, all};
    all = v;
    o->views++;
    log_view(v, false);
}

void hd_rt_views_mapped(uintptr_t addr, size_t n, int fd, off_t offset, bool writable)
{
    add(object_behind(fd), addr, n, fd < 0 ? 0 : (uint64_t)offset, writable);
}

void hd_rt_views_attached(uintptr_t addr, size_t n, int id, bool writable)
{
    add(object_of(UINT64_MAX - 1, (uint64_t)id, 1), addr, n, 0, writable);
}

/* The builder forgets a mapping of which a part goes, and so does this. */
void hd_rt_views_unmapped(uintptr_t addr, size_t n)
{
    bool any = false;
    for (struct view **at = &all, *v; (v = *at);) {
        if (v->start >= addr + n || v->end <= addr) {
            at = &v->next;
            continue;
        }
        *at = v->next;
        any = any || v->of->views > 1;
        v->of->views--;
        v->next = spare;
        spare = v;
    }
    if (any)
        hd_rt_sync_readdress();
}

static const struct view *view_at(uintptr_t addr)
{
    const struct view *v = all;
    while (v && (addr < v->start || addr >= v->end))
        v = v->next;
    return v;
}

void hd_rt_views_moved(uintptr_t from, uintptr_t to, size_t n)
{
    const struct view *v = view_at(from);
    if (!v)
        return;
    struct object *o = v->of;
    uint64_t offset = v->offset + (from - v->start);
    bool writable = v->writable;
    o->views++; /* it does not end meanwhile */
    add(o, to, n, offset, writable);
    o->views--;
}

size_t hd_rt_views_size_at(uintptr_t addr)
{
    const struct view *v = view_at(addr);
    return v && v->start == addr && v->of->device == UINT64_MAX - 1 ? v->end - v->start : 0;
}

void hd_rt_views_log_again(void)
{
    for (const struct view *v = all; v; v = v->next) {
        log_view(v, true);
        hd_rt_log2(HD_LOG_MAP, 0, 0, v->start, v->end - v->start);
    }
}

uint64_t hd_rt_views_key(uintptr_t addr)
{
    const struct view *v = all ? view_at(addr) : NULL;
    return v ? VIEWED | v->of->number << OFFSET_BITS | (v->offset + (addr - v->start)) : addr;
}

uintptr_t hd_rt_views_address(uint64_t key)
{
    uint64_t at = key & ((UINT64_C(1) << OFFSET_BITS) - 1);
    for (const struct view *v = all; v && key & VIEWED; v = v->next)
        if (v->of->number == (key & ~VIEWED) >> OFFSET_BITS && at >= v->offset &&
            at - v->offset < v->end - v->start)
            return v->start + (uintptr_t)(at - v->offset);
    return 0;
}
