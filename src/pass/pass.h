/* What the files of the pass share: the state of one module, of one function, and the helpers.
 *
 * The pass works on LLVM's C API only, so that one source serves LLVM 14 (typed pointers) and 19
 * (opaque pointers). Order of work in a function: classify its locals (locals.c), mark the values
 * that may depend on a read (taint.c), then visit the blocks in reverse post-order and put hooks in
 * (pass_access.c, control.c). Tokens (see abi/rt_abi.h) are made when a hook asks for them
 * (deps.c); phis of tokens get their incoming values at the end. Reverse post-order means that the
 * token of a read is there before anything but a phi asks for it.
 *
 * Nothing here prints or fails: what the pass does not understand becomes the token "all so far".
 */
#ifndef HD_PASS_PASS_H
#define HD_PASS_PASS_H

#include "base/err.h"
#include "base/hash.h"
#include "base/names.h"
#include "base/vec.h"
#include "abi/rt_abi.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <stdbool.h>
#include <stdint.h>

enum hd_hook {
#define HD_HOOK_ENUM(name, ret, n, args, text) HD_HOOK_##name,
    HD_HOOKS(HD_HOOK_ENUM)
#undef HD_HOOK_ENUM
        HD_HOOK_COUNT
};

struct hd_pass {
    LLVMModuleRef module;
    LLVMContextRef ctx;
    LLVMTargetDataRef layout;
    LLVMBuilderRef b;  /* for hooks */
    LLVMBuilderRef tb; /* for tokens, which deps.c puts next to the values they describe */
    LLVMTypeRef i8, i16, i32, i64, ptr, void_type, flow_type;
    LLVMValueRef flow; /* the thread-local __hd_flow */
    LLVMValueRef hook[HD_HOOK_COUNT];
    LLVMTypeRef hook_type[HD_HOOK_COUNT];
    LLVMMetadataRef empty_expr, deref_expr; /* of debug info: the value; what lies there */
    struct hd_names strings;
    struct hd_u32vec string_at; /* by id in strings: offset in the module's string block */
    struct hd_vec sites;        /* struct hd_site, string ids in the place of offsets */
    bool volatile_atomic;       /* volatile accesses are atomic */
    LLVMValueRef sites_base;    /* stands for the table until its length is known */
    bool concolic;              /* any result of a function may be input: --symbolic-call */
};

/* On how many tokens a value depends; none: n is 0. More than HD_DEP_MAX are joined into one. */
#define HD_DEP_MAX 4
struct hd_dep {
    unsigned n;
    LLVMValueRef tok[HD_DEP_MAX];
};

enum hd_local_kind {
    HD_LOCAL_WHOLE, /* private, only loaded and stored as a whole: a store replaces its token */
    HD_LOCAL_PARTS, /* private: a store adds to its token */
};

/* A private local: an alloca of the entry block whose address never leaves the function. */
struct hd_local {
    LLVMValueRef alloca, shadow; /* shadow: the alloca that holds its token, when tainted */
    enum hd_local_kind kind;
    bool tainted;
};

/* By place in `order`. */
struct hd_block {
    uint32_t dominator; /* the nearest one; of the entry: itself */
    uint32_t decided;   /* index + 1 in hd_fn.decided of what was decided last, or 0 */
};

struct hd_fn {
    struct hd_pass *p;
    LLVMValueRef fn;
    LLVMBasicBlockRef *order; /* reachable blocks, reverse post-order */
    size_t n_order, cap_order;
    struct hd_map reachable; /* blocks in order -> place there */
    struct hd_block *blocks;
    uint32_t at;            /* block whose hooks are being put in */
    struct hd_vec decided;  /* used_tokens.c's */
    struct hd_vec locals;   /* struct hd_local */
    struct hd_map local_of; /* alloca -> index in locals + 1 */
    struct hd_map tainted;  /* values that may depend on reads */
    struct hd_map dep_of;   /* value -> index in deps */
    struct hd_vec deps;     /* struct hd_dep */
    struct hd_vec phis;     /* struct hd_phi: token phis without incoming values */
    struct hd_map phi_of;   /* token -> index in phis + 1 */
    struct hd_vec lent;     /* struct hd_lent */
    struct hd_map var_of;   /* value -> index in vars + 1: the source variable it is or holds */
    struct hd_vec vars;     /* struct hd_var */
    LLVMValueRef arg_end;   /* tokens of arguments are loaded before this, or NULL */
    LLVMValueRef arg_mine;  /* i1: the tokens in the flow record are for this call */
    LLVMValueRef arg_past;  /* what arguments depend on when they are not */
    LLVMValueRef start;     /* a mark: hooks come behind it; goes in the end */
    unsigned depth;         /* of the recursion in deps.c */
    bool coarse;            /* returns_twice was called: every token is "all" */
    bool hooked;            /* some hook was put in */
    bool calls;             /* it calls something that may be instrumented */
    bool condition;         /* see control/locks.h */
};

