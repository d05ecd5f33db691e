#include "predict/run/cycles.h"

#include "base/alloc.h"
#include "base/stop.h"
#include "model/property.h"
#include "predict/run/lock_graph.h"

#include <stdlib.h>

/* Cycles that are listed, and steps of the search for them. */
enum { MAX_CYCLES = 100000, MAX_STEPS = 10000000 };

static int compare(uint64_t x, uint64_t y)
{
    return x < y ? -1 : x > y;
}

/* cyclic: see lock_graph.h. */
static bool is_request(const struct hd_world *w, const uint8_t *cyclic, hd_eid e)
{
    const struct hd_sections *s = w->sections;
    uint32_t id = hd_section_of(s, e);
    return hd_property_waits_for_lock(w->t, e) && id != HD_SECTION_NONE &&
           hd_section_at(s, id)->open == e && hd_held(s, e) != HD_HELD_EMPTY &&
           cyclic[hd_section_at(s, id)->lock];
}

/* All but the last key tell classes apart. */
static int by_class(const void *a, const void *b, void *arg)
{
    const struct hd_world *w = arg;
    const struct hd_trace *t = w->t;
    hd_eid x = *(const hd_eid *)a, y = *(const hd_eid *)b;
    const uint64_t keys[][2] = {
        {t->place[x], t->place[y]},
        {t->thread[x], t->thread[y]},
        {hd_trace_lock(t, x), hd_trace_lock(t, y)},
        {t->op[x] == HD_OP_RACQ, t->op[y] == HD_OP_RACQ},
        {hd_sections_lockset(w->sections, x), hd_sections_lockset(w->sections, y)}};
    int order = 0;
    for (size_t i = 0; i < sizeof keys / sizeof *keys && !order; i++)
        order = compare(keys[i][0], keys[i][1]);
    return order;
}

static int by_class_then_order(const void *a, const void *b, void *arg)
{
    int order = by_class(a, b, arg);
    return order ? order : compare(*(const hd_eid *)a, *(const hd_eid *)b);
}

static void make_classes(struct hd_cycles *s, const uint8_t *cyclic)
{
    const struct hd_trace *t = s->w->t;
    size_t n = 0;
    for (hd_eid e = 0; e < t->n_events; e++)
        s->n_events += is_request(s->w, cyclic, e);
    s->events = hd_alloc(s->n_events * sizeof *s->events);
    for (hd_eid e = 0; e < t->n_events; e++)
        if (is_request(s->w, cyclic, e))
            s->events[n++] = e;
    if (n)
        qsort_r(s->events, n, sizeof *s->events, by_class_then_order, (void *)s->w);
    for (uint32_t i = 0; i < n; i++) {
        hd_eid e = s->events[i];
        if (!i || by_class(&s->events[i - 1], &e, (void *)s->w))
            *(struct hd_request_class *)hd_vec_push(&s->classes) =
                (struct hd_request_class){i, i, t->place[e], t->thread[e]};
        ((struct hd_request_class *)hd_vec_at(&s->classes, s->classes.len - 1))->end = i + 1;
    }
}

/* ---- cycles of classes ---- */

struct search {
    struct hd_cycles *s;
    bool guarded;
    const uint8_t *cyclic;
    uint32_t *holder_start, *holders; /* by lock: the classes that hold it */
    struct hd_u32vec path;
    uint32_t length; /* of the cycles that are looked for */
    bool deeper;     /* some path was cut off there */
    uint64_t steps;
};

static hd_eid event_of(const struct hd_cycles *s, uint32_t class)
{
    return s->events[hd_request_class_at(s, class)->start];
}

/* Whether x waits for a lock that y holds. */
static bool waits_for(const struct hd_cycles *s, uint32_t x, uint32_t y)
{
    const struct hd_sections *sections = s->w->sections;
    const struct hd_section *want =
        hd_section_at(sections, hd_section_of(sections, event_of(s, x)));
    for (uint32_t n = hd_held(sections, event_of(s, y)); n != HD_HELD_EMPTY;
         n = hd_held_at(sections, n)->next)
        if (hd_section_excludes(want, hd_section_at(sections, hd_held_at(sections, n)->section)))
            return true;
    return false;
}

/* Whether the class can stand beside those of the path: another thread, no common lock. */
static bool fits(const struct search *c, uint32_t class)
{
    const struct hd_cycles *s = c->s;
    for (size_t i = 0; i < c->path.len; i++) {
        uint32_t other = c->path.data[i];
        if (hd_request_class_at(s, other)->thread == hd_request_class_at(s, class)->thread ||
            (!c->guarded &&
             hd_sections_exclude(s->w->sections, event_of(s, other), event_of(s, class))))
            return false;
    }
    return true;
}

static void note_cycle(struct search *c)
{
    struct hd_cycles *s = c->s;
    *(struct hd_class_cycle *)hd_vec_push(&s->cycles) =
        (struct hd_class_cycle){(uint32_t)s->members.len, (uint32_t)c->path.len};
    for (size_t i = 0; i < c->path.len; i++)
        hd_u32vec_push(&s->members, c->path.data[i]);
}

