#include "report/make/make.h"

#include "base/alloc.h"
#include "build/build.h"
#include "report/make/frame_names.h"
#include "report/make/expression.h"
#include "report/make/held.h"
#include "report/make/openmp_advice.h"
#include "report/data/id.h"
#include "report/make/stepsource.h"
#include "report/make/variable.h"
#include "report/make/why.h"
#include "report/format/words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct hd_maker {
    struct hd_report *r;
    const struct hd_trace *t;
    struct hd_sources *sources;
    struct hd_details *details; /* may be NULL */
    struct hd_held_map *held;
    struct hd_u32vec first; /* by lock: the event that takes it first */
};

struct hd_maker *hd_maker_new(struct hd_report *r, const struct hd_trace *t, struct hd_sources *s)
{
    struct hd_maker *m = hd_calloc(1, sizeof *m);
    *m = (struct hd_maker){r, t, s, hd_details_open(t), hd_held_new(t), {0}};
    return m;
}

void hd_maker_free(struct hd_maker *m)
{
    if (!m)
        return;
    hd_details_close(m->details);
    hd_held_free(m->held);
    hd_u32vec_fini(&m->first);
    hd_free(m, sizeof *m);
}

/* The events that the finding is about. */
static const hd_eid *events_of(const struct hd_witness *w, hd_eid pair[2], size_t *n)
{
    pair[0] = w->a;
    pair[1] = w->b;
    *n = w->property == HD_PROPERTY_RACE ? 2 : w->n_events;
    return w->property == HD_PROPERTY_RACE ? pair : w->events;
}

void hd_maker_announce(struct hd_maker *m, const struct hd_witness *w)
{
    hd_eid pair[2];
    size_t n;
    const hd_eid *events = events_of(w, pair, &n);
    for (size_t i = 0; i < n; i++) {
        hd_held_want_event(m->held, events[i]);
        if (hd_op_is_access(m->t->op[events[i]]))
            hd_held_want_location(m->held, m->t->obj[events[i]]);
    }
}

void hd_maker_walk(struct hd_maker *m)
{
    hd_held_walk(m->held);
    for (size_t i = 0; i < hd_trace_n_objs(m->t, HD_OBJ_LOCK); i++)
        hd_u32vec_push(&m->first, HD_EID_NONE);
    for (size_t e = m->t->n_events; e-- > 0;)
        if (hd_property_takes_lock(m->t, (hd_eid)e))
            m->first.data[hd_trace_lock(m->t, (hd_eid)e)] = (hd_eid)e;
}

/* ---- one event ---- */

struct hd_spot hd_make_spot(struct hd_report *r, const char *place)
{
    const char *colon = strrchr(place, ':');
    struct hd_spot at = {0};
    if (colon && isdigit((unsigned char)colon[1])) {
        at.file = hd_arena_strndup(r->arena, place, (size_t)(colon - place));
        at.line = (uint32_t)strtoul(colon + 1, NULL, 10);
    } else if (!strcmp(place, HD_BUILD_OUTSIDE)) {
        at.function = "uninstrumented-code"; /* one word, as names of functions are */
    } else if (*place && strcmp(place, "unknown") != 0) {
        at.function = hd_report_text(r, place);
    }
    return at;
}

static struct hd_spot spot_of(struct hd_maker *m, hd_eid e)
{
    struct hd_spot at = hd_make_spot(m->r, hd_trace_place_name(m->t, e));
    struct hd_detail detail;
    if (hd_details_at(m->details, e, &detail)) {
        at.column = detail.column;
        if (*detail.function)
            at.function = hd_report_text(m->r, detail.function);
    }
    return at;
}

/* Values are bits; what they mean is not known. Pointers read best as hexadecimal, and what looks
 * like a small negative number as one. */
static const char *number_text(struct hd_report *r, struct hd_value v, uint32_t size)
{
    if (v.unique)
        return NULL;
    if (size == 4 && v.bits > UINT32_MAX - 65536)
        return hd_report_format(r, "%d", (int)(uint32_t)v.bits);
    if (v.bits > UINT64_MAX - 65536)
        return hd_report_format(r, "%lld", (long long)v.bits);
    return hd_report_format(r, v.bits > UINT32_MAX ? "0x%llx" : "%llu", (unsigned long long)v.bits);
}

