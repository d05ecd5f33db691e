/* The contract between instrumented code (src/pass) and the runtime (src/rt): hooks, site records,
 * dependence tokens and the thread's flow record. Both sides are built from the table HD_HOOKS.
 *
 * Hooks run in the program's thread, before the access unless the table says otherwise, with the
 * scheduler's token held. A hook may switch threads; when it returns, its thread holds the token
 * again and nothing of the program runs between the return and the access.
 *
 * Tokens. A token says on which earlier reads of its own thread a value depends: all those whose
 * event id lies in a range [lo, hi]. Ids number the thread's events from 1, all kinds of events, in
 * program order. A token is lo << 32 | ~hi (hi complemented in 32 bits), so that the smallest range
 * that covers two is the minimum of both halves, and
 *   HD_TOK_NONE  no read (the neutral element of the join),
 *   HD_TOK_ALL   every earlier read.
 * A runtime may take a range wider than it is, never narrower. Events in the range that are not
 * reads do not count. A runtime that runs out of ids (2^32 - 2 events in a thread) answers
 * HD_TOK_ALL. `addr` below is the token of the address, `val` that of the stored value, `dep` that
 * of a choice.
 *
 * Flow. `__hd_flow` carries tokens over calls (see struct hd_flow). Its `count` is the id of the
 * thread's last event; the pass reads it to make the token "all reads up to now".
 *
 * Stack. Functions with hooks keep their frame pointer and make no tail calls, so that the runtime
 * can walk the stack when it is asked for one (rt/core/frame_walk.h).
 *
 * Files are compiled with clang's -fsanitize=thread on (for __has_feature and no_sanitize), so they
 * call
 * __tsan_init from a constructor as well; none of the other __tsan_ functions.
 *
 * The runtime is libheddle_rt.so, in one folder with the plugins (hd_cc_find_lib_dir).
 */
#ifndef HEDDLE_RT_ABI_H
#define HEDDLE_RT_ABI_H

#include <stdint.h>

#define HD_ABI_VERSION 8u /* changes with every change of what a hook means */

typedef uint64_t hd_tok;
#define HD_TOK_NONE (~(hd_tok)0)
#define HD_TOK_ALL  ((hd_tok)0)

static inline hd_tok hd_tok_range(uint32_t lo, uint32_t hi)
{
    return (hd_tok)lo << 32 | (uint32_t)~hi;
}

static inline uint32_t hd_tok_lo(hd_tok t)
{
    return (uint32_t)(t >> 32);
}

static inline uint32_t hd_tok_hi(hd_tok t)
{
    return ~(uint32_t)t;
}

static inline hd_tok hd_tok_join(hd_tok a, hd_tok b)
{
    hd_tok lo = (a < b ? a : b) & ~(hd_tok)UINT32_MAX;
    return lo | ((uint32_t)a < (uint32_t)b ? (uint32_t)a : (uint32_t)b);
}

/* What a token of __hd_more belongs to. */
enum hd_more { HD_MORE_VAL, HD_MORE_ADDR, HD_MORE_DEP };

enum hd_site_kind {
    HD_SITE_READ,
    HD_SITE_WRITE,
    HD_SITE_AREAD,
    HD_SITE_AWRITE,
    HD_SITE_RMW,
    HD_SITE_CAS,
    HD_SITE_FENCE,
    HD_SITE_COPY,
    HD_SITE_SET,
    HD_SITE_BRANCH, /* conditional branch, switch, computed goto, arrival of an exception */
    HD_SITE_CALL,   /* indirect call, or a call with variable arguments */
    HD_SITE_ASM,
    HD_SITE_GONE, /* the life of a local ends */
};

enum {
    HD_SITE_VOLATILE = 1,
    HD_SITE_OWN = 2, /* rmw: the new value depends on the old one; asm: its access follows */
    HD_SITE_SRC_PRIVATE = 4, /* copy: the source is private or constant: no read of it is logged */
    HD_SITE_DST_PRIVATE = 8, /* copy, set: no write of the destination is logged */
    HD_SITE_NAME_GLOBAL = 16,
    HD_SITE_NAME_FIELD = 32,
    HD_SITE_NAME_LOCAL = 64, /* a local of `func`; else the name is an expression such as *p */
};

