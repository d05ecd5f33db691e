/* What a run has shown: coverage, races by prediction, and how it ended. */
#include "concolic/input_search_int.h"

#include "base/alloc.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/printable.h"
#include "base/progress.h"
#include "build/details.h"
#include "build/load.h"
#include "concolic/ktest.h"
#include "model/witness_json.h"
#include "predict/run/predict.h"
#include "trace/trace_io.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

const char *const hd_found_names[HD_FOUND_KINDS] = {"race",     "assertion",     "crash",
                                                    "deadlock", "out of memory", "hang"};
static const char *const file_names[HD_FOUND_KINDS] = {"race",     "assert", "crash",
                                                       "deadlock", "memory", "hang"};

/* ---- coverage ---- */

void hd_input_search_cover(struct hd_search *s, const struct hd_shared_arena *a)
{
    if (a->n_outcomes > s->cap_cover) {
        s->cover = hd_realloc(s->cover, s->cap_cover, a->n_outcomes);
        memset(s->cover + s->cap_cover, 0, a->n_outcomes - s->cap_cover);
        s->cap_cover = a->n_outcomes;
    }
    for (uint32_t i = 0; i < a->n_outcomes; i++)
        s->cover[i] |= a->cover[i];
    s->stats->outcomes = s->cap_cover;
    s->stats->covered = 0;
    for (uint32_t i = 0; i < s->cap_cover; i++)
        s->stats->covered += s->cover[i] != 0;
}

void hd_input_search_uncovered(struct hd_search *s, const struct hd_shared_arena *a)
{
    char text[512];
    hd_names_fini(&s->stats->uncovered);
    s->stats->uncovered = (struct hd_names){0};
    for (uint32_t i = 0; i < a->n_branches; i++) {
        const struct hd_sym_branch *b = &a->branches[i];
        for (uint32_t k = 0; k < b->outcomes && b->first + k < s->cap_cover; k++) {
            if (s->cover[b->first + k])
                continue;
            const char *way = b->outcomes > 2 ? k + 1 == b->outcomes ? "default" : "case"
                              : k             ? "true"
                                              : "false";
            int n =
                snprintf(text, sizeof text, "%s:%u: %s (%s)", hd_shared_arena_string(a, b->file),
                         b->line, hd_shared_arena_string(a, b->func), way);
            hd_printable_make(text);
            if (n > 0 && (size_t)n < sizeof text)
                hd_names_add(&s->stats->uncovered, text, (size_t)n);
        }
    }
}

/* ---- telling ---- */

struct about {
    enum hd_found_kind kind;
    const struct hd_trace *t;
    const struct hd_predicted *race;
    const struct hd_witness *witness; /* NULL: it happened in the run itself */
    unsigned in_run;                  /* of its kind, predicted on this run, from 1; 0: no matter */
    const char *key, *text;
};

static bool save_witness(struct hd_search *s, const struct hd_flight *f, const struct about *a,
                         char *path, size_t size)
{
    struct hd_outfile out;
    char trace[32];
    snprintf(path, size, "%s/test%06u.%s%u.witness.json", s->o->dir, f->run.number,
             file_names[a->kind], a->in_run);
    snprintf(trace, sizeof trace, "test%06u.hdr", f->run.number);
    if (hd_outfile_open(path, &out, s->err) != HD_OK)
        return false;
    hd_witness_json_write_named(out.file, a->t, a->witness, trace, NULL);
    return hd_outfile_commit(&out, s->err) == HD_OK;
}

static void save_reason(struct hd_search *s, const struct hd_flight *f, const struct about *a)
{
    char path[PATH_MAX + 64];
    struct hd_outfile out;
    snprintf(path, sizeof path, "%s/test%06u.%s%.0u.err", s->dir, f->run.number,
             file_names[a->kind], a->in_run);
    if (hd_outfile_open(path, &out, s->err) != HD_OK)
        return;
    fprintf(out.file, "%s: %s\n", hd_found_names[a->kind], a->text);
    hd_outfile_commit(&out, s->err);
}

