#include "replay/outcome.h"

#include "base/alloc.h"
#include "replay/code_frames.h"
#include "symbols/symbols.h"
#include "build/walk.h"
#include "recording/rawlog_quick.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT 400

struct reading {
    struct hd_walk w;    /* its log, names and sites only */
    struct hd_vec names; /* char *, by number of the thread; NULL: not created yet */
    struct hd_u32vec children;
    struct hd_symbols *symbols;
    uint32_t current;
    const struct hd_schedule *s;
    bool swap, stacks;
    struct hd_u32vec steps;   /* events by thread */
    uint64_t freed[2];        /* address of a free, until its size is found */
    struct hd_regions memory; /* for the views of shared memory */
    struct hd_replay_order *order;
    struct hd_replay_seen *out;
};

/* ---- threads ---- */

static void set_name(struct reading *r, uint64_t number, const char *name)
{
    if (number >= HD_MAX_THREADS)
        return;
    while (r->names.len <= number) {
        *(char **)hd_vec_push(&r->names) = NULL;
        hd_u32vec_push(&r->children, 0);
    }
    char **slot = hd_vec_at(&r->names, number);
    if (!*slot)
        *slot = hd_strndup(name, strlen(name));
}

static const char *name_of(const struct reading *r, uint64_t number)
{
    const char *name = number < r->names.len ? *(char **)hd_vec_at(&r->names, number) : NULL;
    return name ? name : "?";
}

static void on_fork(struct reading *r, uint64_t child)
{
    char text[256];
    if (r->current >= r->children.len)
        return;
    snprintf(text, sizeof text, "%.200s.%u", name_of(r, r->current),
             ++r->children.data[r->current]);
    set_name(r, child, text);
}

/* ---- places ---- */

static void place_of(struct reading *r, uint64_t site, char *out, size_t size)
{
    if (hd_walk_site_place(&r->w, site, out, size))
        return;
    const char *place = site ? hd_symbols_code(r->symbols, site)->place : "";
    snprintf(out, size, "%s", *place ? place : "an unknown place");
}

/* ---- accesses ---- */

/* Bytes of shared memory that is mapped at several addresses have one. */
static uint64_t one_address(struct hd_regions *memory, uint64_t addr)
{
    uint64_t room;
    const struct hd_region *g = hd_regions_find(memory, addr, &room);
    return g->view ? hd_region_linear(g, addr) : addr;
}

/* Place in the run (0: it went first) to place in the witness. */
static struct hd_replay_access *access_at(struct reading *r, unsigned place)
{
    return &r->order->access[r->swap ? !place : place];
}

static const struct {
    const char *text;
    bool writes, atomic;
} kinds[] = {
    [HD_LOG_READ] = {"read", false, false},        [HD_LOG_WRITE] = {"write", true, false},
    [HD_LOG_AREAD] = {"atomic read", false, true}, [HD_LOG_AWRITE] = {"atomic write", true, true},
    [HD_LOG_RMW] = {"atomic update", true, true},  [HD_LOG_RANGE_READ] = {"read", false, false},
    [HD_LOG_RANGE_WRITE] = {"write", true, false}, [HD_LOG_FREE] = {"free", true, false},
    [HD_LOG_GONE] = {"end of scope", true, false},
};

static bool is_range(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
}

static void fill_bytes(struct hd_regions *memory, const struct hd_raw *rec,
                       struct hd_replay_access *a)
{
    a->kind = kinds[rec->kind].text;
    a->writes = kinds[rec->kind].writes;
    a->atomic = kinds[rec->kind].atomic;
    a->address = rec->w[0];
    a->byte = one_address(memory, a->address);
    a->size = is_range(rec)              ? rec->len
              : rec->kind == HD_LOG_GONE ? rec->w[1]
                                         : rec->aux & HD_LOG_SIZE;
}

bool hd_outcome_access(struct hd_regions *memory, const struct hd_raw *rec,
                       struct hd_replay_access *a)
{
    if (rec->kind < HD_LOG_READ || rec->kind > HD_LOG_RANGE_WRITE)
        return false;
    fill_bytes(memory, rec, a);
    return true;
}

