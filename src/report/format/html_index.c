/* The list of findings, grouped by variable. */
#include "report/format/html_int.h"

#include "base/names.h"
#include "base/vec.h"
#include "report/format/words.h"

#include <string.h>

/* For readers who see the page without knowing the tool. */
static const char what_is[] =
    "<p class=\"lead soft\">Heddle looks for orders of a program&rsquo;s threads that go wrong. A "
    "data race is two accesses to the same memory, at least one of them a write, that nothing "
    "keeps apart. Confirmed: the program was run again, and both threads stood before their "
    "accesses at the same time. Predicted: the recorded events can be ordered that way, and no run "
    "has shown it yet. Each finding has the two places, the order that leads there, and a command "
    "that repeats it.</p>\n";
static const char what_nothing_is[] =
    "<p class=\"lead soft\">Heddle looks for orders of a program&rsquo;s threads in which two of "
    "them access the same memory at the same time, and at least one writes (a data race). It found "
    "none in what was run.</p>\n";

static void put_lead(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    size_t sure = 0, predicted = 0, known = 0;
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        known += f->known;
        sure += f->status != HD_FINDING_PREDICTED;
        predicted += f->status == HD_FINDING_PREDICTED && !f->refuted;
    }
    if (!r->n_findings)
        hd_html_raw(h, "<h1>Nothing found</h1>\n");
    else
        fprintf(h->out, "<h1>%zu finding%s</h1>\n", r->n_findings, r->n_findings == 1 ? "" : "s");
    fprintf(h->out, "<p class=\"lead soft\">%zu confirmed, %zu predicted only", sure, predicted);
    if (r->n_findings > sure + predicted)
        fprintf(h->out, ", %zu refuted by replay", r->n_findings - sure - predicted);
    if (r->baseline)
        fprintf(h->out, "; against the baseline %zu new, %zu known, %zu gone",
                r->n_findings - known, known, r->n_gone);
    else if (known)
        fprintf(h->out, ", %zu known from the baseline", known);
    if (r->suppressed)
        fprintf(h->out, ", %llu suppressed", (unsigned long long)r->suppressed);
    fprintf(h->out,
            ". %llu pairs of accesses cannot race in what was run, %llu undecided. "
            "<a href=\"#coverage\">What was covered</a>",
            (unsigned long long)r->impossible, (unsigned long long)r->undecided);
    hd_html_raw(h, hd_html_by_test(r) ? ", <a href=\"#by-test\">by test</a></p>\n" : "</p>\n");
    if (r->interrupted)
        hd_html_raw(h, "<p class=\"lead predicted\">Interrupted: parts are missing.</p>\n");
    hd_html_raw(h, r->n_findings ? what_is : what_nothing_is);
}

static void put_filters(struct hd_html *h)
{
    hd_html_raw(
        h, "<div class=\"filters js-only\">\n"
           "<div class=\"choice\" role=\"group\" aria-label=\"Status\">"
           "<button type=\"button\" data-status=\"all\" aria-pressed=\"true\">All</button>"
           "<button type=\"button\" data-status=\"confirmed\" aria-pressed=\"false\">Confirmed"
           "</button>"
           "<button type=\"button\" data-status=\"predicted\" aria-pressed=\"false\">Predicted"
           "</button></div>\n"
           "<div class=\"choice\" role=\"group\" aria-label=\"Baseline\">"
           "<button type=\"button\" data-known=\"all\" aria-pressed=\"true\">New and known</button>"
           "<button type=\"button\" data-known=\"new\" aria-pressed=\"false\">New only</button>"
           "</div>\n"
           "<button type=\"button\" id=\"by-variable\" aria-pressed=\"true\">Group by variable"
           "</button>\n"
           "<input type=\"search\" id=\"search\" placeholder=\"Filter: name, file, function\" "
           "aria-label=\"Filter by name, file or function\">\n"
           "<span id=\"shown\" class=\"soft\" role=\"status\"></span>\n</div>\n");
}

static void put_heads(struct hd_html *h)
{
    static const char *const heads[] = {"Finding", "Kind", "Status", "Effect", "Seen", "New", "Id"};
    hd_html_raw(h,
                "<div class=\"scroll\"><table id=\"findings\">\n<caption class=\"away\">Findings "
                "by variable</caption>\n<thead><tr>");
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++)
        fprintf(h->out,
                "<th scope=\"col\" aria-sort=\"none\"><button type=\"button\">%s</button></th>",
                heads[i]);
    hd_html_raw(h, "</tr></thead>\n");
}

static void put_accesses(struct hd_html *h, size_t finding)
{
    const struct hd_finding *f = &h->r->findings[finding];
    fprintf(h->out, "<td><a href=\"#%s\">", hd_html_id(h, finding));
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *x = &f->accesses[i];
        hd_html_raw(h, i ? ", " : "");
        hd_html_text(h, x->kind);
        hd_html_function(h, " in ", x->at.function);
    }
    if (!f->n_accesses)
        hd_html_text(h, hd_words_heading(h->a, f));
    hd_html_raw(h, "</a><br><span class=\"soft mono\">");
    for (size_t i = 0; i < f->n_accesses; i++) {
        const char *place = hd_words_spot(h->a, &f->accesses[i].at);
        hd_html_wrap(h, i ? " \xc2\xb7 " : "", place, "");
    }
    hd_html_raw(h, "</span></td>");
}