static const char *value_of(struct hd_maker *m, hd_eid e)
{
    const struct hd_trace *t = m->t;
    struct hd_detail detail;
    hd_details_at(m->details, e, &detail);
    if (hd_property_takes_lock(t, e)) /* of a deadlock: what it waits for */
        return hd_report_text(m->r, hd_trace_obj_name(t, HD_OBJ_LOCK, hd_trace_lock(t, e)));
    if (!hd_op_is_access(t->op[e]) || detail.frees || detail.call)
        return NULL;
    if (t->op[e] != HD_OP_RMW)
        return number_text(
            m->r, hd_op_reads(t->op[e]) ? hd_trace_read_value(t, e) : hd_trace_write_value(t, e),
            detail.size);
    const char *before = number_text(m->r, hd_trace_read_value(t, e), detail.size);
    const char *after = number_text(m->r, hd_trace_write_value(t, e), detail.size);
    return before && after ? hd_report_format(m->r, "%s -> %s", before, after) : NULL;
}

static const char *kind_of(const struct hd_maker *m, hd_eid e)
{
    static const char *const waits[HD_OP_COUNT] = {[HD_OP_ACQ] = "wait for lock",
                                                   [HD_OP_RACQ] = "wait for lock to read",
                                                   [HD_OP_WAKE] = "wake and wait for lock",
                                                   [HD_OP_TMO] = "time out and wait for lock"};
    struct hd_detail detail;
    if (hd_details_at(m->details, e, &detail) && detail.frees)
        return HD_ACCESS_FREE;
    const char *call = hd_op_is_access(m->t->op[e]) ? hd_details_call_words(detail.call) : NULL;
    if (call)
        return call;
    const char *wait = waits[m->t->op[e]];
    return wait ? wait : hd_op_info[m->t->op[e]].words;
}

static void make_access(struct hd_maker *m, hd_eid e, struct hd_access *a)
{
    struct hd_detail detail;
    size_t n;
    hd_details_at(m->details, e, &detail);
    a->thread = hd_report_text(m->r, hd_trace_thread_name(m->t, m->t->thread[e]));
    a->kind = kind_of(m, e);
    a->size = detail.size;
    a->at = spot_of(m, e);
    a->value = value_of(m, e);
    a->event = (uint64_t)e + 1;
    const hd_eid *locks = hd_held_locks(m->held, e, &n);
    a->n_locks = n;
    a->locks = hd_report_array(m->r, n, sizeof *a->locks);
    for (size_t i = 0; i < n; i++) {
        uint32_t lock = hd_trace_lock(m->t, locks[i]);
        a->locks[i].name = hd_report_text(m->r, hd_trace_obj_name(m->t, HD_OBJ_LOCK, lock));
        a->locks[i].shared = m->t->op[locks[i]] == HD_OP_RACQ;
        a->locks[i].taken = spot_of(m, locks[i]);
        a->locks[i].event = (uint64_t)locks[i] + 1;
    }
    a->stack = (struct hd_stack){hd_report_array(m->r, 1, sizeof *a->stack.frames), 1};
    a->stack.frames[0].at = a->at;
    hd_sources_snippet(m->sources, m->r, &a->at, &a->source);
}

/* ---- the schedule ---- */

/* The last field of "Slot.items[1].len" or of "q->slots[3].items[i].len": "len". */
static const char *last_field(const char *name, size_t *len)
{
    const char *at = name;
    for (const char *p = name; *p; p++)
        if (*p == '.' || *p == '>')
            at = p + 1;
    *len = strcspn(at, "[");
    return at;
}

/* Does the expression say more than "Slot.len", and of the same field? `p->len` does not. */
static bool says_more(const char *text, const char *name)
{
    size_t n, m, joints = 0;
    const char *field = last_field(text, &n), *known = last_field(name, &m);
    for (const char *p = text; *p; p++)
        joints += *p == '[' || *p == '.' || *p == '>';
    return joints > 1 && n == m && !memcmp(field, known, n);
}

