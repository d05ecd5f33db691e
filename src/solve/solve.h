/* The SMT solver, as prediction needs it: Booleans, clauses, and order variables that can be
 * compared.
 *
 * A literal is a non-zero integer: +n is the n-th Boolean, -n its negation. HD_LIT_TRUE and
 * HD_LIT_FALSE are constants. An order variable is a number; hd_solver_before gives the literal
 * "x comes before y". Comparisons should be used positively: a model then stays one however equal
 * variables are put in order.
 *
 * This room alone includes z3.h. It knows formulas, never traces. Z3 runs in a process of its own
 * (solve/link.h), which is killed when a limit is reached or when the user presses Ctrl-C
 * (base/interrupt.h): nothing here takes noticeably longer than it may, whatever Z3 does. A solver
 * belongs to one thread, but different threads may use different solvers at the same time.
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

/* Why a solver is of no use any more. */
enum hd_lost {
    HD_LOST_NOT,
    HD_LOST_TIME,
    HD_LOST_STOPPED, /* Ctrl-C */
    HD_LOST_MEMORY,
    HD_LOST_FAILED /* the solver's process could not be started, or ended of itself */
};

/* What one solver may use unless told otherwise: with the quarter more that its process may map
 * (serve.c) it takes less than 2 GB. Of the two that a worker has, one is idle most of the time. */
#define HD_SOLVER_MEMORY ((size_t)3 << 29)

struct hd_solver_limits {
    double deadline; /* hd_progress_now() at which even the making of a formula ends; 0 = never */
    size_t memory;   /* bytes; 0 = no limit */
};

struct hd_solver;

/* To be called before the threads that will use n solvers between them. A solver's process starts
 * when it is first needed, often never; but where the allocator has no fork handlers (sanitized
 * builds) it must start while there is one thread only. */
void hd_solver_prepare(unsigned n);

struct hd_solver *hd_solver_new(struct hd_solver_limits limits);
void hd_solver_free(struct hd_solver *s); /* NULL is fine */

hd_lit hd_solver_bool(struct hd_solver *s);
hd_ord hd_solver_order(struct hd_solver *s);
hd_lit hd_solver_before(struct hd_solver *s, hd_ord x, hd_ord y);

/* At least one of the literals holds. n == 0: contradiction. */
void hd_solver_clause(struct hd_solver *s, const hd_lit *lits, size_t n);
/* A literal that is equivalent to "at least k of these hold". */
hd_lit hd_solver_at_least(struct hd_solver *s, const hd_lit *lits, size_t n, uint32_t k);

/* Is everything said so far satisfiable together with the assumptions? seconds <= 0: no limit but
 * those of the solver. After HD_SAT_UNKNOWN the solver is lost: every further check of it is
 * HD_SAT_UNKNOWN. */
enum hd_sat hd_solver_check(struct hd_solver *s, const hd_lit *assumptions, size_t n,
                            double seconds);

/* After HD_SAT_YES: values of literals, places of order variables. False: the solver is lost. */
bool hd_solver_values(struct hd_solver *s, const hd_lit *lits, size_t n, bool *values);
bool hd_solver_places(struct hd_solver *s, const hd_ord *orders, size_t n, int64_t *places);

/* Not HD_LOST_NOT: what is said from now on is thrown away. */
enum hd_lost hd_solver_lost(const struct hd_solver *s);

/* "Z3 4.8.12" */
const char *hd_solver_version(void);

#endif
