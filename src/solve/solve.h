/* The SMT solver, as prediction needs it: Booleans, clauses, and order variables that can be
 * compared.
 *
 * A literal is a non-zero integer: +n is the n-th Boolean, -n its negation. HD_LIT_TRUE and
 * HD_LIT_FALSE are constants. An order variable is a number; hd_solver_before gives the literal
 * "x comes before y". Comparisons should be used positively: a model then stays one however equal
 * variables are put in order.
 *
 * This room alone includes z3.h. It knows formulas, never traces. A solver belongs to one thread,
 * but different threads may use different solvers at the same time. A check ends early when its
 * time is up or when the user presses Ctrl-C (base/interrupt.h).
 */
#ifndef HD_SOLVE_SOLVE_H
#define HD_SOLVE_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef int32_t hd_lit;
typedef uint32_t hd_ord;
#define HD_LIT_TRUE  1
#define HD_LIT_FALSE (-1)

enum hd_sat { HD_SAT_UNKNOWN, HD_SAT_YES, HD_SAT_NO };

struct hd_solver;

struct hd_solver *hd_solver_new(void);
void hd_solver_free(struct hd_solver *s); /* NULL is fine */

hd_lit hd_solver_bool(struct hd_solver *s);
hd_ord hd_solver_order(struct hd_solver *s);
hd_lit hd_solver_before(struct hd_solver *s, hd_ord x, hd_ord y);
/* "y comes right after x": whatever is after x and before y in a model can be moved out. */
hd_lit hd_solver_right_before(struct hd_solver *s, hd_ord x, hd_ord y);

/* At least one of the literals holds. n == 0: contradiction. */
void hd_solver_clause(struct hd_solver *s, const hd_lit *lits, size_t n);
/* A literal that is equivalent to "at least k of these hold". */
hd_lit hd_solver_at_least(struct hd_solver *s, const hd_lit *lits, size_t n, uint32_t k);

/* Is everything said so far satisfiable together with the assumptions? seconds <= 0: no limit.
 * A check that gives up may have been cut short while Z3 took clauses in, and some are then lost
 * for good. So after HD_SAT_UNKNOWN every further check of this solver is HD_SAT_UNKNOWN. */
enum hd_sat hd_solver_check(struct hd_solver *s, const hd_lit *assumptions, size_t n,
                            double seconds);

/* After HD_SAT_YES. */
bool hd_solver_value(const struct hd_solver *s, hd_lit lit);
int64_t hd_solver_place(const struct hd_solver *s, hd_ord x);

/* Clauses said since hd_solver_new: a measure of size. */
uint64_t hd_solver_clauses(const struct hd_solver *s);

/* "Z3 4.8.12" */
const char *hd_solver_version(void);

#endif
