/* Of a campaign: in which tests a finding was seen, how often, and where first; and by test, what
 * was seen in it. */
#include "report/format/html_int.h"

#include <stdlib.h>
#include <string.h>

typedef unsigned long long ull;

static const struct hd_part *part_of(const struct hd_report *r, const char *id)
{
    size_t low = 0, high = r->n_parts; /* by id */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(r->parts[middle].id, id);
        if (order == 0)
            return &r->parts[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static const char *test_of(const struct hd_part *p, const char *id)
{
    return p && p->test ? p->test : id;
}

/* In how many units a finding was seen, of how many that ran the same tests. */
static uint64_t units_of(const struct hd_report *r, const struct hd_finding *f, uint64_t *of)
{
    uint64_t seen = 0;
    *of = 0;
    for (size_t i = 0; i < f->n_seen; i++) {
        const struct hd_part *p = part_of(r, f->seen[i].part);
        seen += f->seen[i].units;
        *of += p ? p->units : 0;
    }
    return seen;
}

void hd_html_seen_cell(struct hd_html *h, const struct hd_finding *f)
{
    uint64_t of, seen = units_of(h->r, f, &of);
    if (!seen) {
        fprintf(h->out, "<td data-k=\"%llu\">%llu\xc3\x97</td>", 1ull + f->duplicates,
                1ull + f->duplicates);
        return;
    }
    const char *part = f->seen[0].part;
    fprintf(h->out, "<td data-k=\"%llu\"><span class=\"nowrap\">%llu of %llu units</span>",
            (ull)seen, (ull)seen, (ull)of);
    if (h->r->n_parts > 1)
        hd_html_wrap(h, "<br><span class=\"soft mono\">", test_of(part_of(h->r, part), part),
                     "</span>");
    if (f->n_seen > 1)
        fprintf(h->out, " <span class=\"soft nowrap\">and %zu more</span>", f->n_seen - 1);
    hd_html_raw(h, "</td>");
}

void hd_html_seen(struct hd_html *h, const struct hd_finding *f)
{
    uint64_t of, seen = units_of(h->r, f, &of);
    if (!seen)
        return;
    fprintf(h->out,
            "<section class=\"seen\"><h2>Seen in %llu of %llu units</h2>\n<div class=\"scroll\">"
            "<table><thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Units</th>"
            "<th scope=\"col\">First seen</th></tr></thead><tbody>\n",
            (ull)seen, (ull)of);
    for (size_t i = 0; i < f->n_seen; i++) {
        const struct hd_seen *s = &f->seen[i];
        const struct hd_part *p = part_of(h->r, s->part);
        hd_html_wrap(h, "<tr><td class=\"mono\">", test_of(p, s->part), "</td>");
        fprintf(h->out, "<td class=\"nowrap\">%u of %llu</td>", s->units, (ull)(p ? p->units : 0));
        hd_html_wrap(h, "<td>", s->first ? s->first : "", "</td></tr>\n");
    }
    hd_html_raw(h, "</tbody></table></div></section>\n");
}

/* ---- by test ---- */

static int by_test(const void *a, const void *b)
{
    const struct hd_part *const *x = a, *const *y = b;
    int order = strcmp(test_of(*x, (*x)->id), test_of(*y, (*y)->id));
    return order ? order : strcmp((*x)->id, (*y)->id);
}

/* The findings of one test: a line each, with a link. */
static size_t put_findings(struct hd_html *h, const struct hd_part *p)
{
    size_t n = 0;
    for (size_t i = 0; i < h->r->n_findings; i++) {
        const struct hd_finding *f = &h->r->findings[i];
        for (size_t k = 0; k < f->n_seen; k++) {
            const struct hd_seen *s = &f->seen[k];
            if (strcmp(s->part, p->id) != 0)
                continue;
            fprintf(h->out, "%s<a href=\"#%s\"><code>", n++ ? "<br>" : "", hd_html_id(h, i));
            hd_html_text(h, f->variable);
            fprintf(h->out, "</code></a> in %u of %llu", s->units, (ull)p->units);
            hd_html_wrap(h, ", first under ", s->first, "");
        }
    }
    return n;
}

bool hd_html_by_test(const struct hd_report *r)
{
    return r->n_parts > 1 && r->parts[0].units;
}

void hd_html_tests(struct hd_html *h)
{
    const struct hd_report *r = h->r;
    if (!hd_html_by_test(r))
        return;
    const struct hd_part **order = hd_arena_alloc(h->a, r->n_parts * sizeof *order);
    for (size_t i = 0; i < r->n_parts; i++)
        order[i] = &r->parts[i];
    qsort(order, r->n_parts, sizeof(void *), by_test);
    hd_html_raw(h, "<h2 id=\"by-test\">By test</h2>\n<div class=\"scroll\"><table id=\"tests\">"
                   "<thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Units</th>"
                   "<th scope=\"col\">Findings</th><th scope=\"col\">Pairs of "
                   "accesses</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->n_parts; i++) {
        hd_html_wrap(h, "<tr><td class=\"mono\">", test_of(order[i], order[i]->id), "</td>");
        fprintf(h->out, "<td class=\"nowrap\">%llu units</td><td>", (ull)order[i]->units);
        if (!put_findings(h, order[i]))
            hd_html_raw(h, "nothing found");
        fprintf(h->out, "</td><td class=\"nowrap\">%llu undecided</td></tr>\n",
                (ull)order[i]->undecided);
    }
    hd_html_raw(h, "</tbody></table></div>\n");
    hd_arena_reset(h->a);
}
