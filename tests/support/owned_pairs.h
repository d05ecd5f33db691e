/* Conflicting pairs of which one access has its object as x says and the other as y (enum
 * hd_owned), and which no must-order puts in a row: a rule that never fires is not tested. view: 1,
 * or HD_OWNED_VIEW where objects have locks. */
#ifndef HD_TESTS_SUPPORT_OWNED_PAIRS_H
#define HD_TESTS_SUPPORT_OWNED_PAIRS_H

#include "predict/index/world.h"
#include "judge.h"

static uint64_t owned_pairs(const char *text, size_t len, unsigned view, unsigned x, unsigned y)
{
    struct hd_trace *t = NULL;
    uint64_t pairs = 0;
    assert_int_equal(hd_text_read(text, len, "owned", &t, NULL), HD_OK);
    struct hd_world *w = hd_world_new(t);
    const uint8_t *owned = w->sections->owned;
    for (hd_eid a = 0; owned && a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++) {
            unsigned of_a = owned[a] / view % HD_OWNED_VIEW, of_b = owned[b] / view % HD_OWNED_VIEW;
            bool fits = (of_a == x && of_b == y) || (of_a == y && of_b == x);
            pairs += fits && t->obj[a] == t->obj[b] && t->thread[a] != t->thread[b] &&
                     (hd_op_writes(t->op[a]) || hd_op_writes(t->op[b])) &&
                     !hd_world_before(w, a, b);
        }
    hd_world_free(w);
    hd_trace_free(t);
    return pairs;
}

#endif
