// Marks on stores that LICM respects, and their end: see promotion.cpp.
#ifndef HD_PASS_ACCESS_PROMOTION_H
#define HD_PASS_ACCESS_PROMOTION_H

#include <llvm/IR/PassManager.h>

struct hd_keep_in_loop : llvm::PassInfoMixin<hd_keep_in_loop> {
    llvm::PreservedAnalyses run(llvm::Function &f, llvm::FunctionAnalysisManager &analyses);
};

void hd_unmark_stores(llvm::Module &module);

#endif
