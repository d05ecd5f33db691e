#include "report/make/stacked.h"

#include "log/rt_omp.h"
#include "report/make/frame_names.h"

#include <stdlib.h>
#include <string.h>

/* ---- asking ---- */

void hd_stacked_init(struct hd_stacked *s)
{
    *s = (struct hd_stacked){.blocks = HD_VEC_INIT(uint64_t)};
}

void hd_stacked_fini(struct hd_stacked *s)
{
    hd_u32vec_fini(&s->events);
    hd_vec_fini(&s->blocks);
}

/* event: as reports count, from 1; 0: not known. */
static void want(struct hd_stacked *s, uint64_t event)
{
    if (event)
        hd_u32vec_push(&s->events, (hd_eid)(event - 1));
}

void hd_stacked_want(struct hd_stacked *s, const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *a = &f->accesses[i];
        want(s, a->event);
        for (size_t k = 0; k < a->n_locks; k++)
            want(s, a->locks[k].event);
    }
    for (size_t i = 0; i < f->n_threads; i++)
        want(s, f->threads[i].event);
    for (size_t i = 0; i < f->n_locks; i++)
        want(s, f->locks[i].event);
    if (f->block)
        *(uint64_t *)hd_vec_push(&s->blocks) = f->block;
}

static int by_event(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int by_block(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool hd_stacked_ask(struct hd_stacked *s, struct hd_stacks *stacks)
{
    size_t n = 0;
    *stacks = (struct hd_stacks){0};
    if (!s->events.len)
        return false;
    qsort(s->events.data, s->events.len, sizeof *s->events.data, by_event);
    for (size_t i = 0; i < s->events.len; i++)
        if (i == 0 || s->events.data[i] != s->events.data[n - 1])
            s->events.data[n++] = s->events.data[i];
    s->events.len = n;
    uint64_t *blocks = s->blocks.data;
    n = 0;
    if (s->blocks.len)
        qsort(blocks, s->blocks.len, sizeof *blocks, by_block);
    for (size_t i = 0; i < s->blocks.len; i++)
        if (i == 0 || blocks[i] != blocks[n - 1])
            blocks[n++] = blocks[i];
    s->blocks.len = n;
    stacks->events = s->events.data;
    stacks->n_events = s->events.len;
    stacks->blocks = blocks;
    stacks->n_blocks = n;
    return true;
}

/* ---- filling in ---- */

void hd_stacked_copy(struct hd_report *r, const struct hd_replay_stack *from, struct hd_stack *to)
{
    to->n = from->n;
    to->frames = hd_report_array(r, from->n, sizeof *to->frames);
    for (size_t i = 0; i < from->n; i++) {
        const struct hd_replay_frame *f = &from->frames[i];
        struct hd_frame *frame = &to->frames[i];
        frame->at.function = hd_report_text(r, f->function);
        frame->at.file = hd_report_text(r, f->file);
        frame->at.line = f->file ? f->line : 0;
        if (f->module)
            frame->module =
                hd_report_format(r, "%s+0x%llx", f->module, (unsigned long long)f->offset);
    }
}

/* Index of the event in what was asked for. */
static bool find(const struct hd_stacks *s, uint64_t event, size_t *index)
{
    hd_eid e = (hd_eid)(event - 1);
    const hd_eid *hit =
        event && s->n_events ? bsearch(&e, s->events, s->n_events, sizeof e, by_event) : NULL;
    *index = hit ? (size_t)(hit - s->events) : 0;
    return hit != NULL;
}

void hd_stacked_site(const struct hd_spot *at, struct hd_spot *frame)
{
    const char *full = frame->function, *name = at->function;
    const char *found = full && name && *name ? strstr(full, name) : NULL;
    while (found && found[strlen(name)] != '(')
        found = strstr(found + 1, name);
    bool same = frame->file && at->file && !strcmp(frame->file, at->file) && at->line &&
                frame->line == at->line;
    *frame = *at;
    if (found || (full && same)) /* of a call the trace only knows what it is inlined into */
        frame->function = full;
}

/* A replayed stack has no frames of our OpenMP runtime: an event in it is at the call. */
static bool is_in_openmp(const struct hd_spot *at)
{
    return at->file && strncmp(at->file, HD_OMP_SOURCES, sizeof HD_OMP_SOURCES - 1) == 0;
}

static bool put(struct hd_report *r, const struct hd_stacks *s, uint64_t event, struct hd_spot *at,
                struct hd_stack *to)
{
    size_t index;
    if (!find(s, event, &index) || !s->at[index].n)
        return false;
    hd_stacked_copy(r, &s->at[index], to);
    size_t k = 0;
    while (k + 1 < to->n && !to->frames[k].at.file) /* code that stands for several lines */
        k++;
    if (is_in_openmp(at))
        *at = to->frames[k].at;
    else if (at->file || at->function)
        hd_stacked_site(at, &to->frames[0].at);
    return true;
}

static void put_lock(struct hd_report *r, const struct hd_stacks *s, struct hd_lock_made *l)
{
    size_t index;
    if (find(s, l->event, &index) && s->made[index].n) {
        hd_stacked_copy(r, &s->made[index], &l->stack);
        l->made = true;
    } else {
        put(r, s, l->event, &l->at, &l->stack);
    }
}

/* ---- names ---- */

/* What the accesses have in common, by the debug information of what lies there: the one that
 * accesses least is the most exact. */
static const struct hd_object *object_of(const struct hd_finding *f, const struct hd_stacks *s)
{
    const struct hd_object *best = NULL;
    uint32_t least = UINT32_MAX;
    size_t index;
    for (size_t i = 0; i < f->n_accesses; i++) {
        const struct hd_access *a = &f->accesses[i];
        if (!find(s, a->event, &index))
            continue;
        const struct hd_object *o = &s->object[index];
        bool better = !best || (!*best->name && *o->name) || (*o->name && a->size < least);
        if ((*o->name || *o->function) && better) {
            best = o;
            least = a->size;
        }
    }
    return best;
}

static void rename_text(const char **text, const char *from, const char *to)
{
    if (*text && !strcmp(*text, from))
        *text = to;
}

/* A lock on a stack has no name in the trace. */
static void rename_lock(struct hd_finding *f, const char *from, const char *to)
{
    for (size_t i = 0; i < f->n_accesses; i++) {
        struct hd_access *a = &f->accesses[i];
        rename_text(&a->value, from, to);
        for (size_t k = 0; k < a->n_locks; k++)
            rename_text(&a->locks[k].name, from, to);
    }
    for (size_t i = 0; i < f->n_steps; i++) {
        rename_text(&f->steps[i].object, from, to);
        rename_text(&f->steps[i].lock, from, to);
    }
    for (size_t i = 0; i < f->n_locks; i++)
        rename_text(&f->locks[i].name, from, to);
    rename_text(&f->variable, from, to);
    rename_text(&f->advice_lock, from, to);
    rename_text(&f->advice_outside, from, to);
}

static void name_lock(struct hd_report *r, struct hd_finding *f, const struct hd_stacks *s,
                      const char *name, uint64_t event)
{
    char function[400] = "";
    size_t index;
    if (strncmp(name, "stack:", 6) || !find(s, event, &index) || !*s->object[index].name)
        return;
    const struct hd_object *o = &s->object[index];
    hd_frame_names_source(o->function, function, sizeof function);
    rename_lock(f, name, hd_report_format(r, "%s of %s", o->name, function));
}

/* The steps of the schedule that access it, under whatever name each thread has it. */
static void name_steps(struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_steps; i++)
        if (f->steps[i].same)
            f->steps[i].object = f->variable;
}

static void put_name(struct hd_report *r, struct hd_finding *f, const struct hd_object *o)
{
    char function[400] = "";
    bool local = *o->function;
    if (local)
        hd_frame_names_source(o->function, function, sizeof function);
    f->location = local           ? hd_report_format(r, "local of %s", function)
                  : o->per_thread ? "thread-local"
                                  : "global";
    if (!*o->name) {
        f->variable = hd_report_format(r, "a local of %s", function);
        name_steps(f);
        return;
    }
    f->variable = hd_report_text(r, o->name);
    if (local) {
        f->variable = hd_report_format(r, "%s of %s", o->name, function);
        name_steps(f);
    }
    if (local && *o->file)
        f->variable = hd_report_format(r, "%s (%s:%d)", f->variable, o->file, o->line);
    if (*o->inside)
        f->location = hd_report_format(r, "%s, a %s", f->location, o->inside);
    if (o->bits)
        f->location = hd_report_format(r, "%s, bit-fields that share bytes", f->location);
}

/* What lies where a dead local was shows nothing of it: it has the name of the place where it ends.
 */
static bool is_left(const struct hd_finding *f)
{
    for (size_t i = 0; i < f->n_accesses; i++)
        if (hd_access_leaves(&f->accesses[i]))
            return true;
    return false;
}

void hd_stacked_apply(struct hd_report *r, struct hd_finding *f, const struct hd_stacks *stacks)
{
    const struct hd_object *object =
        (f->property == HD_PROPERTY_RACE || f->property == HD_PROPERTY_ATOMICITY) && !is_left(f)
            ? object_of(f, stacks)
            : NULL;
    if (object)
        put_name(r, f, object);

    bool all = true;
    for (size_t i = 0; i < f->n_accesses; i++) {
        struct hd_access *a = &f->accesses[i];
        bool known = a->stack.n > 1;
        if (!known)
            known = put(r, stacks, a->event, &a->at, &a->stack);
        all = all && known;
        for (size_t k = 0; k < a->n_locks; k++)
            put(r, stacks, a->locks[k].event, &a->locks[k].taken, &a->locks[k].stack);
    }
    for (size_t i = 0; i < f->n_threads; i++)
        put(r, stacks, f->threads[i].event, &f->threads[i].at, &f->threads[i].stack);
    for (size_t i = 0; i < f->n_locks; i++) {
        put_lock(r, stacks, &f->locks[i]);
        name_lock(r, f, stacks, f->locks[i].name, f->locks[i].event);
    }
    for (size_t i = 0; f->block && i < stacks->n_blocks; i++)
        if (stacks->blocks[i] == f->block && stacks->from[i].n)
            hd_stacked_copy(r, &stacks->from[i], &f->block_stack);
    f->stacks = all               ? NULL
                : *stacks->reason ? hd_report_text(r, stacks->reason)
                                  : "the second run did not come to them";
}
