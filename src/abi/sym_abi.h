/* The contract between concolic code (src/pass, `heddle cc --concolic`), the runtime (src/rt) and
 * the search over inputs (src/concolic): expression nodes, path conditions, the arena file, hooks.
 *
 * Ids. Each integer or pointer value of at most 64 bits has a companion id; 0 means that the value
 * does not depend on any input. Other ids number the nodes of the arena from 1. Instrumented code
 * calls a hook only when an operand's id is not 0, or when __hd_sym_filter says that the page of an
 * address may hold symbolic bytes; so what does not depend on input runs without hooks.
 *
 * Nodes are hash-consed: operands have smaller ids than the node, equal nodes have equal ids. Each
 * keeps its value in this run: a byte in memory that differs was written by code that is not seen.
 *
 * The arena is a sparse file, mapped shared and named in the environment (HD_SYM_ENV). The driver
 * makes it, with the settings and the given input; the first recorded process claims it with its
 * pid. What is written survives any death of the program. Only the holder of the scheduler's token
 * writes, so there are no locks. When a part is full, values become concrete and are counted.
 *
 * Inputs are objects: a name and bytes. Objects of the given input that the program does not ask
 * for are ignored; objects that are not given keep the bytes that the program would have seen.
 */
#ifndef HEDDLE_SYM_ABI_H
#define HEDDLE_SYM_ABI_H

#include "abi/rt_abi.h"

#include <stdint.h>

#define HD_SYM_ENV     "HEDDLE_RT_SYM"
#define HD_SYM_MAGIC   UINT64_C(0x314d59532d444548) /* "HED-SYM1" */
#define HD_SYM_VERSION 3u
#define HD_SYM_ARGS    12 /* arguments of a call that carry ids */
#define HD_SYM_BLOCKS  4  /* structs passed by value in memory, per call */

/* A line of standard error that starts so gives the reason why the runtime ended the program. */
#define HD_SYM_MISUSE "heddle: memory: "

/* X(NAME, text). Operands a, b, c are ids unless said otherwise. Comparisons have width 1. */
#define HD_SYM_OPS(X)                                                                              \
    X(NONE, "none")                                                                                \
    X(INPUT, "input") /* a: object, b: offset; 8 bits */                                           \
    X(CONST, "const") /* value */                                                                  \
    X(ADD, "add")                                                                                  \
    X(SUB, "sub")                                                                                  \
    X(MUL, "mul")                                                                                  \
    X(UDIV, "udiv")                                                                                \
    X(SDIV, "sdiv")                                                                                \
    X(UREM, "urem")                                                                                \
    X(SREM, "srem")                                                                                \
    X(SHL, "shl")                                                                                  \
    X(LSHR, "lshr")                                                                                \
    X(ASHR, "ashr")                                                                                \
    X(AND, "and")                                                                                  \
    X(OR, "or")                                                                                    \
    X(XOR, "xor")                                                                                  \
    X(EQ, "eq")                                                                                    \
    X(NE, "ne")                                                                                    \
    X(UGT, "ugt")                                                                                  \
    X(UGE, "uge")                                                                                  \
    X(ULT, "ult")                                                                                  \
    X(ULE, "ule")                                                                                  \
    X(SGT, "sgt")                                                                                  \
    X(SGE, "sge")                                                                                  \
    X(SLT, "slt")                                                                                  \
    X(SLE, "sle")                                                                                  \
    X(ZEXT, "zext")       /* a */                                                                  \
    X(SEXT, "sext")       /* a */                                                                  \
    X(EXTRACT, "extract") /* a; b: lowest bit taken; width bits */                                 \
    X(CONCAT, "concat")   /* a: high part, b: low part */                                          \
    X(ITE, "ite")         /* a: condition of width 1, b, c */

enum hd_sym_op {
#define HD_SYM_OP_ENUM(name, text) HD_SYM_##name,
    HD_SYM_OPS(HD_SYM_OP_ENUM)
#undef HD_SYM_OP_ENUM
        HD_SYM_OP_COUNT
};

struct hd_sym_node {
    uint8_t op, width; /* width in bits, 1 to 64 */
    uint8_t asserted;  /* bit t: the path already has that this (width 1) is t */
    uint8_t pad;
    uint32_t a, b, c;
    uint64_t value; /* in this run, zero-extended */
};
_Static_assert(sizeof(struct hd_sym_node) == 24, "nodes are laid out in a file");

enum hd_sym_step_kind {
    HD_SYM_BRANCH, /* a choice of the program: both ways may be tried */
    HD_SYM_CHECK,  /* the program would fail otherwise: division by zero, index out of bounds */
    HD_SYM_TARGET, /* a value that cannot be followed (the target of a call, an address of which no
                    * object is known, a length) was what the expression says: others may be tried
                    */
    HD_SYM_ASSUME, /* holds by construction (rand() is not negative): never negated */
    HD_SYM_AGAIN,  /* a choice that the path has decided before, the same way; told once between two
                    * new steps */
};

/* One conjunct of the path condition: expression `expr` (width 1) was `taken`. */
struct hd_sym_step {
    uint32_t expr;
    uint32_t branch; /* outcome number of the branch taken (see hd_sym_branch) */
    uint32_t other;  /* that of the other way, HD_SYM_NO_OUTCOME: not known before */
    uint16_t thread;
    uint8_t taken, kind;
    uint64_t past; /* hash of what this run did before that later code can see; see
                      rt/concolic/sym_path.c */
};
#define HD_SYM_NO_OUTCOME UINT32_MAX
_Static_assert(sizeof(struct hd_sym_step) == 24, "steps are laid out in a file");

/* A conditional branch (2 outcomes: false, true) or switch (cases in order, then default). Outcomes
 * of all modules are numbered from 0; each has one byte of coverage. */
