#include "report/format/sarif.h"

#include "report/format/report_escape.h"
#include "report/format/lanes.h"
#include "report/format/put.h"
#include "report/format/words.h"

#include <inttypes.h>
#include <string.h>

/* Code scanning takes at most 10,000 thread flow locations a result (every step stands in two
 * flows), and 10 MB of compressed text in all. */
enum { MAX_STEPS = 5000, MIN_STEPS = 100, STEP_BUDGET = 40000 };

static const struct {
    const char *id, *name, *title, *text, *severity;
    const char *tags[4];
} rules[HD_PROPERTIES + 1] = {
    {"data-race",
     "DataRace",
     "Data race",
     "Two threads access the same memory at the same time, and one of them writes",
     "7.0",
     {"concurrency", "security", "CWE-362", "CWE-366"}},
    {"atomicity-violation",
     "AtomicityViolation",
     "Atomicity violation",
     "Another thread's access comes between two that are meant to be one",
     "6.0",
     {"concurrency", "security", "CWE-362", "CWE-367"}},
    {"deadlock",
     "Deadlock",
     "Deadlock",
     "Threads wait for each other in a circle, for ever",
     "5.0",
     {"concurrency", "security", "CWE-667", "CWE-833"}},
    {"failure",
     "Failure",
     "Failure",
     "The program crashes, hangs or fails an assertion under a schedule",
     "6.0",
     {"concurrency", "correctness", "CWE-362", "CWE-691"}},
    {"unordered-race",
     "UnorderedRace",
     "Unordered race",
     "Memory orders of atomic operations leave two accesses unordered, and one of them writes",
     "7.0",
     {"concurrency", "security", "CWE-362", "CWE-366"}},
};

struct writer {
    struct hd_json j;
    struct hd_arena *a;
    const struct hd_report *r;
    const char *root;
};

/* In SARIF messages [text](target) is a link; texts of programs must not make one. */
static const char *no_links(struct hd_arena *a, const char *text)
{
    char *copy = hd_arena_alloc(a, 2 * strlen(text) + 1), *c = copy;
    for (const char *p = text; *p; p++) {
        *c++ = *p;
        if (p[0] == ']' && p[1] == '(')
            *c++ = ' ';
    }
    *c = 0;
    return copy;
}

static void put_message(struct writer *w, const char *key, const char *text)
{
    hd_put_object(&w->j, key);
    hd_put_text(&w->j, "text", no_links(w->a, text));
    hd_json_end_object(&w->j);
}

static void put_artifact(struct writer *w, const char *file)
{
    const char *path = hd_words_path(w->root, file);
    hd_put_object(&w->j, "artifactLocation");
    hd_put_text(&w->j, "uri", hd_escape_uri(w->a, path));
    if (*path != '/')
        hd_put_text(&w->j, "uriBaseId", "SRCROOT");
    hd_json_end_object(&w->j);
}

/* The members of a location object. */
static void put_location(struct writer *w, const struct hd_spot *at, const char *message)
{
    struct hd_json *j = &w->j;
    if (message)
        put_message(w, "message", message);
    if (at->file) {
        hd_put_object(j, "physicalLocation");
        put_artifact(w, at->file);
        if (at->line) {
            hd_put_object(j, "region");
            hd_put_uint(j, "startLine", at->line);
            if (at->column)
                hd_put_uint(j, "startColumn", at->column);
            hd_json_end_object(j);
        }
        hd_json_end_object(j);
    }
    if (at->function) {
        hd_put_array(j, "logicalLocations");
        hd_json_begin_object(j);
        hd_put_text(j, "name", at->function);
        hd_put_text(j, "kind", "function");
        hd_json_end_object(j);
        hd_json_end_array(j);
    }
}

