#include "explore/steps.h"

#include "base/alloc.h"
#include "log/rt_depend.h"

#include <string.h>

#define NAMED     (UINT64_C(1) << 63) /* an address that is a region and an offset */
#define REGION_AT 40                  /* offsets have so many bits */
#define STACK_SEQ UINT32_MAX          /* in place of the number of a block */
#define SHARED    (UINT32_MAX - 1)    /* in place of a thread: the number is that of an object */
#define N_NUMBERS HD_STEER_THREADS

/* A life of some memory. */
struct region {
    uint64_t start, end;
    uint32_t id;
    uint32_t thread; /* that asked for it */
    uint32_t step;   /* in which step of its own */
    uint64_t offset; /* a view of shared memory: of start in the object */
};

struct reader {
    struct hd_exec_names *names;
    struct hd_exec_run *run;
    struct hd_vec regions;    /* by start; they do not overlap */
    uint32_t name[N_NUMBERS]; /* of threads by number */
    uint32_t children[N_NUMBERS], blocks[N_NUMBERS], steps[N_NUMBERS];
    struct hd_steer_op view; /* what the next mapping shows */
};

/* ---- names ---- */

void hd_exec_names_init(struct hd_exec_names *n)
{
    *n = (struct hd_exec_names){.threads = HD_VEC_INIT(struct hd_steer_thread),
                                .regions = HD_VEC_INIT(uint64_t)};
    *(struct hd_steer_thread *)hd_vec_push(&n->threads) = (struct hd_steer_thread){0, 0};
}

void hd_exec_names_fini(struct hd_exec_names *n)
{
    hd_vec_fini(&n->threads);
    hd_vec_fini(&n->regions);
    hd_map_fini(&n->thread_of);
    hd_map_fini(&n->region_of);
}

uint32_t hd_exec_name_thread(struct hd_exec_names *n, uint32_t parent, uint32_t child)
{
    bool fresh;
    uint32_t *at = hd_map_put(&n->thread_of, (uint64_t)parent << 32 | child, &fresh);
    if (fresh) {
        *at = (uint32_t)n->threads.len;
        *(struct hd_steer_thread *)hd_vec_push(&n->threads) =
            (struct hd_steer_thread){parent, child};
    }
    return *at;
}

uint32_t hd_exec_name_region(struct hd_exec_names *n, uint32_t thread, uint32_t seq)
{
    bool fresh;
    uint64_t key = (uint64_t)thread << 32 | seq;
    uint32_t *at = hd_map_put(&n->region_of, key, &fresh);
    if (fresh) {
        *at = (uint32_t)n->regions.len;
        *(uint64_t *)hd_vec_push(&n->regions) = key;
    }
    return *at;
}

static uint32_t thread_named(const struct reader *r, uint64_t number)
{
    return number < N_NUMBERS ? r->name[number] : HD_EXEC_NOBODY;
}

static uint64_t set_named(const struct reader *r, uint64_t set)
{
    uint64_t named = 0;
    for (unsigned i = 0; i < N_NUMBERS; i++)
        if (set >> i & 1 && r->name[i] < 64)
            named |= UINT64_C(1) << r->name[i];
    return named;
}

/* ---- regions ---- */

