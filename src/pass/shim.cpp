// Registers the pass with LLVM's pass manager. Late (OptimizerLast), as
// ThreadSanitizer is, so that it sees the accesses that the program will make, at -O0 as well.
#include "pass/access/asm.h"
#include "pass/access/promotion.h"

#include <llvm-c/Core.h>
#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Passes/PassPlugin.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

extern "C" bool hd_pass_run(LLVMModuleRef module);
extern "C" bool hd_shim_is_musttail(LLVMValueRef call);
extern "C" void hd_shim_split_normal(LLVMValueRef invoke);
extern "C" int hd_shim_fence_order(LLVMValueRef fence);
extern "C" LLVMValueRef hd_shim_split(LLVMValueRef at, LLVMValueRef cond);
extern "C" bool hd_shim_is_reference(LLVMMetadataRef type);

bool hd_shim_is_reference(LLVMMetadataRef type)
{
    auto *derived = llvm::dyn_cast_or_null<llvm::DIDerivedType>(llvm::unwrap(type));
    return derived && derived->getTag() == llvm::dwarf::DW_TAG_reference_type;
}

bool hd_shim_is_musttail(LLVMValueRef call)
{
    auto *inst = llvm::dyn_cast<llvm::CallInst>(llvm::unwrap(call));
    return inst && inst->isMustTailCall();
}

void hd_shim_split_normal(LLVMValueRef invoke)
{
    auto *inst = llvm::cast<llvm::InvokeInst>(llvm::unwrap(invoke));
    llvm::SplitEdge(inst->getParent(), inst->getNormalDest());
}

int hd_shim_fence_order(LLVMValueRef fence)
{
    auto *inst = llvm::cast<llvm::FenceInst>(llvm::unwrap(fence));
    return inst->getSyncScopeID() == llvm::SyncScope::SingleThread ? 0 : (int)inst->getOrdering();
}

static llvm::Type *pointed_at(llvm::CallBase *call, unsigned arg)
{
    if (llvm::Type *type = call->getAttributes().getParamElementType(arg))
        return type;
#if LLVM_VERSION_MAJOR < 15
    return llvm::cast<llvm::PointerType>(call->getArgOperand(arg)->getType())
        ->getNonOpaquePointerElementType();
#else
    return nullptr;
#endif
}

// A memory operand: argument `arg`, number `number` in the text.
static void add_operand(llvm::CallBase *call, unsigned arg, unsigned number, hd_asm *out)
{
    llvm::Value *pointer = call->getArgOperand(arg);
    llvm::Type *type = pointed_at(call, arg);
    if (out->n_pointers == 0 || pointer != llvm::unwrap(out->pointer))
        out->n_pointers++;
    if (out->n_pointers == 1) {
        out->pointer = llvm::wrap(pointer);
        bool known = type && type->isSized();
        out->size = known ? (uint64_t)call->getModule()->getDataLayout().getTypeStoreSize(type) : 0;
    }
    if (out->n_operands < 4)
        out->operand[out->n_operands++] = number;
}

void hd_shim_asm(LLVMValueRef value, struct hd_asm *out)
{
    auto *call = llvm::cast<llvm::CallBase>(llvm::unwrap(value));
    auto *code = llvm::cast<llvm::InlineAsm>(call->getCalledOperand());
    unsigned arg = 0, number = 0;
    out->text = code->getAsmString().c_str();
    for (const auto &limit : code->ParseConstraints()) {
        bool output = limit.Type == llvm::InlineAsm::isOutput;
        if (limit.Type == llvm::InlineAsm::isClobber) {
            out->clobbers |= !limit.Codes.empty() && limit.Codes[0] == "{memory}";
            continue;
        }
        if (limit.isIndirect && (output || limit.Type == llvm::InlineAsm::isInput)) {
            (output ? out->writes : out->reads) = true;
            add_operand(call, arg, number, out);
        }
        arg += limit.isIndirect || limit.Type == llvm::InlineAsm::isInput;
        number++;
    }
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
        hd_unmark_stores(m);
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
    // After InstCombine: behind the inliner and before LICM.
    builder.registerPeepholeEPCallback(
        [](llvm::FunctionPassManager &passes, llvm::OptimizationLevel) {
            passes.addPass(hd_keep_in_loop());
        });
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
