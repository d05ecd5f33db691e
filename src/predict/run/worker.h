/* One worker of a prediction: the scratch memory for deciding goals, one at a time.
 *
 * filter rules goals out, many at a time; the steps that follow cost ever more: greedy, closure,
 * and the solver (decide_exact). All leave, after HD_RACE, a witness that model/ has accepted in
 * `witness`.
 */
#ifndef HD_PREDICT_RUN_WORKER_H
#define HD_PREDICT_RUN_WORKER_H

#include "model/witness.h"
#include "predict/smt/encode.h"
#include "predict/run/predict.h"
#include "predict/search/shorten.h"
#include "predict/ucg/ucg.h"

struct hd_worker {
    const struct hd_world *w;
    const struct hd_matching *matching;
    const struct hd_predict_options *options;
    double deadline; /* hd_progress_now() at which the run ends; 0 = never */
    double item_end; /* the same for the item in hand: no later */
    /* What the item in hand costs so far besides simulated events, and what it may cost, all in
     * all, when the time is over. Looks and simulated events are the same in each run; time is not.
     */
    uint64_t looks, work_end;
    /* In a cheap phase there are millions of questions, and not each looks at the clock. */
    bool cheap, late;
    uint32_t asked;
    struct hd_plan plan;
    struct hd_ucg *ucg;  /* or NULL */
    struct hd_vec hints; /* struct hd_ucg_order, for the solver's next goal */
    struct hd_sim *sim;
    struct hd_shortener *shortener;
    struct hd_encoder *encoder; /* made on first use; serves all pairs of this worker */
    struct hd_encoder *afresh;  /* the same for one pair at a time, see worker.c */
    struct hd_checker *checker;
    struct hd_witness witness; /* of the last race; owned here until taken */
    enum hd_step step;         /* that decided the last pair */
    double seconds[HD_STEPS];
    double shorten_seconds;
    struct hd_rejected rejected;
    bool goal_rejected; /* a witness of the goal in hand was */
};

/* ucg: NULL unless that step may be used. */
void hd_worker_init(struct hd_worker *k, const struct hd_world *w, const struct hd_ucg_base *ucg,
                    const struct hd_matching *matching, const struct hd_predict_options *options,
                    double deadline);
void hd_worker_fini(struct hd_worker *k);

/* The last filter, for up to HD_UCG_ASK goals that lie near each other: which of them no schedule
 * reaches. Requires of each: what the stops hold does not exclude each other and no must-order puts
 * one before the other, when those filters are on. After it `step` is that of the filter. */
void hd_worker_filter(struct hd_worker *k, const struct hd_goal *goals, size_t n, bool *impossible);

/* For a goal that the filters leave; HD_UNKNOWN also when the step may not be used. A step whose
 * witness model/ rejects counts as one that did not decide. follow: the second attempt too. */
enum hd_verdict hd_worker_greedy(struct hd_worker *k, const struct hd_goal *goal, bool follow);
/* Closure in the neighbourhood of the goal: what comes before stays as observed. Finds witnesses,
 * proves nothing. */
enum hd_verdict hd_worker_nearby(struct hd_worker *k, const struct hd_goal *goal);
enum hd_verdict hd_worker_closure(struct hd_worker *k, const struct hd_goal *goal);

/* The same with a schedule at hand: so many first events of each thread, in the order of the
 * trace. */
enum hd_verdict hd_worker_try_prefix(struct hd_worker *k, const struct hd_goal *goal,
                                     const uint32_t *ran);

enum hd_verdict hd_worker_decide_exact(struct hd_worker *k, const struct hd_goal *goal,
                                       enum hd_reason *why);

/* Why greedy left the last goal open; for decide_exact, which keeps it or knows better. */
static inline enum hd_reason hd_worker_open_reason(const struct hd_worker *k)
{
    return k->goal_rejected ? HD_WHY_REJECTED : HD_WHY_STEPS;
}

/* Makes a witness of the goal short; it is then in its long form. Costs about `steps` simulated
 * events; one too long for these stays as it is, unless `steps` is HD_SHORTEN_STEPS and few of its
 * events are needed. */
void hd_worker_shorten(struct hd_worker *k, const struct hd_goal *goal, struct hd_witness *w,
                       uint64_t steps);

/* Hands over the last witness, as it is: in short form. */
struct hd_witness hd_worker_take(struct hd_worker *k);
/* The same, made short; without its schedule when *kept, the sum of the entries so far, has reached
 * HD_PREDICT_KEPT_ENTRIES. */
struct hd_witness hd_worker_take_short(struct hd_worker *k, const struct hd_goal *goal,
                                       size_t *kept);

/* Begins an item that may cost `work` looks and simulated events even if the time is over. */
void hd_worker_begin(struct hd_worker *k, uint64_t work);
/* True when the time is up and the item has cost what it may, or the user has pressed Ctrl-C; *why
 * is which. */
bool hd_worker_stopped(struct hd_worker *k, enum hd_reason *why);

static inline bool hd_worker_may(const struct hd_worker *k, enum hd_step step)
{
    return k->options->steps >> step & 1;
}

#endif
