/* Entry points of code compiled by our pass: abi/rt_abi.h. Runs in the user's process; see the
 * rules in rt.h. */
#include "log/rt_steer.h"
#include "rt/hooks/hook_access.h"
#include "rt/core/range_log.h"
#include "rt/core/modules.h"
#include "rt/policy/policy.h"
#include "rt/core/spin.h"
#include "rt/libc/sync.h"
#include "rt/hooks/hook_fast.h"

#define HOOK HD_EXPORT __attribute__((noinline))

/* The long way has logged an event of this site, if there was a log: the next one may go the short
 * way. */
static inline void quick_next(struct hd_site *site)
{
    uint32_t slot = hd_rt_pack.prev;
    if (hd_pack_at(&hd_rt_pack, slot)->key >> 16 == ((uintptr_t)site & (UINT64_MAX >> 16)))
        site->id = slot;
}

/* The site of a slot, in functions that need the register in which they got it. */
static inline struct hd_site *site_of(const struct hd_pack_slot *s)
{
    return (struct hd_site *)(uintptr_t)(s->key >> 16);
}

static inline hd_tok last_id(void)
{
    uint32_t id = __hd_flow.count;
    return HD_LIKELY(id < UINT32_MAX - 1) ? hd_tok_range(id, id) : HD_TOK_ALL;
}

/* Whether what counts of a token is as guessed. */
static inline bool left_addr(struct hd_thread *me, const struct hd_pack_slot *s, hd_tok addr)
{
    hd_tok guess = hd_pack_tok(s, 0, __hd_flow.now);
    return hd_rt_quick_left(me, guess, addr) == guess;
}

static inline bool left_val(struct hd_thread *me, const struct hd_pack_slot *s, hd_tok val)
{
    hd_tok guess = hd_pack_tok(s, 1, __hd_flow.now);
    return hd_rt_quick_left(me, guess, val) == guess;
}

#define SLOW  static __attribute__((noinline, cold))
#define OTHER static __attribute__((noinline))

/* The record of an access whose tokens are not as guessed; apart, so that the others need fewer
 * registers. Six arguments fit into registers. */
OTHER void with_tokens(struct hd_pack_slot *s, unsigned shape, const void *p, uint64_t v,
                       hd_tok addr, hd_tok val)
{
    hd_rt_quick_full(__hd_flow.quick, s, shape & 0xffff, shape >> 16, p, v, addr, val);
}

#define WITH_TOKENS(s, shape, code, p, v, addr, val)                                               \
    with_tokens(s, (shape) | (code) << 16, p, v, addr, val)

#define SIZE 1
#include "rt/hooks/hooks_plain.inc"
#define SIZE 2
#include "rt/hooks/hooks_plain.inc"
#define SIZE 4
#include "rt/hooks/hooks_plain.inc"
#define SIZE 8
#include "rt/hooks/hooks_plain.inc"

/* One part, of 1 to 8 bytes, of an atomic access. */
static void log_part(enum hd_log_kind kind, const struct hd_site *site, const void *p,
                     unsigned size, uint64_t value, uint64_t new_value, hd_tok addr, hd_tok val)
{
    uint64_t w[3] = {(uintptr_t)p, value, new_value};
    hd_rt_put((uintptr_t)site, HD_SHAPE(kind, size) | HD_SHAPE_SITE, w, addr, val);
    hd_rt_done(kind);
}

/* The place of a token that stands by itself: what came before tells best what it is for. */
static void log_more(enum hd_more role, hd_tok tok)
{
    hd_rt_log2(HD_LOG_MORE, 0, hd_rt_pack.prev, role & 1, tok);
}

/* The shape of ranges of 16 bytes, such as vectors, of 32 and 64. */
#define WIDE(kind, n) ((unsigned)(kind) | HD_SHAPE_SITE | (unsigned)((n) / 32) << 6)

static inline bool is_wide(size_t n)
{
    return n == 16 || n == 32 || n == 64;
}

static void log_wide(unsigned shape, struct hd_site *site, const void *p, const void *bytes,
                     hd_tok addr, hd_tok val)
{
    hd_rt_put((uintptr_t)site, shape, (uint64_t[3]){(uintptr_t)p, (uintptr_t)bytes}, addr, val);
}

