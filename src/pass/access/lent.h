/* Locals whose address is given away: the runtime is told where their life ends. */
#ifndef HD_PASS_ACCESS_LENT_H
#define HD_PASS_ACCESS_LENT_H

#include "pass/pass.h"

struct hd_lent {
    LLVMValueRef alloca;
    uint32_t size;
    bool marked; /* llvm.lifetime.end says where it ends; else the function's end */
};

void hd_lent_find(struct hd_fn *f); /* behind hd_locals_find */
/* A way out of the function, or an intrinsic: the hooks of those that end here go before it. */
void hd_lent_end_scope(struct hd_fn *f, LLVMValueRef inst);

#endif
