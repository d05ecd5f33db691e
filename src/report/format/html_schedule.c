/* The schedule of a finding: a table that can be read as it is, and beside it the figures from
 * which the script draws the lanes. */
#include "base/alloc.h"
#include "base/json.h"
#include "base/names.h"
#include "report/format/report_escape.h"
#include "report/make/frame_names.h"
#include "report/format/html_int.h"
#include "report/format/lanes.h"
#include "report/format/put.h"
#include "report/format/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct schedule {
    struct hd_html *h;
    const struct hd_finding *f;
    struct hd_lanes lanes;
    bool *keep;
    uint32_t *place;  /* by step: its place in the recorded order, from 1 */
    uint32_t *column; /* by hold: which of the bars of its thread, from 0 */
    size_t left_out;
};

/* ---- figures ---- */

/* Each hold gets the first column that no other hold of its thread has at that time. */
static void set_columns(struct schedule *s)
{
    size_t n = s->lanes.holds.len;
    s->column = hd_arena_calloc(s->h->a, n + 1, sizeof *s->column);
    for (uint32_t i = 0; i < n; i++) {
        const struct hd_lane_hold *hold = hd_vec_at(&s->lanes.holds, i);
        uint64_t used = 0;
        for (uint32_t b = hold->below; b != HD_LANES_NONE;) {
            const struct hd_lane_hold *below = hd_vec_at(&s->lanes.holds, b);
            if ((below->to == HD_LANES_NONE || below->to > hold->from) && s->column[b] < 64)
                used |= UINT64_C(1) << s->column[b];
            b = below->below;
        }
        while (s->column[i] < 63 && used >> s->column[i] & 1)
            s->column[i]++;
    }
}

static void put_edges(struct schedule *s, struct hd_json *j, const char *key, const uint32_t *order)
{
    struct hd_vec edges = HD_VEC_INIT(struct hd_lane_edge);
    hd_lanes_edges(&s->lanes, order, &edges);
    hd_put_array(j, key);
    for (size_t i = 0; i < edges.len; i++) {
        const struct hd_lane_edge *e = hd_vec_at(&edges, i);
        if (!s->keep[e->from] || !s->keep[e->to])
            continue;
        hd_json_begin_array(j);
        hd_json_uint(j, e->from);
        hd_json_uint(j, e->to);
        hd_json_uint(j, e->kind);
        hd_json_end_array(j);
    }
    hd_json_end_array(j);
    hd_vec_fini(&edges);
}

/* Whether any step that is shown lies inside the hold. */
static bool is_shown(const struct schedule *s, const struct hd_lane_hold *hold)
{
    for (uint32_t i = hold->from; i < s->f->n_steps && i <= hold->to; i++)
        if (s->keep[i] && s->lanes.thread_of[i] == hold->thread)
            return true;
    return false;
}

static void put_holds(struct schedule *s, struct hd_json *j, struct hd_names *locks)
{
    hd_put_array(j, "holds");
    for (uint32_t i = 0; i < s->lanes.holds.len; i++) {
        const struct hd_lane_hold *hold = hd_vec_at(&s->lanes.holds, i);
        if (!is_shown(s, hold))
            continue;
        hd_names_add(locks, hold->lock, strlen(hold->lock));
        hd_json_begin_array(j);
        hd_json_uint(j, hold->thread);
        hd_json_uint(j, hold->from);
        hd_json_int(j, hold->to == HD_LANES_NONE ? -1 : (int64_t)hold->to);
        hd_json_string(j, hold->lock);
        hd_json_bool(j, hold->shared);
        hd_json_uint(j, s->column[i]);
        hd_json_end_array(j);
    }
    hd_json_end_array(j);
}

static void put_figures(struct schedule *s, FILE *out, struct hd_names *locks)
{
    struct hd_json j;
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    hd_put_array(&j, "lanes");
    for (size_t i = 0; i < s->lanes.n_threads; i++)
        hd_json_string(&j, s->lanes.threads[i]);
    hd_json_end_array(&j);
    put_edges(s, &j, "w", NULL);
    put_edges(s, &j, "r", s->f->recorded);
    put_holds(s, &j, locks);
    hd_put_array(&j, "locks");
    for (uint32_t i = 0; i < locks->count; i++)
        hd_json_string(&j, hd_names_text(locks, i));
    hd_json_end_array(&j);
    hd_json_end_object(&j);
}

