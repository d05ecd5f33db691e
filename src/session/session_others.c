/* Races whose replay did not confirm them: other pairs of the same two places may be shown. */
#include "session/session_int.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"
#include "build/details.h"
#include "predict/run/predict.h"
#include "report/format/words.h"
#include "report/make/make.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

#define SECONDS 2.0 /* for finding the pairs of one recording */
enum { TRIES = 6 }; /* replays for one finding */

/* Another pair may do what this one did not. Unordered races have none that is simultaneous, and
 * what code that is not seen did is in every pair. */
static bool may_have_others(const struct hd_finding *f)
{
    static const char *const verdicts[] = {"diverged", "impossible", "apart"};
    for (size_t i = 0; f->verdict && i < sizeof verdicts / sizeof *verdicts; i++)
        if (!strcmp(f->verdict, verdicts[i]))
            return f->property == HD_PROPERTY_RACE && f->status == HD_FINDING_PREDICTED &&
                   !hd_words_unordered(f);
    return false;
}

struct others {
    struct hd_session *s;
    const struct hd_trace *t;
    uint32_t *spots; /* or NULL */
    struct hd_maker *maker;
    struct hd_vec pairs;       /* hd_eid[2] */
    struct hd_u32vec findings; /* of each pair */
    struct hd_prediction found;
};

static uint32_t spot_of(const struct others *o, hd_eid e)
{
    return o->spots ? o->spots[e] : o->t->place[e];
}

/* Of the places of the pair, and not the pair itself. */
static bool is_other(const struct others *o, const hd_eid *pair, const struct hd_witness *w)
{
    uint32_t p = spot_of(o, pair[0]), q = spot_of(o, pair[1]);
    uint32_t a = spot_of(o, w->a), b = spot_of(o, w->b);
    bool same = (pair[0] == w->a && pair[1] == w->b) || (pair[0] == w->b && pair[1] == w->a);
    return !same && ((p == a && q == b) || (p == b && q == a));
}

static bool is_known(const struct others *o, const struct hd_finding *g, const struct hd_finding *f)
{
    for (size_t i = 0; i < o->s->findings.len; i++) {
        const struct hd_finding *other = hd_vec_at(&o->s->findings, i);
        if (other != f && !strcmp(other->fingerprint, g->fingerprint))
            return true;
    }
    return false;
}

/* Whether this witness shows the race: it is then the finding's. */
static bool show(const struct others *o, const struct hd_witness *w, struct hd_finding *f)
{
    char path[PATH_MAX];
    struct hd_finding g;
    hd_maker_finding(o->maker, w, &g);
    g.follows = f->follows;
    g.shown_by = f->shown_by;
    g.processes = f->processes;
    if (is_known(o, &g, f))
        return false;
    hd_session_try(o->s, o->t, w, &g);
    HD_DEBUG_LINE(SESSION, "%s: events %u and %u instead: %s", f->id, w->a + 1, w->b + 1,
                  g.status == HD_FINDING_CONFIRMED ? "confirmed" : "not confirmed");
    if (g.status == HD_FINDING_PREDICTED && g.counts == HD_COUNTS_OPEN &&
        f->counts == HD_COUNTS_NO) {
        f->counts = g.counts;
        f->verdict = g.verdict;
        f->reason = g.reason;
    }
    f->refuted = f->refuted && g.refuted;
    if (g.status != HD_FINDING_CONFIRMED || hd_session_save_witness(o->s, o->t, w, &g) != HD_OK)
        return false;
    if (strcmp(g.witness, f->witness) != 0 &&
        hd_session_path(o->s, f->witness, path, sizeof path) == HD_OK)
        unlink(path);
    *f = g;
    return true;
}

static void try_others(const struct others *o, size_t i)
{
    const hd_eid *pair = hd_vec_at(&o->pairs, i);
    struct hd_finding *f = hd_vec_at(&o->s->findings, o->findings.data[i]);
    unsigned tries = 0;
    o->s->replays.waiting = (o->pairs.len - i) * TRIES;
    o->s->replays.first = false;
    for (size_t k = 0; k < o->found.found.len && tries < TRIES && hd_session_has_time(o->s); k++) {
        const struct hd_predicted *p = hd_vec_at(&o->found.found, k);
        if (hd_interrupt_requested() || !is_other(o, pair, &p->witness) || !p->witness.n)
            continue;
        struct hd_witness whole = hd_witness_long(&p->witness, o->t, NULL);
        bool shown = show(o, &whole, f);
        hd_witness_fini(&whole);
        if (shown)
            return;
        tries++;
    }
    if (tries)
        f->reason =
            hd_report_format(o->s->r,
                             "%s; %u other pair%s of these places %s not confirmed "
                             "either",
                             f->reason, tries, tries == 1 ? "" : "s", tries == 1 ? "was" : "were");
}

static void collect(struct others *o, size_t first)
{
    for (size_t i = first; i < o->s->findings.len; i++) {
        const struct hd_finding *f = hd_vec_at(&o->s->findings, i);
        if (!may_have_others(f))
            continue;
        hd_eid *pair = hd_vec_push(&o->pairs);
        pair[0] = (hd_eid)f->accesses[0].event - 1;
        pair[1] = (hd_eid)f->accesses[1].event - 1;
        hd_u32vec_push(&o->findings, (uint32_t)i);
    }
}

static void find(struct others *o)
{
    struct hd_predict_options options = o->s->o->predict;
    struct hd_err err = {0};
    double left = o->s->end != 0 ? (o->s->end - hd_progress_now()) / 2 : SECONDS;
    options.spots = hd_details_spots;
    options.beside = o->pairs.data;
    options.n_beside = o->pairs.len;
    options.seconds = left < SECONDS ? left : SECONDS;
    hd_predict(o->t, HD_PROPERTY_RACE, &options, &o->found, &err);
    HD_DEBUG_LINE(SESSION, "%zu other pairs for %zu findings", o->found.found.len, o->pairs.len);
}

void hd_session_others(struct hd_session *s, const struct hd_trace *t, size_t first)
{
    struct others o = {.s = s, .t = t, .pairs = HD_VEC_INIT(hd_eid[2])};
    collect(&o, first);
    if (o.pairs.len && (s->end == 0 || s->end > hd_progress_now()) && !hd_interrupt_requested()) {
        find(&o);
        o.spots = hd_details_spots(t);
        o.maker = hd_maker_new(s->r, t, s->sources);
        for (size_t i = 0; i < o.found.found.len; i++)
            hd_maker_announce(o.maker,
                              &((struct hd_predicted *)hd_vec_at(&o.found.found, i))->witness);
        hd_maker_walk(o.maker);
        for (size_t i = 0; i < o.pairs.len; i++)
            try_others(&o, i);
        hd_maker_free(o.maker);
        hd_free(o.spots, o.spots ? t->n_events * sizeof *o.spots : 0);
        hd_prediction_fini(&o.found);
    }
    hd_vec_fini(&o.pairs);
    hd_u32vec_fini(&o.findings);
}
