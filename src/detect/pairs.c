#include "detect/pairs.h"

#include "base/alloc.h"
#include "base/err.h"

#include <stdlib.h>

void hd_pairs_fini(struct hd_pairs *p)
{
    hd_free(p->data, p->cap * sizeof *p->data);
    *p = (struct hd_pairs){0};
}

static void reserve(struct hd_pairs *p, size_t cap)
{
    if (cap <= p->cap)
        return;
    size_t wanted = p->cap ? p->cap * 2 : 16;
    if (wanted < cap)
        wanted = cap;
    p->data = hd_realloc(p->data, p->cap * sizeof *p->data, wanted * sizeof *p->data);
    p->cap = wanted;
}

static int compare(struct hd_pair x, struct hd_pair y)
{
    if (x.a != y.a)
        return x.a < y.a ? -1 : 1;
    return x.b < y.b ? -1 : x.b > y.b;
}

static int compare_ptr(const void *x, const void *y)
{
    return compare(*(const struct hd_pair *)x, *(const struct hd_pair *)y);
}

void hd_pairs_push(struct hd_pairs *p, uint32_t x, uint32_t y)
{
    struct hd_pair pair = {x < y ? x : y, x < y ? y : x};
    if (p->len) {
        int order = compare(p->data[p->len - 1], pair);
        if (order == 0)
            return;
        p->unsorted |= order > 0;
    }
    reserve(p, p->len + 1);
    p->data[p->len++] = pair;
}

void hd_pairs_sort(struct hd_pairs *p)
{
    if (!p->unsorted)
        return;
    qsort(p->data, p->len, sizeof *p->data, compare_ptr);
    size_t kept = 0;
    for (size_t i = 0; i < p->len; i++)
        if (!kept || compare(p->data[kept - 1], p->data[i]) != 0)
            p->data[kept++] = p->data[i];
    p->len = kept;
    p->unsorted = false;
}

bool hd_pairs_contains(const struct hd_pairs *p, uint32_t x, uint32_t y)
{
    HD_ASSERT(!p->unsorted);
    if (!p->len)
        return false;
    struct hd_pair key = {x < y ? x : y, x < y ? y : x};
    return bsearch(&key, p->data, p->len, sizeof key, compare_ptr) != NULL;
}

bool hd_pairs_subset(const struct hd_pairs *p, const struct hd_pairs *q, struct hd_pair *missing)
{
    HD_ASSERT(!p->unsorted && !q->unsorted);
    size_t j = 0;
    for (size_t i = 0; i < p->len; i++) {
        while (j < q->len && compare(q->data[j], p->data[i]) < 0)
            j++;
        if (j < q->len && compare(q->data[j], p->data[i]) == 0)
            continue;
        if (missing)
            *missing = p->data[i];
        return false;
    }
    return true;
}

bool hd_pairs_equal(const struct hd_pairs *p, const struct hd_pairs *q)
{
    return p->len == q->len && hd_pairs_subset(p, q, NULL);
}
