#include "replay/stacks.h"

#include "base/alloc.h"
#include "replay/code_frames.h"
#include "replay/replay_int.h"
#include "build/walk.h"
#include "model/matching.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- asking ---- */

static bool is_wanted(const struct hd_stacks *s, hd_eid e, size_t *index)
{
    size_t low = 0, high = s->n_events;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s->events[mid] < e)
            low = mid + 1;
        else
            high = mid;
    }
    *index = low;
    return low < s->n_events && s->events[low] == e;
}

/* Variables and locks on stacks have no other name. */
static bool accesses_stacks(const struct hd_stacks *s, const struct hd_trace *t)
{
    for (size_t i = 0; i < s->n_events; i++) {
        hd_eid e = s->events[i];
        enum hd_obj_kind kind = hd_op_info[t->op[e]].kind;
        if ((kind == HD_OBJ_LOC || kind == HD_OBJ_LOCK) &&
            !strncmp(hd_trace_obj_name(t, kind, t->obj[e]), "stack:", 6))
            return true;
    }
    return false;
}

void hd_replay_stacks_mark(const struct hd_stacks *stacks, const struct hd_trace *t,
                           struct hd_schedule *s)
{
    size_t index;
    for (size_t i = 0; i < s->entries.len; i++)
        if (s->events.data[i] != HD_EID_NONE && is_wanted(stacks, s->events.data[i], &index))
            ((struct hd_sched_entry *)hd_vec_at(&s->entries, i))->flags = HD_SCHED_STACK;
    s->stacks = accesses_stacks(stacks, t) ? HD_SCHED_OWNERS : 1;
    s->blocks = stacks->blocks;
    s->n_blocks = stacks->n_blocks;
}

/* ---- reading ---- */

#define LOCK_BYTES 40 /* a mutex: what is smaller inside is no name for it */

/* A stack in the log. */
struct raw_stack {
    uint64_t what; /* address of a lock */
    uint64_t pcs[HD_FOLLOW_FRAMES];
    size_t n;
};

/* The frames of a thread whose stack the next event may be about. */
struct raw_owner {
    struct hd_follow_owner head;
    struct hd_object_frame frames[HD_FOLLOW_FRAMES];
};

struct reading {
    struct hd_stacks *stacks;
    const struct hd_schedule *s;
    struct hd_walk w;
    struct hd_symbols *symbols;
    struct hd_vec made;      /* struct raw_stack, in the order of the run */
    struct raw_stack latest; /* of the entry in `what`; n 0: none */
    struct hd_vec owners;    /* struct raw_owner of the same entry */
};

static bool get_stack(const struct hd_raw *rec, struct raw_stack *out)
{
    struct hd_follow_stack h;
    if (rec->len < sizeof h)
        return false;
    memcpy(&h, rec->data, sizeof h);
    if (!h.frames || h.frames > HD_FOLLOW_FRAMES || h.frames * 8 > rec->len - sizeof h)
        return false;
    out->what = h.what;
    out->n = h.frames;
    memcpy(out->pcs, rec->data + sizeof h, 8 * h.frames);
    return true;
}

static void fill(struct reading *r, const struct raw_stack *from, struct hd_replay_stack *to)
{
    hd_code_frames_fini(to);
    hd_code_frames_fill(r->symbols, &r->w.in.modules, (const uint8_t *)from->pcs, from->n, false,
                        to);
}

static void on_block(struct reading *r, const struct hd_raw *rec)
{
    struct raw_stack stack;
    if (!get_stack(rec, &stack))
        return;
    for (size_t i = 0; i < r->stacks->n_blocks; i++)
        if (r->stacks->blocks[i] == stack.what)
            fill(r, &stack, &r->stacks->from[i]);
}

static void on_made(struct reading *r, const struct hd_raw *rec)
{
    struct raw_stack stack;
    if (get_stack(rec, &stack))
        *(struct raw_stack *)hd_vec_push(&r->made) = stack;
}

