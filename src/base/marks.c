#include "base/marks.h"

#include "base/alloc.h"

void hd_marks_init(struct hd_marks *m, size_t size)
{
    *m = (struct hd_marks){.size = size};
    m->words = hd_calloc(size / 64 + 1, sizeof *m->words);
}

void hd_marks_fini(struct hd_marks *m)
{
    hd_free(m->words, m->words ? (m->size / 64 + 1) * sizeof *m->words : 0);
    *m = (struct hd_marks){0};
}

void hd_marks_add(struct hd_marks *m, size_t pos)
{
    HD_DCHECK(pos < m->size && pos / 64 >= m->last);
    HD_DCHECK(!(m->words[pos / 64].bits >> (pos % 64)));
    while (m->last < pos / 64)
        m->words[++m->last].before = m->n;
    m->words[pos / 64].bits |= UINT64_C(1) << (pos % 64);
    m->n++;
}
