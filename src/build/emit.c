#include "build/walk.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WIDE                                                                                       \
    64 /* a range with more reads than this counts as all: lists would grow without bound */

/* Thread names are paths of creation: T1 is the main thread, T1.2 the second one that it creates.
 */
enum hd_status hd_walk_thread_at(struct hd_walk *w, uint32_t number, uint32_t parent,
                                 struct hd_walk_thread **out)
{
    if (number >= HD_MAX_THREADS)
        return hd_err_set(w->err, HD_ERR_INPUT, "the raw log names thread %u", number);
    while (w->threads.len <= number) {
        struct hd_walk_thread *t = hd_vec_push(&w->threads);
        *t = (struct hd_walk_thread){0};
        t->more[0] = t->more[1] = HD_VEC_INIT(hd_tok);
    }
    struct hd_walk_thread *t = hd_vec_at(&w->threads, number);
    *out = t;
    if (t->name)
        return HD_OK;
    char text[256];
    if (number == 0) {
        snprintf(text, sizeof text, "T1");
    } else if (parent == UINT32_MAX) {
        snprintf(text, sizeof text, "X%u", number);
        hd_walk_note(w, "thread %s was started by code that is not instrumented", text);
    } else {
        struct hd_walk_thread *p = hd_vec_at(&w->threads, parent);
        snprintf(text, sizeof text, "%.200s.%u", p->name, ++p->children);
    }
    t->name = hd_strndup(text, strlen(text));
    return hd_builder_thread(w->builder, text, strlen(text), &t->tid, w->err);
}

void hd_walk_insert(struct hd_walk *w, const struct hd_walk_insert *in)
{
    struct hd_walk_insert *to = hd_vec_push(&w->inserts);
    *to = *in;
    to->order = (uint32_t)w->inserts.len;
    w->pass = HD_WALK_REPLAY; /* what was built since then is wrong */
}

static uint32_t order_of(struct hd_walk *w, uint32_t from, uint32_t to)
{
    char text[700];
    const struct hd_walk_thread *a = hd_vec_at(&w->threads, from), *b = hd_vec_at(&w->threads, to);
    int len = snprintf(text, sizeof text, "outside:%s>%s", a->name, b->name);
    return hd_builder_obj(w->builder, HD_OBJ_SEM, text, (size_t)len);
}

static enum hd_status add_insert(struct hd_walk *w, const struct hd_walk_insert *in)
{
    const struct hd_walk_thread *t = hd_vec_at(&w->threads, in->thread);
    const char place[] = "outside";
    struct hd_event ev = {.op = in->op, .thread = t->tid};
    if (in->op == HD_OP_WRITE) {
        const struct hd_walk_cell *cell = hd_vec_at(&w->memory, in->what);
        ev.obj = cell->loc;
        ev.has_value = true;
        ev.value = in->value;
        ev.deps.given = true; /* it did happen: nothing that we know of makes it happen otherwise */
    } else {
        bool posts = in->op == HD_OP_POST;
        ev.obj = order_of(w, posts ? in->thread : in->what, posts ? in->what : in->thread);
    }
    ev.place = hd_builder_place(w->builder, place, sizeof place - 1);
    hd_origin_add(&w->origins, t->tid, ev.place, 0, NULL, false);
    hd_details_event(w->details, UINT32_MAX);
    return hd_builder_add(w->builder, &ev, w->err);
}

uint32_t hd_walk_next_eid(const struct hd_walk *w)
{
    return (uint32_t)hd_builder_count(w->builder);
}

