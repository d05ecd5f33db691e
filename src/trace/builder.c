#include "trace/builder.h"

#include "base/alloc.h"
#include "trace/builder_int.h"

#include <stdlib.h>
#include <string.h>

/* Placeholder for the initial value of a location that has no name: no event number is this large.
 */
static struct hd_value initial_of(uint32_t loc)
{
    return (struct hd_value){UINT64_C(1) << 63 | loc, true};
}

struct hd_builder *hd_builder_new(void)
{
    struct hd_builder *b = hd_calloc(1, sizeof *b);
    b->t = hd_calloc(1, sizeof *b->t);
    b->locs = HD_VEC_INIT(struct hd_loc_state);
    b->inits = HD_VEC_INIT(struct hd_loc_init);
    b->sem_given = HD_VEC_INIT(uint64_t);
    b->barrier_given = HD_VEC_INIT(uint64_t);
    b->rmw = HD_VEC_INIT(struct hd_rmw);
    b->lines = HD_VEC_INIT(struct hd_line_run);
    hd_u32vec_push(&b->dep_pool, 0); /* the record that gives nothing */
    return b;
}

static void resize_columns(struct hd_builder *b, size_t cap)
{
    struct hd_trace *t = b->t;
    size_t old = b->cap;
    t->op = hd_realloc(t->op, old * sizeof *t->op, cap * sizeof *t->op);
    t->flags = hd_realloc(t->flags, old * sizeof *t->flags, cap * sizeof *t->flags);
    t->thread = hd_realloc(t->thread, old * sizeof *t->thread, cap * sizeof *t->thread);
    t->obj = hd_realloc(t->obj, old * sizeof *t->obj, cap * sizeof *t->obj);
    t->val = hd_realloc(t->val, old * sizeof *t->val, cap * sizeof *t->val);
    t->place = hd_realloc(t->place, old * sizeof *t->place, cap * sizeof *t->place);
    t->dep = hd_realloc(t->dep, old * sizeof *t->dep, cap * sizeof *t->dep);
    t->pos = hd_realloc(t->pos, old * sizeof *t->pos, cap * sizeof *t->pos);
    b->cap = cap;
}

void hd_builder_reserve(struct hd_builder *b, size_t more)
{
    size_t wanted = b->t->n_events + more;
    if (wanted <= b->cap)
        return;
    size_t cap = b->cap ? b->cap * 2 : 1024;
    resize_columns(b, cap < wanted ? wanted : cap);
}

/* Frees everything but the trace itself. */
static void free_scaffold(struct hd_builder *b)
{
    hd_vec_fini(&b->locs);
    hd_vec_fini(&b->inits);
    hd_vec_fini(&b->sem_given);
    hd_vec_fini(&b->barrier_given);
    hd_vec_fini(&b->rmw);
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        hd_u32vec_fini(&b->uses[kind]);
    hd_vec_fini(&b->lines);
    hd_u32vec_fini(&b->thread_len);
    hd_u32vec_fini(&b->fork_of);
    hd_u32vec_fini(&b->waiting);
    hd_u32vec_fini(&b->dep_pool);
    hd_u32vec_fini(&b->record);
    hd_u32vec_fini(&b->dep_guess);
    hd_map_fini(&b->dep_ids);
    hd_free(b, sizeof *b);
}

void hd_builder_free(struct hd_builder *b)
{
    if (!b)
        return;
    resize_columns(b, b->t->n_events);
    hd_trace_free(b->t);
    free_scaffold(b);
}

static void clear(struct hd_vec *v)
{
    if (v->len)
        memset(v->data, 0, v->len * v->size);
}

static void fill(struct hd_u32vec *v, uint32_t with)
{
    for (size_t i = 0; i < v->len; i++)
        v->data[i] = with;
}

void hd_builder_restart(struct hd_builder *b)
{
    b->t->n_events = 0;
    clear(&b->locs);
    clear(&b->inits);
    clear(&b->sem_given);
    clear(&b->barrier_given);
    b->rmw.len = b->lines.len = 0;
    for (int kind = 0; kind < HD_OBJ_KINDS; kind++)
        fill(&b->uses[kind], 0);
    fill(&b->thread_len, 0);
    fill(&b->fork_of, HD_EID_NONE);
    fill(&b->waiting, HD_EID_NONE);
    b->dep_pool.len = 1;
    fill(&b->dep_guess, 0);
    hd_map_clear(&b->dep_ids);
}

