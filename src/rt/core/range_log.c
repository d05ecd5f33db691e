/* Runs in the user's process; see the rules in rt.h. */
#include "rt/core/range_log.h"
#include "rt/hooks/hook_access.h"

/* rep movsb has a start-up cost of some 30 cycles, which short copies feel. All is read before
 * anything is written, so the blocks may overlap. */
static bool move_short(char *to, const char *from, size_t n)
{
    if (n == 8) {
        *(hd_u64_any *)to = *(const hd_u64_any *)from;
    } else if (n > 8 && n <= 16) {
        uint64_t a = *(const hd_u64_any *)from, b = *(const hd_u64_any *)(from + n - 8);
        *(hd_u64_any *)to = a;
        *(hd_u64_any *)(to + n - 8) = b;
    } else if (n > 16 && n <= 64) {
        size_t half = n > 32 ? 16 : 0; /* 16 more from each end */
        hd_pack_vector a = *(const hd_pack_vector *)from,
                       b = *(const hd_pack_vector *)(from + half);
        hd_pack_vector c = *(const hd_pack_vector *)(from + n - 16 - half);
        hd_pack_vector d = *(const hd_pack_vector *)(from + n - 16);
        *(hd_pack_vector *)to = a;
        *(hd_pack_vector *)(to + half) = b;
        *(hd_pack_vector *)(to + n - 16 - half) = c;
        *(hd_pack_vector *)(to + n - 16) = d;
    } else {
        return false;
    }
    return true;
}

void *hd_rt_memmove(void *to, const void *from, size_t n)
{
    void *d = to;
    const void *s = from;
    if (move_short(to, from, n))
        return to;
    if ((uintptr_t)to - (uintptr_t)from >= n) {
        __asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n) : : "memory");
    } else {
        d = (char *)to + n - 1;
        s = (const char *)from + n - 1;
        __asm__ volatile("std\n\trep movsb\n\tcld" : "+D"(d), "+S"(s), "+c"(n) : : "memory", "cc");
    }
    return to;
}

void *hd_rt_memset(void *to, int byte, size_t n)
{
    void *d = to;
    if (n >= 16 && n <= 64) {
        long long eight = (long long)(UINT64_MAX / 255 * (unsigned char)byte);
        hd_pack_vector v = {eight, eight};
        for (size_t i = 0; i < n - 16; i += 16)
            *(hd_pack_vector *)((char *)to + i) = v;
        *(hd_pack_vector *)((char *)to + n - 16) = v;
        return to;
    }
    __asm__ volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(byte) : "memory");
    return to;
}

void hd_rt_put_range(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const void *p,
                     const void *bytes, size_t n)
{
    if (aux & HD_LOG_SITE)
        hd_rt_log_site((const struct hd_site *)pc);
    uint8_t *to = hd_rt_log_room(n + HD_PACK_ROOM);
    if (!to && rt.tapped) {
        uint64_t at = (uintptr_t)p;
        hd_rt_steer_op(kind, aux, pc, &at, n, __hd_flow.count + 1);
    }
    if (!to)
        return;
    uint8_t *q = hd_put_plain(&hd_rt_pack, hd_rt_log.keys, to, aux, pc);
    hd_rt_log.pos = hd_put_range(&hd_rt_pack, q, (uintptr_t)p, bytes, n);
    hd_put_done(to, kind);
}

static unsigned told(void)
{
    return hd_rt_me->in_rt & HD_IN_TOLD ? HD_LOG_CALL : 0;
}

void hd_rt_log_bytes(enum hd_log_kind kind, unsigned aux, uintptr_t pc, const void *p,
                     const void *bytes, size_t n)
{
    bool hook = aux & (HD_LOG_SITE | HD_LOG_PENDING);
    hd_rt_touch(bytes, n);
    for (size_t at = 0; at < n; at += HD_RT_RANGE_MAX) {
        size_t part = n - at < HD_RT_RANGE_MAX ? n - at : HD_RT_RANGE_MAX;
        unsigned call = hook ? 0 : hd_rt_joined() | told();
        hd_rt_put_range(kind, aux | call, pc, (const char *)p + at, (const char *)bytes + at, part);
        hd_rt_counts(__hd_flow.count + 1);
    }
}

void hd_rt_range_later(struct hd_thread *me, uintptr_t pc, const void *addr, size_t len)
{
    if (len > HD_RT_RANGE_MAX) /* the driver finds the new contents at the next read */
        hd_rt_log_bytes(HD_LOG_RANGE_WRITE, 0, pc, addr, addr, len);
    else if (len)
        hd_rt_write_later(me, HD_LOG_RANGE_WRITE, pc, addr, len);
}
