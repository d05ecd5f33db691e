#include "build/details.h"

#include "base/hash.h"
#include "base/vec.h"
#include "base/bytes.h"
#include "log/rt_log.h"

#include <string.h>

#define KEY       "details"
#define VERSION   1
#define MAX_SITES 256 /* of a place: the column of events has one byte */

/* ---- calls that use or end a lock or the like ---- */

#define ENDS 0x80 /* with an enum hd_destroyed */

static const char *const used[HD_LOG_KIND_COUNT] = {
    [HD_LOG_ACQ] = "lock",         [HD_LOG_RACQ] = "lock for reading",
    [HD_LOG_TRYFAIL] = "try-lock", [HD_LOG_REL] = "unlock",
    [HD_LOG_RREL] = "unlock",      [HD_LOG_WAIT] = "wait",
    [HD_LOG_WAKE] = "wait",        [HD_LOG_TMO] = "wait",
    [HD_LOG_SIG] = "signal",       [HD_LOG_BCAST] = "signal",
    [HD_LOG_POST] = "post",        [HD_LOG_SEM] = "wait",
    [HD_LOG_BARIN] = "arrival",    [HD_LOG_LOOK] = "failed use",
};
static const char *const ended[] = {
    [HD_DESTROYED_MUTEX] = "destroy mutex",   [HD_DESTROYED_RWLOCK] = "destroy rwlock",
    [HD_DESTROYED_SPIN] = "destroy spinlock", [HD_DESTROYED_COND] = "destroy condition variable",
    [HD_DESTROYED_SEM] = "destroy semaphore", [HD_DESTROYED_BARRIER] = "destroy barrier",
    [HD_DESTROYED_LOCAL] = "end of scope",
};
#define N_ENDED (sizeof ended / sizeof *ended)

uint8_t hd_details_call(unsigned log_kind, uint64_t what)
{
    if (what)
        return what < N_ENDED ? (uint8_t)(ENDS | what) : 0;
    return log_kind < HD_LOG_KIND_COUNT && used[log_kind] ? (uint8_t)log_kind : 0;
}

const char *hd_details_call_words(uint8_t call)
{
    unsigned n = call & ~(unsigned)ENDS;
    if (call & ENDS)
        return n < N_ENDED ? ended[n] : NULL;
    return n < HD_LOG_KIND_COUNT ? used[n] : NULL;
}

bool hd_details_call_ends(uint8_t call)
{
    return call & ENDS;
}

bool hd_details_call_leaves(uint8_t call)
{
    return call == (ENDS | HD_DESTROYED_LOCAL);
}

bool hd_details_call_behind(uint8_t call)
{
    return call == HD_LOG_WAKE || call == HD_LOG_TMO;
}

static void put_text(struct hd_bytes *b, const char *text)
{
    hd_bytes_put(b, text ? text : "", strlen(text ? text : "") + 1);
}

static const char *get_text(struct hd_bytes_cur *c)
{
    const uint8_t *end = c->bad || c->p == c->end ? NULL : memchr(c->p, 0, (size_t)(c->end - c->p));
    const char *text = (const char *)c->p;
    if (!end) {
        c->bad = true;
        return "";
    }
    c->p = end + 1;
    return text;
}

/* A number of items that take at least `least` bytes each: a damaged one must not make us
 * allocate. */
static size_t get_count(struct hd_bytes_cur *c, size_t least)
{
    uint64_t n = hd_bytes_get(c);
    if (n > (uint64_t)(c->end - c->p) / least)
        c->bad = true;
    return c->bad ? 0 : (size_t)n;
}

/* ---- writing ---- */

struct hd_details_writer {
    struct hd_bytes sites, origins, blocks, events;
    size_t n_sites, n_origins, n_blocks;
    struct hd_map of_place;   /* place -> sites so far */
    struct hd_u32vec ordinal; /* by site */
};

struct hd_details_writer *hd_details_writer_new(void)
{
    return hd_calloc(1, sizeof(struct hd_details_writer));
}

void hd_details_writer_free(struct hd_details_writer *w)
{
    if (!w)
        return;
    hd_bytes_fini(&w->sites);
    hd_bytes_fini(&w->origins);
    hd_bytes_fini(&w->blocks);
    hd_bytes_fini(&w->events);
    hd_map_fini(&w->of_place);
    hd_u32vec_fini(&w->ordinal);
    hd_free(w, sizeof *w);
}

void hd_details_restart(struct hd_details_writer *w)
{
    w->events.len = w->blocks.len = w->n_blocks = 0;
}