/* SARIF wants the stacks of a result to differ, so each names its access. */
static void put_stack(struct writer *w, const struct hd_finding *f, size_t access)
{
    const struct hd_access *x = &f->accesses[access];
    struct hd_json *j = &w->j;
    hd_json_begin_object(j);
    put_message(w, "message",
                hd_words_format(w->a, "access %zu, %s: %s, holding %s", access + 1, x->thread,
                                x->kind, hd_words_locks(w->a, x)));
    hd_put_array(j, "frames");
    for (size_t i = 0; i < x->stack.n; i++) {
        const struct hd_frame *frame = &x->stack.frames[i];
        hd_json_begin_object(j);
        hd_put_object(j, "location");
        put_location(w, &frame->at, NULL);
        hd_json_end_object(j);
        if (frame->module)
            hd_put_text(j, "module", frame->module);
        hd_json_end_object(j);
    }
    hd_json_end_array(j);
    hd_json_end_object(j);
}

/* ---- flows ---- */

static const char *step_kind(const struct hd_schedule_step *s)
{
    static const struct {
        const char *op, *kind;
    } kinds[] = {{"acq", "acquire"},  {"racq", "acquire"},  {"wake", "acquire"},
                 {"tmo", "acquire"},  {"sem", "acquire"},   {"rel", "release"},
                 {"rrel", "release"}, {"wait", "release"},  {"post", "release"},
                 {"sig", "release"},  {"bcast", "release"}, {"br", "branch"},
                 {"fork", "call"},    {"join", "return"}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].op, s->op))
            return kinds[i].kind;
    return NULL;
}

static void put_kinds(struct writer *w, const struct hd_schedule_step *s)
{
    const char *kind = step_kind(s);
    if (!kind && !s->racing)
        return;
    hd_put_array(&w->j, "kinds");
    if (kind)
        hd_json_string(&w->j, kind);
    if (s->racing)
        hd_json_string(&w->j, "danger");
    hd_json_end_array(&w->j);
}

/* One threadFlowLocation. per_thread adds what the linearised flow leaves out. */
static void put_step(struct writer *w, const struct hd_finding *f, const struct hd_schedule_step *s,
                     uint64_t order, bool per_thread)
{
    struct hd_json *j = &w->j;
    hd_json_begin_object(j);
    hd_put_uint(j, "executionOrder", order);
    hd_put_text(j, "importance", s->racing || s->essential ? "essential" : "unimportant");
    put_kinds(w, s);
    if (per_thread && s->value && s->object) {
        hd_put_object(j, "state");
        put_message(w, s->object, s->value);
        hd_json_end_object(j);
    }
    for (size_t i = 0; per_thread && s->racing && i < f->n_accesses; i++)
        if (f->accesses[i].event == s->event && !strcmp(f->accesses[i].thread, s->thread)) {
            hd_json_key(j, "stack");
            put_stack(w, f, i);
            break;
        }
    const char *words = hd_words_step(w->a, s);
    hd_put_object(j, "location");
    put_location(w, &s->at,
                 per_thread ? words : hd_words_format(w->a, "[%s] %s", s->thread, words));
    hd_json_end_object(j);
    hd_json_end_object(j);
}

/* Accesses of a race, and the lock calls of a deadlock, are reached at the same time: all that are
 * racing at the end, by different threads, share one number. */
static uint64_t order_of(const struct hd_finding *f, size_t i)
{
    size_t first = f->n_steps;
    if (f->property == HD_PROPERTY_ATOMICITY)
        return i;
    while (first > 0 && f->steps[first - 1].racing)
        first--;
    return i < first ? i : first;
}

static void put_schedule(struct writer *w, const struct hd_finding *f, const bool *keep,
                         size_t left_out)
{
    struct hd_json *j = &w->j;
    hd_json_begin_object(j);
    const char *text = hd_words_format(w->a, "Schedule (%u context switches)", f->switches);
    if (left_out || f->steps_left_out)
        text = hd_words_format(w->a, "%s, %" PRIu64 " of %" PRIu64 " events left out", text,
                               left_out + f->steps_left_out, f->n_steps + f->steps_left_out);
    put_message(w, "message", text);
    hd_put_array(j, "threadFlows");
    hd_json_begin_object(j);
    hd_put_text(j, "id", "schedule");
    hd_put_array(j, "locations");
    for (size_t i = 0; i < f->n_steps; i++)
        if (keep[i])
            put_step(w, f, &f->steps[i], i, false);
    hd_json_end_array(j);
    hd_json_end_object(j);
    hd_json_end_array(j);
    hd_json_end_object(j);
}