void hd_outcome_memory(struct hd_regions *memory, const struct hd_raw *rec)
{
    if (rec->kind == HD_LOG_VIEW)
        hd_regions_view(memory, rec->w[0], rec->w[1], rec->w[2], false);
    else if (rec->kind == HD_LOG_MAP)
        hd_regions_add(memory, HD_REGION_MAP, rec->w[0], rec->w[1], 0);
    else if (rec->kind == HD_LOG_UNMAP)
        hd_regions_cut(memory, rec->w[0], rec->w[1]);
}

static void number_text(uint64_t v, char *out, size_t size)
{
    snprintf(out, size, v >> 32 || v > INT32_MAX ? "0x%" PRIx64 : "%" PRIu64, v);
}

static void value_text(const struct hd_raw *rec, char *out, size_t size)
{
    *out = 0;
    if (rec->kind == HD_LOG_FREE || rec->kind == HD_LOG_GONE || (rec->aux & HD_LOG_PENDING))
        return;
    if (is_range(rec)) {
        size_t n = rec->len < 16 ? rec->len : 16, at = 0;
        for (size_t i = 0; i < n; i++)
            at += (size_t)snprintf(out + at, size - at, "%s%02x", i ? " " : "", rec->data[i]);
        if (n < rec->len)
            snprintf(out + at, size - at, " ...");
        return;
    }
    number_text(rec->w[1], out, size);
    if (rec->kind == HD_LOG_RMW) {
        size_t at = strlen(out);
        at += (size_t)snprintf(out + at, size - at, " -> ");
        number_text(rec->w[2], out + at, size - at);
    }
}

static void fill_access(struct reading *r, unsigned place, const struct hd_raw *rec)
{
    struct hd_replay_access *a = access_at(r, place);
    const char *name = name_of(r, r->current);
    a->thread = a->thread ? a->thread : hd_strndup(name, strlen(name));
    char text[128];
    bool known = rec->kind < sizeof kinds / sizeof *kinds && kinds[rec->kind].text;
    a->kind = "synchronisation";
    a->writes = false;
    a->happened = true;
    a->fixed = a->fixed || (known && rec->aux & HD_LOG_SITE);
    if (!known && hd_walk_lock_access(rec, &a->address, &a->writes)) {
        a->kind = hd_details_call_words(hd_details_call(rec->kind, a->writes ? rec->w[2] : 0));
        a->size = 1;
        a->byte = one_address(&r->memory, a->address);
    }
    if (!known)
        return;
    fill_bytes(&r->memory, rec, a);
    if (rec->kind == HD_LOG_FREE)
        r->freed[place] = a->address;
    value_text(rec, text, sizeof text);
    if (*text && !a->value)
        a->value = hd_strndup(text, strlen(text));
}

/* Each access is a known event of its thread. */
static void on_step(struct reading *r, const struct hd_raw *rec)
{
    while (r->steps.len <= r->current)
        hd_u32vec_push(&r->steps, 0);
    uint32_t step = ++r->steps.data[r->current];
    for (unsigned which = 0; which < 2; which++) {
        if (step != r->s->at[which].step || !r->s->at[which].thread || r->out->made[which] ||
            strcmp(name_of(r, r->current), r->s->at[which].thread) != 0)
            continue;
        r->out->made[which] = true;
        fill_access(r, r->swap ? !which : which, rec);
    }
}

/* ---- records ---- */

/* Passes over records that are steps and nothing else, up to the accesses. */
static void pass_steps(struct reading *r)
{
    uint64_t most = hd_rawlog_may_pass(&r->w.log);
    while (r->steps.len <= r->current)
        hd_u32vec_push(&r->steps, 0);
    uint32_t *step = &r->steps.data[r->current];
    for (unsigned i = 0; i < 2; i++) {
        const char *thread = r->s->at[i].thread;
        uint32_t at = r->s->at[i].step;
        bool here = thread && at > *step && strcmp(name_of(r, r->current), thread) == 0;
        most = here && at - *step - 1 < most ? at - *step - 1 : most;
    }
    struct hd_rawlog_run run = hd_rawlog_run_start(&r->w.log);
    uint32_t first = run.count;
    while (run.count - first < most && hd_rawlog_run_next(&run))
        ;
    hd_rawlog_run_end(&run);
    *step += run.count - first;
}

