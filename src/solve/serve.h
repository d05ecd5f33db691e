/* The inside of a solver process: reads operations (solve/wire.h) from a socket, builds Z3's
 * formulas, and answers.
 *
 * It runs in a child that was forked while other threads of the tool ran, so it touches nothing of
 * theirs: it has its own Z3 context and its own memory, prints nothing and leaves by _exit alone.
 */
#ifndef HD_SOLVE_SERVE_H
#define HD_SOLVE_SERVE_H

#include "base/vec.h"
#include "solve/wire.h"
#include "solve/z3_calls.h"

/* Exit code when the memory limit is reached. Z3 itself uses it for the same. */
enum { HD_SERVE_NO_MEMORY = 101 };

_Noreturn void hd_serve(int fd);

/* ---- shared by serve*.c ---- */

struct hd_serve {
    int fd;
    uint8_t in[1 << 16];
    size_t at, end; /* of `in` */
    uint8_t out[1 << 12];
    size_t out_len;
    size_t own_memory; /* address space at the start: what the tool had */
    Z3_context ctx;    /* of the formula in hand, or NULL */
    Z3_solver solver;  /* or NULL */
    Z3_model model;    /* of the last HD_REPLY_YES, or NULL */
    Z3_sort int_sort, bool_sort;
    struct hd_vec *asts;   /* Z3_ast: Booleans, or bits of terms */
    struct hd_vec *others; /* Z3_ast: order variables, or truths of terms */
    struct hd_vec *parts;  /* Z3_ast: scratch */
};

uint64_t hd_serve_get(struct hd_serve *s);
int64_t hd_serve_get_signed(struct hd_serve *s);
void hd_serve_result(struct hd_serve *s, Z3_lbool result); /* and keeps the model */
void hd_serve_value(struct hd_serve *s, Z3_ast ast);       /* replies a number or a truth value */
Z3_ast hd_serve_at(const struct hd_vec *v, uint64_t i);    /* a bug of ours ends the process */

/* One operation on formulas of its kind. */
void hd_serve_order(struct hd_serve *s, enum hd_wire_op op);
void hd_serve_bits(struct hd_serve *s, enum hd_wire_op op);

#endif