/* As hd_variable_of; heap memory gets the name that the source has for it, if a line has one: the
 * access itself only knows the type of the block. */
static void name_variable(struct hd_maker *m, const hd_eid *events, size_t n,
                          struct hd_variable *out)
{
    char text[HD_EXPRESSION_SIZE];
    hd_variable_of(m->r, m->t, m->details, events, n, out);
    bool typed = out->name != out->location;
    if (strncmp(out->location, "heap block", 10) != 0)
        return;
    for (size_t i = 0; i < n; i++) {
        struct hd_spot at = spot_of(m, events[i]);
        const char *line = at.file ? hd_sources_line(m->sources, at.file, at.line) : NULL;
        if (!line || !hd_expression_at(line, at.column, text) ||
            (typed && !says_more(text, out->name)))
            continue;
        out->name = hd_report_text(m->r, text);
        return;
    }
}

static const char *object_of(struct hd_maker *m, hd_eid e)
{
    const struct hd_trace *t = m->t;
    const struct hd_op_info *info = &hd_op_info[t->op[e]];
    struct hd_variable variable;
    switch (info->kind) {
    case HD_OBJ_NONE:
        return NULL;
    case HD_OBJ_THREAD:
        return hd_report_text(m->r, hd_trace_thread_name(t, t->obj[e]));
    case HD_OBJ_LOC:
        name_variable(m, &e, 1, &variable);
        return variable.name;
    default:
        return hd_report_text(m->r, hd_trace_obj_name(t, info->kind, t->obj[e]));
    }
}

static bool is_sync(enum hd_op op)
{
    return !hd_op_is_access(op) && op != HD_OP_BRANCH && op != HD_OP_BEGIN && op != HD_OP_END;
}

static bool is_among(hd_eid e, const hd_eid *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (events[i] == e)
            return true;
    return false;
}

static int by_event(const void *a, const void *b, void *context)
{
    const struct hd_schedule_step *steps = context;
    uint64_t x = steps[*(const uint32_t *)a].event, y = steps[*(const uint32_t *)b].event;
    return (x > y) - (x < y);
}

static void make_step(struct hd_maker *m, hd_eid e, struct hd_schedule_step *step)
{
    step->thread = hd_report_text(m->r, hd_trace_thread_name(m->t, m->t->thread[e]));
    step->op = hd_op_info[m->t->op[e]].text;
    step->object = object_of(m, e);
    if (hd_op_info[m->t->op[e]].has_lock)
        step->lock =
            hd_report_text(m->r, hd_trace_obj_name(m->t, HD_OBJ_LOCK, hd_trace_lock(m->t, e)));
    step->value = hd_op_is_access(m->t->op[e]) ? value_of(m, e) : NULL;
    if (hd_trace_order(m->t, e) != HD_ORDER_SC)
        step->order = hd_mem_order_info[hd_trace_order(m->t, e)].text;
    step->at = spot_of(m, e);
    step->event = (uint64_t)e + 1;
}

/* Of a long schedule the report has so many events: a report of all would have a gigabyte for a few
 * million, and be written for minutes. So would one with many findings that have long schedules,
 * so each has a share of what those before it left. */
#define STEPS  20000
#define TOTAL  (SHARES * STEPS)
#define SHARES 4
#define LEAST  200

/* Where a thread is made or a lock is taken that the finding names. */
static bool is_named(const struct hd_maker *m, const struct hd_finding *f, hd_eid e)
{
    if (m->t->op[e] == HD_OP_FORK)
        return true;
    for (size_t i = 0; i < f->n_accesses; i++)
        for (size_t k = 0; k < f->accesses[i].n_locks; k++)
            if (f->accesses[i].locks[k].event == (uint64_t)e + 1)
                return true;
    return false;
}

static size_t most_steps(const struct hd_maker *m)
{
    size_t left = m->r->n_steps < TOTAL ? TOTAL - m->r->n_steps : 0;
    return left / SHARES > LEAST ? left / SHARES : LEAST;
}

/* Which steps of the schedule the report has, by number: the last ones, and of the others those
 * that are named. */