struct hd_phi {
    LLVMValueRef source, token;
};

struct hd_var {
    LLVMMetadataRef node;
    bool is_address; /* the value is the variable's address (declare), not what it holds (value) */
};

/* hooks.c */
enum { HD_FLOW_COUNT = 1 }; /* a field of struct hd_flow */
void hd_hooks_init(struct hd_pass *p);
LLVMValueRef hd_hooks_call(struct hd_fn *f, enum hd_hook hook, LLVMValueRef *args);
LLVMValueRef hd_hooks_ptr(struct hd_pass *p, LLVMValueRef v); /* v as the generic pointer type */
LLVMValueRef hd_hooks_flow(struct hd_pass *p, unsigned field, unsigned index);
LLVMValueRef hd_hooks_tok(struct hd_pass *p, hd_tok tok);
LLVMValueRef hd_hooks_u64(struct hd_pass *p, uint64_t x);
LLVMValueRef hd_hooks_u32(struct hd_pass *p, uint32_t x);
LLVMValueRef hd_hooks_slot(struct hd_fn *f, LLVMTypeRef type); /* an alloca of our own */
void hd_hooks_after(LLVMBuilderRef b, LLVMValueRef inst); /* b goes behind inst and phis after it */

/* sites.c */
uint32_t hd_sites_string(struct hd_pass *p, const char *text, size_t len);
LLVMValueRef hd_sites_add(struct hd_fn *f, LLVMValueRef inst, struct hd_site site);
void hd_sites_emit(struct hd_pass *p); /* table, strings, module record, constructor */
void hd_sites_constructor(struct hd_pass *p, LLVMValueRef fn); /* fn runs before the program's */

/* locals.c */
void hd_locals_find(struct hd_fn *f);
LLVMValueRef hd_locals_base(LLVMValueRef ptr); /* the object that casts and offsets start from */
struct hd_local *hd_locals_is(struct hd_fn *f, LLVMValueRef ptr); /* the local ptr points into */
bool hd_locals_is_constant(LLVMValueRef ptr);                     /* memory that no one writes */
bool hd_locals_hooked(struct hd_fn *f, LLVMValueRef ptr); /* accesses through ptr are logged */

/* rounds.c */
/* The value that a phi of a loop starts with, if all it gets later is computed from itself and
 * constants; else NULL. Their tokens are the same. */
LLVMValueRef hd_rounds_start(struct hd_fn *f, LLVMValueRef phi);
/* Tokens that the phi of a loop has one of and gets the others of, as one. */
struct hd_dep hd_rounds_merge(struct hd_fn *f, struct hd_dep d);

/* taint.c */
void hd_taint_find(struct hd_fn *f);

/* deps.c. Where a builder is asked for, new instructions go to its place. */
struct hd_dep hd_deps_of(struct hd_fn *f, LLVMValueRef v);
bool hd_deps_known(struct hd_fn *f, LLVMValueRef v, struct hd_dep *d); /* if asked for before */
LLVMValueRef hd_deps_phi_of(struct hd_fn *f, LLVMValueRef tok);        /* NULL: not of a phi */
bool hd_deps_tainted(struct hd_fn *f, LLVMValueRef v);                 /* it may depend on a read */
void hd_deps_set(struct hd_fn *f, LLVMValueRef v, LLVMValueRef tok);   /* NULL: none */
void hd_deps_set_all(struct hd_fn *f, LLVMValueRef v, struct hd_dep d);
/* Union; b may be NULL where no instruction can be put: a set that grows too large is then "all".
 */
void hd_deps_add(struct hd_fn *f, LLVMBuilderRef b, struct hd_dep *into, struct hd_dep more);
LLVMValueRef hd_deps_join(struct hd_fn *f, LLVMBuilderRef b,
                          struct hd_dep d); /* one token for all */
LLVMValueRef hd_deps_range(struct hd_pass *p, LLVMBuilderRef b, LLVMValueRef first,
                           LLVMValueRef last);                /* from the one to the other */
LLVMValueRef hd_deps_past(struct hd_fn *f, LLVMBuilderRef b); /* "all reads so far" */
/* The first token, as an argument of a hook; the others are handed over by __hd_more. */
LLVMValueRef hd_deps_pass(struct hd_fn *f, struct hd_dep d, enum hd_more role);
/* The same for the address of an access whose hook follows: what comes behind it can rely on it. */
LLVMValueRef hd_deps_pass_addr(struct hd_fn *f, struct hd_dep d);
void hd_deps_local_store(struct hd_fn *f, LLVMBuilderRef b, struct hd_local *local,
                         struct hd_dep d);
void hd_deps_finish(struct hd_fn *f); /* incoming values of token phis */

/* token_runs.c. The same set with fewer tokens where reads follow each other; instructions go to
 * p->b. */
bool hd_token_runs_is_read(struct hd_pass *p, LLVMValueRef inst); /* the hook of a plain read */
struct hd_dep hd_token_runs_merge(struct hd_fn *f, struct hd_dep d);