uint32_t hd_details_site(struct hd_details_writer *w, uint32_t place, const struct hd_detail *site)
{
    uint32_t *count = hd_map_put(&w->of_place, place, NULL);
    uint32_t ordinal = *count < MAX_SITES ? *count : MAX_SITES - 1;
    hd_u32vec_push(&w->ordinal, ordinal);
    if ((*count)++ < MAX_SITES) {
        hd_bytes_varint(&w->sites, place);
        hd_bytes_varint(&w->sites, site->column);
        hd_bytes_varint(&w->sites, site->size);
        hd_bytes_varint(&w->sites,
                        site->flags | (site->frees ? 1u : 0u) | (unsigned)site->call << 8);
        put_text(&w->sites, site->function);
        put_text(&w->sites, site->name);
        w->n_sites++;
    }
    return (uint32_t)(w->ordinal.len - 1);
}

void hd_details_event(struct hd_details_writer *w, uint32_t site)
{
    HD_DCHECK(site == UINT32_MAX || site < w->ordinal.len);
    *hd_bytes_room(&w->events, 1) = site == UINT32_MAX ? 0 : (uint8_t)w->ordinal.data[site];
    w->events.len++;
}

uint32_t hd_details_origin(struct hd_details_writer *w, const char *place, const char *function)
{
    put_text(&w->origins, place);
    put_text(&w->origins, function);
    return (uint32_t)w->n_origins++;
}

void hd_details_add_block(struct hd_details_writer *w, uint64_t bytes, uint32_t origin)
{
    HD_DCHECK(origin < w->n_origins);
    hd_bytes_varint(&w->blocks, bytes);
    hd_bytes_varint(&w->blocks, origin);
    w->n_blocks++;
}

void hd_details_finish(struct hd_details_writer *w, struct hd_trace *t)
{
    struct hd_bytes all = {0};
    HD_ASSERT(w->events.len == t->n_events);
    hd_bytes_varint(&all, VERSION);
    hd_bytes_varint(&all, w->n_sites);
    hd_bytes_put(&all, w->sites.data, w->sites.len);
    hd_bytes_varint(&all, w->n_origins);
    hd_bytes_put(&all, w->origins.data, w->origins.len);
    hd_bytes_varint(&all, w->n_blocks);
    hd_bytes_put(&all, w->blocks.data, w->blocks.len);
    hd_trace_meta_add(t, KEY, all.data, all.len);
    hd_trace_meta_add(t, KEY, w->events.data, w->events.len);
    hd_bytes_fini(&all);
}

/* ---- reading ---- */

struct hd_details {
    const struct hd_trace *t;
    struct hd_vec sites;     /* struct hd_detail, grouped by place */
    struct hd_u32vec start;  /* by place, and one more */
    struct hd_vec blocks;    /* struct hd_block_origin */
    const uint8_t *ordinals; /* by event, in the trace's own bytes */
};

struct placed {
    uint32_t place;
    struct hd_detail detail;
};

static void get_sites(struct hd_details *d, struct hd_bytes_cur *c, struct hd_vec *sites)
{
    size_t places = d->t->places.count, n = get_count(c, 6);
    for (size_t i = 0; i < n && !c->bad; i++) {
        struct placed *s = hd_vec_push(sites);
        *s = (struct placed){0};
        uint64_t place = hd_bytes_get(c);
        s->place = (uint32_t)place;
        s->detail.column = (uint32_t)hd_bytes_get(c);
        s->detail.size = (uint32_t)hd_bytes_get(c);
        uint64_t flags = hd_bytes_get(c);
        s->detail.flags = (uint8_t)(flags & ~UINT64_C(1));
        s->detail.frees = flags & 1;
        s->detail.call = (uint8_t)(flags >> 8);
        s->detail.function = get_text(c);
        s->detail.name = get_text(c);
        c->bad = c->bad || place >= places;
    }
}

static void group_by_place(struct hd_details *d, const struct hd_vec *sites)
{
    size_t places = d->t->places.count;
    for (size_t i = 0; i <= places; i++)
        hd_u32vec_push(&d->start, 0);
    hd_vec_reserve(&d->sites, sites->len);
    d->sites.len = sites->len;
    for (size_t i = 0; i < sites->len; i++)
        d->start.data[((struct placed *)hd_vec_at(sites, i))->place + 1]++;
    for (size_t i = 0; i < places; i++)
        d->start.data[i + 1] += d->start.data[i];
    for (size_t i = sites->len; i-- > 0;) { /* each start moves on by its count: put back below */
        const struct placed *s = hd_vec_at(sites, sites->len - 1 - i);
        *(struct hd_detail *)hd_vec_at(&d->sites, d->start.data[s->place]++) = s->detail;
    }
    for (size_t i = places; i > 0; i--)
        d->start.data[i] = d->start.data[i - 1];
    d->start.data[0] = 0;
}