/* JSON in an attribute: the escape of markup leaves it JSON. */
static void put_picture(struct schedule *s, struct hd_names *locks)
{
    char *text = NULL;
    size_t len = 0;
    FILE *memory = open_memstream(&text, &len);
    HD_ASSERT(memory);
    put_figures(s, memory, locks);
    fclose(memory);
    hd_html_raw(s->h, " data-picture=\"");
    hd_escape(s->h->out, HD_ESCAPE_MARKUP, text, 0);
    hd_html_raw(s->h, "\"");
    free(text);
}

/* ---- the table ---- */

static void put_holding(struct schedule *s, uint32_t step)
{
    const char *separator = "";
    for (uint32_t i = s->lanes.held[step]; i != HD_LANES_NONE;) {
        const struct hd_lane_hold *hold = hd_vec_at(&s->lanes.holds, i);
        if (hold->to == HD_LANES_NONE || hold->to >= step) {
            hd_html_raw(s->h, separator);
            hd_html_text(s->h, hold->lock);
            hd_html_raw(s->h, hold->shared ? " (read side)" : "");
            separator = ", ";
        }
        i = hold->below;
    }
}

/* The mark of the access that the step is, or 0. */
static char mark_of(const struct hd_finding *f, const struct hd_schedule_step *step)
{
    for (size_t i = 0; step->racing && i < f->n_accesses && i < 26; i++)
        if (f->accesses[i].event == step->event && !strcmp(f->accesses[i].thread, step->thread))
            return (char)('A' + i);
    return 0;
}

/* Whether the page of the finding holds the stack of this event. */
static bool has_stack(const struct hd_finding *f, uint64_t event)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *a = &f->accesses[i];
        if (a->event == event && a->stack.n)
            return true;
        for (size_t k = 0; k < a->n_locks; k++)
            if (a->locks[k].event == event && a->locks[k].stack.n)
                return true;
    }
    for (size_t i = 0; i < f->n_threads; i++)
        if (f->threads[i].event == event && f->threads[i].stack.n)
            return true;
    for (size_t i = 0; i < f->n_locks; i++)
        if (f->locks[i].event == event && f->locks[i].stack.n && !f->locks[i].made)
            return true;
    return false;
}

static const char *words_of(const struct schedule *s, const struct hd_schedule_step *step)
{
    if (!step->racing || s->f->property != HD_PROPERTY_DEADLOCK)
        return hd_words_step(s->h->a, step);
    return hd_words_format(s->h->a, "wait for %s",
                           step->lock     ? step->lock
                           : step->object ? step->object
                                          : "another");
}

static void put_row(struct schedule *s, uint32_t i)
{
    struct hd_html *h = s->h;
    const struct hd_schedule_step *step = &s->f->steps[i];
    char mark = mark_of(s->f, step);
    fprintf(h->out, "<tr class=\"%s%s\" data-i=\"%u\" data-t=\"%u\"",
            step->essential || step->racing ? "e" : "", step->racing ? " racing" : "", i,
            s->lanes.thread_of[i]);
    struct hd_frame frame = {.at = step->at};
    if (step->at.line && !hd_frame_names_foreign(&frame)) /* a line of a library means nothing */
        fprintf(h->out, " data-n=\"%u\"", step->at.line);
    if (mark)
        fprintf(h->out, " data-m=\"%c\"", mark);
    if (step->racing && step->value) { /* in the witness it may be another one */
        struct hd_schedule_step bare = *step;
        bare.value = NULL;
        hd_html_wrap(h, " data-w=\"", hd_words_step(h->a, &bare), "\"");
    }
    if (has_stack(s->f, step->event))
        fprintf(h->out, " data-e=\"%llu\"", (unsigned long long)step->event);
    fprintf(h->out, "><td>%u<td>%u<td>", i + 1, s->place[i]);
    hd_html_text(h, step->thread);
    hd_html_wrap(h, "<td>", words_of(s, step), "<td>");
    hd_html_wrap(h, "<i>", step->at.file ? step->at.file : "an unknown place", "</i>");
    if (step->at.line)
        fprintf(h->out, ":%u", step->at.line);
    hd_html_function(h, " ", step->at.function);
    hd_html_raw(h, "<td>");
    put_holding(s, i);
    hd_html_raw(h, "\n");
}

