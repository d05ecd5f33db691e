#include "detect/filters/contended.h"

#include "base/alloc.h"
#include "base/log.h"

static void log_count(const uint8_t *mask, size_t locs)
{
    size_t n = 0;
    for (size_t i = 0; i < locs; i++)
        n += mask[i] == HD_LOC_CONTENDED;
    hd_log(HD_ROOM_DETECT, HD_LOG_DEBUG, "%zu of %zu locations can take part in a race", n, locs);
}

uint8_t *hd_contended_new(const struct hd_trace *t)
{
    static const uint8_t adds[HD_OP_COUNT] = {
        [HD_OP_READ] = HD_LOC_PLAIN,
        [HD_OP_WRITE] = HD_LOC_PLAIN | HD_LOC_WRITTEN,
        [HD_OP_AWRITE] = HD_LOC_WRITTEN,
        [HD_OP_RMW] = HD_LOC_WRITTEN,
    };
    size_t locs = hd_trace_n_objs(t, HD_OBJ_LOC);
    uint8_t *mask = hd_calloc(locs, sizeof *mask);
    uint32_t *first = hd_calloc(locs, sizeof *first); /* thread + 1 */
    for (size_t e = 0; e < t->n_events; e++) {
        if (!hd_op_is_access(t->op[e]))
            continue;
        uint32_t loc = t->obj[e], thread = t->thread[e] + 1u;
        uint8_t more = adds[t->op[e]];
        if (first[loc] != thread) {
            if (first[loc])
                more |= HD_LOC_SHARED;
            else
                first[loc] = thread;
        }
        mask[loc] |= more;
    }
    if (hd_log_on(HD_ROOM_DETECT, HD_LOG_DEBUG))
        log_count(mask, locs);
    hd_free(first, locs * sizeof *first);
    return mask;
}

void hd_contended_free(uint8_t *mask, const struct hd_trace *t)
{
    hd_free(mask, hd_trace_n_objs(t, HD_OBJ_LOC) * sizeof *mask);
}