/* One instrumented place. Offsets are into hd_module.strings; 0 is the empty string: not known. */
struct hd_site {
    uint32_t id;   /* the runtime's, for its own numbering; 0 in a fresh module */
    uint32_t file; /* as the compiler was given it */
    uint32_t func; /* source name of the function (innermost when inlined) */
    uint32_t name; /* the variable or field accessed, or "" */
    uint32_t line; /* 1-based, 0: not known */
    uint32_t size; /* bytes accessed; 0 when there is no fixed size */
    uint16_t col;
    uint8_t kind;       /* enum hd_site_kind */
    uint8_t flags;      /* HD_SITE_* */
    uint8_t order;      /* atomics: the memory order as __ATOMIC_* (cmpxchg: on success) */
    uint8_t fail_order; /* cmpxchg: on failure, likewise */
    uint8_t pad[2];
};
_Static_assert(sizeof(struct hd_site) == 32, "the pass lays sites out as 32 bytes");

/* One compiled file. Registered by a constructor of the file before any of its code runs (except
 * other constructors of the highest priority). Sites are in the writable section heddle_sites. */
struct hd_module {
    uint32_t version; /* HD_ABI_VERSION */
    uint32_t n_sites;
    struct hd_site *sites;
    const char *strings;
    uint64_t strings_size;
    struct hd_module *next; /* not used */
};
_Static_assert(sizeof(struct hd_module) == 40, "the pass lays modules out as 40 bytes");

/* Tokens that cross calls. Before a call the caller stores the address it calls in `callee` and the
 * tokens of the first arguments in `arg`. An instrumented function, and every interposed function
 * of the runtime, uses them only if `callee` is its own address, and then clears `callee`;
 * otherwise its arguments depend on every read so far. In the same way a function that returns a
 * value stores its own address in `returner` and the token of the value in `ret`; the caller checks
 * and clears. Interposed functions need not set `returner`. They must clear `callee`, or the caller
 * takes them for code without hooks. Of a function that formats its variable arguments, the last
 * place holds the token of the numbers among those (HD_FLOW_NUMBERS), the one before it that of all
 * pointers that have no place of their own. A signal handler must find and leave this record
 * unchanged. */
#define HD_FLOW_ARGS    6
#define HD_FLOW_NUMBERS (HD_FLOW_ARGS - 1)
/* As `callee`: whatever function of the runtime is called next, by code without hooks, depends on
 * the tokens in `arg`. The caller clears it after the call. */
#define HD_FLOW_THROUGH ((const void *)1)
struct hd_thread;
struct hd_flow {
    union {
        hd_tok now; /* the last event of this thread, as hd_tok_range of its id; the runtime's */
        struct {
            uint32_t not_count;
            uint32_t count; /* that id */
        };
    };
    const void *callee;
    const void *returner;
    hd_tok ret;
    hd_tok arg[HD_FLOW_ARGS];
    struct hd_thread *thread; /* from here on: the runtime's */
    struct hd_thread *quick;  /* the same, for hooks: not NULL */
    hd_tok last_read;         /* as `now`, of the last event that may be a read */
};

/* Argument and result types of hooks: name in the table, C type. */
#define HD_C_SITE struct hd_site *
#define HD_C_PTR  void *
#define HD_C_TOK  hd_tok
#define HD_C_U64  uint64_t
#define HD_C_U32  uint32_t
#define HD_C_VOID void

