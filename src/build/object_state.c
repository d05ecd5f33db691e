/* State that calls told the program about: the atomic locations of enum hd_look (log/rt_log.h).
 */
#include "build/walk.h"

#include <stdio.h>
#include <string.h>

#define FIRST 64u /* in place of a kind: the hash of what was sent first */

static uint64_t key_of(uint64_t kind, uint64_t object)
{
    return hd_hash_mix(object) + kind;
}

/* Changes whose order stays as it was, if several threads make them. */
static bool keeps_order(uint64_t kind)
{
    return kind == HD_LOOK_TAKEN || kind == HD_LOOK_ASM;
}

/* Who takes bytes out: one thread, or several (bit 0). */
static void mark_taken(struct hd_walk *w, uint64_t kind, uint64_t object)
{
    bool fresh;
    uint32_t *how = hd_map_put(&w->state.looked, key_of(kind, object), &fresh);
    if (fresh)
        *how = w->current << 1;
    *how |= *how >> 1 != w->current;
}

/* Who writes into a pipe (bit 0: several threads), and whether always the same (bit 1: not). */
static void mark_sent(struct hd_walk *w, uint64_t object, uint64_t value)
{
    bool fresh;
    uint32_t hash = (uint32_t)value,
             *first = hd_map_put(&w->state.looked, key_of(FIRST, object), &fresh);
    if (fresh)
        *first = hash;
    bool differs = !hash || *first != hash;
    uint32_t *how = hd_map_put(&w->state.looked, key_of(HD_LOOK_SENT, object), &fresh);
    if (fresh)
        *how = w->current << 2;
    *how |= (*how >> 2 != w->current) | (unsigned)differs << 1;
}

/* ---- what the program does not want to hear of ---- */

static bool is_hint(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_SET && (rec->w[0] == HD_LOOK_BENIGN || rec->w[0] == HD_LOOK_IGNORE);
}

static void take_hint(struct hd_walk *w, const struct hd_raw *rec)
{
    unsigned bit = 1u << (rec->w[1] & 1);
    struct hd_walk_thread *t = hd_walk_current(w);
    if (rec->w[0] == HD_LOOK_IGNORE)
        t->ignores = (uint8_t)(rec->w[2] ? t->ignores | bit : t->ignores & ~bit);
    else if (w->pass == HD_WALK_MARK)
        hd_walk_benign_add(w, rec->w[1], rec->w[2]);
}

void hd_walk_benign_add(struct hd_walk *w, uint64_t addr, uint64_t len)
{
    while (len) {
        uint64_t room, part;
        const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
        bool fresh;
        part = len < room ? len : room;
        struct hd_walk_benign b = {hd_region_linear(g, addr), part};
        hd_map_put(&w->mem.benign_seen, hd_hash_mix(b.linear) + part, &fresh);
        if (fresh)
            *(struct hd_walk_benign *)hd_vec_push(&w->mem.benign) = b;
        addr += part;
        len -= part;
    }
}

bool hd_walk_benign_is(const struct hd_walk *w, uint64_t linear)
{
    for (size_t i = 0; i < w->mem.benign.len; i++) {
        const struct hd_walk_benign *b = (const struct hd_walk_benign *)w->mem.benign.data + i;
        if (linear - b->linear < b->len)
            return true;
    }
    return false;
}

void hd_walk_look_mark(struct hd_walk *w, const struct hd_raw *rec)
{
    if (is_hint(rec)) {
        take_hint(w, rec);
        return;
    }
    if (rec->kind == HD_LOG_SET && keeps_order(rec->w[0]))
        mark_taken(w, rec->w[0], rec->w[1]);
    else if (rec->kind == HD_LOG_SET && rec->w[0] == HD_LOOK_SENT)
        mark_sent(w, rec->w[1], rec->w[2]);
    else if (rec->kind == HD_LOG_LOOK || rec->kind == HD_LOG_SET)
        *hd_map_put(&w->state.looked, key_of(rec->w[0], rec->w[1]), NULL) |=
            rec->kind == HD_LOG_LOOK ? 1 : 2;
}

/* COUNT changes by events of its own; of the rest, what never changes is left out. */
static bool matters(const struct hd_walk *w, uint64_t kind, uint64_t object)
{
    uint32_t how = 0;
    bool sent = kind == HD_LOOK_SENT || kind == HD_LOOK_CHUNK;
    hd_map_get(&w->state.looked, key_of(sent ? HD_LOOK_SENT : kind, object), &how);
    if (sent)
        return (how & 3) == 3;
    if (keeps_order(kind))
        return how & 1;
    return kind == HD_LOOK_COUNT ? how != 0 : how == 3;
}