static void put_per_thread(struct writer *w, const struct hd_finding *f, const bool *keep)
{
    struct hd_json *j = &w->j;
    struct hd_lanes lanes;
    hd_lanes_init(&lanes, f, w->a);
    hd_json_begin_object(j);
    put_message(w, "message", "Per thread");
    hd_put_array(j, "threadFlows");
    for (uint32_t lane = 0; lane < lanes.n_threads; lane++) {
        bool open = false;
        for (size_t i = 0; i < f->n_steps; i++) {
            if (!keep[i] || lanes.thread_of[i] != lane)
                continue;
            if (!open) {
                hd_json_begin_object(j);
                hd_put_text(j, "id", lanes.threads[lane]);
                hd_put_array(j, "locations");
                open = true;
            }
            put_step(w, f, &f->steps[i], order_of(f, i), true);
        }
        if (open) {
            hd_json_end_array(j);
            hd_json_end_object(j);
        }
    }
    hd_json_end_array(j);
    hd_json_end_object(j);
    hd_lanes_fini(&lanes);
}

static void put_flows(struct writer *w, const struct hd_finding *f)
{
    if (!f->n_steps)
        return;
    bool *keep = hd_arena_calloc(w->a, f->n_steps, sizeof *keep);
    size_t max = STEP_BUDGET / w->r->n_findings;
    max = max < MIN_STEPS ? MIN_STEPS : max > MAX_STEPS ? MAX_STEPS : max;
    size_t left_out = hd_lanes_keep(f, max, keep);
    hd_put_array(&w->j, "codeFlows");
    put_schedule(w, f, keep, left_out);
    put_per_thread(w, f, keep);
    hd_json_end_array(&w->j);
}

/* ---- results ---- */

static void put_related(struct writer *w, const struct hd_finding *f)
{
    struct hd_json *j = &w->j;
    uint64_t id = 1;
    hd_put_array(j, "relatedLocations");
    for (size_t i = 1; i < f->n_accesses; i++) {
        const struct hd_access *x = &f->accesses[i];
        hd_json_begin_object(j);
        hd_put_uint(j, "id", id++);
        put_location(w, &x->at,
                     hd_words_format(w->a, "the other access: %s by %s, holding %s", x->kind,
                                     x->thread, hd_words_locks(w->a, x)));
        hd_json_end_object(j);
    }
    for (size_t i = 0; i < f->n_threads; i++) {
        if (!f->threads[i].parent || !f->threads[i].at.file)
            continue;
        hd_json_begin_object(j);
        hd_put_uint(j, "id", id++);
        put_location(
            w, &f->threads[i].at,
            hd_words_format(w->a, "%s created by %s", f->threads[i].name, f->threads[i].parent));
        hd_json_end_object(j);
    }
    for (size_t i = 0; i < f->n_locks; i++) {
        const struct hd_lock_made *l = &f->locks[i];
        const struct hd_spot *at = l->stack.n ? &l->stack.frames[0].at : &l->at;
        if (!at->file)
            continue;
        hd_json_begin_object(j);
        hd_put_uint(j, "id", id++);
        put_location(w, at, hd_words_format(w->a, "lock %s %s", l->name, hd_words_lock_made(l)));
        hd_json_end_object(j);
    }
    if (f->block_stack.n && f->block_stack.frames[0].at.file) {
        hd_json_begin_object(j);
        hd_put_uint(j, "id", id++);
        put_location(w, &f->block_stack.frames[0].at, "the heap block was allocated here");
        hd_json_end_object(j);
    }
    hd_json_end_array(j);
}

