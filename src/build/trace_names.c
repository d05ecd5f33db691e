#include "build/walk.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/plainpath.h"
#include "base/printable.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_MAX_LEN 512
#define BLOCK_TEXT   48

/* Names of slots that may have been those of another module, which lay there before. */
static void forget_places(struct hd_walk *w, const struct hd_walk_sites *now)
{
    uint64_t end = now->base + now->count * sizeof(struct hd_site);
    for (size_t i = 0; i + 1 < w->names.sites_seen; i++) {
        const struct hd_walk_sites *s = hd_vec_at(&w->names.sites, i);
        if (s->base >= end || now->base >= s->base + s->count * sizeof(struct hd_site))
            continue;
        for (size_t k = 0; k < w->names.places.len; k++)
            w->names.places.data[k] = 0;
        return;
    }
}

static void add_sites(struct hd_walk *w, const struct hd_raw *rec, uint64_t n)
{
    struct hd_walk_sites *s = hd_vec_push(&w->names.sites);
    s->base = rec->w[0];
    s->count = n;
    size_t bytes = n * sizeof(struct hd_site);
    s->sites = hd_alloc(bytes);
    memcpy(s->sites, rec->data + 8, bytes);
    s->strings_size = rec->len - 8 - bytes;
    s->strings = hd_strndup((const char *)rec->data + 8 + bytes, s->strings_size);
}

void hd_walk_sites(struct hd_walk *w, const struct hd_raw *rec)
{
    uint64_t n;
    if (rec->len < 8)
        return;
    memcpy(&n, rec->data, 8);
    if (n > (rec->len - 8) / sizeof(struct hd_site))
        return;
    if (w->names.sites_seen++ == w->names.sites.len)
        add_sites(w, rec, n);
    forget_places(w, hd_vec_at(&w->names.sites, w->names.sites_seen - 1));
}

/* The latest that was seen: a library may lie where another one lay before. */
static const struct hd_walk_sites *table_of(const struct hd_walk *w, uint64_t address)
{
    for (size_t i = w->names.sites_seen; i-- > 0;) {
        const struct hd_walk_sites *s = hd_vec_at(&w->names.sites, i);
        if (address >= s->base && address - s->base < s->count * sizeof(struct hd_site))
            return s;
    }
    return NULL;
}

const struct hd_site *hd_walk_site(const struct hd_walk *w, uint64_t address)
{
    const struct hd_walk_sites *s = table_of(w, address);
    return s ? s->sites + (address - s->base) / sizeof(struct hd_site) : NULL;
}

bool hd_walk_site_copies(const struct hd_walk *w, const struct hd_raw *rec)
{
    const struct hd_site *site = rec->aux & HD_LOG_SITE ? hd_walk_site(w, rec->site) : NULL;
    return site && site->kind == HD_SITE_COPY;
}

bool hd_walk_site_place(const struct hd_walk *w, uint64_t address, char *out, size_t size)
{
    const struct hd_walk_sites *s = table_of(w, address);
    const struct hd_site *site = hd_walk_site(w, address);
    if (!site || site->file >= s->strings_size ||
        !memchr(s->strings + site->file, 0, s->strings_size - site->file))
        return false;
    snprintf(out, size, "%s:%" PRIu32, s->strings + site->file, site->line);
    hd_plainpath(out);
    return true;
}

static void place_text(struct hd_walk *w, const struct hd_raw *rec, char *out, size_t size)
{
    if (rec->aux & HD_LOG_SITE &&
        (rec->kind <= HD_LOG_BRANCH || rec->kind == HD_LOG_ORDER || rec->kind == HD_LOG_GONE)) {
        if (hd_walk_site_place(w, rec->site, out, size))
            return;
    } else if (rec->site && hd_recnames_place(&w->in.debug, rec->site, out, size)) {
        return;
    }
    snprintf(out, size, "unknown");
}

static const char *site_text(const struct hd_walk_sites *s, uint32_t offset)
{
    return offset < s->strings_size && memchr(s->strings + offset, 0, s->strings_size - offset)
               ? s->strings + offset
               : "";
}

const char *hd_walk_site_name(const struct hd_walk *w, uint64_t address)
{
    const struct hd_site *site = hd_walk_site(w, address);
    return site ? site_text(table_of(w, address), site->name) : "";
}

