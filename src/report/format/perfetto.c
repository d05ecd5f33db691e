#include "report/format/perfetto.h"

#include "base/names.h"
#include "report/format/lanes.h"
#include "report/format/put.h"
#include "report/format/words.h"

#include <string.h>

enum { UNIT = 1000, SLICE = 800 };

/* One finding in one order. */
struct writer {
    struct hd_json *j;
    struct hd_arena *a;
    const struct hd_finding *f;
    const struct hd_lanes *lanes;
    uint32_t *time; /* by step: its place in the order, accesses of a race at the same one */
    uint64_t pid, *next_id;
};

static void begin(struct writer *w, const char *phase, const char *name, const char *category)
{
    hd_json_begin_object(w->j);
    hd_put_text(w->j, "ph", phase);
    hd_put_text(w->j, "name", name);
    if (category)
        hd_put_text(w->j, "cat", category);
    hd_put_uint(w->j, "pid", w->pid);
}

static void put_named(struct writer *w, const char *what, uint64_t tid, const char *name)
{
    begin(w, "M", what, NULL);
    if (tid)
        hd_put_uint(w->j, "tid", tid);
    hd_put_object(w->j, "args");
    hd_put_text(w->j, "name", name);
    hd_json_end_object(w->j);
    hd_json_end_object(w->j);
}

static void put_sort_index(struct writer *w, const char *what, uint64_t tid, uint64_t index)
{
    begin(w, "M", what, NULL);
    if (tid)
        hd_put_uint(w->j, "tid", tid);
    hd_put_object(w->j, "args");
    hd_put_uint(w->j, "sort_index", index);
    hd_json_end_object(w->j);
    hd_json_end_object(w->j);
}

static void put_slice(struct writer *w, uint32_t step)
{
    const struct hd_schedule_step *s = &w->f->steps[step];
    struct hd_json *j = w->j;
    begin(w, "X", hd_words_step(w->a, s), s->racing ? "racing" : s->op);
    hd_put_uint(j, "tid", w->lanes->thread_of[step] + 1);
    hd_put_uint(j, "ts", (uint64_t)w->time[step] * UNIT);
    hd_put_uint(j, "dur", SLICE);
    if (s->racing)
        hd_put_text(j, "cname", "terrible");
    hd_put_object(j, "args");
    hd_put_text(j, "at", hd_words_spot(w->a, &s->at));
    if (s->at.function)
        hd_put_text(j, "function", s->at.function);
    if (s->object)
        hd_put_text(j, "object", s->object);
    if (s->value)
        hd_put_text(j, "value", s->value);
    hd_put_uint(j, "event", s->event);
    hd_json_end_object(j);
    hd_json_end_object(j);
}

static void put_end_of_arrow(struct writer *w, const struct hd_lane_edge *e, bool head, uint64_t id)
{
    uint32_t step = head ? e->to : e->from;
    begin(w, head ? "f" : "s", hd_edge_names[e->kind], "sync");
    hd_put_uint(w->j, "tid", w->lanes->thread_of[step] + 1);
    hd_put_uint(w->j, "ts", (uint64_t)w->time[step] * UNIT + SLICE / 2);
    hd_put_uint(w->j, "id", id);
    if (head)
        hd_put_text(w->j, "bp", "e");
    hd_json_end_object(w->j);
}

static void put_arrows(struct writer *w, const uint32_t *order)
{
    struct hd_vec edges = HD_VEC_INIT(struct hd_lane_edge);
    hd_lanes_edges(w->lanes, order, &edges);
    for (size_t i = 0; i < edges.len; i++) {
        uint64_t id = ++*w->next_id;
        put_end_of_arrow(w, hd_vec_at(&edges, i), false, id);
        put_end_of_arrow(w, hd_vec_at(&edges, i), true, id);
    }
    hd_vec_fini(&edges);
}

/* A hold that does not end lasts to the end of the picture. */
static uint64_t hold_end(const struct writer *w, const struct hd_lane_hold *h)
{
    return h->to == HD_LANES_NONE ? (uint64_t)w->f->n_steps * UNIT
                                  : (uint64_t)w->time[h->to] * UNIT + SLICE;
}

static void put_holds(struct writer *w)
{
    for (size_t i = 0; i < w->lanes->holds.len; i++) {
        const struct hd_lane_hold *h = hd_vec_at(&w->lanes->holds, i);
        const char *name = hd_words_format(w->a, "%s holds %s%s", w->lanes->threads[h->thread],
                                           h->lock, h->shared ? " (read side)" : "");
        uint64_t id = ++*w->next_id;
        for (int end = 0; end < 2; end++) {
            begin(w, end ? "e" : "b", name, "lock");
            hd_put_uint(w->j, "tid", h->thread + 1);
            hd_put_uint(w->j, "ts", end ? hold_end(w, h) : (uint64_t)w->time[h->from] * UNIT);
            hd_put_uint(w->j, "id", id);
            hd_json_end_object(w->j);
        }
    }
}

