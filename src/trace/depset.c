#include "trace/depset.h"

#include <stdlib.h>
#include <string.h>

void hd_depsets_init(struct hd_depsets *d)
{
    *d = (struct hd_depsets){0};
    hd_u32vec_push(&d->at, 0);
}

void hd_depsets_fini(struct hd_depsets *d)
{
    hd_u32vec_fini(&d->pool);
    hd_u32vec_fini(&d->at);
    hd_map_fini(&d->ids);
}

uint32_t hd_depsets_put(struct hd_depsets *d, uint32_t thread, const uint32_t *reads, size_t n)
{
    if (n == 0)
        return 0;
    size_t listed = n > HD_DEPSET_MOST ? 0 : n;
    uint64_t key = hd_hash_bytes(reads, listed * sizeof *reads, thread);
    for (;; key++) {
        bool fresh;
        uint32_t *id = hd_map_put(&d->ids, key, &fresh);
        if (fresh) {
            *id = (uint32_t)d->at.len;
            hd_u32vec_push(&d->at, (uint32_t)d->pool.len);
            hd_u32vec_push(&d->pool, thread);
            hd_u32vec_push(&d->pool, (uint32_t)listed);
            for (size_t i = 0; i < listed; i++)
                hd_u32vec_push(&d->pool, reads[i]);
            return *id;
        }
        const uint32_t *other = d->pool.data + d->at.data[*id];
        if (other[0] == thread && other[1] == listed &&
            (!listed || !memcmp(other + 2, reads, listed * sizeof *reads)))
            return *id;
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

void hd_depsets_sort(struct hd_u32vec *list)
{
    bool ascends = true;
    for (size_t i = 1; ascends && i < list->len; i++)
        ascends = list->data[i - 1] < list->data[i];
    if (ascends)
        return;
    qsort(list->data, list->len, sizeof *list->data, by_number);
    size_t n = 0;
    for (size_t i = 0; i < list->len; i++)
        if (n == 0 || list->data[n - 1] != list->data[i])
            list->data[n++] = list->data[i];
    list->len = n;
}
