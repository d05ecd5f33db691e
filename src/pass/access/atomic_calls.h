/* Calls of libatomic (`__atomic_load`, `__atomic_fetch_add_16` and so on). */
#ifndef HD_PASS_ATOMIC_CALLS_H
#define HD_PASS_ATOMIC_CALLS_H

#include "pass/pass.h"

/* Before anything else is found out about fn: replaces them by instructions. */
void hd_atomic_calls(struct hd_pass *p, LLVMValueRef fn);

#endif
