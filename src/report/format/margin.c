#include "report/format/margin.h"

#include "base/sort.h"
#include "base/vec.h"
#include "report/format/brief.h"
#include "report/format/page.h"
#include "report/format/words.h"

#include <string.h>

enum { MARGIN = 24, NUMBER = 8 }; /* columns */

struct mark {
    const struct hd_spot *at;
    const char *text;
    bool access; /* else a lock that is taken */
    bool shown;
};

static bool same_file(const char *a, const char *b)
{
    return a && b && !strcmp(a, b);
}

static void add_mark(struct hd_vec *marks, const struct hd_spot *at, const char *text, bool access)
{
    *(struct mark *)hd_vec_push(marks) = (struct mark){.at = at, .text = text, .access = access};
}

/* In the order of the accesses; what they hold comes first. */
static void collect(struct hd_arena *a, const struct hd_finding *f, struct hd_vec *marks)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *x = &f->accesses[i];
        for (size_t k = 0; k < x->n_locks; k++)
            add_mark(marks, &x->locks[k].taken,
                     hd_words_format(a, "%s takes %s", x->thread, x->locks[k].name), false);
        add_mark(marks, &x->at,
                 hd_words_format(a, "%s %s [%s]", x->thread, x->kind,
                                 x->n_locks ? hd_words_locks(a, x) : "no lock"),
                 true);
    }
}

/* One line of the page: a mark or NULL, and the source or NULL. */
static void put_row(struct hd_page *p, const struct mark *mark, uint32_t line, const char *text)
{
    hd_page_begin(p, 0, 0);
    hd_page_style(p, mark && mark->access ? HD_STYLE_BOLD : HD_STYLE_PLAIN);
    if (mark)
        hd_page_raw(p, mark->text, MARGIN);
    for (unsigned i = p->column; (text || mark) && i < MARGIN; i++)
        putc(' ', p->out);
    if (text) {
        fprintf(p->out, "%c%5u | ", mark ? '>' : ' ', line);
        hd_page_raw(p, text, HD_PAGE_WIDTH - MARGIN - NUMBER - 1);
    } else {
        fputs(">      |", p->out);
    }
    hd_page_style(p, HD_STYLE_PLAIN);
    hd_page_end(p);
}

static void put_line(struct hd_page *p, struct hd_vec *marks, const char *file, uint32_t line,
                     const char *text)
{
    bool any = false;
    for (size_t i = 0; i < marks->len; i++) {
        struct mark *m = hd_vec_at(marks, i);
        if (m->at->line != line || !same_file(m->at->file, file))
            continue;
        put_row(p, m, line, any ? NULL : text);
        m->shown = any = true;
    }
    if (!any)
        put_row(p, NULL, line, text);
}

/* The lines that the piece before it in the same file did not show. */
static void put_piece(struct hd_arena *a, struct hd_page *p, struct hd_vec *marks,
                      const struct hd_access *x, const struct hd_access *before)
{
    const struct hd_snippet *s = &x->source;
    bool same = before && before->source.lines.n && same_file(before->at.file, x->at.file);
    uint32_t end = same ? before->source.first + (uint32_t)before->source.lines.n : 0;
    if (!s->lines.n || !same || s->first > end) {
        hd_page_begin(p, 0, 2);
        if (s->lines.n)
            hd_page_words(p, "%s:", x->at.file);
        else
            hd_page_words(p, "%s: %s", hd_words_spot(a, &x->at),
                          s->missing ? s->missing : "no source");
        hd_page_end(p);
    }
    for (size_t i = 0; i < s->lines.n; i++)
        if (s->first + i >= end)
            put_line(p, marks, x->at.file, s->first + (uint32_t)i, s->lines.items[i]);
}

static int by_place(const void *a, const void *b, void *arg)
{
    const struct hd_access *x = *(const struct hd_access *const *)a;
    const struct hd_access *y = *(const struct hd_access *const *)b;
    (void)arg;
    if (!same_file(x->at.file, y->at.file))
        return strcmp(x->at.file ? x->at.file : "", y->at.file ? y->at.file : "");
    return (x->source.first > y->source.first) - (x->source.first < y->source.first);
}

static void put_pieces(struct hd_arena *a, struct hd_page *p, const struct hd_finding *f,
                       struct hd_vec *marks)
{
    struct hd_vec order = HD_VEC_INIT(const struct hd_access *);
    for (size_t i = 0; i < f->n_accesses; i++)
        *(const struct hd_access **)hd_vec_push(&order) = &f->accesses[i];
    hd_sort(order.data, order.len, sizeof(const struct hd_access *), by_place, NULL);
    const struct hd_access **x = order.data;
    for (size_t i = 0; i < order.len; i++)
        put_piece(a, p, marks, x[i], i ? x[i - 1] : NULL);
    hd_vec_fini(&order);
}

void hd_margin_write(FILE *out, const struct hd_finding *f, size_t number, bool color)
{
    struct hd_arena *a = hd_arena_new();
    struct hd_vec marks = HD_VEC_INIT(struct mark);
    struct hd_page page;
    hd_page_init(&page, out, color);
    hd_brief_heading(&page, f, number);
    for (size_t i = 0; i < f->n_accesses; i++)
        hd_brief_access(&page, f, &f->accesses[i]);
    fputs("\n", out);
    collect(a, f, &marks);
    put_pieces(a, &page, f, &marks);
    for (size_t i = 0; i < marks.len; i++) {
        const struct mark *m = hd_vec_at(&marks, i);
        if (m->shown || m->access)
            continue;
        hd_page_begin(&page, 0, 2);
        hd_page_words(&page, "%s at %s, which is not shown", m->text, hd_words_spot(a, m->at));
        hd_page_end(&page);
    }
    hd_vec_fini(&marks);
    hd_arena_free(a);
}