enum hd_status hd_walk_emit(struct hd_walk *w, struct hd_event *ev)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    uint32_t number = w->n_events++;
    t->last_event = number;
    t->syncs += !hd_op_reads(ev->op) && !hd_op_writes(ev->op) && ev->op != HD_OP_BRANCH;
    if (w->n_events == HD_MAX_EVENTS)
        return hd_err_set(w->err, HD_ERR_LIMIT, "the run has more events than a trace can hold");
    /* The replay keeps the same lists, with its own numbers: it has to decide alike everywhere. */
    if (hd_op_reads(ev->op))
        hd_u32vec_push(&t->reads, w->pass == HD_WALK_BUILD ? hd_walk_next_eid(w) : number);
    if (w->pass != HD_WALK_BUILD)
        return HD_OK;
    ev->thread = t->tid;
    t->in_call = t->in_call || w->rec;
    hd_origin_add(&w->origins, t->tid, ev->place,
                  w->rec ? (uint32_t)t->reads_at.len - t->inherited : 0, w->rec, w->joined);
    hd_details_event(w->details, w->detail);
    enum hd_status s = hd_builder_add(w->builder, ev, w->err);
    while (s == HD_OK && w->next_insert < w->inserts.len) {
        const struct hd_walk_insert *in = hd_vec_at(&w->inserts, w->next_insert);
        if (in->after != number)
            break;
        s = add_insert(w, in);
        w->next_insert++;
    }
    return s;
}

enum hd_status hd_walk_branch_all(struct hd_walk *w, uint32_t place)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    if (!w->info->from_pass)
        return HD_OK;
    t->branched = t->call_reads = (uint32_t)t->reads.len;
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = place};
    return hd_walk_emit(w, &ev);
}

void hd_walk_in_call(struct hd_walk_thread *t, const struct hd_raw *rec)
{
    if (!hd_walk_is_joined(rec))
        t->call_reads = (uint32_t)t->reads.len;
}

/* What the call has read so far decides what it does next (strcpy: how much it copies). */
static enum hd_status branch_call(struct hd_walk *w, uint32_t place)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    size_t n = t->reads.len - t->call_reads;
    if (n == 0)
        return HD_OK;
    if (n > WIDE)
        return hd_walk_branch_all(w, place);
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = place};
    ev.deps = (struct hd_dep_list){true, (uint32_t)n, t->reads.data + t->call_reads};
    t->call_reads = (uint32_t)t->reads.len;
    return hd_walk_emit(w, &ev);
}

/* The reads in the token's range, appended to list; *n counts those of all ranges. Only a trace
 * that is built needs the list itself. False: too many, take all. */
static bool add_reads(const struct hd_walk *w, const struct hd_walk_thread *t, hd_tok tok,
                      struct hd_u32vec *list, size_t *n)
{
    uint32_t lo = hd_tok_lo(tok), hi = hd_tok_hi(tok);
    if (hi == 0) /* HD_TOK_NONE, or what a thread gets at its start: it comes from no read of it */
        return true;
    if (tok == HD_TOK_ALL)
        return false;
    if (lo == 0)
        lo = 1; /* all up to hi */
    if (lo > hi)
        return true; /* what was copied had no bytes */
    size_t ids = t->reads_at.len;
    size_t from = lo <= ids ? t->reads_at.data[lo - 1] : t->reads.len;
    size_t to = hi < ids ? t->reads_at.data[hi] : t->reads.len;
    if (to - from > WIDE || *n + (to - from) > 4 * WIDE)
        return false;
    *n += to - from;
    for (; w->pass == HD_WALK_BUILD && from < to; from++)
        hd_u32vec_push(list, t->reads.data[from]);
    return true;
}