static void on_owner(struct reading *r, const struct hd_raw *rec)
{
    struct hd_follow_owner head;
    if (rec->len < sizeof head)
        return;
    memcpy(&head, rec->data, sizeof head);
    const struct raw_owner *last = r->owners.len ? hd_vec_at(&r->owners, 0) : NULL;
    if (last && last->head.entry != head.entry)
        r->owners.len = 0;
    struct raw_owner *o = hd_vec_push(&r->owners);
    o->head = head;
    size_t room = (rec->len - sizeof o->head) / sizeof *o->frames;
    if (o->head.frames > room || o->head.frames > HD_FOLLOW_FRAMES)
        o->head.frames = 0;
    memcpy(o->frames, rec->data + sizeof o->head, o->head.frames * sizeof *o->frames);
    size_t ours = 0; /* what the runtime has there when the thread waits is no variable */
    while (ours < o->head.frames && hd_code_frames_is_ours(&r->w.in.modules, o->frames[ours].pc))
        ours++;
    o->head.frames -= ours;
    memmove(o->frames, o->frames + ours, o->head.frames * sizeof *o->frames);
}

static bool is_access(const struct hd_raw *rec)
{
    return rec->kind >= HD_LOG_READ && rec->kind <= HD_LOG_RANGE_WRITE;
}

static void name_local(struct reading *r, uint64_t named, uint64_t addr, uint64_t size,
                       struct hd_object *out)
{
    for (size_t i = 0; i < r->owners.len && !*out->function; i++) {
        const struct raw_owner *o = hd_vec_at(&r->owners, i);
        if (o->head.entry != r->latest.what || o->head.address != named)
            continue;
        if (!o->head.pointer ||
            !hd_objects_thread_local(r->symbols, o->head.pointer - addr, size, out))
            hd_objects_local(r->symbols, o->frames, o->head.frames, addr, size, out);
    }
}

static void name_object(struct reading *r, const struct hd_raw *rec, struct hd_object *out)
{
    bool range = rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE;
    uint64_t addr = rec->w[0], size = range ? rec->len : rec->aux & HD_LOG_SIZE;
    if (!hd_objects_static(r->symbols, addr, size, out))
        name_local(r, addr, addr, size, out);
}

static bool takes_lock(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_ACQ || rec->kind == HD_LOG_RACQ;
}

/* The event that the latest stack was taken for. */
static void on_event(struct reading *r, const struct hd_raw *rec)
{
    size_t index;
    uint64_t entry = r->latest.what;
    if (!r->latest.n || entry >= r->s->events.len)
        return;
    hd_eid e = r->s->events.data[entry];
    if (e != HD_EID_NONE && is_wanted(r->stacks, e, &index)) {
        fill(r, &r->latest, &r->stacks->at[index]);
        if (is_access(rec))
            name_object(r, rec, &r->stacks->object[index]);
        else if (takes_lock(rec))
            name_local(r, 0, rec->w[0], LOCK_BYTES, &r->stacks->object[index]);
        for (size_t i = r->made.len; takes_lock(rec) && i-- > 0;) {
            const struct raw_stack *made = hd_vec_at(&r->made, i);
            if (made->what != rec->w[0])
                continue;
            fill(r, made, &r->stacks->made[index]);
            break;
        }
    }
    r->latest.n = 0;
}

static void on_record(struct reading *r, const struct hd_raw *rec)
{
    if (rec->kind <= HD_LOG_LAST_EVENT && rec->kind != HD_LOG_END)
        on_event(r, rec);
    if (rec->kind == HD_LOG_SITES)
        hd_walk_sites(&r->w, rec);
    if (rec->kind != HD_LOG_FOLLOW)
        return;
    switch ((enum hd_follow)rec->w[0]) {
    case HD_FOLLOW_STACK:
        get_stack(rec, &r->latest);
        break;
    case HD_FOLLOW_BLOCK:
        on_block(r, rec);
        break;
    case HD_FOLLOW_MADE:
        on_made(r, rec);
        break;
    case HD_FOLLOW_OWNER:
        on_owner(r, rec);
        break;
    case HD_FOLLOW_DIVERGED:
        snprintf(r->stacks->reason, sizeof r->stacks->reason,
                 "the program did something else when it was run again");
        break;
    default:
        break;
    }
}

