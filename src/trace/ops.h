/* The operations of docs/MODEL.md section 1, in one table: every reader, writer, check and document
 * is built from it. The numbers are part of the .hdt format (docs/TRACE_FORMAT.md): append only.
 *
 *   X(NAME, text, object kind, has a lock as second object, words for people)
 */
#ifndef HD_TRACE_OPS_H
#define HD_TRACE_OPS_H

#include <stdbool.h>
#include <stdint.h>

enum hd_obj_kind {
    HD_OBJ_LOC,
    HD_OBJ_LOCK,
    HD_OBJ_COND,
    HD_OBJ_SEM,
    HD_OBJ_BARRIER,
    HD_OBJ_THREAD,
    HD_OBJ_NONE,
};
#define HD_OBJ_KINDS HD_OBJ_THREAD /* kinds with a name table of their own: LOC to BARRIER */

#define HD_OPS(X)                                                                                  \
    X(READ, "r", LOC, 0, "read")                                                                   \
    X(WRITE, "w", LOC, 0, "write")                                                                 \
    X(AREAD, "ar", LOC, 0, "atomic read")                                                          \
    X(AWRITE, "aw", LOC, 0, "atomic write")                                                        \
    X(RMW, "rmw", LOC, 0, "atomic update")                                                         \
    X(BRANCH, "br", NONE, 0, "branch")                                                             \
    X(ACQ, "acq", LOCK, 0, "lock")                                                                 \
    X(REL, "rel", LOCK, 0, "unlock")                                                               \
    X(RACQ, "racq", LOCK, 0, "lock for reading")                                                   \
    X(RREL, "rrel", LOCK, 0, "unlock after reading")                                               \
    X(TRYFAIL, "tryfail", LOCK, 0, "try-lock failed:")                                             \
    X(FORK, "fork", THREAD, 0, "create thread")                                                    \
    X(JOIN, "join", THREAD, 0, "join thread")                                                      \
    X(WAIT, "wait", COND, 1, "wait on")                                                            \
    X(WAKE, "wake", COND, 1, "woken from")                                                         \
    X(TMO, "tmo", COND, 1, "wait timed out:")                                                      \
    X(SIG, "sig", COND, 0, "signal")                                                               \
    X(BCAST, "bcast", COND, 0, "broadcast")                                                        \
    X(POST, "post", SEM, 0, "post semaphore")                                                      \
    X(SEM, "sem", SEM, 0, "take semaphore")                                                        \
    X(BARIN, "barin", BARRIER, 0, "arrive at barrier")                                             \
    X(BAROUT, "barout", BARRIER, 0, "leave barrier")                                               \
    X(BEGIN, "begin", NONE, 0, "atomic block begins")                                              \
    X(END, "end", NONE, 0, "atomic block ends")                                                    \
    X(FENCE, "fence", NONE, 0, "fence")

enum hd_op {
#define HD_OP_ENUM(name, text, kind, lock, words) HD_OP_##name,
    HD_OPS(HD_OP_ENUM)
#undef HD_OP_ENUM
        HD_OP_COUNT
};

struct hd_op_info {
    const char *text, *words;
    enum hd_obj_kind kind;
    bool has_lock;
};
extern const struct hd_op_info hd_op_info[HD_OP_COUNT];

static inline bool hd_op_reads(enum hd_op op)
{
    return op == HD_OP_READ || op == HD_OP_AREAD || op == HD_OP_RMW;
}

static inline bool hd_op_writes(enum hd_op op)
{
    return op == HD_OP_WRITE || op == HD_OP_AWRITE || op == HD_OP_RMW;
}

static inline bool hd_op_is_access(enum hd_op op)
{
    return op <= HD_OP_RMW;
}

static inline bool hd_op_is_atomic(enum hd_op op)
{
    return op == HD_OP_AREAD || op == HD_OP_AWRITE || op == HD_OP_RMW;
}

/* Memory orders of atomic accesses and fences. The numbers are part of the .hdt format, and are
 * kept in the flags of an event: one that names none is sequentially consistent.
 *
 *   X(NAME, text, acquires, releases, word of C)
 */
#define HD_ORDERS(X)                                                                               \
    X(SC, "sc", 1, 1, "seq_cst")                                                                   \
    X(RLX, "rlx", 0, 0, "relaxed")                                                                 \
    X(CON, "con", 1, 0, "consume")                                                                 \
    X(ACQ, "acq", 1, 0, "acquire")                                                                 \
    X(REL, "rel", 0, 1, "release")                                                                 \
    X(AR, "ar", 1, 1, "acq_rel")

enum hd_mem_order {
#define HD_ORDER_ENUM(name, text, acquires, releases, word) HD_ORDER_##name,
    HD_ORDERS(HD_ORDER_ENUM)
#undef HD_ORDER_ENUM
        HD_ORDER_COUNT
};

struct hd_mem_order_info {
    const char *text, *word;
    bool acquires, releases;
};
extern const struct hd_mem_order_info hd_mem_order_info[HD_ORDER_COUNT];

/* May an event of this op have an order at all, and this one? A load does not release, a store does
 * not acquire; a lock that orders nothing is an exclusion (docs/MODEL.md D29). */
static inline bool hd_mem_order_fits(enum hd_op op, enum hd_mem_order order)
{
    if (op == HD_OP_AREAD)
        return order != HD_ORDER_REL && order != HD_ORDER_AR;
    if (op == HD_OP_AWRITE)
        return order == HD_ORDER_SC || order == HD_ORDER_RLX || order == HD_ORDER_REL;
    if (op == HD_OP_ACQ || op == HD_OP_REL)
        return order == HD_ORDER_SC || order == HD_ORDER_RLX;
    return op == HD_OP_RMW || op == HD_OP_FENCE;
}

/* An atomic access that may order less than it shows: a read that does not acquire, a write that
 * does not release. */
static inline bool hd_mem_order_is_weak(enum hd_op op, enum hd_mem_order order)
{
    return hd_op_is_atomic(op) && ((hd_op_reads(op) && !hd_mem_order_info[order].acquires) ||
                                   (hd_op_writes(op) && !hd_mem_order_info[order].releases));
}

#endif