struct hd_sym_branch {
    uint32_t first;      /* number of its first outcome */
    uint32_t outcomes;   /* how many */
    uint32_t file, func; /* offsets into the strings of the arena */
    uint32_t line;
};

struct hd_sym_object {
    char name[64];
    uint32_t size;
    uint32_t start; /* of its bytes in the data part */
};

enum hd_sym_lost { /* why a value became concrete */
                   HD_SYM_LOST_FLOAT,
                   HD_SYM_LOST_WIDE, /* wider than 64 bits, vectors, large structs in registers */
                   HD_SYM_LOST_ADDRESS, /* too many values of an address or length, or a call that
                                           has one */
                   HD_SYM_LOST_CALL,    /* passed to a function that is not modelled */
                   HD_SYM_LOST_STALE,   /* memory changed by code that is not seen */
                   HD_SYM_LOST_OP,      /* an operation that is not modelled */
                   HD_SYM_LOST_FULL,    /* the arena is full */
                   HD_SYM_LOST_VARARG,  /* passed after "..." */
                   HD_SYM_LOST_COUNT
};

#define HD_SYM_PAGE         4096u
#define HD_SYM_MAX_NODES    (1u << 22)
#define HD_SYM_MAX_STEPS    (1u << 20)
#define HD_SYM_MAX_OBJECTS  4096u
#define HD_SYM_MAX_DATA     (1u << 22)
#define HD_SYM_MAX_BRANCHES (1u << 18)
#define HD_SYM_MAX_OUTCOMES (1u << 20)
#define HD_SYM_MAX_STRINGS  (1u << 22)
#define HD_SYM_MAX_GIVEN    (1u << 23)
#define HD_SYM_MAX_CALLS    256u /* names of functions that are not modelled */

/* In `flags`: the file is only read, so that any number of runs can be given the same input. */
#define HD_SYM_REPEAT 1u

/* The given part is a sequence of these, each followed by its name and bytes, each padded to 8. */
struct hd_sym_given {
    uint32_t name_len, size;
};

/* Settings are given objects too, with these names: "input:argv:1:16" (a place to make symbolic),
 * "call:rand" (a function whose result is symbolic). Their bytes are empty. */
struct hd_sym_header {
    uint64_t magic;
    uint32_t version;
    uint32_t owner; /* pid of the process that writes; 0: none yet */
    uint32_t given_bytes;
    uint32_t flags;
    uint32_t n_nodes, n_steps, n_objects, n_data, n_branches, n_outcomes, n_strings, n_calls;
    uint64_t lost[HD_SYM_LOST_COUNT];
    uint64_t hooks;                   /* calls of slow hooks */
    uint32_t calls[HD_SYM_MAX_CALLS]; /* names, offsets into strings */
};

/* Offsets of the parts, in this order. */
#define HD_SYM_AT_GIVEN    ((uint64_t)HD_SYM_PAGE)
#define HD_SYM_AT_NODES    (HD_SYM_AT_GIVEN + HD_SYM_MAX_GIVEN)
#define HD_SYM_AT_STEPS    (HD_SYM_AT_NODES + (uint64_t)HD_SYM_MAX_NODES * 24)
#define HD_SYM_AT_OBJECTS  (HD_SYM_AT_STEPS + (uint64_t)HD_SYM_MAX_STEPS * 24)
#define HD_SYM_AT_DATA     (HD_SYM_AT_OBJECTS + (uint64_t)HD_SYM_MAX_OBJECTS * 72)
#define HD_SYM_AT_BRANCHES (HD_SYM_AT_DATA + HD_SYM_MAX_DATA)
#define HD_SYM_AT_COVER    (HD_SYM_AT_BRANCHES + (uint64_t)HD_SYM_MAX_BRANCHES * 20)
#define HD_SYM_AT_STRINGS  (HD_SYM_AT_COVER + HD_SYM_MAX_OUTCOMES)
#define HD_SYM_SIZE        (HD_SYM_AT_STRINGS + HD_SYM_MAX_STRINGS)
_Static_assert(sizeof(struct hd_sym_header) <= HD_SYM_PAGE, "the header is one page");
_Static_assert(sizeof(struct hd_sym_object) == 72 && sizeof(struct hd_sym_branch) == 20,
               "objects and branches are laid out in a file");

/* One compiled file. Registered before its code runs. */
struct hd_sym_module {
    uint32_t version; /* HD_SYM_VERSION */
    uint32_t n_branches;
    uint32_t n_outcomes;
    uint32_t is_model; /* compiled from src/rt/concolic/sym_models.c: no coverage */
    uint32_t first;    /* the runtime's: number of its first outcome */
    uint32_t pad;
    uint8_t *cover;           /* one byte for each outcome; the runtime moves it into the arena */
    const uint32_t *branches; /* per branch: first outcome, outcomes, file, func, line */
    const char *strings;
    uint64_t strings_size;
};

/* Ids over calls, as tokens cross calls in struct hd_flow of abi/rt_abi.h. A struct of two
 * numbers that is returned in registers has two ids. `block`: where the caller has the structs that
 * it passes by value in memory, in order; NULL: nothing in them is symbolic. */
struct hd_sym_flow {
    const void *callee, *returner;
    uint32_t ret, ret2;
    uint32_t arg[HD_SYM_ARGS];
    const void *block[HD_SYM_BLOCKS];
};

/* Pages by (address >> 12) & 0xffff: not 0 when a byte of such a page may be symbolic. */
extern uint8_t __hd_sym_filter[65536];
extern __thread struct hd_sym_flow __hd_sym_flow __attribute__((tls_model("initial-exec")));

#include "abi/sym_hooks.h"

#endif
