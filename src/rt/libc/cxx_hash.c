/* The functions of libstdc++ that std::unordered_map and its kin call: the hash of a string, and
 * when a table grows. Runs in the user's process; see the rules in rt.h.
 *
 * The real functions do the work, since the order of the elements follows from their answers. */
#include "rt/core/range_log.h"
#include "rt/core/real.h"
#include "rt/hooks/caller.h"
#include "rt/libc/cxx.h"
#include "rt/libc/format.h"
#include "rt/libc/str.h"

#define HASH_BYTES  _ZSt11_Hash_bytesPKvmm
#define NEED_REHASH _ZNKSt8__detail20_Prime_rehash_policy14_M_need_rehashEmmm
#define NEXT_BKT    _ZNKSt8__detail20_Prime_rehash_policy11_M_next_bktEm

size_t HASH_BYTES(const void *bytes, size_t n, size_t seed);
unsigned __int128 NEED_REHASH(const void *policy, size_t buckets, size_t elements, size_t more);
size_t NEXT_BKT(const void *policy, size_t n);

#define NAME_OF(x) TEXT_OF(x)
#define TEXT_OF(x) #x
#define FIND(fn, pc)                                                                               \
    do {                                                                                           \
        if (!hd_real.fn)                                                                           \
            *(void **)&hd_real.fn = hd_rt_cxx_find(NAME_OF(fn), pc);                               \
    } while (0)

HD_EXPORT size_t HASH_BYTES(const void *bytes, size_t n, size_t seed)
{
    struct hd_caller by = HD_BY(HASH_BYTES, 3);
    FIND(HASH_BYTES, by.pc);
    struct hd_thread *me = hd_rt_str_enter(by);
    if (me) {
        hd_rt_reads(by.pc, bytes, n);
        hd_rt_leave(me);
    }
    return hd_real.HASH_BYTES(bytes, n, seed);
}

/* The policy is a part of the table: how full it may get, and at how many elements it is. */
struct policy {
    float full;
    size_t grows_at;
};

/* Logs the reads; the return value is for `decided`. */
static struct hd_thread *decides(struct hd_caller by, const struct policy *p, size_t *grows_at)
{
    struct hd_thread *me = hd_rt_str_enter(by);
    if (me) {
        hd_rt_reads(by.pc, &p->full, sizeof p->full);
        hd_rt_reads(by.pc, &p->grows_at, sizeof p->grows_at);
    }
    *grows_at = p->grows_at;
    return me;
}

static void decided(struct hd_thread *me, struct hd_caller by, const struct policy *p,
                    size_t grows_at)
{
    if (!me)
        return;
    if (p->grows_at != grows_at)
        hd_rt_wrote(by.pc, &p->grows_at, sizeof p->grows_at);
    hd_rt_leave(me);
}

/* A std::pair<bool, size_t>, which comes in the same two registers as a number of this size. */
HD_EXPORT unsigned __int128 NEED_REHASH(const void *policy, size_t buckets, size_t elements,
                                        size_t more)
{
    struct hd_caller by = HD_BY(NEED_REHASH, 4);
    size_t grows_at;
    FIND(NEED_REHASH, by.pc);
    struct hd_thread *me = decides(by, policy, &grows_at);
    unsigned __int128 r = hd_real.NEED_REHASH(policy, buckets, elements, more);
    decided(me, by, policy, grows_at);
    return r;
}

HD_EXPORT size_t NEXT_BKT(const void *policy, size_t n)
{
    struct hd_caller by = HD_BY(NEXT_BKT, 2);
    size_t grows_at;
    FIND(NEXT_BKT, by.pc);
    struct hd_thread *me = decides(by, policy, &grows_at);
    size_t r = hd_real.NEXT_BKT(policy, n);
    decided(me, by, policy, grows_at);
    return r;
}