static void put_table(struct schedule *s)
{
    struct hd_html *h = s->h;
    bool unordered = hd_words_unordered(s->f);
    bool together = s->f->property != HD_PROPERTY_ATOMICITY && !unordered;
    struct hd_names locks = {0};
    hd_html_raw(h, "<details class=\"astable\" open><summary>As a table</summary>\n"
                   "<div class=\"scroll\"><table class=\"steps\"");
    fprintf(h->out, " data-together=\"%d\" data-word=\"%s\"", together,
            s->f->property == HD_PROPERTY_DEADLOCK    ? "waits for ever"
            : s->f->property == HD_PROPERTY_ATOMICITY ? "access"
            : s->f->property == HD_PROPERTY_FAILURE   ? "last event"
                                                      : "racing access");
    put_picture(s, &locks);
    hd_html_raw(h,
                ">\n<thead><tr><th scope=\"col\">#</th><th scope=\"col\">recorded</th>"
                "<th scope=\"col\">Thread</th><th scope=\"col\">Event</th>"
                "<th scope=\"col\">Where</th><th scope=\"col\">Holds</th></tr></thead><tbody>\n");
    for (uint32_t i = 0; i < s->f->n_steps; i++)
        if (s->keep[i])
            put_row(s, i);
    hd_html_raw(h, "</tbody></table></div></details>\n<p class=\"legend js-only\">");
    hd_html_raw(h, "<span>\xe2\x94\x80 runs</span><span>\xe2\x95\x8c switch of threads</span>"
                   "<span>\xe2\x86\x92 synchronisation</span>"
                   "<span>\xe2\x87\xbf at the same time</span>");
    if (unordered)
        hd_html_raw(h, "<span>\xe2\x87\xa2 seen, but not ordering memory</span>");
    for (uint32_t i = 0; i < locks.count; i++) {
        fprintf(h->out, "<span>\xe2\x96\xae<b>%u</b> holds ", i + 1);
        hd_html_text(h, hd_names_text(&locks, i));
        hd_html_raw(h, "</span>");
    }
    hd_html_raw(h, "</p>\n");
    hd_names_fini(&locks);
}

static void put_controls(struct schedule *s)
{
    hd_html_raw(
        s->h,
        "<div class=\"controls\">"
        "<div class=\"choice\" role=\"group\" aria-label=\"Order\">"
        "<button type=\"button\" data-order=\"witness\" aria-pressed=\"true\">Witness</button>"
        "<button type=\"button\" data-order=\"recorded\" aria-pressed=\"false\">Recorded</button>"
        "</div><div class=\"choice\" role=\"group\" aria-label=\"Detail\">"
        "<button type=\"button\" data-detail=\"minimal\" aria-pressed=\"true\">Minimal</button>"
        "<button type=\"button\" data-detail=\"full\" aria-pressed=\"false\">Full</button></div>"
        "<span class=\"soft\"><kbd>j</kbd> <kbd>k</kbd> step, <kbd>?</kbd> keys</span></div>\n");
}

void hd_html_schedule(struct hd_html *h, size_t finding)
{
    const struct hd_finding *f = &h->r->findings[finding];
    struct schedule s = {.h = h, .f = f};
    hd_html_raw(h, "<section class=\"schedule\"><h2>Schedule</h2>");
    if (!f->n_steps) {
        hd_html_raw(h, "<p class=\"soft\">The report has none.</p></section>\n");
        return;
    }
    fprintf(h->out, "<span class=\"soft\">%u switch%s of threads, %" PRIu64 " event%s", f->switches,
            f->switches == 1 ? "" : "es", f->n_steps + f->steps_left_out,
            f->n_steps == 1 ? "" : "s");
    s.keep = hd_arena_calloc(h->a, f->n_steps, sizeof *s.keep);
    s.place = hd_arena_calloc(h->a, f->n_steps, sizeof *s.place);
    s.left_out = hd_lanes_keep(f, h->max_steps, s.keep);
    for (uint32_t i = 0; i < f->n_steps; i++)
        s.place[f->recorded ? f->recorded[i] : i] = i + 1;
    if (s.left_out || f->steps_left_out)
        fprintf(h->out, " (%" PRIu64 " of them left out here; the witness has them all)",
                s.left_out + f->steps_left_out);
    hd_html_raw(h, "</span>\n");
    hd_lanes_init(&s.lanes, f, h->a);
    set_columns(&s);
    put_controls(&s);
    hd_html_raw(h, "<div class=\"lanes\" hidden></div>\n");
    put_table(&s);
    hd_html_raw(h, "</section>\n");
    hd_lanes_fini(&s.lanes);
}