/* Other ranges carry no tokens in their words: a MORE record before them does. */
static void log_range(enum hd_log_kind kind, struct hd_site *site, const void *p, const void *bytes,
                      size_t n, hd_tok addr, hd_tok val)
{
    hd_rt_touch(bytes, n);
    if (is_wide(n)) {
        log_wide(WIDE(kind, n), site, p, bytes, addr, val);
        return;
    }
    addr = hd_rt_rest(hd_rt_me, addr);
    val = hd_rt_rest(hd_rt_me, val);
    if (addr != HD_TOK_NONE)
        log_more(HD_MORE_ADDR, addr);
    for (size_t at = 0; at < n; at += HD_RT_RANGE_MAX) { /* each is a record of its own */
        size_t part = n - at < HD_RT_RANGE_MAX ? n - at : HD_RT_RANGE_MAX;
        if (val != HD_TOK_NONE)
            log_more(HD_MORE_VAL, val);
        hd_rt_log_bytes(kind, HD_LOG_SITE, (uintptr_t)site, (const char *)p + at,
                        (const char *)bytes + at, part);
    }
}

SLOW hd_tok slow_read_n(struct hd_site *site, void *p, uint64_t n, hd_tok addr)
{
    struct hd_thread *me = hd_rt_enter_at(p, n, (uintptr_t)site);
    if (!me)
        return HD_TOK_NONE;
    uint32_t first = __hd_flow.count + 1;
    log_range(HD_LOG_RANGE_READ, site, p, p, n, addr, HD_TOK_NONE);
    if (is_wide(n))
        quick_next(site);
    hd_rt_leave(me);
    return n ? hd_tok_range(first, __hd_flow.count) : HD_TOK_NONE;
}

SLOW void slow_write_n(struct hd_site *site, void *p, uint64_t n, hd_tok addr, void *bytes,
                       hd_tok val)
{
    struct hd_thread *me = hd_rt_enter_at(p, n, (uintptr_t)site);
    if (!me)
        return;
    log_range(HD_LOG_RANGE_WRITE, site, p, bytes, n, addr, val);
    if (is_wide(n))
        quick_next(site);
    hd_rt_leave(me);
}

#define SIZE 16
#include "rt/hooks/hooks_wide.inc"
#define SIZE 32
#include "rt/hooks/hooks_wide.inc"

HOOK hd_tok __hd_read_n(struct hd_site *site, void *p, uint64_t n, hd_tok addr)
{
    return n == 16   ? fast_read16(site, p, addr)
           : n == 32 ? fast_read32(site, p, addr)
                     : slow_read_n(site, p, n, addr);
}

HOOK void __hd_write_n(struct hd_site *site, void *p, uint64_t n, hd_tok addr, void *bytes,
                       hd_tok val)
{
    if (n == 16)
        fast_write16(site, p, addr, bytes, val);
    else if (n == 32)
        fast_write32(site, p, addr, bytes, val);
    else
        slow_write_n(site, p, n, addr, bytes, val);
}

/* docs/MODEL.md knows no access to two locations at once: 16 bytes get an exclusion around their
 * parts (D29). */
static void wide(const struct hd_site *site, const void *p, enum hd_log_kind kind)
{
    if (HD_UNLIKELY(site->size == 16))
        hd_rt_log1(kind, 0, HD_PSEUDO(HD_PSEUDO_WIDE, (uintptr_t)p & ~(uintptr_t)15));
}

static unsigned part_of(const struct hd_site *site)
{
    return site->size < 8 ? site->size : 8;
}

HOOK hd_tok __hd_aread(struct hd_site *site, void *p, hd_tok addr)
{
    struct hd_thread *me = hd_rt_enter_at(p, site->size, (uintptr_t)site);
    if (!me)
        return HD_TOK_NONE;
    uint32_t first = __hd_flow.count + 1;
    wide(site, p, HD_LOG_ACQ);
    for (unsigned at = 0; at < site->size; at += 8) {
        uint64_t v = hd_rt_load((char *)p + at, part_of(site));
        log_part(HD_LOG_AREAD, site, (char *)p + at, part_of(site), v, 0, addr, HD_TOK_NONE);
    }
    wide(site, p, HD_LOG_REL);
    hd_rt_leave(me);
    return hd_tok_range(first, __hd_flow.count);
}

