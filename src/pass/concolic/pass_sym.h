/* The concolic part of the pass (`heddle cc --concolic`): companion ids for values, as
 * abi/sym_abi.h says.
 *
 * Works on a function after the recording hooks are in, over the list of the program's own
 * instructions. Every value that taint.c marks and that is an integer or pointer of at most 64 bits
 * gets an i32 id next to it. Where an id needs a hook, the block is split so that the hook is
 * called only if something symbolic is there: `slow` blocks. Splitting is safe here because the
 * recording part is finished with the function.
 *
 * Structs in registers of at most two such values have an id for each (sym_parts.c). What has no id
 * (floats, vectors, other structs in registers) is reported to the runtime when a symbolic
 * value flows into it, so that nothing is lost in silence.
 */
#ifndef HD_PASS_CONCOLIC_PASS_SYM_H
#define HD_PASS_CONCOLIC_PASS_SYM_H

#include "abi/sym_abi.h"
#include "pass/pass.h"

enum hd_sym_hook {
#define HD_SYM_HOOK_ENUM(name, ret, n, args, text) HD_SYM_HOOK_##name,
    HD_SYM_HOOKS(HD_SYM_HOOK_ENUM)
#undef HD_SYM_HOOK_ENUM
        HD_SYM_HOOK_COUNT
};

struct hd_sym_pass {
    struct hd_pass *p;
    bool models; /* compiling the runtime's models: no recording, no models of models */
    LLVMTypeRef i1, flow_type, filter_type, module_type;
    LLVMValueRef flow, filter, past, inside, shapes;
    LLVMValueRef module; /* the module's record; its field `cover` is where coverage goes */
    LLVMValueRef hook[HD_SYM_HOOK_COUNT];
    LLVMTypeRef hook_type[HD_SYM_HOOK_COUNT];
    struct hd_vec branches; /* struct hd_sym_branch; strings as ids */
    uint32_t n_outcomes;
};

struct hd_sym_phi {
    LLVMValueRef source, id;
    int part; /* of a small struct; -1: the value itself */
};

/* The ids of the two numbers of a small struct in a register. */
struct hd_sym_pair {
    LLVMValueRef id[2];
};

/* The hook of a memcpy or memset, put in while the recording part worked; the ids of its operands
 * come later. */
struct hd_sym_block {
    LLVMValueRef hook, ops[3];
};

struct hd_sym_fn {
    struct hd_sym_pass *s;
    struct hd_fn *f;
    struct hd_map id_of;   /* value -> index in ids */
    struct hd_vec ids;     /* LLVMValueRef */
    struct hd_vec phis;    /* struct hd_sym_phi */
    struct hd_map pair_of; /* small struct -> index in pairs */
    struct hd_vec pairs;   /* struct hd_sym_pair */
    struct hd_map slot_of; /* private local -> index in slots */
    struct hd_vec slots;   /* LLVMValueRef: the alloca that holds its id */
    struct hd_vec
        inside;        /* LLVMValueRef: of a model, what each phi adds to the hash of its state */
    LLVMValueRef dots; /* the ids of what came in after "..."; NULL: no such function */
    unsigned n_dots;
    LLVMValueRef zero;
    LLVMValueRef entry; /* code for the start of the function goes before this */
};

/* An open slow block: code goes to `b` until hd_sym_slow_end. */
struct hd_sym_slow {
    LLVMValueRef tail; /* first instruction after it */
    LLVMBasicBlockRef head;
};

/* pass_sym.c */
bool hd_sym_wanted(void);
void hd_sym_init(struct hd_sym_pass *s, struct hd_pass *p);
void hd_sym_emit(struct hd_sym_pass *s); /* module record; ends the use of s */
void hd_sym_function(struct hd_sym_pass *s, struct hd_fn *f, struct hd_vec *list,
                     struct hd_vec *blocks);
LLVMValueRef hd_sym_id(struct hd_sym_fn *f, LLVMValueRef v); /* f->zero when it has none */
void hd_sym_set(struct hd_sym_fn *f, LLVMValueRef v, LLVMValueRef id);
bool hd_sym_is_zero(struct hd_sym_fn *f, LLVMValueRef id);
unsigned hd_sym_width(struct hd_sym_pass *s, LLVMTypeRef type);  /* bits; 0: has no id */
LLVMValueRef hd_sym_bits(struct hd_sym_pass *s, LLVMValueRef v); /* v as i64, at the builder */
LLVMValueRef hd_sym_call(struct hd_sym_pass *s, enum hd_sym_hook hook, LLVMValueRef *args);
LLVMValueRef hd_sym_flow(struct hd_sym_pass *s, unsigned field, unsigned index);
/* Starts a block before `at` that runs only if any of the ids (or i1 values) is not 0. */
struct hd_sym_slow hd_sym_slow_begin(struct hd_sym_pass *s, LLVMValueRef at, LLVMValueRef cond);
/* Ends it; the id is `slow_id` when it ran, `fast_id` otherwise. NULL ids: no value. */
LLVMValueRef hd_sym_slow_end(struct hd_sym_pass *s, struct hd_sym_slow slow, LLVMValueRef slow_id,
                             LLVMValueRef fast_id);
