#ifndef HD_PASS_ACCESS_ASM_H
#define HD_PASS_ACCESS_ASM_H

#include <llvm-c/Types.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Inline assembly. Valid as long as the module. */
struct hd_asm {
    const char *text;
    bool clobbers;        /* "memory" is among its clobbers */
    bool reads, writes;   /* its memory operand is an input, an output */
    unsigned n_pointers;  /* different memory operands */
    LLVMValueRef pointer; /* to the first one */
    uint64_t size;        /* of it */
    unsigned operand[4];  /* the numbers it has in the text */
    unsigned n_operands;
};
void hd_shim_asm(LLVMValueRef call, struct hd_asm *out);

struct hd_fn;
struct hd_dep;
/* inst has made a choice by itself. The builder stands where that is told. In control.c. */
void hd_control_decided(struct hd_fn *f, LLVMValueRef inst, struct hd_dep dep);

#ifdef __cplusplus
}
#endif

#endif