/* What the site says beyond its place; see details.h. */
static uint32_t add_detail(struct hd_walk *w, const struct hd_raw *rec, uint32_t place)
{
    char function[NAME_MAX_LEN] = "";
    struct hd_detail detail = {.function = function, .name = "", .frees = rec->kind == HD_LOG_FREE};
    bool ends = rec->kind == HD_LOG_SET && rec->w[0] == HD_LOOK_DESTROY;
    if (rec->kind != HD_LOG_LOOK || rec->w[0] == HD_LOOK_DESTROY)
        detail.call = hd_details_call(rec->kind, ends ? rec->w[2] : 0);
    const struct hd_walk_sites *s = rec->aux & HD_LOG_SITE ? table_of(w, rec->site) : NULL;
    if (rec->kind == HD_LOG_GONE)
        detail.call = hd_details_call(rec->kind, HD_DESTROYED_LOCAL);
    if (s && (rec->kind <= HD_LOG_BRANCH || rec->kind == HD_LOG_GONE)) {
        const struct hd_site *site = hd_walk_site(w, rec->site);
        detail.function = site_text(s, site->func);
        detail.name = site_text(s, site->name);
        detail.column = site->col;
        detail.size = site->size;
        detail.flags =
            site->flags & (HD_SITE_NAME_GLOBAL | HD_SITE_NAME_FIELD | HD_SITE_NAME_LOCAL);
    } else {
        hd_recnames_function(&w->in.debug, rec->site, function, sizeof function);
        detail.column = hd_recnames_column(&w->in.debug, rec->site);
        if (rec->kind >= HD_LOG_READ && rec->kind <= HD_LOG_RMW)
            detail.size = rec->aux & HD_LOG_SIZE;
    }
    return hd_details_site(w->names.details, place, &detail);
}

static uint32_t *slot_cell(struct hd_u32vec *v, uint32_t slot)
{
    while (v->len <= slot)
        hd_u32vec_push(v, 0);
    return &v->data[slot];
}

uint32_t hd_walk_place(struct hd_walk *w, const struct hd_raw *rec)
{
    if (rec->slot && rec->slot < w->names.places.len && w->names.places.data[rec->slot]) {
        w->names.detail = w->names.detail_of.data[rec->slot];
        return w->names.places.data[rec->slot] - 1;
    }
    uint32_t *place = slot_cell(&w->names.places, rec->slot);
    uint32_t *detail = slot_cell(&w->names.detail_of, rec->slot);
    char text[NAME_MAX_LEN];
    place_text(w, rec, text, sizeof text);
    for (char *p = text; *p; p++)
        if (*p == '|' || *p == '\n')
            *p = '_';
    hd_printable_make(text);
    *place = hd_builder_place(w->out.builder, text, strlen(text)) + 1;
    w->names.detail = *detail = add_detail(w, rec, *place - 1);
    return *place - 1;
}

void hd_walk_origin(struct hd_walk *w, const struct hd_raw *rec)
{
    bool fresh;
    uint32_t *origin = hd_map_put(&w->names.makers, rec->site, &fresh);
    if (fresh) {
        char place[NAME_MAX_LEN] = "", function[NAME_MAX_LEN] = "";
        hd_recnames_place(&w->in.debug, rec->site, place, sizeof place);
        hd_recnames_function(&w->in.debug, rec->site, function, sizeof function);
        *origin = hd_details_origin(w->names.details, place, function);
    }
    hd_details_add_block(w->names.details, rec->w[1], *origin);
}

static void stream_text(char *name)
{
    size_t n = strcspn(name + 8, "_");
    memmove(name, name + 8, n);
    name[n] = 0;
}

static char *put_number(char *p, uint64_t v)
{
    char digits[20];
    size_t n = 0;
    do
        digits[n++] = (char)('0' + v % 10);
    while (v /= 10);
    while (n)
        *p++ = digits[--n];
    return p;
}

/* "heap#3+8". There may be as many as events: no printf. */
static size_t block_text(const struct hd_region *g, uint64_t addr, char *out)
{
    bool heap = g->kind == HD_REGION_HEAP;
    size_t n = heap ? 5 : g->view ? 7 : 4;
    memcpy(out, heap ? "heap#" : g->view ? "shared#" : "map#", n); /* one name at all addresses */
    char *p = put_number(out + n, g->number);
    *p++ = '+';
    p = put_number(p, addr - g->start + g->offset);
    *p = 0;
    return (size_t)(p - out);
}

static void region_text(struct hd_walk *w, const struct hd_region *g, uint64_t addr, char *out,
                        size_t size)
{
    char block[BLOCK_TEXT];
    switch ((enum hd_region_kind)g->kind) {
    case HD_REGION_HEAP:
    case HD_REGION_MAP:
        block_text(g, addr, block);
        snprintf(out, size, "%s", block);
        return;
    case HD_REGION_STACK: {
        const struct hd_walk_thread *t =
            g->number < w->threads.len ? hd_vec_at(&w->threads, g->number) : NULL;
        /* Counted from the top, which does not move when the limit of the stack does. */
        snprintf(out, size, "stack:%s-%" PRIu64, t && t->name ? t->name : "?", g->end - addr);
        return;
    }
    case HD_REGION_STATIC:
        if (!hd_recnames_data(&w->in.debug, addr, out, size))
            snprintf(out, size, "mem+0x%" PRIx64, addr);
        else if (strncmp(out, "_IO_2_1_std", 11) == 0) /* glibc's names for stdin and the others */
            stream_text(out);
    }
}

/* C++ names and paths may hold what the text form uses itself. */
static void make_printable(char *text)
{
    static const bool bad[256] = {['|'] = true, ['('] = true, [')'] = true,  [','] = true,
                                  [';'] = true, [' '] = true, ['\t'] = true, ['\n'] = true};
    for (char *p = text; *p; p++)
        if (bad[(uint8_t)*p])
            *p = '_';
    hd_printable_make(text);
}

