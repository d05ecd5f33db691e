/* Of a campaign: in which tests a finding was seen, how often, and where first. */
#include "report/format/html_int.h"

#include <string.h>

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

void hd_html_units(const struct hd_report *r, const struct hd_finding *f, uint64_t *seen,
                   uint64_t *of)
{
    *seen = *of = 0;
    for (size_t i = 0; i < f->n_seen; i++)
        *seen += f->seen[i].units;
    for (size_t i = 0; i < r->n_parts; i++)
        *of += r->parts[i].units;
}

void hd_html_seen(struct hd_html *h, const struct hd_finding *f)
{
    uint64_t seen, of;
    hd_html_units(h->r, f, &seen, &of);
    if (!seen)
        return;
    fprintf(h->out,
            "<section class=\"seen\"><h2>Seen in %llu of %llu units</h2>\n<div class=\"scroll\">"
            "<table><thead><tr><th scope=\"col\">Test</th><th scope=\"col\">Units</th>"
            "<th scope=\"col\">First seen</th></tr></thead><tbody>\n",
            (unsigned long long)seen, (unsigned long long)of);
    for (size_t i = 0; i < f->n_seen; i++) {
        const struct hd_seen *s = &f->seen[i];
        const struct hd_part *p = part_of(h->r, s->part);
        hd_html_wrap(h, "<tr><td class=\"mono\">", p && p->test ? p->test : s->part, "</td>");
        fprintf(h->out, "<td class=\"nowrap\">%u of %llu</td>", s->units,
                (unsigned long long)(p ? p->units : 0));
        hd_html_wrap(h, "<td>", s->first ? s->first : "", "</td></tr>\n");
    }
    hd_html_raw(h, "</tbody></table></div></section>\n");
}
