#include "report/make/stepsource.h"

#include "base/vec.h"

#include <stdlib.h>
#include <string.h>

/* More pieces than this are not shown. */
enum { MAX_PIECES = 40 };

static int by_place(const void *a, const void *b)
{
    const struct hd_spot *x = *(const struct hd_spot *const *)a;
    const struct hd_spot *y = *(const struct hd_spot *const *)b;
    int order = strcmp(x->file, y->file);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool shows(const char *file, const struct hd_snippet *piece, const struct hd_spot *at)
{
    return !strcmp(file, at->file) && at->line >= piece->first &&
           at->line < piece->first + piece->lines.n;
}

static bool is_shown(const struct hd_finding *f, const struct hd_spot *at)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        if (f->accesses[i].at.file && shows(f->accesses[i].at.file, &f->accesses[i].source, at))
            return true;
    return f->n_sources &&
           shows(f->sources[f->n_sources - 1].file, &f->sources[f->n_sources - 1].text, at);
}

void hd_stepsource_set(struct hd_report *r, struct hd_finding *f, struct hd_sources *s)
{
    struct hd_vec places = HD_VEC_INIT(const struct hd_spot *);
    for (size_t i = 0; i < f->n_steps; i++)
        if (f->steps[i].essential && f->steps[i].at.file && f->steps[i].at.line)
            *(const struct hd_spot **)hd_vec_push(&places) = &f->steps[i].at;
    if (places.len)
        qsort(places.data, places.len, sizeof(const struct hd_spot *), by_place);
    f->sources = hd_report_array(r, MAX_PIECES, sizeof *f->sources);
    for (size_t i = 0; i < places.len && f->n_sources < MAX_PIECES; i++) {
        const struct hd_spot *at = *(const struct hd_spot **)hd_vec_at(&places, i);
        struct hd_source *piece = &f->sources[f->n_sources];
        if (is_shown(f, at))
            continue;
        hd_sources_snippet(s, r, at, &piece->text);
        if (!piece->text.lines.n)
            continue;
        piece->file = at->file;
        f->n_sources++;
    }
    hd_vec_fini(&places);
}