static bool ascends(const struct hd_u32vec *list)
{
    for (size_t i = 1; i < list->len; i++)
        if (list->data[i - 1] >= list->data[i])
            return false;
    return true;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void sort(struct hd_u32vec *list)
{
    qsort(list->data, list->len, sizeof *list->data, by_number);
    size_t n = 0;
    for (size_t i = 0; i < list->len; i++)
        if (n == 0 || list->data[n - 1] != list->data[i])
            list->data[n++] = list->data[i];
    list->len = n;
}

/* The set that a token and the extra tokens of this role name. False: all. */
static bool collect(struct hd_walk *w, unsigned role, hd_tok tok, struct hd_dep_list *out)
{
    const struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_u32vec *list = &w->dep_list[role];
    size_t n = 0;
    list->len = 0;
    bool some = add_reads(w, t, tok, list, &n);
    for (size_t i = 0; some && i < t->more[role].len; i++)
        some = add_reads(w, t, *(hd_tok *)hd_vec_at(&t->more[role], i), list, &n);
    if (!some)
        return false;
    if (!ascends(list))
        sort(list);
    *out = (struct hd_dep_list){true, (uint32_t)list->len, list->data};
    return true;
}

enum hd_status hd_walk_branch(struct hd_walk *w, const struct hd_raw *rec, hd_tok tok)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    struct hd_event ev = {.op = HD_OP_BRANCH, .place = hd_walk_place(w, rec)};
    /* A choice that no read decides says nothing, but a replay meets it. */
    if (!collect(w, 0, tok, &ev.deps)) {
        ev.deps = (struct hd_dep_list){0};
        t->branched = (uint32_t)t->reads.len;
    }
    return hd_walk_emit(w, &ev);
}

/* After which event a thread wrote to a cell of its own stack that others had used: those were
 * joined by then, and those that use what is there now were not started yet. */
static uint32_t own_write(struct hd_walk *w, const struct hd_walk_cell *cell)
{
    uint32_t fork = hd_walk_current(w)->forked;
    return (fork > cell->last ? fork : w->n_events) - 1;
}

/* Does memory hold what the read returned? If not, somebody wrote after the last access, and what
 * was built since then is wrong. */
static void replay(struct hd_walk *w, uint32_t id, const struct hd_event *ev,
                   const struct hd_region *g)
{
    struct hd_walk_cell *cell = hd_vec_at(&w->memory, id);
    if (hd_op_reads(ev->op) && cell->touched && !(cell->known && cell->value == ev->value)) {
        if (g->kind == HD_REGION_STACK && g->number == w->current && cell->lent)
            hd_walk_insert(w, &(struct hd_walk_insert){.after = own_write(w, cell),
                                                       .op = HD_OP_WRITE,
                                                       .thread = w->current,
                                                       .what = id,
                                                       .value = ev->value});
        else if (cell->freed) /* libc uses what was freed */
            hd_walk_insert(w, &(struct hd_walk_insert){.after = cell->last,
                                                       .op = HD_OP_WRITE,
                                                       .thread = cell->freer,
                                                       .what = id,
                                                       .value = ev->value});
        else
            hd_walk_outside(w, id, ev->value);
    } else {
        hd_walk_outside_touch(w, id);
    }
    cell->users |= UINT32_C(1) << w->current % 32;
    cell->touched = true;
    cell->lent |= g->kind == HD_REGION_STACK && g->number != w->current;
    cell->known = ev->has_value;
    cell->value = ev->op == HD_OP_RMW ? ev->new_value : ev->value;
    cell->last = w->n_events;
    cell->freed = w->rec && w->rec->kind == HD_LOG_FREE;
    cell->freer = w->current;
}

static const enum hd_op op_of[] = {
    [HD_LOG_READ] = HD_OP_READ,         [HD_LOG_WRITE] = HD_OP_WRITE,
    [HD_LOG_AREAD] = HD_OP_AREAD,       [HD_LOG_AWRITE] = HD_OP_AWRITE,
    [HD_LOG_RMW] = HD_OP_RMW,           [HD_LOG_RANGE_READ] = HD_OP_READ,
    [HD_LOG_RANGE_WRITE] = HD_OP_WRITE,
};

/* An access on its way into cells. */
struct access {
    struct hd_event ev;
    bool guess;                       /* a read that the compiler may have left out */
    bool call;                        /* HD_LOG_CALL */
    bool text;                        /* each cell decides whether the next one is read */
    bool own;                         /* rmw: the last of its value's dependences is its own read */
    const uint8_t *bytes, *new_bytes; /* NULL: not known */
};

