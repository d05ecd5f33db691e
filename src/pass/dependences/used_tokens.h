/* Tokens whose reads a branch, or the address of an access, that dominates this place depended on:
 * a dependence on them says nothing any more. */
#ifndef HD_PASS_DEPENDENCES_USED_TOKENS_H
#define HD_PASS_DEPENDENCES_USED_TOKENS_H

#include "pass/pass.h"

void hd_used_tokens_init(struct hd_fn *f); /* after the order of blocks is known */
void hd_used_tokens_fini(struct hd_fn *f);
void hd_used_tokens_block(struct hd_fn *f,
                          LLVMBasicBlockRef block); /* hooks of this block follow */
bool hd_used_tokens_before(struct hd_fn *f, LLVMBasicBlockRef a,
                           LLVMBasicBlockRef b);                     /* a dominates */
struct hd_dep hd_used_tokens_rest(struct hd_fn *f, struct hd_dep d); /* without those */
void hd_used_tokens_add(struct hd_fn *f, struct hd_dep d); /* a branch or an address depends on d */

#endif