/* The first region that ends after addr. */
static size_t find_region(const struct reader *r, uint64_t addr)
{
    size_t low = 0, high = r->regions.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (((const struct region *)hd_vec_at(&r->regions, mid))->end <= addr)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

static struct region *region_at(const struct reader *r, uint64_t addr)
{
    size_t i = find_region(r, addr);
    struct region *g = i < r->regions.len ? hd_vec_at(&r->regions, i) : NULL;
    return g && g->start <= addr ? g : NULL;
}

static void add_region(struct reader *r, uint64_t start, uint64_t size, uint32_t number,
                       uint32_t seq)
{
    uint64_t end = start + (size ? size : 1);
    if (end < start || number >= N_NUMBERS)
        return;
    size_t at = find_region(r, start), gone = 0;
    while (at + gone < r->regions.len &&
           ((const struct region *)hd_vec_at(&r->regions, at + gone))->start < end)
        gone++;
    if (!gone)
        hd_vec_push(&r->regions);
    struct region *all = r->regions.data;
    size_t tail = r->regions.len - (gone ? 0 : 1) - at - gone;
    memmove(all + at + 1, all + at + gone, tail * sizeof *all);
    r->regions.len = at + 1 + tail;
    all[at] = (struct region){
        start, end, hd_exec_name_region(r->names, r->name[number], seq), number, r->steps[number],
        0};
}

/* Mappings of one object are one region, whatever thread made them. */
static void add_view(struct reader *r, const struct hd_steer_op *o)
{
    add_region(r, o->addr, o->size, o->thread, r->blocks[o->thread]++);
    struct region *g = region_at(r, o->addr);
    if (!g || r->view.kind != HD_LOG_VIEW || r->view.addr != o->addr || r->view.other > UINT32_MAX)
        return;
    g->id = hd_exec_name_region(r->names, SHARED, (uint32_t)r->view.other);
    g->offset = r->view.value;
    g->step = UINT32_MAX; /* others may have it already */
}

static uint64_t address_named(const struct reader *r, uint64_t addr)
{
    const struct region *g = HD_PSEUDO_KIND(addr) ? NULL : region_at(r, addr);
    if (!g || (addr - g->start + g->offset) >> REGION_AT)
        return addr;
    return NAMED | (uint64_t)g->id << REGION_AT | (addr - g->start + g->offset);
}

/* ---- operations ---- */

static void see_fork(struct reader *r, const struct hd_steer_op *o)
{
    if (o->addr < N_NUMBERS && o->thread < N_NUMBERS)
        r->name[o->addr] =
            hd_exec_name_thread(r->names, r->name[o->thread], ++r->children[o->thread]);
}

/* What is no operation but tells what memory is, or what an object starts with. */
static void see_memory(struct reader *r, const struct hd_steer_op *o)
{
    if (o->kind == HD_LOG_VIEW)
        r->view = *o;
    else if (o->kind == HD_LOG_MAP)
        add_view(r, o);
    else if (o->kind == HD_LOG_ALLOC)
        add_region(r, o->addr, o->size, o->thread, r->blocks[o->thread]++);
    else if (o->kind == HD_LOG_STACK && o->thread && o->other > o->addr)
        add_region(r, o->addr, o->other - o->addr, o->thread, STACK_SEQ);
    else if (o->kind == HD_LOG_SEM_INIT || o->kind == HD_LOG_BARRIER_INIT)
        *(struct hd_exec_start *)hd_vec_push(&r->run->starts) =
            (struct hd_exec_start){address_named(r, o->addr), (uint32_t)r->run->steps.len, o->size};
}

static bool is_of_thread(const struct hd_steer_op *o)
{
    if (o->kind == HD_LOG_FORK || o->kind == HD_LOG_JOIN)
        return true;
    return (o->kind == HD_LOG_LOOK || o->kind == HD_LOG_SET) &&
           (o->other == HD_LOOK_END || o->other == HD_LOOK_CANCEL);
}

static void name_objects(const struct reader *r, struct hd_steer_op *o)
{
    if (is_of_thread(o)) {
        o->addr = thread_named(r, o->addr);
    } else if (HD_PSEUDO_KIND(o->addr) == HD_PSEUDO_SIGNAL) {
        uint64_t t = o->addr << 4 >> 12;
        if (t < N_NUMBERS)
            o->addr = HD_PSEUDO(HD_PSEUDO_SIGNAL, (uint64_t)r->name[t] << 8 | (o->addr & 255));
    } else {
        o->addr = address_named(r, o->addr);
    }
    if (o->kind == HD_LOG_WAIT || o->kind == HD_LOG_WAKE || o->kind == HD_LOG_TMO)
        o->other = address_named(r, o->other);
    if (o->kind == HD_LOG_SIG) {
        o->other = set_named(r, o->other);
        o->wakes = o->wakes == HD_STEER_NOBODY ? HD_EXEC_NOBODY : thread_named(r, o->wakes);
    }
}

static void add_op(struct reader *r, const struct hd_steer_op *raw)
{
    struct hd_exec_op *o = hd_vec_push(&r->run->ops);
    const struct region *g = hd_steer_is_access(raw->kind) ? region_at(r, raw->addr) : NULL;
    *o = (struct hd_exec_op){.op = *raw, .raw = *raw};
    if (raw->kind == HD_LOG_FREE && g)
        o->op.size = o->raw.size = (uint32_t)(g->end - raw->addr);
    o->own = g && g->thread == raw->thread && g->step == r->steps[raw->thread];
    o->op.thread = (uint16_t)r->name[raw->thread];
    name_objects(r, &o->op);
}

/* ---- steps ---- */

static void end_step(struct reader *r, const struct hd_steer_op *start, size_t first)
{
    size_t n = r->run->ops.len - first;
    if (!n)
        return; /* no thread can notice it */
    struct hd_exec_step *s = hd_vec_push(&r->run->steps);
    *s = (struct hd_exec_step){.thread = r->name[start->thread],
                               .until = start->count,
                               .wakes = HD_EXEC_NOBODY,
                               .first = (uint32_t)first,
                               .n = (uint32_t)n,
                               .may_run = set_named(r, start->addr)};
    for (size_t i = first; i < first + n; i++) {
        const struct hd_steer_op *o = &hd_run_op(r->run, i)->op;
        if (o->kind == HD_LOG_SIG && o->wakes != HD_EXEC_NOBODY) {
            s->wakes = o->wakes;
            s->waiters = o->other;
        }
        if (o->count > s->until)
            s->until = o->count; /* the program died in the middle */
    }
    r->steps[start->thread]++;
}

static enum hd_status read_ops(struct reader *r, const struct hd_steer_op *ops, uint64_t n,
                               struct hd_err *err)
{
    size_t first = 0;
    struct hd_steer_op start = {.kind = HD_STEER_STEP};
    for (uint64_t i = 0; i < n; i++) {
        struct hd_steer_op o = ops[i];
        if (o.thread >= N_NUMBERS || r->name[o.thread] == HD_EXEC_NOBODY)
            return hd_err_set(err, HD_ERR_INPUT, "the program wrote over the runtime's memory");
        if (o.kind == HD_STEER_STEP) {
            end_step(r, &start, first);
            start = o;
            first = r->run->ops.len;
            continue;
        }
        see_memory(r, &o);
        if (o.kind == HD_LOG_FORK)
            see_fork(r, &o);
        if (hd_steer_visible(o.kind))
            add_op(r, &o);
    }
    end_step(r, &start, first);
    return HD_OK;
}

static void read_states(struct reader *r, const struct hd_steer_header *area)
{
    uint32_t n = area->n_states <= N_NUMBERS ? area->n_states : 0;
    for (uint32_t i = 0; i < n; i++) {
        struct hd_exec_state *s = hd_vec_push(&r->run->states);
        s->thread = r->name[i];
        s->s = area->states[i];
        if (s->s.waits == HD_WAITS_JOIN)
            s->s.object = thread_named(r, s->s.object);
        else
            s->s.object = address_named(r, s->s.object);
    }
}

enum hd_status hd_steps_read(const struct hd_steer_header *area, size_t bytes,
                             struct hd_exec_names *names, struct hd_exec_run *run,
                             struct hd_err *err)
{
    struct reader r = {.names = names, .run = run, .regions = HD_VEC_INIT(struct region)};
    for (unsigned i = 1; i < N_NUMBERS; i++)
        r.name[i] = HD_EXEC_NOBODY;
    uint64_t room = (bytes - area->ops) / sizeof(struct hd_steer_op), n = area->n_ops;
    if (area->ops > bytes || n > room)
        return hd_err_set(err, HD_ERR_INPUT, "the program wrote over the runtime's memory");
    const struct hd_steer_op *ops = (const void *)((const char *)area + area->ops);
    enum hd_status s = read_ops(&r, ops, n, err);
    if (s == HD_OK)
        read_states(&r, area);
    hd_vec_fini(&r.regions);
    return s;
}