/* Objects that are no memory: log/rt_log.h, enum hd_pseudo. */
static bool pseudo_text(struct hd_walk *w, uint64_t addr, char *out, size_t size)
{
    uint64_t n = addr & ((UINT64_C(1) << 60) - 1), thread = n >> 8;
    switch ((enum hd_pseudo)HD_PSEUDO_KIND(addr)) {
    case HD_PSEUDO_PIPE:
        snprintf(out, size, "pipe#%" PRIu64, n);
        return true;
    case HD_PSEUDO_SOCKET:
        snprintf(out, size, "socket#%" PRIu64, n);
        return true;
    case HD_PSEUDO_SIGNAL: {
        const struct hd_walk_thread *t =
            thread < w->threads.len ? hd_vec_at(&w->threads, thread) : NULL;
        snprintf(out, size, "signal#%" PRIu64 "%s%s", n & 0xff, t ? ":" : "",
                 t && t->name ? t->name : "");
        return true;
    }
    case HD_PSEUDO_ANNOTATED:
        hd_walk_address(w, n, out, size > 8 ? size - 8 : 0);
        strcat(out, "#own");
        return true;
    case HD_PSEUDO_WIDE:
        hd_walk_address(w, n, out, size > 8 ? size - 8 : 0);
        strcat(out, "#wide");
        return true;
    default:
        return false;
    }
}

void hd_walk_address(struct hd_walk *w, uint64_t addr, char *out, size_t size)
{
    uint64_t room;
    if (pseudo_text(w, addr, out, size))
        return;
    const struct hd_region *g = hd_regions_find(&w->mem.regions, addr, &room);
    bool named = hd_walk_objlocks_name(w, g, addr, out, size);
    if (!named)
        region_text(w, g, addr, out, size);
    make_printable(out);
    if (named || g->kind == HD_REGION_STATIC) /* the others are unique as they are */
        hd_walk_objlocks_number(w, g, addr, out, size);
}

uint32_t hd_walk_location(struct hd_walk *w, const struct hd_region *g, uint64_t addr)
{
    char text[NAME_MAX_LEN];
    if (g->kind == HD_REGION_HEAP || g->kind == HD_REGION_MAP) /* a number means one block */
        return hd_builder_obj(w->out.builder, HD_OBJ_LOC, text, block_text(g, addr, text));
    region_text(w, g, addr, text, sizeof text - 16);
    make_printable(text);
    size_t base = strlen(text), len = base, before = w->names.used.count;
    /* Two static variables of different files may share a name: the later one gets a number. */
    for (unsigned n = 2; hd_names_add(&w->names.used, text, len) < before; n++)
        len = base + (size_t)snprintf(text + base, 16, "'%u", n);
    return hd_builder_obj(w->out.builder, HD_OBJ_LOC, text, len);
}

static void object_text(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr, bool new_life,
                        char *text, size_t size)
{
    char key[NAME_MAX_LEN + 16];
    hd_walk_address(w, addr, text, size - 16);
    /* A life is counted by entries "kind:name:n". */
    unsigned life = 0;
    uint32_t id;
    for (;; life++) {
        int n = snprintf(key, sizeof key, "%d:%s:%u", (int)kind, text, life + 1);
        if (!hd_names_find(&w->names.lives, key, (size_t)n, &id))
            break;
    }
    if (new_life || life == 0) {
        life++;
        int n = snprintf(key, sizeof key, "%d:%s:%u", (int)kind, text, life);
        hd_names_add(&w->names.lives, key, (size_t)n);
    }
    size_t len = strlen(text);
    if (life > 1)
        snprintf(text + len, 16, "'%u", life);
}

static uint32_t object(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr, bool new_life)
{
    char text[NAME_MAX_LEN];
    if (w->pass != HD_WALK_BUILD)
        return 0; /* names may become better until then */
    object_text(w, kind, addr, new_life, text, sizeof text);
    return hd_builder_obj(w->out.builder, kind, text, strlen(text));
}

void hd_walk_object_text(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr, char *out,
                         size_t size)
{
    object_text(w, kind, addr, false, out, size < NAME_MAX_LEN ? size : NAME_MAX_LEN);
}

static struct hd_walk_named *named(struct hd_walk *w, uint64_t addr)
{
    return &w->names.named[hd_hash_mix(addr) % (sizeof w->names.named / sizeof *w->names.named)];
}

uint32_t hd_walk_object(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr)
{
    struct hd_walk_named *n = named(w, addr);
    if (n->addr != addr || n->kind != kind || n->change != w->mem.regions.change)
        *n =
            (struct hd_walk_named){addr, w->mem.regions.change, object(w, kind, addr, false), kind};
    return n->id;
}

uint32_t hd_walk_new_life(struct hd_walk *w, enum hd_obj_kind kind, uint64_t addr)
{
    named(w, addr)->change = 0;
    return object(w, kind, addr, true);
}