/* calls.c */
enum hd_callee {
    HD_CALLEE_UNKNOWN, /* tokens go and come through the flow record */
    HD_CALLEE_PURE,    /* the result depends on the arguments only */
    HD_CALLEE_PAST,    /* intrinsics whose result may depend on any earlier read */
    HD_CALLEE_IGNORED, /* intrinsics without effect on values or memory */
    HD_CALLEE_COPY,
    HD_CALLEE_MOVE,
    HD_CALLEE_SET,
    HD_CALLEE_VA_START,
    HD_CALLEE_VA_COPY,
    HD_CALLEE_OPAQUE,    /* memory intrinsics that are not modelled */
    HD_CALLEE_TWICE,     /* setjmp and its like */
    HD_CALLEE_VARARG_OK, /* unknown, but its variable arguments reach no instrumented code */
    HD_CALLEE_ASM,
};
enum hd_callee hd_calls_kind(LLVMValueRef call);
bool hd_calls_modelled(LLVMValueRef call); /* or pure, or quiet: it changes nothing unseen */
bool hd_calls_own(LLVMValueRef call); /* modelled: the result depends on arguments and own reads */
/* A library function that calls one of the runtime's with what it is given; *looks_at: the argument
 * that points to a word it looks at for that, or -1; *clears: it sets that word to 0 afterwards. */
bool hd_calls_through(LLVMValueRef call, int *looks_at, bool *clears);
LLVMValueRef hd_calls_function(LLVMValueRef call); /* the function called, NULL: indirect or asm */
bool hd_calls_is_call(LLVMValueRef inst);
bool hd_calls_is_memory(enum hd_callee kind); /* COPY, MOVE or SET */

/* pass_access.c, block.c, control.c: hooks for one instruction */
void hd_access_load(struct hd_fn *f, LLVMValueRef inst);
void hd_access_store(struct hd_fn *f, LLVMValueRef inst);
void hd_access_rmw(struct hd_fn *f, LLVMValueRef inst);
void hd_access_cas(struct hd_fn *f, LLVMValueRef inst);
void hd_access_fence(struct hd_fn *f, LLVMValueRef inst);
void hd_asm_call(struct hd_fn *f, LLVMValueRef call); /* asm.c */
void hd_block_call(struct hd_fn *f, LLVMValueRef inst, enum hd_callee kind);
void hd_block_written(struct hd_fn *f, LLVMValueRef at, LLVMValueRef ptr, uint64_t size,
                      LLVMValueRef val);
LLVMValueRef hd_block_read(struct hd_fn *f, LLVMValueRef at, LLVMValueRef ptr, uint64_t size);
void hd_control_branch(struct hd_fn *f, LLVMValueRef inst, LLVMValueRef cond);
void hd_control_call(struct hd_fn *f, LLVMValueRef inst, enum hd_callee kind);
/* First of all: every invoke goes to a block of its own, so that hooks can stand behind it. */
void hd_control_prepare(LLVMValueRef fn);
LLVMValueRef hd_control_after(LLVMValueRef call); /* where its result can be seen first, or NULL */
void hd_control_tokens(struct hd_fn *f, LLVMValueRef callee, const struct hd_dep *deps, unsigned n);
void hd_control_landing(struct hd_fn *f, LLVMValueRef inst);
void hd_control_return(struct hd_fn *f, LLVMValueRef inst);
void hd_control_values(struct hd_fn *f); /* arguments passed by value */
void hd_control_begin(struct hd_fn *f);
void hd_control_end(struct hd_fn *f);                           /* comes last */
LLVMValueRef hd_control_arg(struct hd_fn *f, LLVMValueRef arg); /* token of an argument */
LLVMValueRef hd_control_result(struct hd_fn *f, LLVMValueRef call);

void hd_vars_find(struct hd_fn *f);
void hd_vars_name(struct hd_fn *f, LLVMValueRef ptr, uint64_t size, struct hd_site *site);
void hd_debug_place(struct hd_fn *f, LLVMValueRef inst, struct hd_site *site);
LLVMMetadataRef hd_debug_operand(struct hd_pass *p, LLVMMetadataRef node, unsigned i);
unsigned hd_debug_n_operands(struct hd_pass *p, LLVMMetadataRef node);
const char *hd_debug_string(struct hd_pass *p, LLVMMetadataRef node, unsigned i, unsigned *len);

bool hd_pass_run(LLVMModuleRef module); /* called by shim.cpp; whether the module changed */

/* shim.cpp: what the C API of LLVM 14 does not give. */
bool hd_shim_is_musttail(LLVMValueRef call);
void hd_shim_split_normal(LLVMValueRef invoke); /* a block of its own for where it goes */
int hd_shim_fence_order(LLVMValueRef fence); /* enum LLVMAtomicOrdering; 0: only against signals */
bool hd_shim_is_reference(LLVMMetadataRef type); /* of C++, or what a region of OpenMP shares */

#endif