static void choose_steps(const struct hd_maker *m, const struct hd_witness *w, size_t steps,
                         const struct hd_finding *f, struct hd_u32vec *chosen)
{
    size_t most = most_steps(m), last = steps > most ? steps - most / 2 : 0;
    for (size_t i = 0; i < last && chosen->len < most / 2; i++)
        if (i < w->n && is_named(m, f, w->schedule[i]))
            hd_u32vec_push(chosen, (uint32_t)i);
    for (size_t i = last; i < steps; i++)
        hd_u32vec_push(chosen, (uint32_t)i);
}

static uint32_t count_switches(const struct hd_maker *m, const struct hd_witness *w)
{
    uint32_t n = 0;
    for (size_t i = 1; i < w->n; i++)
        n += m->t->thread[w->schedule[i]] != m->t->thread[w->schedule[i - 1]];
    return n;
}

static bool is_at_same(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    return hd_op_is_access(t->op[a]) && hd_op_is_access(t->op[b]) && t->obj[a] == t->obj[b];
}

/* Behind the schedule of a deadlock stand the calls that never return. */
static void make_steps(struct hd_maker *m, const struct hd_witness *w, const hd_eid *events,
                       size_t n_events, struct hd_finding *f)
{
    size_t blocked = w->property == HD_PROPERTY_DEADLOCK ? n_events : 0, all = w->n + blocked;
    struct hd_u32vec chosen = {0};
    choose_steps(m, w, all, f, &chosen);
    f->n_steps = chosen.len;
    f->steps_left_out = all - chosen.len;
    m->r->n_steps += chosen.len;
    f->switches = count_switches(m, w);
    f->steps = hd_report_array(m->r, f->n_steps, sizeof *f->steps);
    f->recorded = hd_report_array(m->r, f->n_steps, sizeof *f->recorded);
    for (size_t k = 0; k < chosen.len; k++) {
        size_t i = chosen.data[k];
        hd_eid e = i < w->n ? w->schedule[i] : events[i - w->n];
        struct hd_schedule_step *step = &f->steps[k];
        bool last = i + 1 >= w->n || m->t->thread[e] != m->t->thread[w->schedule[i + 1]];
        make_step(m, e, step);
        step->racing = is_among(e, events, n_events);
        step->same = n_events && is_at_same(m->t, e, events[0]);
        step->essential = step->racing || is_sync(m->t->op[e]) || last ||
                          (w->unordered && hd_op_is_atomic(m->t->op[e])); /* it should order */
        f->recorded[k] = (uint32_t)k;
    }
    hd_u32vec_fini(&chosen);
    if (f->n_steps)
        qsort_r(f->recorded, f->n_steps, sizeof *f->recorded, by_event, f->steps);
}

/* ---- the rest ---- */

/* The threads of the accesses and all that had to be created for them, main first. */
static void make_threads(struct hd_maker *m, const hd_eid *events, size_t n, struct hd_finding *f)
{
    size_t threads = hd_trace_n_threads(m->t);
    bool *in = hd_report_array(m->r, threads, sizeof *in);
    for (size_t i = 0; i < n; i++)
        for (hd_tid u = m->t->thread[events[i]]; !in[u];) {
            in[u] = true;
            f->n_threads++;
            if (m->t->fork_of[u] == HD_EID_NONE)
                break;
            u = m->t->thread[m->t->fork_of[u]];
        }
    f->threads = hd_report_array(m->r, f->n_threads, sizeof *f->threads);
    struct hd_thread_made *made = f->threads;
    for (hd_tid u = 0; u < threads; u++) {
        hd_eid fork = m->t->fork_of[u];
        if (!in[u])
            continue;
        made->name = hd_report_text(m->r, hd_trace_thread_name(m->t, u));
        made->role = hd_frame_names_role(m->r, u ? hd_details_title(m->t, u) : "main");
        if (fork != HD_EID_NONE) {
            made->parent = hd_report_text(m->r, hd_trace_thread_name(m->t, m->t->thread[fork]));
            made->at = spot_of(m, fork);
            made->event = (uint64_t)fork + 1;
        }
        made++;
    }
}