enum hd_status hd_builder_thread(struct hd_builder *b, const char *name, size_t len, hd_tid *id,
                                 struct hd_err *err)
{
    *id = hd_names_add(&b->t->threads, name, len);
    if (*id < b->thread_len.len)
        return HD_OK;
    if (*id >= HD_MAX_THREADS)
        return hd_err_set(err, HD_ERR_LIMIT, "more than %u threads", HD_MAX_THREADS);
    hd_u32vec_push(&b->thread_len, 0);
    hd_u32vec_push(&b->fork_of, HD_EID_NONE);
    hd_u32vec_push(&b->waiting, HD_EID_NONE);
    return HD_OK;
}

/* Gives every table that runs beside the names of a kind its entry for a new object. */
static void extend(struct hd_vec *v, size_t count)
{
    while (v->len < count)
        memset(hd_vec_push(v), 0, v->size);
}

uint32_t hd_builder_obj(struct hd_builder *b, enum hd_obj_kind kind, const char *name, size_t len)
{
    uint32_t id = hd_names_add(&b->t->objs[kind], name, len);
    size_t count = b->t->objs[kind].count;
    while (b->uses[kind].len < count && kind != HD_OBJ_LOC)
        hd_u32vec_push(&b->uses[kind], 0);
    if (kind == HD_OBJ_LOC && b->locs.len < count) {
        extend(&b->locs, count);
        extend(&b->inits, count);
    } else if (kind == HD_OBJ_SEM) {
        extend(&b->sem_given, count);
    } else if (kind == HD_OBJ_BARRIER) {
        extend(&b->barrier_given, count);
    }
    return id;
}

uint32_t hd_builder_place(struct hd_builder *b, const char *name, size_t len)
{
    return hd_names_add(&b->t->places, name, len);
}

enum hd_status hd_builder_control(struct hd_builder *b, enum hd_control control, struct hd_err *err)
{
    if (b->control_given && b->t->control != control)
        return hd_err_set(err, HD_ERR_INPUT, "!control was already given with another value");
    b->control_given = true;
    b->t->control = control;
    return HD_OK;
}

enum hd_status hd_builder_init(struct hd_builder *b, uint32_t loc, uint64_t value,
                               struct hd_err *err)
{
    struct hd_loc_init *init = hd_vec_at(&b->inits, loc);
    const char *name = hd_trace_obj_name(b->t, HD_OBJ_LOC, loc);
    struct hd_loc_state *state = hd_vec_at(&b->locs, loc);
    if (init->how == HD_INIT_GIVEN && init->value.bits == value)
        return HD_OK;
    if (init->how == HD_INIT_GIVEN)
        return hd_err_set(err, HD_ERR_INPUT, "!init for %s was already given with another value",
                          name);
    if (state->known || state->written)
        return hd_err_set(err, HD_ERR_INPUT, "!init for %s must stand before its first access",
                          name);
    *init = (struct hd_loc_init){.value = {value, false}, .how = HD_INIT_GIVEN};
    hd_loc_set(state, init->value);
    return HD_OK;
}

enum hd_status hd_builder_sem(struct hd_builder *b, uint32_t sem, uint64_t count,
                              struct hd_err *err)
{
    uint64_t *given = hd_vec_at(&b->sem_given, sem);
    if (count == UINT64_MAX)
        return hd_err_set(err, HD_ERR_INPUT, "the count of a semaphore is too large");
    if (*given && *given != count + 1)
        return hd_err_set(err, HD_ERR_INPUT, "!sem for %s was already given with another count",
                          hd_trace_obj_name(b->t, HD_OBJ_SEM, sem));
    *given = count + 1;
    return HD_OK;
}

