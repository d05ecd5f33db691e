/* The hooks that code compiled with `heddle cc --concolic` calls; a part of abi/sym_abi.h, which
 * says what ids are. The pass declares them from this list, the runtime defines them
 * (src/rt/sym_*).
 */
#ifndef HEDDLE_SYM_HOOKS_H
#define HEDDLE_SYM_HOOKS_H

#include "abi/rt_abi.h"

enum hd_sym_bits { HD_SYM_BITS_COUNT, HD_SYM_BITS_LEAD, HD_SYM_BITS_TRAIL, HD_SYM_BITS_SWAP };

/* X(name, result, number of arguments, (argument types), meaning); symbols are __hd_sym_<name>.
 * `op` is enum hd_sym_op | width of the operands << 8. Ids of 0 stand for the value beside. */
#define HD_SYM_HOOKS(X)                                                                            \
    X(binary, U32, 6, (U32, U32, U32, U64, U64, U64),                                              \
      "arithmetic or comparison (op, ids, values, result)")                                        \
    X(cast, U32, 4, (U32, U32, U32, U64), "ZEXT, SEXT, EXTRACT (op, from width, id, result)")      \
    X(select, U32, 6, (U32, U32, U32, U32, U64, U64),                                              \
      "ite (width | condition << 8, ids of condition, true, false; values)")                       \
    X(offset, U32, 5, (U32, U64, U32, U64, U64),                                                   \
      "address + index * scale (address id, address, index id, index, scale)")                     \
    X(object, VOID, 2, (PTR, U64), "the next symbolic address points into this object")            \
    X(based, VOID, 3, (U32, PTR, U64), "this address (id) was made from that of an object")        \
    X(load, U32, 4, (PTR, U32, U32, U64), "after a load (address, bytes, address id, value)")      \
    X(store, VOID, 5, (PTR, U32, U32, U32, U64),                                                   \
      "before a store (address, bytes, address id, value id, value)")                              \
    X(clear, VOID, 2, (PTR, U64), "before a store of something that has no id (address, bytes)")   \
    X(lost, VOID, 3, (PTR, U64, U32), "a load whose result has no id (address, bytes, reason)")    \
    X(drop, VOID, 1, (U32), "a symbolic operand goes where no id can follow (reason)")             \
    X(copy, VOID, 6, (PTR, PTR, U64, U32, U32, U32),                                               \
      "after memcpy or memmove (to, from, bytes, their ids)")                                      \
    X(fill, VOID, 6, (PTR, U32, U64, U32, U32, U32), "after memset (to, byte, bytes, their ids)")  \
    X(branch, VOID, 4, (PTR, U32, U32, U32), "(module, first outcome, id, taken)")                 \
    X(switch, VOID, 5, (PTR, PTR, U32, U64, U32), "(module, cases, id, value, width)")             \
    X(check, VOID, 3, (U32, U32, U64), "a divisor (width, id, value)")                             \
    X(target, VOID, 2, (U32, PTR), "an indirect call (id, target)")                                \
    X(unmodelled, VOID, 2, (PTR, PTR),                                                             \
      "after a call with symbolic arguments (name or NULL, function)")                             \
    X(passed, VOID, 2, (PTR, PTR), "memory handed to such a function (name, address)")             \
    X(behind, VOID, 3, (PTR, PTR, U32), "the same, of a C++ string or (1) a va_list")              \
    X(agreed, U32, 4, (PTR, U32, U64, U64),                                                        \
      "the id of a model's result, or 0 (name, id, its result, the real one)")                     \
    X(istream, VOID, 3, (PTR, PTR, U32),                                                           \
      "a stream of C++ is about to be read (name, stream, has a model)")                           \
    X(ostream, VOID, 2, (PTR, PTR), "the same, to be written with something symbolic")             \
    X(dots, VOID, 3, (PTR, PTR, U32), "after va_start (list, ids, how many)")                      \
    X(block, VOID, 3, (PTR, U64, PTR),                                                             \
      "a struct passed by value (address in the callee, bytes, address in the caller or NULL)")    \
    X(bits, U32, 4, (U32, U32, U64, U64),                                                          \
      "enum hd_sym_bits | width << 8 of one operand (id, value, result)")                          \
    X(overflow, U32, 6, (U32, U32, U32, U64, U64, U64),                                            \
      "does ADD, SUB, MUL overflow? (op | signed << 16, ids, values, 1 or 0)")                     \
    X(result, U64, 5, (PTR, PTR, U32, U64, U32),                                                   \
      "may be an input: answers the value to use, its id in flow.ret (name of the function, byte " \
      "set to 1 when it is not asked for, width | pointer << 8, real result, its id)")             \
    X(module, VOID, 1, (PTR), "registers a struct hd_sym_module")

#define HD_SYM_PROTOTYPE(name, ret, n, args, text) HD_C_##ret __hd_sym_##name(HD_ABI_C##n args);
HD_SYM_HOOKS(HD_SYM_PROTOTYPE)
#undef HD_SYM_PROTOTYPE

#endif
