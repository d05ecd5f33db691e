#include "predict/run/share.h"

#include "base/alloc.h"

#include <math.h>
#include <stdlib.h>

struct load {
    uint64_t cost;
    uint32_t group;
};

static int dearest_first(const void *a, const void *b)
{
    const struct load *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost > y->cost ? -1 : 1;
    return x->group < y->group ? -1 : x->group > y->group;
}

void hd_share_divide(const uint64_t *pairs, size_t n, uint32_t shards, uint32_t *owner)
{
    struct load *list = hd_alloc(n * sizeof *list);
    uint64_t *sum = hd_calloc(shards, sizeof *sum);
    for (size_t i = 0; i < n; i++)
        list[i] = (struct load){1 + (uint64_t)sqrt((double)pairs[i]), (uint32_t)i};
    if (n)
        qsort(list, n, sizeof *list, dearest_first);
    for (size_t i = 0; i < n; i++) {
        uint32_t least = 0;
        for (uint32_t k = 1; k < shards; k++)
            least = sum[k] < sum[least] ? k : least;
        sum[least] += list[i].cost;
        owner[list[i].group] = least;
    }
    hd_free(list, n * sizeof *list);
    hd_free(sum, shards * sizeof *sum);
}

void hd_share_keep(struct hd_candidates *c, const struct hd_predict_options *options,
                   struct hd_map *owners)
{
    size_t n = c->groups.len, kept = 0;
    uint64_t *pairs = hd_alloc(n * sizeof *pairs);
    uint32_t *owner = hd_alloc(n * sizeof *owner);
    struct hd_group *groups = c->groups.data;
    hd_eid unused[2];
    for (size_t i = 0; i < n; i++)
        pairs[i] = hd_candidates_count(c, &groups[i], unused);
    hd_share_divide(pairs, n, options->shards, owner);
    c->pairs = 0;
    for (size_t i = 0; i < n; i++) {
        bool fresh;
        *hd_map_put(owners, (uint64_t)groups[i].place_x << 32 | groups[i].place_y, &fresh) =
            owner[i];
        if (owner[i] != options->shard)
            continue;
        c->pairs += pairs[i];
        groups[kept++] = groups[i];
    }
    c->groups.len = kept;
    hd_free(pairs, n * sizeof *pairs);
    hd_free(owner, n * sizeof *owner);
}
