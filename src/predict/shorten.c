#include "predict/shorten.h"

#include "base/alloc.h"
#include "predict/repair.h"
#include "predict/resequence.h"

#include <string.h>

/* Mending more often than this means the plan is about to rebuild the whole witness anyway. */
enum { MAX_MENDED = 500 };

struct hd_shortener {
    const struct hd_world *w;
    struct hd_sim *sim;
    struct hd_plan plan;
    uint32_t *rank; /* by event: 1 + its index in the given schedule, or 0 */
};

struct hd_shortener *hd_shortener_new(const struct hd_world *w, struct hd_sim *sim)
{
    struct hd_shortener *s = hd_calloc(1, sizeof *s);
    s->w = w;
    s->sim = sim;
    hd_plan_init(&s->plan, w);
    s->rank = hd_calloc(w->t->n_events, sizeof *s->rank);
    return s;
}

void hd_shortener_free(struct hd_shortener *s)
{
    if (!s)
        return;
    hd_plan_fini(&s->plan);
    hd_free(s->rank, s->w->t->n_events * sizeof *s->rank);
    hd_free(s, sizeof *s);
}

static bool as_in_witness(const struct hd_shortener *s, const struct hd_repair *repair)
{
    for (uint32_t i = 0; i < repair->n_edges; i++) {
        uint32_t from = s->rank[repair->edges[i].from], to = s->rank[repair->edges[i].to];
        if (!from || !to || from > to)
            return false;
    }
    return true;
}

/* Mends the plan in the way the witness does it. */
static bool mend(struct hd_shortener *s, enum hd_sim_result result,
                 const struct hd_sim_failure *failure)
{
    struct hd_vec repairs = HD_VEC_INIT(struct hd_repair);
    bool mended = false;
    hd_repair_list(&s->plan, s->sim, result, failure, &repairs);
    for (size_t i = 0; i < repairs.len && !mended; i++) {
        const struct hd_repair *repair = hd_vec_at(&repairs, i);
        mended = as_in_witness(s, repair) && hd_repair_apply(&s->plan, repair);
    }
    hd_vec_fini(&repairs);
    return mended;
}

/* Grows a plan along the witness until its simulation succeeds. */
static bool regrow(struct hd_shortener *s, const struct hd_witness *w)
{
    struct hd_sim_failure failure;
    if (!hd_plan_start(&s->plan, w->a, w->b))
        return false;
    for (int i = 0; i < MAX_MENDED; i++) {
        enum hd_sim_result result = hd_sim_run(s->sim, &s->plan, 0, &failure);
        if (result == HD_SIM_DONE)
            return true;
        if (result == HD_SIM_CYCLE || !mend(s, result, &failure))
            return false;
    }
    return false;
}

bool hd_shorten(struct hd_shortener *s, const struct hd_witness *w, struct hd_witness *out)
{
    for (size_t i = 0; i < w->n; i++)
        s->rank[w->schedule[i]] = (uint32_t)i + 1;
    bool found = regrow(s, w);
    for (size_t i = 0; i < w->n; i++)
        s->rank[w->schedule[i]] = 0;
    if (!found)
        return false;
    const struct hd_u32vec *order = hd_sim_order(s->sim);
    const struct hd_vec *wakes = hd_sim_wakes(s->sim);
    *out = (struct hd_witness){.a = w->a, .b = w->b, .n = order->len + 2, .n_wakes = wakes->len};
    out->schedule = hd_alloc(out->n * sizeof *out->schedule);
    if (order->len)
        memcpy(out->schedule, order->data, order->len * sizeof *order->data);
    out->schedule[out->n - 2] = w->a;
    out->schedule[out->n - 1] = w->b;
    out->wakes = hd_alloc(wakes->len * sizeof *out->wakes);
    if (wakes->len)
        memcpy(out->wakes, wakes->data, wakes->len * sizeof *out->wakes);
    hd_resequence(&s->plan, out->schedule, out->n);
    return true;
}

size_t hd_shorten_switches(const struct hd_trace *t, const hd_eid *schedule, size_t n)
{
    size_t switches = 0;
    for (size_t i = 1; i < n; i++)
        switches += t->thread[schedule[i]] != t->thread[schedule[i - 1]];
    return switches;
}