HOOK void __hd_awrite(struct hd_site *site, void *p, hd_tok addr, uint64_t low, uint64_t high,
                      hd_tok val)
{
    struct hd_thread *me = hd_rt_enter_at(p, site->size, (uintptr_t)site);
    if (!me)
        return;
    unsigned part = part_of(site);
    low &= UINT64_MAX >> (64 - 8 * part);
    wide(site, p, HD_LOG_ACQ);
    log_part(HD_LOG_AWRITE, site, p, part, low, 0, addr, val);
    if (site->size == 16)
        log_part(HD_LOG_AWRITE, site, (char *)p + 8, 8, high, 0, addr, val);
    wide(site, p, HD_LOG_REL);
    hd_rt_leave(me);
}

HOOK void __hd_rmw_pre(struct hd_site *site, void *p, hd_tok addr)
{
    struct hd_thread *me = hd_rt_enter_at(p, site->size, (uintptr_t)site);
    if (!me)
        return;
    me->rmw_addr = addr;
    for (unsigned at = 0; at < site->size; at += 8)
        me->rmw_old[at / 8] = hd_rt_load((char *)p + at, part_of(site));
    hd_rt_leave(me);
}

/* Both halves are read before one is changed: each new half may depend on both old ones. What a
 * compare-exchange reads when it stores has not its order for failure. */
static void rmw_wide(struct hd_thread *me, struct hd_site *site, void *p, hd_tok val, bool stored)
{
    wide(site, p, HD_LOG_ACQ);
    if (stored)
        hd_rt_log1(HD_LOG_ORDER, 0, site->order);
    uint32_t first = __hd_flow.count + 1;
    for (unsigned i = 0; i < 2; i++)
        log_part(HD_LOG_AREAD, site, (char *)p + 8 * i, 8, me->rmw_old[i], 0, me->rmw_addr,
                 HD_TOK_NONE);
    val = hd_tok_join(val, hd_tok_range(first, first + 1));
    for (unsigned i = 0; stored && i < 2; i++) {
        uint64_t v = hd_rt_load((char *)p + 8 * i, 8);
        log_part(HD_LOG_RMW, site, (char *)p + 8 * i, 8, me->rmw_old[i], v, me->rmw_addr, val);
    }
    wide(site, p, HD_LOG_REL);
}

/* No point to switch between pre and post, so not hd_rt_enter: its budget might run out. */
static hd_tok rmw_end(struct hd_site *site, void *p, hd_tok val, bool stored)
{
    struct hd_thread *me = hd_rt_me;
    if (!me || me->in_rt)
        return HD_TOK_NONE;
    me->in_rt = 1;
    if (HD_UNLIKELY(rt.holder != me))
        hd_rt_take_token(me); /* the pass relies on the event */
    uint32_t first = __hd_flow.count + 1;
    if (HD_UNLIKELY(site->size == 16))
        rmw_wide(me, site, p, val, stored);
    else
        log_part(stored ? HD_LOG_RMW : HD_LOG_AREAD, site, p, site->size, me->rmw_old[0],
                 hd_rt_load(p, site->size), me->rmw_addr, stored ? val : HD_TOK_NONE);
    hd_rt_leave(me);
    return hd_tok_range(first, __hd_flow.count);
}

HOOK hd_tok __hd_rmw_post(struct hd_site *site, void *p, hd_tok val)
{
    return rmw_end(site, p, val, true);
}

HOOK hd_tok __hd_cas_post(struct hd_site *site, void *p, hd_tok val, uint32_t stored)
{
    return rmw_end(site, p, val, stored != 0);
}

/* Assembly ran of which it is not known what it did to memory. The order of all other assembly that
 * touches memory stays then as it was: a lock may be taken by the one and released by the other. */
static bool asm_unseen;
static uint64_t asm_ran;

static void asm_in_order(struct hd_site *site)
{
    struct hd_thread *me = hd_rt_me;
    if (HD_LIKELY(!asm_unseen) || !me || me->in_rt)
        return;
    me->in_rt = HD_IN_RT;
    hd_rt_set(HD_LOOK_ASM, 0, ++asm_ran, (uintptr_t)site);
    hd_rt_leave(me);
}

