/* Questions about path conditions, put to the solver.
 *
 * A question is a set of literals "step i of the path went this way". Only the steps that share
 * inputs with each other matter to an answer: `slice` finds them. Answers with a model come back as
 * a new input; bytes that the question does not mention keep their value. Questions about one or
 * two bytes are answered by trying them all (trial.h). The solver's store is the caller's and may
 * serve many formulas.
 */
#ifndef HD_CONCOLIC_FORMULA_H
#define HD_CONCOLIC_FORMULA_H

#include "base/vec.h"
#include "concolic/path.h"
#include "concolic/trial.h"
#include "solve/bitvec.h"

struct hd_formula {
    struct hd_bv *bv;
    const struct hd_path *path;
    hd_term *term;   /* by node; 0: not made yet */
    uint32_t *stamp; /* by node: visited in round */
    uint32_t round;
    uint32_t *parent;      /* by node, for inputs: union-find of the slice */
    struct hd_u32vec work; /* nodes to visit */
    struct hd_vec extra;   /* struct hd_bv_lit: what hd_formula_exclude added */
    struct hd_vec wants;   /* struct hd_trial_want: the question in hand */
    struct hd_trial_answer answer;
    bool by_trial;  /* the last answer came without the solver; `answer` has it */
    uint64_t tried; /* answers without the solver, and their time */
    double seconds;
};

/* bv outlives f. */
void hd_formula_init(struct hd_formula *f, struct hd_bv *bv, const struct hd_path *path);
void hd_formula_fini(struct hd_formula *f);

/* The steps before `last` that share inputs, directly or through others, with step `last`;
 * ascending. */
void hd_formula_slice(struct hd_formula *f, uint32_t last, struct hd_u32vec *steps);

/* From now on every question demands that step k of another path does not go as it went there. */
void hd_formula_exclude(struct hd_formula *f, const struct hd_path *other, uint32_t k);

/* Can the steps go as they went, and step `last` the other way? On HD_SAT_YES the new input is in
 * *in, which the caller ends. */
enum hd_sat hd_formula_flip(struct hd_formula *f, const struct hd_u32vec *steps, uint32_t last,
                            double seconds, struct hd_input *in);

/* Removes from steps what is not needed for the contradiction: halves of them are tried first, then
 * smaller parts, at last each step alone. */
void hd_formula_core(struct hd_formula *f, struct hd_u32vec *steps, uint32_t last, double seconds);

/* Do the first `depth` steps of our path imply that step k of another path goes as it went there?
 * *steps: those the answer rests on. False also when the solver gives up. */
bool hd_formula_implies(struct hd_formula *f, uint32_t depth, const struct hd_path *other,
                        uint32_t k, double seconds, struct hd_u32vec *steps);

#endif
