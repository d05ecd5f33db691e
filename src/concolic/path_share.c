#include "concolic/path_share.h"

#include "base/err.h"
#include "base/hash.h"

#define SPARE                                                                                      \
    3 /* eight ways for each share, if all choices can go both ways: they differ in size */

static uint32_t top(const struct hd_path_share *share)
{
    uint32_t bits = 0;
    while (share->of > 1 && (share->of - 1) >> bits)
        bits++;
    return bits ? bits + SPARE : 0;
}

struct hd_path_way hd_path_way_after(const struct hd_path_share *share, struct hd_path_way way,
                                     uint64_t choice)
{
    if (way.choices < top(share))
        way = (struct hd_path_way){hd_hash_mix(choice + hd_hash_mix(way.hash)), way.choices + 1};
    return way;
}

bool hd_path_share_owns(const struct hd_path_share *share, struct hd_path_way way)
{
    HD_DCHECK(share->of < 2 || share->number < share->of);
    return share->of < 2 || way.hash % share->of == share->number;
}

bool hd_path_share_has(const struct hd_path_share *share, struct hd_path_way way)
{
    return way.choices < top(share) || hd_path_share_owns(share, way);
}