/* The assembly waited for so long that others ran: what it found is not known, only what is there
 * now. If it changed that, it is a change by code that is not instrumented. */
static void others_ran(struct hd_thread *me, struct hd_site *site, void *p)
{
    me->in_rt = HD_IN_RT;
    hd_rt_take_token(me);
    for (unsigned at = 0; at < site->size; at += 8)
        me->rmw_old[at / 8] = hd_rt_load((char *)p + at, part_of(site));
    hd_rt_leave(me);
}

/* No point to switch since rmw_pre: what the assembly did and its events are one step. */
HOOK hd_tok __hd_asm_post(struct hd_site *site, void *p, hd_tok val)
{
    struct hd_thread *me = hd_rt_me;
    unsigned size = part_of(site);
    if (me && !me->in_rt && HD_UNLIKELY(rt.holder != me))
        others_ran(me, site, p);
    uint64_t old = me ? me->rmw_old[0] : 0, now = hd_rt_load(p, size);
    if (me && (site->kind == HD_SITE_RMW || site->kind == HD_SITE_CAS)) {
        bool same =
            old == now && (site->size <= 8 || me->rmw_old[1] == hd_rt_load((char *)p + 8, 8));
        hd_tok read = rmw_end(site, p, val, site->kind == HD_SITE_RMW || !same);
        asm_in_order(site);
        return read;
    }
    static const enum hd_log_kind kinds[] = {
        [HD_SITE_READ] = HD_LOG_READ,   [HD_SITE_WRITE] = HD_LOG_WRITE,
        [HD_SITE_AREAD] = HD_LOG_AREAD, [HD_SITE_AWRITE] = HD_LOG_AWRITE,
        [HD_SITE_COPY] = HD_LOG_WRITE,
    };
    if (!me || me->in_rt)
        return HD_TOK_NONE;
    me->in_rt = HD_IN_RT;
    if (HD_UNLIKELY(rt.holder != me))
        hd_rt_take_token(me);
    uint32_t read = __hd_flow.count + 1;
    if (site->kind == HD_SITE_COPY) {
        log_part(HD_LOG_READ, site, p, size, old, 0, me->rmw_addr, HD_TOK_NONE);
        val = hd_tok_join(val, hd_tok_range(read, read));
    }
    bool looks = site->kind == HD_SITE_READ || site->kind == HD_SITE_AREAD;
    log_part(kinds[site->kind], site, p, size, looks ? old : now, 0, me->rmw_addr,
             looks ? HD_TOK_NONE : val);
    hd_tok found = hd_tok_range(read, __hd_flow.count);
    hd_rt_leave(me);
    asm_in_order(site);
    return found;
}

HOOK void __hd_fence(struct hd_site *site)
{
    hd_rt_log_fence((uintptr_t)site, HD_LOG_SITE, site->order);
}

static void copy(struct hd_site *site, void *to, const void *from, uint64_t n, hd_tok to_addr,
                 hd_tok from_addr, void *(*real)(void *, const void *, size_t))
{
    struct hd_thread *me = n ? hd_rt_enter_at(NULL, 0, (uintptr_t)site) : NULL;
    if (!me) {
        real(to, from, n);
        return;
    }
    hd_tok read = HD_TOK_NONE;
    from_addr = hd_rt_rest(me, from_addr);
    to_addr = hd_rt_rest(me, to_addr);
    if (!(site->flags & HD_SITE_SRC_PRIVATE)) {
        uint32_t first = __hd_flow.count + 1;
        log_range(HD_LOG_RANGE_READ, site, from, from, n, from_addr, HD_TOK_NONE);
        read = hd_tok_range(first, __hd_flow.count);
    } else {
        read = from_addr;
    }
    if (!(site->flags & HD_SITE_DST_PRIVATE))
        log_range(HD_LOG_RANGE_WRITE, site, to, from, n, to_addr, read);
    real(to, from, n);
    hd_rt_leave(me);
}

HOOK void __hd_memcpy(struct hd_site *site, void *to, void *from, uint64_t n, hd_tok to_addr,
                      hd_tok from_addr)
{
    copy(site, to, from, n, to_addr, from_addr, hd_rt_memmove);
}

HOOK void __hd_memmove(struct hd_site *site, void *to, void *from, uint64_t n, hd_tok to_addr,
                       hd_tok from_addr)
{
    copy(site, to, from, n, to_addr, from_addr, hd_rt_memmove);
}

