#include "report/filter/baseline.h"

#include "base/log.h"
#include "report/format/words.h"

#include <stdlib.h>
#include <string.h>

static bool same(const struct hd_finding *x, const struct hd_finding *y)
{
    return x->fingerprint && y->fingerprint ? !strcmp(x->fingerprint, y->fingerprint)
                                            : !strcmp(x->id, y->id);
}

static bool holds(const struct hd_report *r, const struct hd_finding *f)
{
    for (size_t i = 0; i < r->n_findings; i++)
        if (same(&r->findings[i], f))
            return true;
    return false;
}

static int by_id(const void *a, const void *b)
{
    const struct hd_gone *x = a, *y = b;
    return strcmp(x->id, y->id);
}

void hd_baseline_apply(const struct hd_report *baseline, const char *name, struct hd_report *r)
{
    r->baseline = hd_report_text(r, name);
    r->gone = hd_report_array(r, baseline->n_findings, sizeof *r->gone);
    r->n_gone = 0;
    for (size_t i = 0; i < r->n_findings; i++)
        r->findings[i].known = holds(baseline, &r->findings[i]);
    for (size_t i = 0; i < baseline->n_findings; i++) {
        const struct hd_finding *f = &baseline->findings[i];
        if (holds(r, f))
            continue;
        const char *title = hd_words_title(r->arena, f);
        r->gone[r->n_gone++] = (struct hd_gone){hd_report_text(r, f->id),
                                                hd_report_text(r, f->fingerprint),
                                                f->property,
                                                f->status,
                                                hd_report_text(r, f->variable),
                                                hd_report_text(r, title)};
    }
    HD_DEBUG_LINE(REPORT, "baseline %s: %zu findings, %zu of them gone", name, baseline->n_findings,
                  r->n_gone);
    if (r->n_gone)
        qsort(r->gone, r->n_gone, sizeof *r->gone, by_id);
}