/* A finding can be repeated: its trace stays, and an arena that only holds the input. */
static void keep_files(struct hd_search *s, struct hd_flight *f)
{
    char prefix[PATH_MAX + 32];
    if (f->kept)
        return;
    f->kept = true;
    snprintf(prefix, sizeof prefix, "%s/test%06u", s->dir, f->run.number);
    hd_ktest_plain(prefix, &f->in, s->err);
    unlink(f->run.arena);
    hd_shared_arena_create(f->run.arena, &f->in, true, s->err);
    f->run.arena[0] = 0;
}

/* False: the same was reported before. */
static bool report(struct hd_search *s, struct hd_flight *f, const struct about *a)
{
    char input[PATH_MAX + 32], witness[PATH_MAX + 64];
    uint32_t id;
    if (hd_names_find(&s->known, a->key, strlen(a->key), &id))
        return false;
    hd_names_add(&s->known, a->key, strlen(a->key));
    HD_DEBUG_LINE(CONCOLIC, "run %u: %s: %s", f->run.number, hd_found_names[a->kind], a->text);
    s->stats->found[a->kind]++;
    if (a->kind == HD_FOUND_RACE && s->stats->first_race < 0)
        s->stats->first_race = hd_progress_now() - s->started;
    keep_files(s, f);
    snprintf(input, sizeof input, "%s/test%06u.input", s->o->dir, f->run.number);
    bool has_witness = a->witness && save_witness(s, f, a, witness, sizeof witness);
    save_reason(s, f, a);
    fprintf(s->messages, "test%06u: %s: %s\n", f->run.number, hd_found_names[a->kind], a->text);
    struct hd_found found = {.kind = a->kind,
                             .test = f->run.number,
                             .text = a->text,
                             .trace = a->t,
                             .race = a->race,
                             .predicted = a->witness,
                             .run = &f->run.child,
                             .in = &f->in,
                             .input = input,
                             .witness = has_witness ? witness : NULL};
    if (s->o->found)
        s->o->found(s->o->ctx, &found);
    return true;
}

/* ---- races ---- */

static bool report_race(struct hd_search *s, struct hd_flight *f, const struct hd_trace *t,
                        const struct hd_predicted *race, const struct hd_witness *whole,
                        unsigned number)
{
    char key[1024], text[1024];
    const char *a = hd_trace_place_name(t, race->witness.a);
    const char *b = hd_trace_place_name(t, race->witness.b);
    bool swap = strcmp(a, b) > 0;
    snprintf(key, sizeof key, "race %s %s", swap ? b : a, swap ? a : b);
    snprintf(text, sizeof text, "%s: %s and %s",
             hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[race->witness.a]), a, b);
    struct about about = {HD_FOUND_RACE, t, race, whole, number, key, text};
    return report(s, f, &about);
}

/* Nothing can be said about this run; the search goes on. */
static void not_read(struct hd_search *s, const struct hd_flight *f, const struct hd_err *why)
{
    s->stats->unread++;
    fprintf(s->messages, "test%06u: no prediction: %s\n", f->run.number, why->text);
}

/* ---- deadlocks under another schedule ---- */

static bool report_deadlock(struct hd_search *s, struct hd_flight *f, const struct hd_trace *t,
                            const struct hd_witness *w, unsigned number)
{
    char key[1024], text[1024];
    size_t n = (size_t)snprintf(text, sizeof text, "threads can wait for each other at");
    for (size_t i = 0; i < w->n_events && n < sizeof text; i++)
        n += (size_t)snprintf(text + n, sizeof text - n, "%s %s", i ? " and" : "",
                              hd_trace_place_name(t, w->events[i]));
    snprintf(key, sizeof key, "%d %.1000s", (int)HD_FOUND_DEADLOCK, text);
    struct about about = {HD_FOUND_DEADLOCK, t, NULL, w, number, key, text};
    return report(s, f, &about);
}

/* ---- what the run allows ---- */