enum hd_status hd_builder_barrier(struct hd_builder *b, uint32_t barrier, uint64_t size,
                                  struct hd_err *err)
{
    uint64_t *given = hd_vec_at(&b->barrier_given, barrier);
    const char *name = hd_trace_obj_name(b->t, HD_OBJ_BARRIER, barrier);
    if (size == 0)
        return hd_err_set(err, HD_ERR_INPUT, "the size of barrier %s must be at least 1", name);
    if (*given && *given != size)
        return hd_err_set(err, HD_ERR_INPUT, "!barrier for %s was already given with another size",
                          name);
    *given = size;
    return HD_OK;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Distances ascend in a record, so a list of events in order comes the wrong way round. */
static void put_in_order(uint32_t *distances, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (distances[i - 1] <= distances[i]) {
            qsort(distances, n, sizeof *distances, by_number);
            return;
        }
    for (size_t i = 0; i < n / 2; i++) {
        uint32_t first = distances[i];
        distances[i] = distances[n - 1 - i];
        distances[n - 1 - i] = first;
    }
}

/* Appends one set to the record as size and distances; checks that each is an earlier read of the
 * thread (or the rmw itself where own_read allows it). */
static enum hd_status add_set(struct hd_builder *b, const struct hd_event *ev,
                              const struct hd_dep_list *list, bool own_read,
                              struct hd_u32vec *record, struct hd_err *err)
{
    const struct hd_trace *t = b->t;
    size_t head = record->len;
    uint32_t here = b->thread_len.data[ev->thread];
    hd_u32vec_push(record, 0);
    for (uint32_t i = 0; i < list->n; i++) {
        hd_eid e = list->events[i];
        bool self = e == t->n_events && own_read;
        if (!self && e >= t->n_events)
            return hd_err_set(err, HD_ERR_INPUT, "a dependence on event %llu, which is not earlier",
                              (unsigned long long)e + 1);
        if (!self && (t->thread[e] != ev->thread || !hd_op_reads(t->op[e])))
            return hd_err_set(err, HD_ERR_INPUT,
                              "a dependence on event %llu, which is not a read of this thread",
                              (unsigned long long)e + 1);
        hd_u32vec_push(record, self ? 0 : here - t->pos[e]);
    }
    put_in_order(record->data + head + 1, record->len - head - 1);
    size_t kept = head + 1;
    for (size_t i = head + 1; i < record->len; i++)
        if (i == head + 1 || record->data[i] != record->data[kept - 1])
            record->data[kept++] = record->data[i];
    record->len = kept;
    record->data[head] = (uint32_t)(kept - head - 1);
    return HD_OK;
}

static uint32_t record_length(const uint32_t *record)
{
    uint32_t len = 1;
    for (uint32_t bit = 1; bit <= 2; bit *= 2)
        if (record[0] & bit)
            len += record[len] + 1;
    return len;
}

/* Offset of the record with the same content, stored once. Distances ascending, no duplicates. */
static uint32_t intern_deps(struct hd_builder *b, const uint32_t *record, uint32_t len)
{
    uint64_t hash = hd_hash_bytes(record, len * sizeof *record, 1);
    for (;; hash++) {
        bool fresh;
        uint32_t *offset = hd_map_put(&b->dep_ids, hash, &fresh);
        if (fresh) {
            *offset = (uint32_t)b->dep_pool.len;
            for (uint32_t i = 0; i < len; i++)
                hd_u32vec_push(&b->dep_pool, record[i]);
            return *offset;
        }
        const uint32_t *other = b->dep_pool.data + *offset;
        if (record_length(other) == len && !memcmp(other, record, len * sizeof *record))
            return *offset;
    }
}

/* The record in b->record, for an event at the place: mostly what its last event had. */
static uint32_t intern_at(struct hd_builder *b, uint32_t place)
{
    const struct hd_u32vec *record = &b->record;
    while (b->dep_guess.len <= place)
        hd_u32vec_push(&b->dep_guess, 0);
    uint32_t *guess = &b->dep_guess.data[place];
    const uint32_t *last = b->dep_pool.data + *guess;
    if (!*guess || record_length(last) != record->len ||
        memcmp(last, record->data, record->len * sizeof *last))
        *guess = intern_deps(b, record->data, (uint32_t)record->len);
    return *guess;
}

static enum hd_status add_deps(struct hd_builder *b, const struct hd_event *ev, uint32_t *offset,
                               struct hd_err *err)
{
    /* An empty addr is the default: equal contents shall have equal records. */
    bool addr = ev->addr.given && ev->addr.n;
    *offset = 0;
    if (!ev->deps.given && !addr)
        return HD_OK;
    struct hd_u32vec *record = &b->record;
    enum hd_status status = HD_OK;
    record->len = 0;
    hd_u32vec_push(record, (uint32_t)ev->deps.given | (uint32_t)addr << 1);
    if (ev->deps.given)
        status = add_set(b, ev, &ev->deps, ev->op == HD_OP_RMW, record, err);
    if (status == HD_OK && addr)
        status = add_set(b, ev, &ev->addr, false, record, err);
    if (status == HD_OK)
        *offset = intern_at(b, ev->place);
    return status;
}

/* The value that a read returns, and what that shows about the location. */
static struct hd_value settle_read(struct hd_builder *b, uint32_t loc, const struct hd_event *ev)
{
    struct hd_loc_state *state = hd_vec_at(&b->locs, loc);
    struct hd_loc_init *init = hd_vec_at(&b->inits, loc);
    struct hd_value given = {ev->value, false};
    if (state->written || init->how == HD_INIT_GIVEN)
        return ev->has_value ? given : hd_loc_now(state);
    if (ev->has_value && (!state->known || state->unique)) {
        *init = (struct hd_loc_init){.value = given, .how = HD_INIT_FROM_READ};
        hd_loc_set(state, given);
    } else if (!state->known) {
        *init = (struct hd_loc_init){.value = initial_of(loc), .how = HD_INIT_FROM_READ};
        hd_loc_set(state, init->value);
        state->provisional = 1;
    }
    return ev->has_value ? given : hd_loc_now(state);
}

static struct hd_value settle_write(struct hd_builder *b, hd_eid e, const struct hd_event *ev)
{
    struct hd_loc_state *state = hd_vec_at(&b->locs, ev->obj);
    uint64_t number = ev->op == HD_OP_RMW ? ev->new_value : ev->value;
    struct hd_value value = {ev->has_value ? number : e, !ev->has_value};
    hd_loc_set(state, value);
    state->written = 1;
    return value;
}

void hd_builder_settle(struct hd_builder *b, hd_eid e, const struct hd_event *ev)
{
    struct hd_trace *t = b->t;
    struct hd_value value;
    if (ev->op == HD_OP_RMW) {
        struct hd_rmw *rmw = hd_vec_push(&b->rmw);
        rmw->old_value = settle_read(b, ev->obj, ev);
        rmw->new_value = settle_write(b, e, ev);
        t->val[e] = b->rmw.len - 1;
        t->flags[e] |= ev->has_value ? 0 : HD_F_OMITTED;
        return;
    }
    value = hd_op_reads(ev->op) ? settle_read(b, ev->obj, ev) : settle_write(b, e, ev);
    t->val[e] = value.bits;
    t->flags[e] |= (uint8_t)((ev->has_value ? 0 : HD_F_OMITTED) | (value.unique ? HD_F_UNIQUE : 0));
}

static enum hd_status add_fork(struct hd_builder *b, const struct hd_event *ev, struct hd_err *err)
{
    hd_eid e = (hd_eid)b->t->n_events;
    const char *name = hd_trace_thread_name(b->t, ev->obj);
    if (ev->obj == ev->thread)
        return hd_err_set(err, HD_ERR_INPUT, "thread %s %ss itself", name, hd_op_info[ev->op].text);
    if (ev->op != HD_OP_FORK)
        return HD_OK;
    if (b->fork_of.data[ev->obj] != HD_EID_NONE)
        return hd_err_set(err, HD_ERR_INPUT, "thread %s was already forked by event %llu", name,
                          (unsigned long long)b->fork_of.data[ev->obj] + 1);
    b->fork_of.data[ev->obj] = e;
    return HD_OK;
}

static bool in_wait(const struct hd_builder *b, hd_tid thread)
{
    return b->waiting.data[thread] != HD_EID_NONE;
}

/* A wait is left by wake or tmo of the same condition and lock as the next event of its thread, and
 * these follow only a wait. Keeps b->waiting. */
static enum hd_status wait_order(struct hd_builder *b, const struct hd_event *ev,
                                 struct hd_err *err)
{
    const struct hd_trace *t = b->t;
    uint32_t *waiting = &b->waiting.data[ev->thread];
    hd_eid wait = *waiting;
    bool leaves = ev->op == HD_OP_WAKE || ev->op == HD_OP_TMO;
    const char *thread = hd_trace_thread_name(t, ev->thread);
    *waiting = ev->op == HD_OP_WAIT ? (hd_eid)t->n_events : HD_EID_NONE;
    if (wait == HD_EID_NONE)
        return leaves ? hd_err_set(err, HD_ERR_INPUT,
                                   "thread %s leaves a wait (%s) but the event before is no wait",
                                   thread, hd_op_info[ev->op].text)
                      : HD_OK;
    if (!leaves)
        return hd_err_set(err, HD_ERR_INPUT,
                          "thread %s is in the wait of event %llu: expected wake or tmo, found %s",
                          thread, (unsigned long long)wait + 1, hd_op_info[ev->op].text);
    if (t->obj[wait] != ev->obj || t->val[wait] != ev->lock)
        return hd_err_set(err, HD_ERR_INPUT,
                          "%s must name the condition and lock of its wait, event %llu: %s,%s",
                          hd_op_info[ev->op].text, (unsigned long long)wait + 1,
                          hd_trace_obj_name(t, HD_OBJ_COND, t->obj[wait]),
                          hd_trace_obj_name(t, HD_OBJ_LOCK, (uint32_t)t->val[wait]));
    return HD_OK;
}

enum hd_status hd_builder_add(struct hd_builder *b, const struct hd_event *ev, struct hd_err *err)
{
    struct hd_trace *t = b->t;
    const struct hd_op_info *info = &hd_op_info[ev->op];
    if (t->n_events >= HD_MAX_EVENTS)
        return hd_err_set(err, HD_ERR_LIMIT, "more than %u events", HD_MAX_EVENTS);
    if (ev->order && !hd_mem_order_fits(ev->op, ev->order))
        return hd_err_set(err, HD_ERR_INPUT, "the memory order %s is not one of %s",
                          hd_mem_order_info[ev->order].text, info->text);
    b->exclusions |= ev->order && hd_op_info[ev->op].kind == HD_OBJ_LOCK;
    uint32_t dep;
    enum hd_status status = add_deps(b, ev, &dep, err);
    if (status == HD_OK && info->kind == HD_OBJ_THREAD)
        status = add_fork(b, ev, err);
    if (status == HD_OK && (info->has_lock || in_wait(b, ev->thread)))
        status = wait_order(b, ev, err);
    if (status != HD_OK)
        return status;
    if (t->n_events == b->cap)
        hd_builder_reserve(b, 1);
    hd_eid e = (hd_eid)t->n_events++;
    t->op[e] = (uint8_t)ev->op;
    t->flags[e] = (uint8_t)((ev->tries ? HD_F_TRY : 0) | (unsigned)ev->order << HD_F_ORDER_SHIFT);
    t->thread[e] = ev->thread;
    t->obj[e] = info->kind == HD_OBJ_NONE ? 0 : ev->obj;
    t->val[e] = info->has_lock ? ev->lock : 0;
    t->place[e] = ev->place;
    t->dep[e] = dep;
    t->pos[e] = b->thread_len.data[ev->thread]++;
    hd_builder_use(b, info->kind, ev->obj);
    if (info->has_lock)
        hd_builder_use(b, HD_OBJ_LOCK, ev->lock);
    if (hd_op_is_access(ev->op))
        hd_builder_settle(b, e, ev);
    return HD_OK;
}

void hd_builder_line(struct hd_builder *b, uint64_t line)
{
    if (line != b->next_line || b->lines.len == 0)
        *(struct hd_line_run *)hd_vec_push(&b->lines) =
            (struct hd_line_run){(hd_eid)b->t->n_events - 1, line};
    b->next_line = line + 1;
}

size_t hd_builder_count(const struct hd_builder *b)
{
    return b->t->n_events;
}

/* Reads of an initial value that was named only by a later read: give them that value. */
static void mend_initial_reads(struct hd_builder *b)
{
    struct hd_trace *t = b->t;
    for (uint32_t loc = 0; loc < b->locs.len; loc++) {
        const struct hd_loc_state *state = hd_vec_at(&b->locs, loc);
        const struct hd_loc_init *init = hd_vec_at(&b->inits, loc);
        if (!state->provisional || init->value.unique)
            continue;
        struct hd_value old = initial_of(loc);
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOC, loc, &n);
        for (size_t i = 0; i < n && !hd_op_writes(t->op[events[i]]); i++) {
            hd_eid e = events[i];
            if (!(t->flags[e] & HD_F_UNIQUE) || t->val[e] != old.bits)
                continue;
            t->val[e] = init->value.bits;
            t->flags[e] &= (uint8_t)~HD_F_UNIQUE;
        }
    }
}

