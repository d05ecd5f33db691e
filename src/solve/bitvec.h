/* Bit-vector formulas, as path conditions need them.
 *
 * A term is a number from 1 up; 0 is no term. Widths are 1 to 64 bits; a term of width 1 can be
 * asked to be true or false. Terms belong to one formula store and live as long as it does.
 *
 * A check asks whether a set of literals holds together, with a time limit; every check is a fresh
 * one, so that one which gave up cannot spoil the next. Z3 runs in a process of its own, which is
 * killed when the time is up, when it takes too much memory or when the user presses Ctrl-C
 * (HD_SAT_UNKNOWN); the next check starts another. A store belongs to one thread.
 */
#ifndef HD_SOLVE_BITVEC_H
#define HD_SOLVE_BITVEC_H

#include "solve/solve.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint32_t hd_term;

enum hd_bv_op {
    HD_BV_ADD,
    HD_BV_SUB,
    HD_BV_MUL,
    HD_BV_UDIV,
    HD_BV_SDIV,
    HD_BV_UREM,
    HD_BV_SREM,
    HD_BV_SHL,
    HD_BV_LSHR,
    HD_BV_ASHR,
    HD_BV_AND,
    HD_BV_OR,
    HD_BV_XOR,
    HD_BV_EQ, /* the comparisons have width 1 */
    HD_BV_NE,
    HD_BV_UGT,
    HD_BV_UGE,
    HD_BV_ULT,
    HD_BV_ULE,
    HD_BV_SGT,
    HD_BV_SGE,
    HD_BV_SLT,
    HD_BV_SLE,
    HD_BV_CONCAT, /* a is the high part */
};

struct hd_bv;

struct hd_bv *hd_bv_new(void);
void hd_bv_free(struct hd_bv *bv); /* NULL is fine */

hd_term hd_bv_var(struct hd_bv *bv, unsigned width);
hd_term hd_bv_const(struct hd_bv *bv, unsigned width, uint64_t value);
/* a and b have the same width, except for CONCAT. */
hd_term hd_bv_binary(struct hd_bv *bv, enum hd_bv_op op, hd_term a, hd_term b);
hd_term hd_bv_extend(struct hd_bv *bv, hd_term a, unsigned width, bool is_signed);
hd_term hd_bv_extract(struct hd_bv *bv, hd_term a, unsigned low, unsigned width);
hd_term hd_bv_ite(struct hd_bv *bv, hd_term cond, hd_term a, hd_term b);
unsigned hd_bv_width(struct hd_bv *bv, hd_term a);

/* A literal: a term of width 1 that is to be 1, or 0 when negative. */
struct hd_bv_lit {
    hd_term term;
    bool is;
};

/* Do all literals hold for some values of the variables? seconds > 0. */
enum hd_sat hd_bv_check(struct hd_bv *bv, const struct hd_bv_lit *lits, size_t n, double seconds);
/* After HD_SAT_YES; 0 if the process was killed since. */
uint64_t hd_bv_value(struct hd_bv *bv, hd_term a);

uint64_t hd_bv_checks(const struct hd_bv *bv); /* so far */
double hd_bv_seconds(const struct hd_bv *bv);  /* spent in them */

#endif