HOOK void __hd_memset(struct hd_site *site, void *to, uint32_t byte, uint64_t n, hd_tok addr,
                      hd_tok val)
{
    struct hd_thread *me = n ? hd_rt_enter_at(to, n, (uintptr_t)site) : NULL;
    if (me && !(site->flags & HD_SITE_DST_PRIVATE)) {
        hd_rt_memset(to, (int)byte, n); /* first, so that the new bytes are there to be logged */
        log_range(HD_LOG_RANGE_WRITE, site, to, to, n, addr, val);
    } else {
        hd_rt_memset(to, (int)byte, n);
    }
    if (me)
        hd_rt_leave(me);
}

/* A branch of which nothing is left is none, unless something was logged for it. */
static inline bool is_no_branch(struct hd_thread *me, hd_tok rest)
{
    return rest == HD_TOK_NONE && !me->more;
}

SLOW void slow_branch(struct hd_site *site, hd_tok dep)
{
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, (uintptr_t)site);
    if (!me)
        return;
    hd_tok whole = hd_rt_up_to_now(dep), rest = hd_rt_rest(me, dep);
    if (!is_no_branch(me, rest)) {
        hd_rt_put((uintptr_t)site, HD_SHAPE(HD_LOG_BRANCH, 8) | HD_SHAPE_SITE, NULL, HD_TOK_NONE,
                  rest);
        quick_next(site);
    }
    me->more = false;
    if (rest != HD_TOK_NONE)
        hd_decided_add(&me->decided, whole, __hd_flow.count);
    hd_rt_leave(me);
}

/* Entered. rest: of dep, a branch; code: as in hooks_plain.inc. */
OTHER void other_branch(struct hd_thread *me, struct hd_site *site, hd_tok dep, hd_tok rest,
                        unsigned code)
{
    uint32_t slot = site->id, count = __hd_flow.count;
    if (!code && !(code = hd_rt_quick_either(me, slot))) {
        slow_branch(site, dep);
        return;
    }
    struct hd_pack_slot *s = hd_pack_at(&hd_rt_pack, slot);
    me->more = false;
    if (rest != HD_TOK_NONE)
        hd_decided_add(&me->decided, hd_rt_up_to_now(dep), count + 1);
    hd_rt_quick_record(me, s, HD_SHAPE(HD_LOG_BRANCH, 8) | HD_SHAPE_SITE, code, NULL, 0, false,
                       HD_TOK_NONE, rest != hd_pack_tok(s, 1, __hd_flow.now), rest);
}

/* Some of its reads may be decided, often all. Not entered yet. */
OTHER void old_branch(struct hd_thread *me, struct hd_site *site, hd_tok dep)
{
    hd_tok rest = hd_rt_rest(me, dep);
    if (is_no_branch(me, rest))
        return;
    if (HD_LIKELY(hd_rt_quick_enter(me)))
        other_branch(me, site, dep, rest, 0);
    else
        slow_branch(site, dep);
}

static inline __attribute__((always_inline)) void branch(struct hd_site *site, hd_tok dep)
{
    struct hd_thread *me = __hd_flow.quick;
    uint32_t slot = site->id, count = __hd_flow.count;
    if (!hd_decided_fresh(&me->decided, dep, count + 1)) {
        old_branch(me, site, dep);
        return;
    }
    if (HD_UNLIKELY(!hd_rt_quick_enter(me))) {
        slow_branch(site, dep);
        return;
    }
    if (HD_UNLIKELY(!hd_rt_quick_first(me, slot))) {
        other_branch(me, site, dep, dep, 0);
        return;
    }
    struct hd_pack_slot *s = hd_pack_at(&hd_rt_pack, slot);
    if (HD_UNLIKELY(me->more || dep != hd_pack_tok(s, 1, __hd_flow.now))) {
        other_branch(me, site_of(s), dep, dep, 1);
        return;
    }
    hd_rt_quick_count(false);
    hd_decided_add_fresh(&me->decided, dep, count + 1);
    hd_rt_quick_byte(me);
}

HOOK void __hd_branch(struct hd_site *site, hd_tok dep)
{
    branch(site, dep);
}