static void get_blocks(struct hd_details *d, struct hd_bytes_cur *c)
{
    struct hd_vec origins = HD_VEC_INIT(struct hd_block_origin);
    size_t n = get_count(c, 2);
    for (size_t i = 0; i < n && !c->bad; i++) {
        struct hd_block_origin *o = hd_vec_push(&origins);
        *o = (struct hd_block_origin){.place = get_text(c)};
        o->function = get_text(c);
    }
    n = get_count(c, 2);
    for (size_t i = 0; i < n && !c->bad; i++) {
        uint64_t bytes = hd_bytes_get(c), origin = hd_bytes_get(c);
        c->bad = c->bad || origin >= origins.len;
        if (c->bad)
            break;
        struct hd_block_origin *block = hd_vec_push(&d->blocks);
        *block = *(struct hd_block_origin *)hd_vec_at(&origins, origin);
        block->bytes = bytes;
    }
    hd_vec_fini(&origins);
}

struct hd_details *hd_details_open(const struct hd_trace *t)
{
    size_t len;
    const uint8_t *data = hd_trace_meta(t, KEY, &len);
    if (!data)
        return NULL;
    struct hd_bytes_cur c = {data, data + len, false};
    struct hd_vec sites = HD_VEC_INIT(struct placed);
    struct hd_details *d = hd_calloc(1, sizeof *d);
    d->t = t;
    d->sites = HD_VEC_INIT(struct hd_detail);
    d->blocks = HD_VEC_INIT(struct hd_block_origin);
    if (hd_bytes_get(&c) != VERSION)
        c.bad = true;
    get_sites(d, &c, &sites);
    if (!c.bad)
        group_by_place(d, &sites);
    get_blocks(d, &c);
    hd_vec_fini(&sites);
    d->ordinals = c.p;
    if (c.bad || (size_t)(c.end - c.p) < t->n_events) {
        hd_details_close(d);
        return NULL;
    }
    return d;
}

void hd_details_close(struct hd_details *d)
{
    if (!d)
        return;
    hd_vec_fini(&d->sites);
    hd_vec_fini(&d->blocks);
    hd_u32vec_fini(&d->start);
    hd_free(d, sizeof *d);
}

bool hd_details_at(const struct hd_details *d, hd_eid e, struct hd_detail *out)
{
    *out = (struct hd_detail){.function = "", .name = ""};
    if (!d)
        return false;
    uint32_t place = d->t->place[e], at = d->start.data[place] + d->ordinals[e];
    if (at >= d->start.data[place + 1])
        return false;
    *out = *(const struct hd_detail *)hd_vec_at(&d->sites, at);
    return true;
}

/* By site: the first site of its place with the same name. */
static void same_names(const struct hd_details *d, struct hd_u32vec *first)
{
    for (uint32_t place = 0; place + 1 < d->start.len; place++)
        for (uint32_t from = d->start.data[place], i = from; i < d->start.data[place + 1]; i++) {
            const struct hd_detail *site = hd_vec_at(&d->sites, i);
            uint32_t k = from;
            while (strcmp(((const struct hd_detail *)hd_vec_at(&d->sites, k))->name, site->name))
                k++;
            hd_u32vec_push(first, k);
        }
}

uint32_t *hd_details_spots(const struct hd_trace *t)
{
    struct hd_details *d = hd_details_open(t);
    if (!d)
        return NULL;
    struct hd_u32vec first = {0};
    same_names(d, &first);
    uint32_t *spots = hd_alloc(t->n_events * sizeof *spots);
    uint32_t n = (uint32_t)first.len; /* places without sites come after the sites */
    for (size_t e = 0; e < t->n_events; e++) {
        uint32_t place = t->place[e], at = d->start.data[place] + d->ordinals[e];
        spots[e] = at < d->start.data[place + 1] ? first.data[at] : n + place;
    }
    hd_u32vec_fini(&first);
    hd_details_close(d);
    return spots;
}

const char *hd_details_title(const struct hd_trace *t, hd_tid thread)
{
    size_t len;
    const char *at = (const char *)hd_trace_meta(t, "threads", &len), *end = at ? at + len : NULL;
    for (hd_tid u = 0; at && at < end; u++) {
        const char *next = memchr(at, 0, (size_t)(end - at));
        if (!next)
            break;
        if (u == thread)
            return at;
        at = next + 1;
    }
    return "";
}

bool hd_details_block(const struct hd_details *d, uint64_t number, struct hd_block_origin *out)
{
    if (!d || number == 0 || number > d->blocks.len)
        return false;
    *out = *(const struct hd_block_origin *)hd_vec_at(&d->blocks, number - 1);
    return true;
}