enum hd_status hd_replay_stacks_read(struct hd_stacks *stacks, const char *data, size_t len,
                                     const struct hd_schedule *s, struct hd_err *err)
{
    struct reading r = {.stacks = stacks, .s = s};
    struct hd_build_info info = {0};
    struct hd_raw rec;
    enum hd_status status = hd_walk_open(&r.w, "stacks", data, len, &info, err);
    if (status == HD_OK) {
        r.symbols = hd_code_frames_symbols(&r.w.in.modules);
        r.made = HD_VEC_INIT(struct raw_stack);
        r.owners = HD_VEC_INIT(struct raw_owner);
        hd_rawlog_rewind(&r.w.log);
        while (hd_rawlog_next(&r.w.log, &rec))
            on_record(&r, &rec);
        hd_vec_fini(&r.made);
        hd_vec_fini(&r.owners);
        hd_symbols_free(r.symbols);
    }
    hd_walk_close(&r.w);
    return status;
}

/* ---- the run ---- */

/* The recorded order up to the last event of interest, as a witness of nothing. */
static void prefix(const struct hd_trace *t, const struct hd_stacks *s, struct hd_witness *w)
{
    struct hd_matching m = {0};
    *w = (struct hd_witness){.property = HD_PROPERTY_DEADLOCK};
    w->n = (size_t)s->events[s->n_events - 1] + 1;
    w->schedule = hd_alloc(w->n * sizeof *w->schedule);
    for (size_t i = 0; i < w->n; i++)
        w->schedule[i] = (hd_eid)i;
    hd_matching_check(t, &m);
    while (w->n_wakes < m.n && m.wakes[w->n_wakes].sig < w->n)
        w->n_wakes++;
    w->wakes = hd_alloc(w->n_wakes * sizeof *w->wakes);
    if (w->n_wakes)
        memcpy(w->wakes, m.wakes, w->n_wakes * sizeof *w->wakes);
    hd_matching_fini(&m);
}

#ifdef HD_DEBUG
static void check_wanted(const struct hd_stacks *s)
{
    for (size_t i = 1; i < s->n_events; i++)
        HD_ASSERT(s->events[i - 1] < s->events[i]);
    for (size_t i = 1; i < s->n_blocks; i++)
        HD_ASSERT(s->blocks[i - 1] < s->blocks[i]);
}
#endif

enum hd_status hd_stacks_record(const struct hd_stacks_options *o, struct hd_stacks *s,
                                struct hd_err *err)
{
    struct hd_witness w;
    struct hd_replay_result result;
    HD_SELF_CHECK(check_wanted(s));
    struct hd_replay_options opts = {.trace = o->trace,
                                     .witness = &w,
                                     .argv = o->argv,
                                     .dir = o->dir,
                                     .orders = HD_REPLAY_FIRST,
                                     .times = 1,
                                     .timeout = o->timeout,
                                     .stacks = s};
    s->at = hd_calloc(s->n_events, sizeof *s->at);
    s->made = hd_calloc(s->n_events, sizeof *s->made);
    s->object = hd_calloc(s->n_events, sizeof *s->object);
    s->from = hd_calloc(s->n_blocks, sizeof *s->from);
    *s->reason = 0;
    if (!s->n_events)
        return HD_OK;
    prefix(o->trace, s, &w);
    enum hd_status status = hd_replay_run(&opts, &result, err);
    if (status == HD_OK && !*s->reason)
        snprintf(s->reason, sizeof s->reason, "%s", result.reason);
    hd_replay_result_fini(&result);
    hd_witness_fini(&w);
    return status;
}

static void fini_all(struct hd_replay_stack *stacks, size_t n)
{
    for (size_t i = 0; stacks && i < n; i++)
        hd_code_frames_fini(&stacks[i]);
    if (stacks)
        hd_free(stacks, n * sizeof *stacks);
}

void hd_stacks_fini(struct hd_stacks *s)
{
    fini_all(s->at, s->n_events);
    fini_all(s->made, s->n_events);
    fini_all(s->from, s->n_blocks);
    s->at = s->made = s->from = NULL;
    if (s->object)
        hd_free(s->object, s->n_events * sizeof *s->object);
    s->object = NULL;
}