HOOK void __hd_icall(struct hd_site *site, void *target, hd_tok dep)
{
    (void)target;
    branch(site, dep);
}

/* No point to switch: it may come between an atomic operation and the hook that logs it. */
SLOW void slow_more(enum hd_more role, hd_tok tok, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter_quiet(pc);
    if (!me)
        return;
    hd_tok rest = hd_rt_rest(me, tok);
    if (rest != HD_TOK_NONE) {
        log_more(role, rest);
        me->more = me->more || role == HD_MORE_DEP;
        if (role != HD_MORE_VAL)
            hd_decided_add(&me->decided, hd_rt_up_to_now(tok), __hd_flow.count);
    }
    hd_rt_leave(me);
}

/* It is not as guessed, or of a choice. rest: what is not decided of it. */
OTHER void other_more(struct hd_thread *me, uint32_t role, hd_tok tok, hd_tok rest, uintptr_t pc)
{
    if (HD_UNLIKELY(!hd_rt_quick_more(me, (enum hd_more)role, hd_rt_up_to_now(tok), rest)))
        slow_more((enum hd_more)role, tok, pc);
}

HOOK void __hd_more(uint32_t role, hd_tok tok)
{
    struct hd_thread *me = __hd_flow.quick;
    if (HD_LIKELY(role == HD_MORE_VAL && hd_decided_after(&me->decided, tok)) &&
        HD_LIKELY(hd_rt_quick_enter(me))) {
        if (HD_LIKELY(hd_rt_quick_same(me, tok)))
            return;
        hd_rt_quick_end(me);
    }
    hd_tok rest = hd_rt_rest(me, tok); /* often nothing */
    if (rest != HD_TOK_NONE)
        other_more(me, role, tok, rest, HD_PC);
}

HOOK void __hd_asm(struct hd_site *site)
{
    static bool told;
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, (uintptr_t)site);
    asm_unseen |= !(site->flags & HD_SITE_OWN);
    if (!me)
        return;
    if (hd_rt_polled(me) >= HD_POLLS)
        hd_rt_ask(me); /* it may wait for others */
    hd_rt_set(HD_LOOK_ASM, 0, ++asm_ran, (uintptr_t)site);
    hd_rt_steer_untold(HD_STEER_UNMODELLED); /* told may be from before there were threads */
    if (!told)
        hd_rt_log_text(HD_LOG_NOTE, (uintptr_t)site, HD_NOTE_UNMODELLED, HD_LOG_ASSEMBLY);
    told = true;
    me->asm_left = rt.budget;
    hd_rt_leave(me);
}

/* Memory may have changed unseen in the call: logs when, before another thread runs. */
HOOK void __hd_returned(struct hd_site *site, void *callee, uint32_t count)
{
    struct hd_thread *me = hd_rt_me;
    if (HD_LIKELY(__hd_flow.callee != callee))
        return;
    if (!rt.multi || !me || me->in_rt)
        return;
    me->in_rt = HD_IN_RT;
    if (HD_UNLIKELY(rt.holder != me))
        hd_rt_take_token(me);
    hd_rt_flush(me);
    if (hd_rt_log.pos != me->outside) /* not the same again */
        hd_rt_log1(HD_LOG_OUTSIDE, (uintptr_t)site, __hd_flow.count - count);
    me->outside = hd_rt_log.pos;
    hd_rt_leave(me);
}

/* No other thread can use what the main thread leaves behind when it has joined all others: who
 * comes later comes after. Whether they have ended by chance does not count: a replay goes other
 * ways. */
static bool is_alone(const struct hd_thread *me)
{
    return me->num == 0 && !me->open;
}

HOOK void __hd_gone(struct hd_site *site, void *p)
{
    struct hd_thread *me = hd_rt_me;
    if (me && is_alone(me))
        return;
    me = hd_rt_enter_at(p, site->size, (uintptr_t)site);
    if (!me)
        return;
    if (!is_alone(me)) {
        hd_rt_put((uintptr_t)site, HD_SHAPE(HD_LOG_GONE, 1) | HD_SHAPE_SITE,
                  (uint64_t[3]){(uintptr_t)p, site->size}, HD_TOK_NONE, HD_TOK_NONE);
        hd_rt_done(HD_LOG_GONE);
    }
    hd_rt_leave(me);
}