static bool report_predicted(struct hd_search *s, struct hd_flight *f, const struct hd_trace *t,
                             const struct hd_predicted *one, unsigned number)
{
    struct hd_witness whole = hd_witness_long(&one->witness, t, NULL);
    bool reported = whole.property == HD_PROPERTY_RACE ? report_race(s, f, t, one, &whole, number)
                                                       : report_deadlock(s, f, t, &whole, number);
    hd_witness_fini(&whole);
    return reported;
}

static bool find_predicted(struct hd_search *s, struct hd_flight *f, const struct hd_trace *t,
                           enum hd_property property)
{
    struct hd_predict_options po;
    struct hd_prediction p;
    unsigned reported = 0;
    hd_predict_defaults(&po);
    po.jobs = s->o->jobs;
    po.spots = hd_details_spots;
    if (hd_predict(t, property, &po, &p, s->err) == HD_OK) {
        s->stats->predict_seconds += p.seconds;
        s->stats->undecided += p.open + p.cut;
        for (size_t i = 0; i < p.found.len; i++)
            reported += report_predicted(s, f, t, hd_vec_at(&p.found, i), reported + 1);
    } else {
        not_read(s, f, s->err);
    }
    hd_prediction_fini(&p);
    return reported > 0;
}

/* ---- ends ---- */

static const char *last_place(const struct hd_trace *t)
{
    return t && t->n_events > 0 ? hd_trace_place_name(t, (hd_eid)(t->n_events - 1)) : "its start";
}

static bool find_end(struct hd_search *s, struct hd_flight *f, const struct hd_trace *t)
{
    const struct hd_record_child *r = &f->run.child;
    char key[1200], text[1024];
    struct about a = {.t = t, .key = key, .text = text};
    switch (r->ending) {
    case HD_END_SIGNAL:
        a.kind = *r->assertion ? HD_FOUND_ASSERTION : HD_FOUND_CRASH;
        if (*r->assertion)
            snprintf(text, sizeof text, "%s", r->assertion);
        else
            snprintf(text, sizeof text, "SIG%s after %s", sigabbrev_np(r->status), last_place(t));
        break;
    case HD_END_DEADLOCK:
        a.kind = HD_FOUND_DEADLOCK;
        snprintf(text, sizeof text, "no thread can go on after %s", last_place(t));
        break;
    case HD_END_MEMORY:
        a.kind = HD_FOUND_MEMORY;
        snprintf(text, sizeof text, "killed after %s", last_place(t));
        break;
    case HD_END_TIMEOUT:
        a.kind = HD_FOUND_HANG;
        snprintf(text, sizeof text, "not at its end after %.0f s of processor time",
                 s->o->limits.seconds);
        break;
    default:
        return false;
    }
    snprintf(key, sizeof key, "%d %s", (int)a.kind, text);
    return report(s, f, &a);
}

static void take_remarks(struct hd_search *s, const struct hd_remarks *remarks)
{
    char text[HD_REMARK_SIZE];
    for (size_t i = 0; i < hd_remarks_count(remarks); i++) {
        if (hd_remarks_kind(remarks, i) == HD_REMARK_DEADLOCK)
            continue; /* a finding of its own */
        hd_remarks_text(remarks, i, text);
        hd_names_add(&s->stats->notes, text, strlen(text));
    }
}

void hd_input_search_find(struct hd_search *s, struct hd_flight *f)
{
    struct hd_trace *t = NULL;
    struct hd_build_info built = {0};
    struct hd_err err = {0};
    bool any = false, predict = f->run.child.threads > 1 && !s->o->no_predict;
    if ((predict || f->run.child.ending != HD_END_EXIT) &&
        hd_load_trace(f->run.trace, &t, NULL, &built, &err) != HD_OK)
        t = NULL;
    if (predict && t) {
        any = find_predicted(s, f, t, HD_PROPERTY_RACE);
        any = find_predicted(s, f, t, HD_PROPERTY_DEADLOCK) || any;
    } else if (predict) {
        not_read(s, f, &err);
    }
    take_remarks(s, &built.remarks);
    hd_build_info_fini(&built);
    any |= find_end(s, f, t);
    hd_trace_free(t);
    if (any || s->o->keep_all) {
        keep_files(s, f);
        return;
    }
    hd_run_remove(&f->run);
}