static enum hd_status settle_objects(struct hd_builder *b, struct hd_err *err)
{
    struct hd_trace *t = b->t;
    size_t sems = t->objs[HD_OBJ_SEM].count, barriers = t->objs[HD_OBJ_BARRIER].count;
    t->sem_init = hd_calloc(sems, sizeof *t->sem_init);
    t->barrier_size = hd_calloc(barriers, sizeof *t->barrier_size);
    for (size_t i = 0; i < sems; i++) {
        uint64_t given = *(uint64_t *)hd_vec_at(&b->sem_given, i);
        t->sem_init[i] = given ? given - 1 : 0;
    }
    for (size_t i = 0; i < barriers; i++) {
        t->barrier_size[i] = *(uint64_t *)hd_vec_at(&b->barrier_given, i);
        if (!t->barrier_size[i])
            return hd_err_set(err, HD_ERR_INPUT, "barrier %s has no size: add '!barrier %s N'",
                              hd_trace_obj_name(t, HD_OBJ_BARRIER, (uint32_t)i),
                              hd_trace_obj_name(t, HD_OBJ_BARRIER, (uint32_t)i));
    }
    return HD_OK;
}

/* All events of an exclusion say that it is one (docs/MODEL.md D29). */
static enum hd_status check_exclusions(const struct hd_trace *t, struct hd_err *err)
{
    for (uint32_t l = 0; l < hd_trace_n_objs(t, HD_OBJ_LOCK); l++) {
        size_t n;
        const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOCK, l, &n);
        for (size_t i = 1; i < n; i++)
            if (hd_trace_excludes_only(t, events[i]) != hd_trace_excludes_only(t, events[0]))
                return hd_err_at(err, HD_ERR_INPUT, "", hd_trace_line(t, events[i]),
                                 "lock %s is an exclusion (mo=rlx) in event %u and not in event %u",
                                 hd_trace_obj_name(t, HD_OBJ_LOCK, l),
                                 events[hd_trace_excludes_only(t, events[0]) ? 0 : i] + 1,
                                 events[hd_trace_excludes_only(t, events[0]) ? i : 0] + 1);
    }
    return HD_OK;
}