static void on_stands(struct reading *r, const struct hd_raw *rec)
{
    struct hd_follow_stands h;
    if (rec->len < sizeof h)
        return;
    memcpy(&h, rec->data, sizeof h);
    if (h.which > 1 || h.frames * 8 > rec->len - sizeof h)
        return;
    struct hd_replay_access *a = access_at(r, (unsigned)h.which);
    const char *name = name_of(r, h.thread);
    a->thread = a->thread ? a->thread : hd_strndup(name, strlen(name));
    a->address = h.address;
    a->byte = one_address(&r->memory, h.address);
    a->size = h.size;
    a->fixed = h.size != 0;
    if (r->stacks && !a->stack.frames)
        hd_code_frames_fill(r->symbols, &r->w.in.modules, rec->data + sizeof h, h.frames, false,
                            &a->stack);
    r->out->stood = h.which == 1;
}

static const char *const kind_names[HD_LOG_KIND_COUNT] = {
#define HD_NAME(name, words, what) [HD_LOG_##name] = #name,
    HD_LOG_KINDS(HD_NAME)
#undef HD_NAME
};

/* As docs/MODEL.md calls it. */
static void kind_text(uint64_t kind, char *out, size_t size)
{
    static const char *const words[HD_LOG_KIND_COUNT] = {
        [HD_LOG_READ] = "r",        [HD_LOG_WRITE] = "w",       [HD_LOG_AREAD] = "ar",
        [HD_LOG_AWRITE] = "aw",     [HD_LOG_BRANCH] = "br",     [HD_LOG_RANGE_READ] = "r",
        [HD_LOG_RANGE_WRITE] = "w", [HD_LOG_LAST_EVENT] = "end"};
    bool known = kind < HD_LOG_KIND_COUNT;
    snprintf(out, size, "%s", known && words[kind] ? words[kind] : known ? kind_names[kind] : "?");
    for (char *p = out; *p; p++)
        *p = (char)(*p >= 'A' && *p <= 'Z' ? *p + 32 : *p);
}

static void on_diverged(struct reading *r, const struct hd_raw *rec)
{
    static const char *const waits[] = {[0] = "something",
                                        [HD_WAITS_LOCK] = "a lock",
                                        [HD_WAITS_COND] = "a condition",
                                        [HD_WAITS_SEM] = "a semaphore",
                                        [HD_WAITS_BARRIER] = "a barrier",
                                        [HD_WAITS_JOIN] = "the end of",
                                        [HD_WAITS_FUTEX] = "a futex",
                                        [HD_WAITS_OTHER] = "something"};
    struct hd_follow_diverged d;
    char place[TEXT / 2], kind[32], what[TEXT / 4] = "";
    if (rec->len < sizeof d)
        return;
    memcpy(&d, rec->data, sizeof d);
    r->out->diverged = true;
    r->out->entry = d.entry;
    place_of(r, d.site, place, sizeof place);
    kind_text(d.kind, kind, sizeof kind);
    const char *name = name_of(r, d.thread);
    char *out = r->out->came;
    size_t size = sizeof r->out->came;
    switch ((enum hd_diverged)d.why) {
    case HD_DIVERGED_EVENT:
    case HD_DIVERGED_THREAD:
        snprintf(out, size, "%s did %s at %s", name, kind, place);
        break;
    case HD_DIVERGED_BLOCKED:
        if (d.waits == HD_WAITS_JOIN)
            snprintf(what, sizeof what, " %s", name_of(r, d.object));
        else if (hd_recnames_data(&r->w.in.debug, d.object, what + 1, sizeof what - 1))
            *what = ' ';
        snprintf(out, size, "%s waits for %s%s at %s", name,
                 waits[d.waits <= HD_WAITS_OTHER ? d.waits : 0], what, place);
        break;
    case HD_DIVERGED_ENDED:
        snprintf(out, size, "%s has ended", name);
        break;
    case HD_DIVERGED_UNBORN:
        snprintf(out, size, "the thread was not created");
        break;
    case HD_DIVERGED_LOG:
    case HD_DIVERGED_EXIT:
        snprintf(out, size, "the schedule cannot be read");
    }
}