static void add_lock(struct hd_maker *m, uint32_t lock, struct hd_finding *f)
{
    const char *name = hd_trace_obj_name(m->t, HD_OBJ_LOCK, lock);
    hd_eid first = m->first.data[lock];
    for (size_t i = 0; i < f->n_locks; i++)
        if (!strcmp(f->locks[i].name, name))
            return;
    struct hd_lock_made *made = &f->locks[f->n_locks++];
    made->name = hd_report_text(m->r, name);
    if (first != HD_EID_NONE) {
        made->at = spot_of(m, first);
        made->event = (uint64_t)first + 1;
    }
}

/* The locks that the accesses hold or wait for. */
static void make_locks(struct hd_maker *m, const hd_eid *events, size_t n, struct hd_finding *f)
{
    size_t most = n, held;
    for (size_t i = 0; i < n; i++)
        most += f->accesses[i].n_locks;
    f->locks = hd_report_array(m->r, most, sizeof *f->locks);
    for (size_t i = 0; i < n; i++) {
        const hd_eid *taken = hd_held_locks(m->held, events[i], &held);
        for (size_t k = 0; k < held; k++)
            add_lock(m, hd_trace_lock(m->t, taken[k]), f);
        if (hd_property_takes_lock(m->t, events[i]))
            add_lock(m, hd_trace_lock(m->t, events[i]), f);
    }
}

static bool holds(const struct hd_access *a, const char *lock)
{
    for (size_t i = 0; i < a->n_locks; i++)
        if (!strcmp(a->locks[i].name, lock) && !a->locks[i].shared)
            return true;
    return false;
}

/* A lock that the access holds and that some thread takes inside `lock`: taking `lock` there would
 * be the opposite order. NULL: none. */
static const char *taken_inside(struct hd_maker *m, hd_eid e, uint32_t lock)
{
    size_t n;
    const hd_eid *taken = hd_held_locks(m->held, e, &n);
    for (size_t i = 0; i < n; i++)
        if (hd_held_nested(m->held, lock, hd_trace_lock(m->t, taken[i])))
            return hd_report_text(
                m->r, hd_trace_obj_name(m->t, HD_OBJ_LOCK, hd_trace_lock(m->t, taken[i])));
    return NULL;
}

static void make_advice(struct hd_maker *m, struct hd_finding *f)
{
    uint32_t location = m->t->obj[f->accesses[0].event - 1];
    uint32_t lock = hd_held_usual(m->held, location, &f->advice_held, &f->advice_of);
    const char *name = lock == UINT32_MAX ? NULL : hd_trace_obj_name(m->t, HD_OBJ_LOCK, lock);
    if (!name || (holds(&f->accesses[0], name) && holds(&f->accesses[1], name)))
        return;
    f->advice_lock = hd_report_text(m->r, name);
    for (size_t i = 0; i < 2 && !f->advice_outside; i++)
        if (!holds(&f->accesses[i], name))
            f->advice_outside = taken_inside(m, (hd_eid)(f->accesses[i].event - 1), lock);
}

/* The heap block that the event accesses, or 0. */
static uint64_t block_of(const struct hd_maker *m, hd_eid e)
{
    static const char heap[] = "heap#";
    const char *name =
        hd_op_is_access(m->t->op[e]) ? hd_trace_obj_name(m->t, HD_OBJ_LOC, m->t->obj[e]) : "";
    return strncmp(name, heap, sizeof heap - 1) ? 0 : strtoull(name + sizeof heap - 1, NULL, 10);
}

/* The variable of a deadlock: its locks. */
static void name_locks(struct hd_maker *m, const hd_eid *events, size_t n, struct hd_variable *out)
{
    out->name = "";
    for (size_t i = 0; i < n; i++)
        out->name =
            hd_report_format(m->r, "%s%s%s", out->name, i ? ", " : "",
                             hd_trace_obj_name(m->t, HD_OBJ_LOCK, hd_trace_lock(m->t, events[i])));
    out->location = n == 1 ? "a lock" : "locks";
    out->stable = ""; /* the order of the cycle is arbitrary; the accesses tell enough */
}