/* Extends the path, whose first class is the smallest of the cycle. */
static void extend(struct search *c)
{
    struct hd_cycles *s = c->s;
    uint32_t last = c->path.data[c->path.len - 1], first = c->path.data[0];
    uint32_t lock = hd_trace_lock(s->w->t, event_of(s, last));
    if (++c->steps > MAX_STEPS || s->cycles.len >= MAX_CYCLES || hd_stop_often(c->steps)) {
        s->complete = false;
        return;
    }
    if (c->path.len == c->length) {
        if (waits_for(s, last, first))
            note_cycle(c);
        c->deeper = true;
        return;
    }
    for (uint32_t i = c->holder_start[lock]; i < c->holder_start[lock + 1]; i++) {
        uint32_t class = c->holders[i];
        if (class <= first || !fits(c, class) || !waits_for(s, last, class))
            continue;
        hd_u32vec_push(&c->path, class);
        extend(c);
        c->path.len--;
    }
}

/* Counts, then lists, the classes that hold each lock on a cycle, each once: a thread may hold both
 * sides of a lock. */
static void index_holders(struct search *c, bool list)
{
    const struct hd_sections *s = c->s->w->sections;
    uint32_t *last = hd_calloc(s->n_real, sizeof *last); /* by lock: class + 1 */
    for (uint32_t class = 0; class < c->s->classes.len; class ++) {
        uint32_t held = hd_held(s, event_of(c->s, class));
        if (hd_stop_now() != HD_STOP_NO) {
            c->s->complete = false;
            break;
        }
        for (uint32_t n = held; n != HD_HELD_EMPTY; n = hd_held_at(s, n)->next) {
            uint32_t lock = hd_section_at(s, hd_held_at(s, n)->section)->lock;
            if (lock >= s->n_real || !c->cyclic[lock] || last[lock] == class + 1)
                continue;
            last[lock] = class + 1;
            if (list)
                c->holders[c->holder_start[lock]++] = class;
            else
                c->holder_start[lock + 1]++;
        }
    }
    hd_free(last, s->n_real * sizeof *last);
}

static void find_cycles(struct hd_cycles *s, const uint8_t *cyclic, bool guarded)
{
    size_t locks = s->w->sections->n_real;
    struct search c = {.s = s, .guarded = guarded, .cyclic = cyclic};
    c.holder_start = hd_calloc(locks + 2, sizeof *c.holder_start);
    index_holders(&c, false);
    for (size_t i = 0; i < locks; i++)
        c.holder_start[i + 1] += c.holder_start[i];
    size_t total = c.holder_start[locks];
    c.holders = hd_alloc(total * sizeof *c.holders);
    index_holders(&c, true);
    for (size_t i = locks; i > 0; i--) /* listing has moved each start to its end */
        c.holder_start[i] = c.holder_start[i - 1];
    c.holder_start[0] = 0;
    c.deeper = true;
    for (c.length = 2; c.deeper && s->complete; c.length++) {
        c.deeper = false;
        for (uint32_t class = 0; class < s->classes.len; class ++) {
            c.path.len = 0;
            hd_u32vec_push(&c.path, class);
            extend(&c);
        }
    }
    hd_free(c.holders, total * sizeof *c.holders);
    hd_free(c.holder_start, (locks + 2) * sizeof *c.holder_start);
    hd_u32vec_fini(&c.path);
}

/* ---- groups ---- */

static uint32_t place_of(const struct hd_cycles *s, const struct hd_class_cycle *x, uint32_t i)
{
    return hd_request_class_at(s, s->members.data[x->start + i])->place;
}

static int by_places(const void *a, const void *b, void *arg)
{
    const struct hd_cycles *s = arg;
    const struct hd_class_cycle *x = a, *y = b;
    int order = compare(x->n, y->n);
    for (uint32_t i = 0; i < x->n && !order; i++)
        order = compare(place_of(s, x, i), place_of(s, y, i));
    return order;
}

static int by_places_then_start(const void *a, const void *b, void *arg)
{
    const struct hd_class_cycle *x = a, *y = b;
    int order = by_places(a, b, arg);
    return order ? order : compare(x->start, y->start);
}

void hd_cycles_init(struct hd_cycles *s, const struct hd_world *w, bool guarded)
{
    *s = (struct hd_cycles){.w = w,
                            .classes = HD_VEC_INIT(struct hd_request_class),
                            .cycles = HD_VEC_INIT(struct hd_class_cycle),
                            .complete = true};
    if (hd_stop_now() == HD_STOP_NO) {
        uint8_t *cyclic = hd_lock_graph_cyclic(w);
        if (hd_stop_now() == HD_STOP_NO)
            make_classes(s, cyclic);
        if (hd_stop_now() == HD_STOP_NO)
            find_cycles(s, cyclic, guarded);
        hd_free(cyclic, w->sections->n_real);
    }
    size_t n = s->cycles.len;
    if (n)
        qsort_r(s->cycles.data, n, sizeof(struct hd_class_cycle), by_places_then_start, s);
    for (uint32_t i = 0; i < n; i++)
        if (!i || by_places(hd_vec_at(&s->cycles, i - 1), hd_vec_at(&s->cycles, i), s))
            hd_u32vec_push(&s->groups, i);
    hd_u32vec_push(&s->groups, (uint32_t)n);
}

void hd_cycles_done(struct hd_cycles *s)
{
    hd_free(s->events, s->n_events * sizeof *s->events);
    hd_vec_fini(&s->classes);
    hd_vec_fini(&s->cycles);
    hd_u32vec_fini(&s->members);
    hd_u32vec_fini(&s->groups);
}