static void *take(struct hd_vec *v)
{
    void *exact = hd_realloc(v->data, v->cap * v->size, v->len * v->size);
    *v = (struct hd_vec){.size = v->size};
    return exact;
}

static uint32_t *take_u32(struct hd_u32vec *v)
{
    uint32_t *exact = hd_realloc(v->data, v->cap * sizeof *v->data, v->len * sizeof *v->data);
    *v = (struct hd_u32vec){0};
    return exact;
}

enum hd_status hd_builder_finish(struct hd_builder *b, struct hd_trace **trace, struct hd_err *err)
{
    struct hd_trace *t = b->t;
    *trace = NULL;
    resize_columns(b, t->n_events);
    bool indexed = hd_builder_index(b);
    if (indexed)
        mend_initial_reads(b);
    t->loc_init = take(&b->inits);
    t->n_rmw = b->rmw.len;
    t->rmw = take(&b->rmw);
    t->n_line_runs = b->lines.len;
    t->line_runs = take(&b->lines);
    t->n_dep_pool = b->dep_pool.len;
    t->dep_pool = take_u32(&b->dep_pool);
    t->fork_of = take_u32(&b->fork_of);
    enum hd_status status = settle_objects(b, err);
    if (status == HD_OK && !indexed)
        status = hd_err_set(err, HD_ERR_STOPPED, "interrupted");
    if (status == HD_OK && b->exclusions)
        status = check_exclusions(t, err);
    free_scaffold(b);
    if (status == HD_OK)
        *trace = t;
    else
        hd_trace_free(t);
    return status;
}
