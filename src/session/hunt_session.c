#include "session/hunt_session.h"

#include "session/session_int.h"
#include "record/record_child.h"
#include "explore/found.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void hd_hunt_session_begin(struct hd_hunt_session *h, char **argv, const char *dir, uint32_t times,
                           uint32_t timeout)
{
    /* No properties: the search has predicted already. */
    h->o = (struct hd_session_options){
        .argv = argv, .dir = dir, .runs = 1, .times = times, .timeout = timeout};
    hd_predict_defaults(&h->o.predict);
    h->s = hd_session_new(&h->o, NULL);
}

void hd_hunt_session_end(struct hd_hunt_session *h)
{
    hd_session_free(h->s);
}

static void note(struct hd_hunt_session *h, const struct hd_found *f, const char *why)
{
    struct hd_report *r = h->s->r;
    hd_report_add(r, &r->notes,
                  hd_report_format(r, "%s with test%06u.input: %s%s%s", hd_found_names[f->kind],
                                   f->test, f->text, *why ? "; " : "", why));
}

static void tell(const struct hd_finding *f, struct hd_hunt_taken *taken)
{
    snprintf(taken->id, sizeof taken->id, "%s", f->id);
    taken->proof = hd_finding_status_names[f->status];
    taken->confirmed = f->replays_confirmed;
    taken->tried = f->replays_tried;
    if (f->status == HD_FINDING_PREDICTED && f->reason)
        snprintf(taken->reason, sizeof taken->reason, "%s", f->reason);
}

static enum hd_status take(struct hd_hunt_session *h, const struct hd_found *f,
                           const struct hd_witness *w, struct hd_hunt_taken *taken,
                           struct hd_err *err)
{
    char name[32];
    size_t before = h->s->findings.len;
    snprintf(name, sizeof name, "test%06u.hdr", f->test);
    const struct hd_record_child *run = f->run;
    struct hd_session_known known = {w, f->predicted ? "" : run->assertion,
                                     !f->predicted && run->ending == HD_END_SIGNAL ? run->status
                                                                                   : 0};
    enum hd_status status = hd_session_take(h->s, name, &known, err);
    for (size_t i = before; i < h->s->findings.len; i++) {
        struct hd_finding *new = hd_vec_at(&h->s->findings, i);
        new->input = hd_report_format(h->s->r, "test%06u.input", f->test);
        tell(new, taken);
    }
    return status;
}

void hd_hunt_session_take(struct hd_hunt_session *h, const struct hd_found *f,
                          struct hd_hunt_taken *taken)
{
    struct hd_witness own = {0};
    struct hd_err err = {0};
    const struct hd_witness *w = f->predicted;
    *taken = (struct hd_hunt_taken){.proof = NULL};
    if (f->kind == HD_FOUND_HANG || f->kind == HD_FOUND_MEMORY) {
        note(h, f, "");
        return;
    }
    if (!w && f->trace && hd_explored_failure(f->trace, &own, &err) == HD_OK)
        w = &own;
    if (!w || take(h, f, w, taken, &err) != HD_OK || !*taken->id)
        note(h, f, err.text);
    hd_witness_fini(&own);
}

enum hd_status hd_hunt_session_finish(struct hd_hunt_session *h, const struct hd_hunt_stats *stats,
                                      struct hd_session_result *result, struct hd_err *err)
{
    struct hd_report *r = h->s->r;
    r->runs = stats->paths - stats->others;
    r->events = stats->events;
    r->threads = stats->threads;
    r->undecided = stats->undecided;
    r->record_seconds = stats->run_seconds;
    r->analyze_seconds = stats->predict_seconds;
    hd_session_ended(h->s, stats->wait_status);
    hd_report_add(r, &r->notes,
                  hd_report_format(r,
                                   "hunt: %" PRIu64 " path%s, %" PRIu32 " of %" PRIu32
                                   " outcomes of branches covered; ended by: %s",
                                   r->runs, r->runs == 1 ? "" : "s", stats->covered,
                                   stats->outcomes, stats->why_ended));
    for (uint32_t i = 0; i < stats->notes.count; i++)
        hd_report_add(r, &r->notes, hd_names_text(&stats->notes, i));
    for (uint32_t i = 0; i < stats->calls.count; i++)
        hd_report_add(r, &r->unmodelled,
                      hd_report_format(r, "%s (for the search over inputs)",
                                       hd_names_text(&stats->calls, i)));
    h->s->r->searched = true;
    return hd_session_finish(h->s, result, err);
}