/* One cell's share of an access. */
static enum hd_status touch(struct hd_walk *w, struct access *a, const struct hd_region *g,
                            uint64_t addr)
{
    bool fresh;
    uint32_t id = hd_cells_id(&w->cells, hd_region_linear(g, addr), &fresh);
    if (fresh) {
        struct hd_walk_cell *cell = hd_vec_push(&w->memory);
        *cell = (struct hd_walk_cell){.loc = hd_walk_location(w, g, addr),
                                      .benign = hd_walk_benign_is(w, hd_region_linear(g, addr))};
    }
    struct hd_walk_cell *cell = hd_vec_at(&w->memory, id);
    bool first = cell->seen != w->number;
    cell->seen = w->number;
    if (a->guess && first && g->kind == HD_REGION_STACK)
        return HD_OK; /* what an unused part of a stack holds is nobody's business */
    if (!w->settled)
        replay(w, id, &a->ev, g);
    a->ev.obj = cell->loc;
    if (a->own)
        w->dep_list[0].data[a->ev.deps.n - 1] = hd_walk_next_eid(w);
    enum hd_op op = a->ev.op;
    if (cell->benign && op == HD_OP_READ)
        a->ev.op = HD_OP_AREAD;
    if (cell->benign && op == HD_OP_WRITE)
        a->ev.op = HD_OP_AWRITE;
    enum hd_status s = hd_walk_emit(w, &a->ev);
    a->ev.op = op;
    return s;
}

/* Dependences of an access, and a branch before it where the trace cannot say them. */
static enum hd_status set_deps(struct hd_walk *w, const struct hd_raw *rec, struct access *a)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    bool known = (rec->aux & HD_LOG_SITE) != 0;
    if (a->call) {
        if (!hd_op_writes(a->ev.op) || !collect(w, 0, HD_TOK_NONE, &a->ev.deps))
            a->ev.deps = (struct hd_dep_list){0};
        return branch_call(w, a->ev.place);
    }
    if (!known || !collect(w, 1, rec->addr, &a->ev.addr)) {
        a->ev.addr = (struct hd_dep_list){0};
        enum hd_status s = t->reads.len > t->branched ? hd_walk_branch_all(w, a->ev.place) : HD_OK;
        if (s != HD_OK)
            return s;
    }
    if (!known || !hd_op_writes(a->ev.op) || !collect(w, 0, rec->val, &a->ev.deps)) {
        a->ev.deps = (struct hd_dep_list){0};
        return HD_OK;
    }
    const struct hd_site *site = hd_walk_site(w, rec->site);
    if (a->ev.op == HD_OP_RMW && (!site || site->flags & HD_SITE_OWN)) {
        hd_u32vec_push(&w->dep_list[0], 0);
        a->ev.deps.events = w->dep_list[0].data;
        a->ev.deps.n++;
        a->own = true;
    }
    return HD_OK;
}

static enum hd_status spread(struct hd_walk *w, struct access *a, uint64_t addr, uint64_t len)
{
    bool first = true;
    while (len) {
        uint64_t room;
        struct hd_region *g = hd_regions_find(&w->regions, addr, &room);
        if (g->kind == HD_REGION_HEAP && len > 8 && len > room)
            len = room; /* realloc logs what libc could have kept, maybe more than was asked for */
        uint64_t part =
            hd_cells_next(&w->cells, hd_region_linear(g, addr), len < room ? len : room);
        a->ev.has_value = a->bytes || a->new_bytes;
        a->ev.value = a->bytes ? hd_cells_value(a->bytes, part) : 0;
        a->ev.new_value = a->new_bytes ? hd_cells_value(a->new_bytes, part) : 0;
        enum hd_status s = HD_OK;
        if (a->text && !first)
            s = a->call ? branch_call(w, a->ev.place) : hd_walk_branch_all(w, a->ev.place);
        first = false;
        if (s == HD_OK)
            s = touch(w, a, g, addr);
        if (s != HD_OK)
            return s;
        addr += part;
        len -= part;
        if (a->bytes)
            a->bytes += part;
        if (a->new_bytes)
            a->new_bytes += part;
    }
    return HD_OK;
}

