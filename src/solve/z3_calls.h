/* Z3's functions, out of its library, which is loaded when the first solver starts. Linked to the
 * tool it took a millisecond of each start, a fifth of the processor time of a short recording, and
 * most commands ask no solver.
 */
#ifndef HD_SOLVE_Z3_CALLS_H
#define HD_SOLVE_Z3_CALLS_H

#include <stdbool.h>
#include <z3.h>

#define HD_Z3_CALLS(X)                                                                             \
    X(del_config)                                                                                  \
    X(del_context)                                                                                 \
    X(get_bool_value)                                                                              \
    X(get_error_msg)                                                                               \
    X(get_numeral_int64)                                                                           \
    X(get_numeral_uint64)                                                                          \
    X(get_sort)                                                                                    \
    X(get_version)                                                                                 \
    X(global_param_set)                                                                            \
    X(mk_atleast)                                                                                  \
    X(mk_bool_sort)                                                                                \
    X(mk_bv_sort)                                                                                  \
    X(mk_bvadd)                                                                                    \
    X(mk_bvand)                                                                                    \
    X(mk_bvashr)                                                                                   \
    X(mk_bvlshr)                                                                                   \
    X(mk_bvmul)                                                                                    \
    X(mk_bvor)                                                                                     \
    X(mk_bvsdiv)                                                                                   \
    X(mk_bvsge)                                                                                    \
    X(mk_bvsgt)                                                                                    \
    X(mk_bvshl)                                                                                    \
    X(mk_bvsle)                                                                                    \
    X(mk_bvslt)                                                                                    \
    X(mk_bvsrem)                                                                                   \
    X(mk_bvsub)                                                                                    \
    X(mk_bvudiv)                                                                                   \
    X(mk_bvuge)                                                                                    \
    X(mk_bvugt)                                                                                    \
    X(mk_bvule)                                                                                    \
    X(mk_bvult)                                                                                    \
    X(mk_bvurem)                                                                                   \
    X(mk_bvxor)                                                                                    \
    X(mk_concat)                                                                                   \
    X(mk_config)                                                                                   \
    X(mk_context)                                                                                  \
    X(mk_eq)                                                                                       \
    X(mk_extract)                                                                                  \
    X(mk_false)                                                                                    \
    X(mk_fresh_const)                                                                              \
    X(mk_int_sort)                                                                                 \
    X(mk_ite)                                                                                      \
    X(mk_lt)                                                                                       \
    X(mk_not)                                                                                      \
    X(mk_or)                                                                                       \
    X(mk_params)                                                                                   \
    X(mk_sign_ext)                                                                                 \
    X(mk_simple_solver)                                                                            \
    X(mk_solver_from_tactic)                                                                       \
    X(mk_string_symbol)                                                                            \
    X(mk_tactic)                                                                                   \
    X(mk_true)                                                                                     \
    X(mk_unsigned_int64)                                                                           \
    X(mk_zero_ext)                                                                                 \
    X(model_dec_ref)                                                                               \
    X(model_eval)                                                                                  \
    X(model_inc_ref)                                                                               \
    X(params_dec_ref)                                                                              \
    X(params_inc_ref)                                                                              \
    X(params_set_bool)                                                                             \
    X(params_set_uint)                                                                             \
    X(set_error_handler)                                                                           \
    X(solver_assert)                                                                               \
    X(solver_check)                                                                                \
    X(solver_check_assumptions)                                                                    \
    X(solver_dec_ref)                                                                              \
    X(solver_get_model)                                                                            \
    X(solver_get_reason_unknown)                                                                   \
    X(solver_inc_ref)                                                                              \
    X(solver_set_params)                                                                           \
    X(tactic_and_then)                                                                             \
    X(tactic_dec_ref)                                                                              \
    X(tactic_inc_ref)

struct hd_z3 {
#define HD_Z3_CALL(name) __typeof__(Z3_##name) *name;
    HD_Z3_CALLS(HD_Z3_CALL)
#undef HD_Z3_CALL
};
extern struct hd_z3 hd_z3; /* filled by: */

/* Loads the library once; any thread may call it. False: it, or a function of it, is not there. */
bool hd_z3_load(void);
/* Why not; "" if it was loaded. */
const char *hd_z3_missing(void);

#endif
