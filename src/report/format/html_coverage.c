/* The page on what was covered, and what was not. */
#include "report/format/html_int.h"

#include <string.h>

static void put_figure(struct hd_html *h, const char *name, unsigned long long value)
{
    char digits[32], grouped[48], *g = grouped;
    int n = snprintf(digits, sizeof digits, "%llu", value);
    for (int i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            *g++ = ',';
        *g++ = digits[i];
    }
    *g = 0;
    fprintf(h->out, "<div><dt>%s</dt><dd>%s</dd></div>", name, grouped);
}

static void put_seconds(struct hd_html *h, const char *name, double seconds)
{
    fprintf(h->out, "<div><dt>%s</dt><dd>%.2f s</dd></div>", name, seconds);
}

/* A list, or the sentence that there is nothing to list. */
static void put_list(struct hd_html *h, const char *title, const char *about,
                     const struct hd_texts *texts, const char *none)
{
    fprintf(h->out, "<section><h2>%s</h2>\n<p class=\"soft\">%s</p>\n", title,
            texts->n ? about : none);
    hd_html_raw(h, texts->n ? "<ul>" : "");
    for (size_t i = 0; i < texts->n; i++)
        hd_html_wrap(h, "<li>", texts->items[i], "</li>\n");
    hd_html_raw(h, texts->n ? "</ul></section>\n" : "</section>\n");
}

static void put_rules(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    if (!r->n_rules)
        return;
    hd_html_raw(h, "<section><h2>Suppressions</h2>\n<div class=\"scroll\"><table><thead><tr>"
                   "<th scope=\"col\">Rule</th><th scope=\"col\">From</th>"
                   "<th scope=\"col\">Reason</th><th scope=\"col\">Until</th>"
                   "<th scope=\"col\">Hidden</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n_rules; i++) {
        const struct hd_rule_use *rule = &r->rules[i];
        hd_html_wrap(h, "<tr><td><code>", rule->text, "</code></td>");
        hd_html_wrap(h, "<td class=\"mono\">", rule->file ? rule->file : "", "");
        fprintf(h->out, ":%u</td><td>", rule->line);
        hd_html_text(h, rule->reason);
        hd_html_wrap(h, "</td><td class=\"nowrap\">", rule->until ? rule->until : "", "</td><td>");
        if (rule->used)
            fprintf(h->out, "%llu</td></tr>\n", (unsigned long long)rule->used);
        else
            fprintf(h->out, "<span class=\"predicted status\">%s</span></td></tr>\n",
                    rule->expired ? "expired" : "unused");
    }
    hd_html_raw(h, "</tbody></table></div></section>\n");
}

static void put_parts(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    if (!r->n_parts)
        return;
    hd_html_raw(h, "<section><h2>Merged from</h2>\n<div class=\"scroll\"><table><thead><tr>"
                   "<th scope=\"col\">Test</th><th scope=\"col\">Runs</th>"
                   "<th scope=\"col\">Events</th><th scope=\"col\">Undecided</th>"
                   "<th scope=\"col\">Part</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n_parts; i++) {
        const struct hd_part *p = &r->parts[i];
        hd_html_raw(h, "<tr><td class=\"mono\">");
        if (p->test)
            hd_html_text(h, p->test);
        for (size_t k = 0; k < p->program.n && !p->test; k++)
            hd_html_wrap(h, k ? " " : "", p->program.items[k], "");
        fprintf(h->out, "</td><td>%llu</td><td>%llu</td><td>%llu</td>", (unsigned long long)p->runs,
                (unsigned long long)p->events, (unsigned long long)p->undecided);
        hd_html_wrap(h, "<td class=\"mono\">", hd_arena_strndup(h->a, p->id, strnlen(p->id, 12)),
                     "</td></tr>\n");
    }
    hd_html_raw(h, "</tbody></table></div></section>\n");
}

void hd_html_coverage(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    hd_html_raw(h,
                "<section class=\"page cover\" id=\"coverage\">\n<h1>Coverage</h1>\n"
                "<p class=\"lead soft\">What the findings rest on, and where something may still "
                "hide.</p>\n<dl class=\"figures\">");
    put_figure(h, "recorded runs", r->runs);
    put_figure(h, "events", r->events);
    put_figure(h, "threads at most", r->threads);
    put_figure(h, "racing pairs", r->race);
    put_figure(h, "pairs that cannot race in what was run", r->impossible);
    put_figure(h, "pairs undecided", r->undecided);
    put_figure(h, "pairs skipped", r->skipped);
    put_figure(h, "findings suppressed", r->suppressed);
    if (r->seconds > 0) { /* campaigns keep them apart */
        put_seconds(h, "time", r->seconds);
        put_seconds(h, "recording", r->record_seconds);
        put_seconds(h, "analysis", r->analyze_seconds);
        put_seconds(h, "replay", r->replay_seconds);
    }
    hd_html_raw(h, "</dl>\n");
    if (r->interrupted)
        hd_html_raw(h, "<p class=\"predicted status\">Interrupted: parts are missing.</p>\n");
    put_list(h, "Undecided pairs", "Neither ruled out nor shown to race.", &r->undecided_why,
             "None.");
    put_list(h, "Modules without instrumentation",
             "Accesses in these were not seen. Build them with heddle cc, or take races that "
             "involve them with care.",
             &r->uninstrumented, "None: all code was seen.");
    put_list(h, "Calls that are not modelled",
             "What they order or change is not known to the analysis.", &r->unmodelled, "None.");
    put_list(h, "Notes", "", &r->notes, "None.");
    if (r->search_notes.n)
        put_list(h, "The search", "", &r->search_notes, "");
    put_rules(h);
    put_parts(h);
    hd_html_raw(h, "</section>\n");
}