static void put_message_of(struct writer *w, const struct hd_finding *f)
{
    const char *text =
        hd_words_format(w->a, "%s; %s.", hd_words_title(w->a, f), hd_words_status(w->a, f));
    if (f->why)
        text = hd_words_format(w->a, "%s %s", text, f->why);
    const char *advice = hd_words_advice(w->a, f);
    if (advice)
        text = hd_words_format(w->a, "%s %s", text, advice);
    if (f->effects[0].summary || f->effects[1].summary)
        text = hd_words_format(w->a, "%s Effect: %s; in the other order: %s.", text,
                               hd_words_effect(f, 0), hd_words_effect(f, 1));
    const char *replay = hd_words_replay(w->a, w->r, f, "");
    if (replay)
        text = hd_words_format(w->a, "%s Replay: %s", text, replay);
    put_message(w, "message", text);
}

static void put_properties(struct writer *w, const struct hd_finding *f)
{
    struct hd_json *j = &w->j;
    hd_put_object(j, "properties");
    hd_put_text(j, "id", f->id);
    hd_put_bool(j, "confirmed", f->status == HD_FINDING_CONFIRMED);
    hd_put_text(j, "status", hd_finding_status_names[f->status]);
    hd_put_uint(j, "replaysConfirmed", f->replays_confirmed);
    hd_put_uint(j, "replaysTried", f->replays_tried);
    if (f->shown_by)
        hd_put_text(j, "shownBy", f->shown_by);
    hd_put_text(j, "memoryModel", "sequential consistency");
    hd_json_end_object(j);
}

static void put_attachments(struct writer *w, const struct hd_finding *f)
{
    struct hd_json *j = &w->j;
    if (!f->witness)
        return;
    hd_put_array(j, "attachments");
    hd_json_begin_object(j);
    put_message(w, "description", "the schedule, for heddle replay");
    hd_put_object(j, "artifactLocation");
    hd_put_text(j, "uri", hd_escape_uri(w->a, f->witness));
    hd_json_end_object(j);
    hd_json_end_object(j);
    hd_json_end_array(j);
}

static void put_result(struct writer *w, const struct hd_finding *f, bool has_baseline)
{
    struct hd_json *j = &w->j;
    bool certain = f->status != HD_FINDING_PREDICTED;
    bool error = certain || f->counts == HD_COUNTS_ERROR;
    hd_json_begin_object(j);
    hd_put_text(j, "ruleId", rules[hd_words_unordered(f) ? HD_PROPERTIES : (size_t)f->property].id);
    hd_put_uint(j, "ruleIndex", f->property);
    hd_put_text(j, "level", error ? "error" : f->refuted ? "none" : "warning");
    hd_put_text(j, "kind", f->refuted ? "informational" : "fail"); /* only "fail" has a level */
    hd_put_uint(j, "rank", certain ? 95 : f->refuted ? 5 : 50);
    if (has_baseline)
        hd_put_text(j, "baselineState", f->known ? "unchanged" : "new");
    put_message_of(w, f);
    if (f->n_accesses) {
        hd_put_array(j, "locations");
        hd_json_begin_object(j);
        put_location(w, &f->accesses[0].at, NULL);
        hd_json_end_object(j);
        hd_json_end_array(j);
        put_related(w, f);
        hd_put_array(j, "stacks");
        for (size_t i = 0; i < f->n_accesses; i++)
            put_stack(w, f, i);
        hd_json_end_array(j);
    }
    hd_put_object(j, "partialFingerprints");
    hd_put_text(j, "raceId/v1", f->fingerprint ? f->fingerprint : f->id);
    hd_json_end_object(j);
    put_flows(w, f);
    put_attachments(w, f);
    put_properties(w, f);
    hd_json_end_object(j);
}

/* ---- the run ---- */