/* number: of what was sent, else 0. */
static uint32_t location(struct hd_walk *w, uint64_t kind, uint64_t object, uint32_t number)
{
    static const char *const words[] = {"",       "count",   "end",   "dead", "cancel",
                                        "closed", "listens", "taken", "asm",  "sync",
                                        "state",  "state",   "state", "sent", "sent"};
    char text[600] = "?";
    bool thread = kind == HD_LOOK_END || kind == HD_LOOK_CANCEL;
    if (thread && object < w->threads.len) {
        const struct hd_walk_thread *t = hd_vec_at(&w->threads, object);
        snprintf(text, 300, "%s", t->name ? t->name : "?");
    } else if (!thread) {
        hd_walk_object_text(w, kind == HD_LOOK_DEAD ? HD_OBJ_LOCK : HD_OBJ_SEM, object, text, 560);
    }
    size_t len = strlen(text);
    len += (size_t)snprintf(text + len, sizeof text - len, "#%s",
                            kind <= HD_LOOK_CHUNK ? words[kind] : "state");
    if (number)
        len += (size_t)snprintf(text + len, sizeof text - len, "%u", number);
    return hd_builder_obj(w->out.builder, HD_OBJ_LOC, text, len);
}

/* A change by one step, whatever came before: its order among others of its kind counts. */
static enum hd_status step(struct hd_walk *w, const struct hd_raw *rec, uint64_t kind,
                           uint64_t object, uint64_t old, uint64_t now)
{
    enum hd_status s = hd_walk_ready(w);
    if (s != HD_OK)
        return s;
    uint32_t own = hd_walk_next_eid(w);
    struct hd_event ev = {.op = HD_OP_RMW, .place = hd_walk_place(w, rec), .has_value = true};
    ev.value = old;
    ev.new_value = now;
    ev.obj = location(w, kind, object, 0);
    ev.deps = (struct hd_dep_list){true, 1, &own};
    return hd_walk_emit(w, &ev);
}

/* Which bytes a call gets, and how many, hangs on what was taken before. */
static enum hd_status taken(struct hd_walk *w, const struct hd_raw *rec)
{
    uint32_t *at = hd_map_put(&w->state.counts, key_of(rec->w[0], rec->w[1]), NULL), old = *at;
    *at = (uint32_t)rec->w[2];
    enum hd_status s = hd_walk_ready(w);
    uint32_t own = hd_walk_next_eid(w);
    if (s == HD_OK)
        s = step(w, rec, rec->w[0], rec->w[1], old, *at);
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = hd_walk_place(w, rec)};
    ev.deps = (struct hd_dep_list){true, 1, &own};
    return s == HD_OK ? hd_walk_emit(w, &ev) : s;
}

/* The bytes of this write come where they came if all writes before it did: the `aw` stores its
 * value only if the `rmw` found what it had found. Who reads the bytes reads that location. */
static enum hd_status was_sent(struct hd_walk *w, const struct hd_raw *rec)
{
    uint32_t number = (uint32_t)(rec->w[2] >> 32);
    enum hd_status s = hd_walk_ready(w);
    uint32_t turn = hd_walk_next_eid(w);
    if (s == HD_OK)
        s = step(w, rec, HD_LOOK_SENT, rec->w[1], number - 1, number);
    struct hd_event ev = {.op = HD_OP_AWRITE, .place = hd_walk_place(w, rec), .has_value = true};
    ev.value = 1;
    ev.obj = location(w, HD_LOOK_CHUNK, rec->w[1], number);
    ev.deps = (struct hd_dep_list){true, 1, &turn};
    return s == HD_OK ? hd_walk_emit(w, &ev) : s;
}

enum hd_status hd_walk_look(struct hd_walk *w, const struct hd_raw *rec)
{
    if (is_hint(rec)) {
        take_hint(w, rec);
        return HD_OK;
    }
    if (rec->w[0] == HD_LOOK_DESTROY)
        return rec->kind == HD_LOG_SET ? hd_walk_lock_ends(w, rec)
                                       : hd_walk_lock_used(w, rec, false);
    if (!matters(w, rec->w[0], rec->w[1]))
        return HD_OK;
    if (rec->kind == HD_LOG_SET && keeps_order(rec->w[0]))
        return taken(w, rec);
    if (rec->w[0] == HD_LOOK_SENT)
        return was_sent(w, rec);
    uint32_t number = rec->w[0] == HD_LOOK_CHUNK ? (uint32_t)rec->w[2] : 0;
    bool counts = rec->w[0] == HD_LOOK_CLOSED || rec->w[0] == HD_LOOK_SYNC;
    if (rec->kind == HD_LOG_SET && counts)
        return step(w, rec, rec->w[0], rec->w[1], rec->w[2] - 1, rec->w[2]);
    struct hd_event ev = {.op = rec->kind == HD_LOG_LOOK ? HD_OP_AREAD : HD_OP_AWRITE,
                          .place = hd_walk_place(w, rec),
                          .has_value = true};
    ev.value = number ? 1 : rec->w[2];
    ev.obj = location(w, rec->w[0], rec->w[1], number);
    ev.deps.given = ev.op == HD_OP_AWRITE;
    return hd_walk_emit(w, &ev);
}

void hd_walk_count_set(struct hd_walk *w, uint64_t object, uint64_t count)
{
    *hd_map_put(&w->state.counts, object, NULL) = (uint32_t)count;
}

enum hd_status hd_walk_count_changed(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t object = rec->w[0];
    uint32_t *count = hd_map_put(&w->state.counts, object, NULL), old = *count;
    uint32_t now = rec->kind == HD_LOG_POST ? old + 1 : old - (old > 0);
    *count = now;
    if (!matters(w, HD_LOOK_COUNT, object))
        return HD_OK;
    return step(w, rec, HD_LOOK_COUNT, object, old, now);
}
