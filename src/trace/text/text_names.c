/* Names to ids, through a cache of recent ones. */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/printable.h"
#include "trace/builder_int.h"
#include "trace/text/text_int.h"

#include <string.h>

/* No control characters (a tab may stand inside), none of the forbidden ones, no blanks at the
 * ends. */
static bool clean(const char *name, size_t len, const char *forbidden)
{
    for (size_t i = 0; i < len; i++)
        if (!name[i] || strchr(forbidden, name[i]))
            return false;
    if (!hd_printable_ok(name, len))
        return false;
    return len == 0 || (!hd_text_blank(name[0]) && !hd_text_blank(name[len - 1]));
}

bool hd_text_name_ok(const char *name, size_t len)
{
    return len > 0 && clean(name, len, "|,()");
}

bool hd_text_thread_ok(const char *name, size_t len)
{
    /* At the start of a file a byte order mark is no part of the first name. */
    bool mark = len >= 3 && !memcmp(name, "\xef\xbb\xbf", 3);
    return hd_text_name_ok(name, len) && name[0] != '#' && name[0] != '!' && !mark;
}

bool hd_text_place_ok(const char *name, size_t len)
{
    return clean(name, len, "|");
}

void hd_text_cache(struct hd_text_reader *r, unsigned bits)
{
    /* One set more than used, for the alignment. */
    hd_free(r->cache_memory, (((size_t)1 << r->cache_bits) + 1) * sizeof *r->cache);
    r->cache_bits = bits;
    r->cache_memory = bits ? hd_calloc(((size_t)1 << bits) + 1, sizeof *r->cache) : NULL;
    uintptr_t start = (uintptr_t)r->cache_memory, line = sizeof *r->cache;
    r->cache = (struct hd_text_set *)((start + line - 1) / line * line);
}

static uint64_t load64(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static uint32_t load32(const char *p)
{
    uint32_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* The loads overlap where they must, so that with the length they tell every byte of a short name.
 */
static inline struct hd_text_slot key_of(unsigned kind, struct hd_span s)
{
    size_t len = hd_span_len(s);
    struct hd_text_slot key = {.tag = (uint32_t)(len * 8 + kind + 1)};
    if (len > 24) {
        key.lo = hd_hash_bytes(s.p, len, kind);
    } else if (len >= 8) {
        key.lo = load64(s.p);
        key.mid = len > 16 ? load64(s.p + 8) : 0;
        key.hi = load64(s.end - 8);
    } else if (len >= 4) {
        key.lo = load32(s.p) | (uint64_t)load32(s.end - 4) << 32;
    } else if (len > 0) {
        key.lo = (unsigned char)s.p[0] | (uint32_t)(unsigned char)s.p[len / 2] << 8 |
                 (uint32_t)(unsigned char)s.end[-1] << 16;
    }
    return key;
}

static const struct hd_names *table_of(const struct hd_text_reader *r, unsigned kind)
{
    const struct hd_trace *t = r->b->t;
    if (kind == HD_TEXT_PLACE)
        return &t->places;
    return kind == HD_OBJ_THREAD ? &t->threads : &t->objs[kind];
}

static inline bool hit(const struct hd_text_reader *r, const struct hd_text_slot *slot,
                       const struct hd_text_slot *key, unsigned kind, struct hd_span s)
{
    size_t len = hd_span_len(s);
    if (slot->tag != key->tag ||
        ((slot->lo ^ key->lo) | (slot->mid ^ key->mid) | (slot->hi ^ key->hi)))
        return false;
    return len <= 24 || !memcmp(hd_names_text(table_of(r, kind), slot->id), s.p, len);
}

static enum hd_status refuse(unsigned kind, struct hd_span s, struct hd_err *err)
{
    static const char *const what[] = {"location", "lock",   "condition",   "semaphore",
                                       "barrier",  "thread", "source place"};
    char quoted[HD_TEXT_QUOTE];
    if (s.p == s.end)
        return hd_err_set(err, HD_ERR_INPUT, "expected the name of a %s, found nothing",
                          what[kind]);
    return hd_err_set(
        err, HD_ERR_INPUT, "'%s' cannot be the name of a %s: expected no control characters%s",
        hd_text_quote(s, quoted), what[kind],
        kind == HD_TEXT_PLACE   ? ""
        : kind == HD_OBJ_THREAD ? ", none of | , ( ) and no # or ! or byte order mark at the start"
                                : " and none of | , ( )");
}

/* The slow way: the name tables, and the check of a name that is new. */
static enum hd_status look_up(struct hd_text_reader *r, unsigned kind, struct hd_span s,
                              uint32_t *id, struct hd_err *err)
{
    size_t len = hd_span_len(s), known = table_of(r, kind)->count;
    enum hd_status status = HD_OK;
    if (len == 0 && kind != HD_TEXT_PLACE)
        return refuse(kind, s, err);
    if (kind == HD_TEXT_PLACE)
        *id = hd_builder_place(r->b, s.p, len);
    else if (kind == HD_OBJ_THREAD)
        status = hd_builder_thread(r->b, s.p, len, id, err);
    else
        *id = hd_builder_obj(r->b, (enum hd_obj_kind)kind, s.p, len);
    if (status != HD_OK || *id < known)
        return status;
    bool ok = kind == HD_TEXT_PLACE   ? hd_text_place_ok(s.p, len)
              : kind == HD_OBJ_THREAD ? hd_text_thread_ok(s.p, len)
                                      : hd_text_name_ok(s.p, len);
    if (!ok)
        return refuse(kind, s, err);
    if (kind == HD_OBJ_BARRIER)
        *(uint64_t *)hd_vec_push(&r->barrier_line) = r->line;
    return HD_OK;
}

enum hd_status hd_text_name(struct hd_text_reader *r, unsigned kind, struct hd_span s, uint32_t *id,
                            struct hd_err *err)
{
    struct hd_text_slot key = key_of(kind, s);
    uint64_t hash = (key.lo ^ (key.hi << 1 | key.hi >> 63)) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ key.tag ^ key.mid) * UINT64_C(0xd6e8feb86659fd93);
    struct hd_text_set *set = &r->cache[hash >> (64 - r->cache_bits)];
    for (int i = 0; i < 2; i++) {
        if (hit(r, &set->slot[i], &key, kind, s)) {
            *id = set->slot[i].id;
            return HD_OK;
        }
    }
    enum hd_status status = look_up(r, kind, s, id, err);
    if (status == HD_OK) {
        key.id = *id;
        set->slot[1] = set->slot[0];
        set->slot[0] = key;
    }
    return status;
}