static void put_counter(struct writer *w, const char *lock, uint32_t step, uint32_t holders)
{
    begin(w, "C", hd_words_format(w->a, "holders of %s", lock), NULL);
    hd_put_uint(w->j, "ts", (uint64_t)w->time[step] * UNIT);
    hd_put_object(w->j, "args");
    hd_put_uint(w->j, "holders", holders);
    hd_json_end_object(w->j);
    hd_json_end_object(w->j);
}

/* How many holders a lock has, whenever that changes. */
static void put_counters(struct writer *w, const uint32_t *order)
{
    struct hd_names locks = {0};
    struct hd_u32vec holders = {0};
    const struct hd_lane_hold **changes = hd_arena_calloc(w->a, w->f->n_steps + 1, sizeof *changes);
    for (size_t i = 0; i < w->lanes->holds.len; i++) {
        const struct hd_lane_hold *h = hd_vec_at(&w->lanes->holds, i);
        changes[h->from] = h;
        if (h->to != HD_LANES_NONE)
            changes[h->to] = h;
    }
    for (uint32_t k = 0; k < w->f->n_steps; k++) {
        uint32_t step = order ? order[k] : k;
        const struct hd_lane_hold *h = changes[step];
        if (!h)
            continue;
        uint32_t lock = hd_names_add(&locks, h->lock, strlen(h->lock));
        if (lock == holders.len)
            hd_u32vec_push(&holders, 0);
        holders.data[lock] += h->from == step ? 1 : UINT32_MAX;
        put_counter(w, h->lock, step, holders.data[lock]);
    }
    hd_names_fini(&locks);
    hd_u32vec_fini(&holders);
}

/* In the witness the accesses of a race stand side by side. */
static void set_times(struct writer *w, const uint32_t *order)
{
    size_t n = w->f->n_steps, pair = n;
    while (!order && w->f->property == HD_PROPERTY_RACE && pair > 0 && w->f->steps[pair - 1].racing)
        pair--;
    for (uint32_t k = 0; k < n; k++)
        w->time[order ? order[k] : k] = k < pair ? k : (uint32_t)pair;
}

static void put_order(struct writer *w, const uint32_t *order)
{
    const char *title = hd_words_title(w->a, w->f);
    put_named(
        w, "process_name", 0,
        hd_words_format(w->a, "%s %s: %s", w->f->id, order ? "recorded order" : "witness", title));
    put_sort_index(w, "process_sort_index", 0, w->pid);
    for (uint32_t t = 0; t < w->lanes->n_threads; t++) {
        put_named(w, "thread_name", t + 1, w->lanes->threads[t]);
        put_sort_index(w, "thread_sort_index", t + 1, t + 1);
    }
    set_times(w, order);
    for (uint32_t k = 0; k < w->f->n_steps; k++)
        put_slice(w, order ? order[k] : k);
    put_arrows(w, order);
    put_holds(w);
    put_counters(w, order);
}

void hd_perfetto_write(FILE *out, const struct hd_report *r)
{
    struct hd_json j;
    struct hd_arena *a = hd_arena_new();
    uint64_t next_id = 0;
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    hd_put_array(&j, "traceEvents");
    for (size_t i = 0; i < r->n_findings; i++) {
        const struct hd_finding *f = &r->findings[i];
        struct hd_lanes lanes;
        hd_lanes_init(&lanes, f, a);
        struct writer w = {&j, a, f, &lanes, NULL, 2 * i + 1, &next_id};
        w.time = hd_arena_calloc(a, f->n_steps + 1, sizeof *w.time);
        put_order(&w, NULL);
        w.pid++;
        if (f->recorded)
            put_order(&w, f->recorded);
        hd_lanes_fini(&lanes);
        hd_arena_reset(a);
    }
    hd_json_end_array(&j);
    hd_put_text(&j, "displayTimeUnit", "ns");
    hd_put_object(&j, "otherData");
    hd_put_text(&j, "program", hd_words_command(a, r, "run"));
    hd_put_text(&j, "version", r->tool_version ? r->tool_version : "");
    hd_json_end_object(&j);
    hd_json_end_object(&j);
    fputc('\n', out);
    hd_arena_free(a);
}