/* X(name, result, number of arguments, (argument types), meaning). The symbol is __hd_<name>. */
#define HD_HOOKS(X)                                                                                \
    X(read1, TOK, 3, (SITE, PTR, TOK), "plain read (address, addr); answers the id of the read")   \
    X(read2, TOK, 3, (SITE, PTR, TOK), "the same, 2 bytes, any alignment")                         \
    X(read4, TOK, 3, (SITE, PTR, TOK), "the same, 4 bytes, any alignment")                         \
    X(read8, TOK, 3, (SITE, PTR, TOK), "the same, 8 bytes, any alignment")                         \
    X(read_n, TOK, 4, (SITE, PTR, U64, TOK), "plain read of n bytes (address, n, addr)")           \
    X(write1, VOID, 5, (SITE, PTR, TOK, U64, TOK), "plain write (address, addr, value, val)")      \
    X(write2, VOID, 5, (SITE, PTR, TOK, U64, TOK), "the same, 2 bytes, any alignment")             \
    X(write4, VOID, 5, (SITE, PTR, TOK, U64, TOK), "the same, 4 bytes, any alignment")             \
    X(write8, VOID, 5, (SITE, PTR, TOK, U64, TOK), "the same, 8 bytes, any alignment")             \
    X(write_n, VOID, 6, (SITE, PTR, U64, TOK, PTR, TOK),                                           \
      "plain write of n bytes (address, n, addr, the new bytes, val)")                             \
    X(aread, TOK, 3, (SITE, PTR, TOK), "atomic load of site->size bytes (address, addr)")          \
    X(awrite, VOID, 6, (SITE, PTR, TOK, U64, U64, TOK),                                            \
      "atomic store (address, addr, value bits 0-63, bits 64-127, val)")                           \
    X(rmw_pre, VOID, 3, (SITE, PTR, TOK),                                                          \
      "before an atomic read-modify-write or cmpxchg (address, addr): last point to switch, old "  \
      "value is in memory")                                                                        \
    X(rmw_post, TOK, 3, (SITE, PTR, TOK),                                                          \
      "after it (address, val without its own read): new value is in memory; answers its id")      \
    X(cas_post, TOK, 4, (SITE, PTR, TOK, U32),                                                     \
      "after a cmpxchg (address, val, 1 when it stored, 0 when it was only a read)")               \
    X(fence, VOID, 1, (SITE), "atomic thread fence")                                               \
    X(memcpy, VOID, 6, (SITE, PTR, PTR, U64, TOK, TOK),                                            \
      "does the copy itself (to, from, n, addr of to and n, addr of from and n; with "             \
      "HD_SITE_SRC_PRIVATE the last one is the token of the contents)")                            \
    X(memmove, VOID, 6, (SITE, PTR, PTR, U64, TOK, TOK), "the same, the blocks may overlap")       \
    X(memset, VOID, 6, (SITE, PTR, U32, U64, TOK, TOK),                                            \
      "does the fill itself (to, byte, n, addr of to and n, val)")                                 \
    X(branch, VOID, 2, (SITE, TOK), "a choice of control (dep); no event when dep is none")        \
    X(icall, VOID, 3, (SITE, PTR, TOK), "before an indirect call (target, dep)")                   \
    X(more, VOID, 2, (U32, TOK), "one more token for the next hook of this thread (enum hd_more)") \
    X(asm, VOID, 1, (SITE), "before inline assembly that may touch memory at places not known")    \
    X(asm_post, TOK, 3, (SITE, PTR, TOK),                                                          \
      "after inline assembly that accessed memory, with rmw_pre before it (address, val): by the " \
      "site's kind; COPY is a plain read and write, CAS stored if the value is another; answers "  \
      "the ids of its reads")                                                                      \
    X(returned, VOID, 3, (SITE, PTR, U32),                                                         \
      "a call came back (function, the thread's count before it): it had no hooks if the flow "    \
      "record's callee is still that function")                                                    \
    X(gone, VOID, 2, (SITE, PTR),                                                                  \
      "the life of a local whose address was given away ends (address); site->size bytes")         \
    X(module_init, VOID, 1, (MODULE), "registers a module; may come before the runtime's own start")

#define HD_C_MODULE struct hd_module *

#define HD_ABI_C0()                 void
#define HD_ABI_C1(a)                HD_C_##a
#define HD_ABI_C2(a, b)             HD_C_##a, HD_C_##b
#define HD_ABI_C3(a, b, c)          HD_C_##a, HD_C_##b, HD_C_##c
#define HD_ABI_C4(a, b, c, d)       HD_C_##a, HD_C_##b, HD_C_##c, HD_C_##d
#define HD_ABI_C5(a, b, c, d, e)    HD_C_##a, HD_C_##b, HD_C_##c, HD_C_##d, HD_C_##e
#define HD_ABI_C6(a, b, c, d, e, f) HD_C_##a, HD_C_##b, HD_C_##c, HD_C_##d, HD_C_##e, HD_C_##f

#define HD_HOOK_PROTOTYPE(name, ret, n, args, text) HD_C_##ret __hd_##name(HD_ABI_C##n args);
HD_HOOKS(HD_HOOK_PROTOTYPE)
#undef HD_HOOK_PROTOTYPE

extern __thread struct hd_flow __hd_flow __attribute__((tls_model("initial-exec")));

#endif
