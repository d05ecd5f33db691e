/* The inside of the encoder, shared by encode.c (memory, dependences, pairs) and encode_sync.c
 * (locks, waits, semaphores, barriers). */
#ifndef HD_PREDICT_SMT_ENCODE_INT_H
#define HD_PREDICT_SMT_ENCODE_INT_H

#include "base/hash.h"
#include "predict/search/cone.h"
#include "predict/smt/encode.h"
#include "predict/search/plan.h"
#include "solve/solve.h"

struct hd_encoder {
    const struct hd_world *w;
    struct hd_plan plan;
    struct hd_cone cone;
    struct hd_solver *s; /* has all about the events below `cut`, nothing about a pair; or NULL */
    uint32_t *cut;
    bool whole_history; /* a written value depends on all earlier reads, whatever the trace names */
    const struct hd_vec *hints; /* struct hd_ucg_order, or NULL */
    struct hd_solver_limits limits;
    enum hd_lost lost; /* why the last goal was left undecided */
    bool late; /* the deadline passed or the user interrupted: the formula may be incomplete */
    uint32_t *first;   /* by thread: number of its first event among the encoded ones */
    struct hd_vec inc; /* hd_lit by encoded event: it runs. Events are numbered thread by thread */
    struct hd_vec ord; /* hd_ord by encoded event */
    struct hd_map fresh; /* read: index into lits of "it returned its traced value" */
    struct hd_map all; /* event: index into lits of "all reads of the thread before it are fresh" */
    struct hd_map stores;  /* write: index into lits of "it stored its traced value" */
    struct hd_vec lits;    /* hd_lit */
    struct hd_u32vec todo; /* reads whose meaning is still to be said */
    struct hd_vec clause;  /* hd_lit: the clause under construction */
};

static inline bool hd_enc_has(const struct hd_encoder *e, hd_eid x)
{
    return x != HD_EID_NONE && e->w->t->pos[x] < e->cut[e->w->t->thread[x]];
}

/* Number of an encoded event; requires that it is below the cut. */
static inline uint32_t hd_enc_number(const struct hd_encoder *e, hd_eid x)
{
    HD_DCHECK(hd_enc_has(e, x));
    return e->first[e->w->t->thread[x]] + e->w->t->pos[x];
}

/* "x runs"; false for events beyond the cut. */
static inline hd_lit hd_enc_inc(const struct hd_encoder *e, hd_eid x)
{
    return hd_enc_has(e, x) ? *(hd_lit *)hd_vec_at(&e->inc, hd_enc_number(e, x)) : HD_LIT_FALSE;
}

static inline hd_ord hd_enc_ord(const struct hd_encoder *e, hd_eid x)
{
    return *(hd_ord *)hd_vec_at(&e->ord, hd_enc_number(e, x));
}

/* "x comes before y", both below the cut. A constant where the must-order or program order decides
 * it.
 */
hd_lit hd_encode_before(struct hd_encoder *e, hd_eid x, hd_eid y);

/* Clauses: begin, add literals, end. A true literal drops the clause, a false one is left out. */
void hd_encode_begin(struct hd_encoder *e);
void hd_encode_add(struct hd_encoder *e, hd_lit lit);
void hd_encode_end(struct hd_encoder *e);
void hd_encode_implies(struct hd_encoder *e, hd_lit from, hd_lit to);
/* from implies that one of x, y, z holds */
void hd_encode_implies3(struct hd_encoder *e, hd_lit from, hd_lit x, hd_lit y, hd_lit z);

/* Says everything about the events below `cut`, in a new solver. */
void hd_encode_events(struct hd_encoder *e);

/* "Read r returned its traced value"; "all reads of the thread before x did". What it takes is said
 * by the next hd_encode_settle, which must come before a check. */
hd_lit hd_encode_fresh(struct hd_encoder *e, hd_eid r);
hd_lit hd_encode_all_fresh(struct hd_encoder *e, hd_eid x);
void hd_encode_settle(struct hd_encoder *e);
/* Whether the formula holds together with `assumption`; unknown if it was not finished. */
enum hd_sat hd_encode_check(struct hd_encoder *e, hd_lit assumption, double seconds);

/* After a check that holds: the events that run, in their order. False: the solver was lost. */
bool hd_encode_order(struct hd_encoder *e, struct hd_u32vec *order);

/* encode_sync.c: everything about locks, waits, semaphores and barriers below the cut. */
void hd_encode_locks(struct hd_encoder *e);
void hd_encode_waits(struct hd_encoder *e);
void hd_encode_sems(struct hd_encoder *e);
void hd_encode_barriers(struct hd_encoder *e);

#endif