/* A failure has no variable: it is named by where its thread was last. An event without a place,
 * such as a branch, takes that of an earlier one. */
static void name_failure(struct hd_maker *m, hd_eid e, struct hd_access *a, struct hd_variable *out)
{
    size_t n;
    const hd_eid *events = hd_trace_thread_events(m->t, m->t->thread[e], &n);
    for (size_t k = (size_t)m->t->pos[e] + 1; k-- > 0 && !a->at.file;)
        a->at = spot_of(m, events[k]);
    a->kind = "last event";
    a->stack.frames[0].at = a->at;
    hd_sources_snippet(m->sources, m->r, &a->at, &a->source);
    out->name = a->at.function ? a->at.function : hd_words_spot(m->r->arena, &a->at);
    out->location = "where the run was when it failed";
    out->stable = "";
}

const char *hd_maker_variable(struct hd_maker *m, const struct hd_witness *w)
{
    const hd_eid pair[2] = {w->a, w->b};
    struct hd_variable variable;
    HD_ASSERT(w->property == HD_PROPERTY_RACE);
    name_variable(m, pair, 2, &variable);
    return variable.name ? variable.name : "";
}

const char *hd_maker_follow(struct hd_maker *m, const struct hd_witness *w)
{
    const hd_eid pair[2] = {w->a, w->b};
    const char *text[2];
    struct hd_variable variable;
    name_variable(m, pair, 2, &variable);
    for (int i = 0; i < 2; i++) {
        struct hd_spot at = spot_of(m, pair[i]);
        text[i] = hd_report_format(m->r, "%s by %s at %s", kind_of(m, pair[i]),
                                   hd_trace_thread_name(m->t, m->t->thread[pair[i]]),
                                   hd_words_spot(m->r->arena, &at));
    }
    return hd_report_format(m->r, "%s, %s and %s, unordered where this race goes as it did",
                            variable.name, text[0], text[1]);
}

/* The location between the accesses of an unordered race is called what the program calls it. */
static const char *why_race(struct hd_maker *m, const struct hd_witness *w)
{
    char why[1024];
    hd_eid pair[2];
    struct hd_variable between = {0};
    if (hd_why_between(m->t, w, pair))
        name_variable(m, pair, 2, &between);
    if (between.name && between.name == between.location)
        between.name = hd_report_format(m->r, "an atomic object (%s)", between.location);
    hd_why_race(m->t, w, between.name, why, sizeof why);
    return hd_report_text(m->r, why);
}

void hd_maker_finding(struct hd_maker *m, const struct hd_witness *w, struct hd_finding *f)
{
    hd_eid pair[2];
    struct hd_variable variable;
    size_t n;
    const hd_eid *events = events_of(w, pair, &n);
    *f = (struct hd_finding){.property = w->property, .status = HD_FINDING_PREDICTED};
    f->n_accesses = n;
    f->accesses = hd_report_array(m->r, n, sizeof *f->accesses);
    for (size_t i = 0; i < n; i++)
        make_access(m, events[i], &f->accesses[i]);
    if (w->property == HD_PROPERTY_DEADLOCK)
        name_locks(m, events, n, &variable);
    else if (w->property == HD_PROPERTY_FAILURE)
        name_failure(m, events[0], &f->accesses[0], &variable);
    else
        name_variable(m, events, n, &variable);
    f->variable = variable.name;
    f->location = variable.location;
    if (w->property == HD_PROPERTY_RACE) {
        f->why = why_race(m, w);
        f->form = hd_race_forms[w->unordered];
        make_advice(m, f);
        hd_openmp_advice_set(m->r, m->sources, f);
    } else {
        f->why = hd_words_why(m->r->arena, f);
    }
    make_threads(m, events, n, f);
    make_locks(m, events, n, f);
    f->block = w->property == HD_PROPERTY_DEADLOCK ? 0 : block_of(m, events[0]);
    f->stacks = "the program was not run again";
    make_steps(m, w, events, n, f);
    hd_stepsource_set(m->r, f, m->sources);
    hd_id_set(m->r, f, variable.stable, m->sources);
}
