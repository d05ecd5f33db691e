// The only C++ of the pass: registers it with LLVM's pass manager. Late (OptimizerLast), as
// ThreadSanitizer is, so that it sees the accesses that the program will make, at -O0 as well.
#include <llvm-c/Core.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

extern "C" bool hd_pass_run(LLVMModuleRef module);
extern "C" bool hd_shim_is_musttail(LLVMValueRef call);
extern "C" int hd_shim_fence_order(LLVMValueRef fence);
extern "C" bool hd_shim_asm_touches_memory(LLVMValueRef call);
extern "C" LLVMValueRef hd_shim_split(LLVMValueRef at, LLVMValueRef cond);

bool hd_shim_is_musttail(LLVMValueRef call)
{
    auto *inst = llvm::dyn_cast<llvm::CallInst>(llvm::unwrap(call));
    return inst && inst->isMustTailCall();
}

int hd_shim_fence_order(LLVMValueRef fence)
{
    auto *inst = llvm::cast<llvm::FenceInst>(llvm::unwrap(fence));
    return inst->getSyncScopeID() == llvm::SyncScope::SingleThread ? 0 : (int)inst->getOrdering();
}

bool hd_shim_asm_touches_memory(LLVMValueRef call)
{
    auto *inst = llvm::cast<llvm::CallBase>(llvm::unwrap(call));
    auto *code = llvm::cast<llvm::InlineAsm>(inst->getCalledOperand());
    std::string limits(code->getConstraintString());
    return !code->getAsmString().empty() &&
           (limits.find("{memory}") != std::string::npos || limits.find("=*") != std::string::npos);
}

LLVMValueRef hd_shim_split(LLVMValueRef at, LLVMValueRef cond)
{
    auto *inst = llvm::cast<llvm::Instruction>(llvm::unwrap(at));
    return llvm::wrap(llvm::SplitBlockAndInsertIfThen(llvm::unwrap(cond), inst, false));
}

namespace
{
struct HeddlePass : llvm::PassInfoMixin<HeddlePass> {
    llvm::PreservedAnalyses run(llvm::Module &m, llvm::ModuleAnalysisManager &)
    {
        return hd_pass_run(llvm::wrap(&m)) ? llvm::PreservedAnalyses::none()
                                           : llvm::PreservedAnalyses::all();
    }
    static bool isRequired()
    {
        return true; // also for functions marked optnone
    }
};

void add_callbacks(llvm::PassBuilder &builder)
{
    builder.registerOptimizerLastEPCallback([](llvm::ModulePassManager &passes,
                                               llvm::OptimizationLevel,
                                               auto...) { passes.addPass(HeddlePass()); });
    builder.registerPipelineParsingCallback(
        [](llvm::StringRef name, llvm::ModulePassManager &passes, auto) {
            if (name != "heddle")
                return false;
            passes.addPass(HeddlePass());
            return true;
        });
}
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK llvm::PassPluginLibraryInfo llvmGetPassPluginInfo()
{
    return {LLVM_PLUGIN_API_VERSION, "heddle", "1", add_callbacks};
}