static void on_crash(struct reading *r, const struct hd_raw *rec)
{
    struct hd_follow_crash h;
    if (rec->len < sizeof h)
        return;
    memcpy(&h, rec->data, sizeof h);
    r->out->signal = (int)h.signal;
    if (r->stacks && h.frames * 8 <= rec->len - sizeof h && !r->order->crash.frames)
        hd_code_frames_fill(r->symbols, &r->w.in.modules, rec->data + sizeof h, h.frames, true,
                            &r->order->crash);
}

static void on_follow(struct reading *r, const struct hd_raw *rec)
{
    switch ((enum hd_follow)rec->w[0]) {
    case HD_FOLLOW_STANDS:
        on_stands(r, rec);
        break;
    case HD_FOLLOW_DIVERGED:
        on_diverged(r, rec);
        break;
    case HD_FOLLOW_FREE:
        r->out->free_run = true;
        break;
    case HD_FOLLOW_CRASH:
        on_crash(r, rec);
        break;
    default:
        break; /* stacks.c */
    }
}

static void on_record(struct reading *r, const struct hd_raw *rec)
{
    if (rec->kind <= HD_LOG_LAST_EVENT && !rec->inherited)
        on_step(r, rec);
    switch (rec->kind) {
    case HD_LOG_SWITCH:
        r->current = (uint32_t)rec->w[0];
        break;
    case HD_LOG_FORK:
        on_fork(r, rec->w[0]);
        break;
    case HD_LOG_SITES:
        hd_walk_sites(&r->w, rec);
        break;
    case HD_LOG_FOLLOW:
        on_follow(r, rec);
        break;
    default:
        hd_outcome_memory(&r->memory, rec);
        break;
    }
}

/* The size of a block that an access freed stands where it was allocated. */
static void find_freed(struct reading *r)
{
    struct hd_raw rec;
    uint64_t size[2] = {0};
    if (!r->freed[0] && !r->freed[1])
        return;
    hd_rawlog_rewind(&r->w.log);
    while (hd_rawlog_next(&r->w.log, &rec)) {
        if (rec.kind == HD_LOG_FOLLOW &&
            (rec.w[0] == HD_FOLLOW_STANDS || rec.w[0] == HD_FOLLOW_FREE))
            break;
        for (int i = 0; i < 2; i++)
            if (rec.kind == HD_LOG_ALLOC && rec.w[0] == r->freed[i])
                size[i] = rec.w[1];
    }
    for (unsigned i = 0; i < 2; i++)
        if (r->freed[i])
            access_at(r, i)->size = size[i];
}

enum hd_status hd_outcome_read(const char *data, size_t len, const struct hd_schedule *s, bool swap,
                               bool stacks, struct hd_replay_order *order,
                               struct hd_replay_seen *out, struct hd_err *err)
{
    struct reading r = {.s = s, .swap = swap, .stacks = stacks, .order = order, .out = out};
    struct hd_build_info info = {0};
    struct hd_raw rec;
    *out = (struct hd_replay_seen){0};
    enum hd_status status = hd_walk_open(&r.w, "replay", data, len, &info, err);
    if (status != HD_OK) {
        hd_walk_close(&r.w);
        return status;
    }
    r.symbols = hd_code_frames_symbols(&r.w.in.modules);
    r.names = HD_VEC_INIT(char *);
    hd_regions_init(&r.memory);
    set_name(&r, 0, "T1");
    hd_rawlog_rewind(&r.w.log);
    for (pass_steps(&r); hd_rawlog_next(&r.w.log, &rec); pass_steps(&r))
        on_record(&r, &rec);
    find_freed(&r);
    for (size_t i = 0; i < r.names.len; i++) {
        char *name = *(char **)hd_vec_at(&r.names, i);
        if (name)
            hd_free(name, strlen(name) + 1);
    }
    hd_vec_fini(&r.names);
    hd_regions_fini(&r.memory);
    hd_u32vec_fini(&r.children);
    hd_u32vec_fini(&r.steps);
    hd_symbols_free(r.symbols);
    hd_walk_close(&r.w);
    return HD_OK;
}
