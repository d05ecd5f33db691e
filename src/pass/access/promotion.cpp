// Keeps LLVM from reading a variable before a loop when the loop need not access it.
//
// `for (...) if (c) x += i;`: LICM keeps x in a register, loads it before the loop (x is a global,
// so the load cannot trap) and leaves the stores where they are. For one thread that is harmless.
// Beside a thread that writes x it is a race that the source does not have. The attribute
// sanitize_thread forbids speculative loads elsewhere; this place does not ask.
//
// LICM does not promote a location that is accessed by atomic and by other instructions. So stores
// that the loop may pass by, to an address that does not change in it, are marked as atomic with
// order `unordered` before LICM runs; no construct of C or C++ has that order. hd_unmark_stores
// takes the marks off before the hooks are put in. Only such stores are marked: accumulators that
// every round writes stay in registers.
//
// C++, because LLVM's C API has no loops.
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PassManager.h>

#include "pass/access/promotion.h"

using namespace llvm;

// Whether a round, or the way out of it, may pass the block by. What leaves by the header is the
// loop's own condition, which rotation puts before the loop.
static bool may_be_passed_by(const Loop &loop, BasicBlock *block, const DominatorTree &tree)
{
    SmallVector<BasicBlock *, 8> ends;
    loop.getLoopLatches(ends);
    loop.getExitingBlocks(ends);
    for (BasicBlock *end : ends)
        if (end != loop.getHeader() && !tree.dominates(block, end))
            return true;
    return false;
}

// Whether the address is the same in every round, or LICM may find that it is.
static bool is_invariant(const Loop &loop, const Value *address, unsigned depth = 0)
{
    if (loop.isLoopInvariant(address))
        return true;
    const auto *inst = cast<Instruction>(address);
    bool moves = isa<GetElementPtrInst>(inst) || isa<CastInst>(inst) || isa<LoadInst>(inst);
    return moves && depth < 8 && all_of(inst->operands(), [&](const Use &operand) {
               return is_invariant(loop, operand.get(), depth + 1);
           });
}

// Atomic stores are of scalars whose size is a power of two.
static bool can_be_marked(const StoreInst &store)
{
    Type *type = store.getValueOperand()->getType();
    bool scalar =
        type->isIntegerTy() || type->isPointerTy() || type->isFloatTy() || type->isDoubleTy();
    uint64_t bits = store.getModule()->getDataLayout().getTypeSizeInBits(type);
    return store.isSimple() && scalar && bits >= 8 && bits <= 64 && (bits & (bits - 1)) == 0;
}

static bool mark(const Loop &loop, const DominatorTree &tree)
{
    bool any = false;
    for (BasicBlock *block : loop.blocks())
        for (Instruction &inst : *block) {
            auto *store = dyn_cast<StoreInst>(&inst);
            if (store && can_be_marked(*store) && is_invariant(loop, store->getPointerOperand()) &&
                may_be_passed_by(loop, block, tree)) {
                store->setAtomic(AtomicOrdering::Unordered);
                any = true;
            }
        }
    return any;
}

PreservedAnalyses hd_keep_in_loop::run(Function &f, FunctionAnalysisManager &analyses)
{
    bool any = false;
    if (!f.hasFnAttribute(Attribute::SanitizeThread))
        return PreservedAnalyses::all();
    const DominatorTree &tree = analyses.getResult<DominatorTreeAnalysis>(f);
    for (const Loop *loop : analyses.getResult<LoopAnalysis>(f).getLoopsInPreorder())
        any = mark(*loop, tree) || any;
    if (!any)
        return PreservedAnalyses::all();
    PreservedAnalyses kept;
    kept.preserveSet<CFGAnalyses>();
    return kept;
}

void hd_unmark_stores(Module &module)
{
    for (Function &f : module)
        for (BasicBlock &block : f)
            for (Instruction &inst : block) {
                auto *store = dyn_cast<StoreInst>(&inst);
                if (store && store->getOrdering() == AtomicOrdering::Unordered)
                    store->setOrdering(AtomicOrdering::NotAtomic);
            }
}
