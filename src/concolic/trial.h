/* Questions about one or two input bytes, answered by trying all their values.
 *
 * Most questions of a search are about a byte or two of text; then this is quicker than a solver,
 * never gives up, and copes with multiplication and division. Printable characters are tried first,
 * so that inputs are easy to read.
 */
#ifndef HD_CONCOLIC_TRIAL_H
#define HD_CONCOLIC_TRIAL_H

#include "base/vec.h"
#include "concolic/path.h"
#include "solve/bitvec.h"

#define HD_TRIAL_BYTES 2

/* What a question wants: this node, of width 1, to be so. */
struct hd_trial_want {
    uint32_t expr;
    bool is;
};

struct hd_trial_answer {
    uint32_t input[HD_TRIAL_BYTES]; /* nodes of the path; 0: not used */
    uint8_t value[HD_TRIAL_BYTES];
};

/* HD_SAT_UNKNOWN: there are too many bytes or too much to compute, or it was interrupted; nothing
 * was decided. HD_SAT_YES: values that do it are in *answer. */
enum hd_sat hd_trial(const struct hd_path *path, const struct hd_trial_want *wants, size_t n,
                     struct hd_trial_answer *answer);

#endif