static void put_tool(struct writer *w)
{
    struct hd_json *j = &w->j;
    hd_put_object(j, "tool");
    hd_put_object(j, "driver");
    hd_put_text(j, "name", "heddle");
    if (w->r->tool_version)
        hd_put_text(j, "version", w->r->tool_version);
    hd_put_array(j, "rules");
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        hd_json_begin_object(j);
        hd_put_text(j, "id", rules[i].id);
        hd_put_text(j, "name", rules[i].name);
        put_message(w, "shortDescription", rules[i].title);
        put_message(w, "fullDescription", rules[i].text);
        hd_put_object(j, "properties");
        hd_put_array(j, "tags");
        for (size_t k = 0; k < sizeof rules[i].tags / sizeof *rules[i].tags; k++)
            hd_json_string(j, rules[i].tags[k]);
        hd_json_end_array(j);
        hd_put_text(j, "precision", "very-high");
        hd_put_text(j, "problem.severity", "error");
        hd_put_text(j, "security-severity", rules[i].severity);
        hd_json_end_object(j);
        hd_json_end_object(j);
    }
    hd_json_end_array(j);
    hd_json_end_object(j);
    hd_json_end_object(j);
}

static void put_notes(struct writer *w, const struct hd_texts *texts, const char *lead)
{
    for (size_t i = 0; i < texts->n; i++) {
        hd_json_begin_object(&w->j);
        hd_put_text(&w->j, "level", "note");
        put_message(w, "message", hd_words_format(w->a, "%s%s", lead, texts->items[i]));
        hd_json_end_object(&w->j);
    }
}

/* What was not covered belongs to the run, not to a result: it is no fault of the program. */
static void put_invocation(struct writer *w)
{
    struct hd_json *j = &w->j;
    hd_put_array(j, "invocations");
    hd_json_begin_object(j);
    hd_put_bool(j, "executionSuccessful", !w->r->interrupted);
    hd_put_text(j, "commandLine", hd_words_command(w->a, w->r, "run"));
    hd_put_array(j, "toolExecutionNotifications");
    put_notes(w, &w->r->notes, "");
    put_notes(w, &w->r->search_notes, "");
    put_notes(w, &w->r->undecided_why, "undecided: ");
    put_notes(w, &w->r->unmodelled, "call that is not modelled: ");
    put_notes(w, &w->r->uninstrumented, "module that is not instrumented: ");
    hd_json_end_array(j);
    hd_json_end_object(j);
    hd_json_end_array(j);
}

static void put_run(struct writer *w)
{
    struct hd_json *j = &w->j;
    const struct hd_report *r = w->r;
    bool has_baseline = false;
    hd_json_begin_object(j);
    put_tool(w);
    put_invocation(w);
    hd_put_object(j, "originalUriBaseIds");
    hd_put_object(j, "SRCROOT");
    put_message(w, "description", "the folder in which the program was built");
    hd_json_end_object(j);
    hd_json_end_object(j);
    hd_put_text(j, "columnKind", "utf16CodeUnits");
    for (size_t i = 0; i < r->n_findings; i++)
        has_baseline = has_baseline || r->findings[i].known;
    hd_put_array(j, "results");
    for (size_t i = 0; i < r->n_findings; i++) {
        put_result(w, &r->findings[i], has_baseline);
        hd_arena_reset(w->a);
    }
    hd_json_end_array(j);
    hd_put_object(j, "properties");
    hd_put_uint(j, "pairsImpossible", r->impossible);
    hd_put_uint(j, "pairsUndecided", r->undecided);
    hd_put_uint(j, "predictionsRefuted", hd_report_refuted(r));
    hd_put_uint(j, "suppressed", r->suppressed);
    hd_json_end_object(j);
    hd_json_end_object(j);
}

void hd_sarif_write(FILE *out, const struct hd_report *r, const char *root)
{
    struct writer w = {.a = hd_arena_new(), .r = r, .root = root};
    hd_json_init(&w.j, out);
    hd_json_begin_object(&w.j);
    hd_put_text(&w.j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    hd_put_text(&w.j, "version", "2.1.0");
    hd_put_array(&w.j, "runs");
    put_run(&w);
    hd_json_end_array(&w.j);
    hd_json_end_object(&w.j);
    fputc('\n', out);
    hd_arena_free(w.a);
}