LLVMValueRef hd_sym_any(struct hd_sym_fn *f, LLVMValueRef *ids, unsigned n); /* i1 or NULL: none */
LLVMValueRef hd_sym_flagged(struct hd_sym_pass *s, LLVMValueRef ptr); /* i1: its page has symbols */
/* What later code can see was changed: `what` (i64) goes into the hash of the run's past. */
void hd_sym_past(struct hd_sym_pass *s, LLVMValueRef what);
/* The same for what only the function itself can see: of a model it counts until that returns. */
void hd_sym_inside(struct hd_sym_pass *s, LLVMValueRef what);
/* The bits of v, or the shape of its expression. */
LLVMValueRef hd_sym_seen(struct hd_sym_fn *f, LLVMValueRef v);

/* sym_parts.c: structs of one or two numbers in registers */
unsigned hd_sym_parts(struct hd_sym_pass *s, LLVMTypeRef type);      /* how many; 0: it is none */
struct hd_sym_pair hd_sym_pair(struct hd_sym_fn *f, LLVMValueRef v); /* zeros when it has none */
void hd_sym_set_pair(struct hd_sym_fn *f, LLVMValueRef v, struct hd_sym_pair pair);
bool hd_sym_part_op(struct hd_sym_fn *f, LLVMValueRef inst); /* insert, extract, select */
void hd_sym_part_phi(struct hd_sym_fn *f, LLVMValueRef phi);
void hd_sym_part_load(struct hd_sym_fn *f, LLVMValueRef inst);
void hd_sym_part_store(struct hd_sym_fn *f, LLVMValueRef inst);

/* sym_ops.c, sym_mem.c, sym_calls.c: one instruction each */
void hd_sym_op(struct hd_sym_fn *f, LLVMValueRef inst);
/* The id of `op` on a and b with these ids, inside a slow block; width is that of a and b. */
LLVMValueRef hd_sym_build(struct hd_sym_fn *f, enum hd_sym_op op, unsigned width, LLVMValueRef *ids,
                          LLVMValueRef a, LLVMValueRef b, LLVMValueRef result);
void hd_sym_branch(struct hd_sym_fn *f, LLVMValueRef inst);
void hd_sym_load(struct hd_sym_fn *f, LLVMValueRef inst);
/* The id of what a load at ptr gave; `value` is it. Emitted before `at`; NULL: it has none. */
LLVMValueRef hd_sym_loaded(struct hd_sym_fn *f, LLVMValueRef at, LLVMValueRef ptr,
                           LLVMValueRef value);
/* The shadow of a store of `value` at ptr, before `at`. */
void hd_sym_stored(struct hd_sym_fn *f, LLVMValueRef at, LLVMValueRef ptr, LLVMValueRef value,
                   LLVMValueRef value_id);
void hd_sym_locals(struct hd_sym_fn *f);                      /* at the start of the function */
void hd_sym_lifetime(struct hd_sym_fn *f, LLVMValueRef call); /* llvm.lifetime.start */
/* Bytes of the variable that ptr points into, *base its address; 0: not known. */
uint64_t hd_sym_object(struct hd_sym_fn *f, LLVMValueRef ptr, LLVMValueRef *base);
/* In a slow block or not: a symbolic value is lost here. */
void hd_sym_drop(struct hd_sym_fn *f, enum hd_sym_lost why);
void hd_sym_store(struct hd_sym_fn *f, LLVMValueRef inst);
void hd_sym_rmw(struct hd_sym_fn *f, LLVMValueRef inst);
void hd_sym_cas(struct hd_sym_fn *f, LLVMValueRef inst);
/* Right after the recording part dealt with the memory call that stood before `next`. */
void hd_sym_block(struct hd_sym_pass *s, LLVMValueRef next, enum hd_callee kind, LLVMValueRef *ops,
                  struct hd_vec *blocks);
void hd_sym_call_inst(struct hd_sym_fn *f, LLVMValueRef inst);
void hd_sym_intrinsic(struct hd_sym_fn *f, LLVMValueRef call, enum hd_callee kind);
void hd_sym_dots(struct hd_sym_fn *f, LLVMValueRef call); /* llvm.va_start */
void hd_sym_return(struct hd_sym_fn *f, LLVMValueRef inst);
void hd_sym_arguments(struct hd_sym_fn *f);

/* shim.cpp */
/* Splits before `at`; the new block between runs if cond. Returns its terminator. */
LLVMValueRef hd_shim_split(LLVMValueRef at, LLVMValueRef cond);

#endif