/* The effect that matters more: what went wrong, if anything did. */
static const char *worst_effect(struct hd_html *h, const struct hd_finding *f)
{
    for (int k = 0; k < 2; k++) {
        const struct hd_effect *e = &f->effects[k];
        if (e->summary && (e->signal || e->exit_status || e->deadlock || e->timeout))
            return e->summary;
    }
    for (int k = 0; k < 2; k++)
        if (f->effects[k].summary && f->effects[k].output_diff)
            return hd_words_format(h->a, "%s, other output", f->effects[k].summary);
    return f->effects[0].summary ? f->effects[0].summary : f->effects[1].summary;
}

static void put_row(struct hd_html *h, size_t finding)
{
    const struct hd_finding *f = &h->r->findings[finding];
    const char *effect = worst_effect(h, f);
    fprintf(h->out, "<tr data-status=\"%s\" data-known=\"%d\">", hd_finding_status_names[f->status],
            f->known);
    put_accesses(h, finding);
    const char *what = hd_words_what(h->a, f); /* "use after free"; a plain race needs one word */
    hd_html_wrap(h, "<td>", strcmp(what, "data race") ? what : hd_property_names[f->property],
                 "</td>");
    fprintf(h->out, "<td data-k=\"%d\">", f->status == HD_FINDING_PREDICTED);
    hd_html_status(
        h, f,
        f->status == HD_FINDING_CONFIRMED && f->met_in
            ? hd_words_format(h->a, "confirmed with %s", f->met_in)
        : f->status == HD_FINDING_CONFIRMED
            ? hd_words_format(h->a, "confirmed %u/%u", f->replays_confirmed, f->replays_tried)
        : f->refuted ? "refuted"
                     : hd_finding_status_names[f->status]);
    hd_html_wrap(h, "</td><td>", effect ? effect : "\xe2\x80\x93", "</td>");
    hd_html_seen_cell(h, f);
    fprintf(h->out, "<td>%s</td>", f->known ? "known" : "new");
    hd_html_wrap(h, "<td class=\"nowrap\"><code>", f->id, "</code></td></tr>\n");
    hd_arena_reset(h->a);
}

static void put_group(struct hd_html *h, const struct hd_u32vec *variable, uint32_t id,
                      size_t first)
{
    const struct hd_finding *f = &h->r->findings[first];
    hd_html_raw(h, "<tbody><tr class=\"group\"><th colspan=\"7\" scope=\"rowgroup\"><code>");
    hd_html_text(h, f->variable);
    hd_html_wrap(h, "</code> <span class=\"soft\">", f->location ? f->location : "", "</span>");
    hd_html_raw(h, "</th></tr>\n");
    for (size_t i = first; i < h->r->n_findings; i++)
        if (variable->data[i] == id)
            put_row(h, i);
    hd_html_raw(h, "</tbody>\n");
}

/* What the baseline has and this run did not find again. */
static void put_gone(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    if (!r->baseline)
        return;
    hd_html_wrap(h, "<h2>Gone since the baseline</h2>\n<p class=\"soft\">Findings of <code>",
                 r->baseline, "</code> that this run did not find again");
    hd_html_raw(h, r->n_gone ? ".</p>\n" : ": none.</p>\n");
    if (!r->n_gone)
        return;
    hd_html_raw(h, "<div class=\"scroll\"><table id=\"gone\"><thead><tr>"
                   "<th scope=\"col\">Finding</th><th scope=\"col\">It was</th>"
                   "<th scope=\"col\">Id</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n_gone; i++) {
        const struct hd_gone *g = &r->gone[i];
        hd_html_wrap(h, "<tr><td>", g->title ? g->title : g->variable, "</td><td>");
        hd_html_text(h, hd_finding_status_names[g->status]);
        hd_html_wrap(h, "</td><td class=\"nowrap\"><code>", g->id, "</code></td></tr>\n");
    }
    hd_html_raw(h, "</tbody></table></div>\n");
}

void hd_html_index(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    struct hd_names names = {0};
    struct hd_u32vec variable = {0};
    hd_html_raw(h, "<section class=\"page\" id=\"index\">\n");
    put_lead(h);
    if (r->n_findings) {
        put_filters(h);
        put_heads(h);
    }
    for (size_t i = 0; i < r->n_findings; i++)
        hd_u32vec_push(&variable, hd_names_add(&names, r->findings[i].variable,
                                               strlen(r->findings[i].variable)));
    uint32_t seen = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        if (variable.data[i] == seen)
            put_group(h, &variable, seen++, i);
    if (r->n_findings)
        hd_html_raw(h, "</table></div>\n");
    hd_html_tests(h);
    put_gone(h);
    hd_html_raw(h, "</section>\n");
    hd_names_fini(&names);
    hd_u32vec_fini(&variable);
}