static void mark(struct hd_walk *w, uint64_t addr, uint64_t len)
{
    while (len) {
        uint64_t room;
        struct hd_region *g = hd_regions_find(&w->regions, addr, &room);
        if (g->kind == HD_REGION_HEAP && len > 8 && len > room)
            len = room;
        uint64_t part = len < room ? len : room;
        uint64_t linear = hd_region_linear(g, addr);
        hd_cells_mark(&w->cells, linear, part);
        if (w->types.types.len && g->kind != HD_REGION_STATIC &&
            hd_cells_touch(&w->cells, linear, part))
            hd_walk_objlocks_see(w, g, addr);
        if (g->thread == UINT32_MAX)
            g->thread = w->current;
        g->shared = g->shared || g->thread != w->current;
        w->late = w->late || g->freed;
        addr += part;
        len -= part;
    }
}

enum hd_status hd_walk_access(struct hd_walk *w, const struct hd_raw *rec)
{
    bool range = rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
    uint64_t len = range ? rec->len : rec->aux & HD_LOG_SIZE;
    unsigned ignores = hd_walk_current(w)->ignores;
    bool looks = rec->kind == HD_LOG_READ || rec->kind == HD_LOG_RANGE_READ;
    bool writes = rec->kind == HD_LOG_WRITE || rec->kind == HD_LOG_RANGE_WRITE;
    if (w->pass == HD_WALK_MARK) {
        mark(w, rec->w[0], len);
        if (ignores & 2 && writes)
            hd_walk_benign_add(w, rec->w[0], len);
        return HD_OK;
    }
    if (ignores & 1 && looks)
        return HD_OK;
    static const struct access blank; /* a copy is quicker than zeros, see clear in rawlog.c */
    struct access a = blank;
    a.ev.op = op_of[rec->kind];
    a.ev.place = hd_walk_place(w, rec);
    a.call = range && rec->aux & HD_LOG_CALL;
    a.text = rec->kind == HD_LOG_RANGE_READ && rec->aux & HD_LOG_TEXT;
    a.guess = (rec->aux & HD_LOG_PENDING) && !hd_op_writes(a.ev.op);
    if (a.guess || !(rec->aux & HD_LOG_PENDING))
        a.bytes = range ? rec->data : (const uint8_t *)&rec->w[1];
    if (rec->kind == HD_LOG_RMW)
        a.new_bytes = (const uint8_t *)&rec->w[2];
    enum hd_status s = set_deps(w, rec, &a);
    return s == HD_OK ? spread(w, &a, rec->w[0], len) : s;
}

/* free writes what was used of the block, if anybody else ever touched it: for a block of one
 * thread that could not matter to anybody. */
enum hd_status hd_walk_free_block(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_region *g = hd_regions_block(&w->regions, rec->w[0]);
    if (!g)
        return HD_OK;
    g->freed = true;
    if (w->pass == HD_WALK_MARK) {
        if (g->thread == UINT32_MAX)
            g->thread = w->current; /* others may come too late */
        g->shared = g->shared || g->thread != w->current;
        return HD_OK;
    }
    struct access a = {.ev = {.op = HD_OP_WRITE, .place = hd_walk_place(w, rec)}};
    a.ev.deps.given = true;
    uint64_t at = g->linear, end = g->linear + (g->end - g->start);
    enum hd_status s = HD_OK;
    while (s == HD_OK && g->shared && hd_cells_used(&w->cells, at, end, &at) != HD_CELL_NONE) {
        s = touch(w, &a, g, g->start + (at - g->linear));
        at++;
    }
    return s;
}
