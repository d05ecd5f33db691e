#include "detect/published/sections.h"

#include "base/alloc.h"

struct hold {
    hd_tid thread;
    uint32_t depth;
    uint32_t section;
};

struct hd_outer_section_lock {
    struct hold owner;     /* depth 0: none */
    struct hd_vec readers; /* struct hold */
};

void hd_outer_sections_init(struct hd_outer_sections *s, const struct hd_trace *t)
{
    size_t locks = hd_trace_n_objs(t, HD_OBJ_LOCK);
    *s = (struct hd_outer_sections){.t = t, .all = HD_VEC_INIT(struct hd_outer_section)};
    s->lock = hd_calloc(locks, sizeof *s->lock);
    for (size_t l = 0; l < locks; l++)
        s->lock[l].readers = HD_VEC_INIT(struct hold);
    s->wait_depth = hd_calloc(hd_trace_n_threads(t), sizeof *s->wait_depth);
}

void hd_outer_sections_fini(struct hd_outer_sections *s)
{
    size_t locks = hd_trace_n_objs(s->t, HD_OBJ_LOCK);
    for (size_t l = 0; l < locks; l++)
        hd_vec_fini(&s->lock[l].readers);
    hd_free(s->lock, locks * sizeof *s->lock);
    hd_free(s->wait_depth, hd_trace_n_threads(s->t) * sizeof *s->wait_depth);
    hd_vec_fini(&s->all);
}

static uint32_t open_section(struct hd_outer_sections *s, hd_eid e, bool write)
{
    struct hd_outer_section *section = hd_vec_push(&s->all);
    *section = (struct hd_outer_section){
        .lock = hd_trace_lock(s->t, e),
        .acq = e,
        .rel = HD_EID_NONE,
        .acq_pos = s->t->pos[e],
        .rel_pos = UINT32_MAX,
        .thread = s->t->thread[e],
        .write = write,
    };
    return (uint32_t)s->all.len - 1;
}

static uint32_t close_section(struct hd_outer_sections *s, hd_eid e, uint32_t id)
{
    struct hd_outer_section *section = hd_outer_section_at(s, id);
    section->rel = e;
    section->rel_pos = s->t->pos[e];
    return id;
}

static uint32_t acquire(struct hd_outer_sections *s, hd_eid e, uint32_t depth)
{
    struct hold *owner = &s->lock[hd_trace_lock(s->t, e)].owner;
    if (owner->depth && owner->thread == s->t->thread[e]) {
        owner->depth += depth;
        return HD_SECTION_NONE;
    }
    *owner = (struct hold){s->t->thread[e], depth, open_section(s, e, true)};
    return owner->section;
}

static uint32_t release(struct hd_outer_sections *s, hd_eid e, bool all)
{
    struct hold *owner = &s->lock[hd_trace_lock(s->t, e)].owner;
    if (!owner->depth || owner->thread != s->t->thread[e])
        return HD_SECTION_NONE;
    if (all) {
        s->wait_depth[s->t->thread[e]] = owner->depth;
        owner->depth = 1;
    }
    return --owner->depth ? HD_SECTION_NONE : close_section(s, e, owner->section);
}

static struct hold *find_reader(struct hd_outer_section_lock *l, hd_tid u)
{
    for (size_t i = 0; i < l->readers.len; i++) {
        struct hold *h = hd_vec_at(&l->readers, i);
        if (h->thread == u)
            return h;
    }
    return NULL;
}

static uint32_t read_acquire(struct hd_outer_sections *s, hd_eid e)
{
    struct hd_outer_section_lock *l = &s->lock[s->t->obj[e]];
    struct hold *h = find_reader(l, s->t->thread[e]);
    if (h) {
        h->depth++;
        return HD_SECTION_NONE;
    }
    uint32_t id = open_section(s, e, false);
    h = hd_vec_push(&l->readers);
    *h = (struct hold){s->t->thread[e], 1, id};
    return id;
}

static uint32_t read_release(struct hd_outer_sections *s, hd_eid e)
{
    struct hd_outer_section_lock *l = &s->lock[s->t->obj[e]];
    struct hold *h = find_reader(l, s->t->thread[e]);
    if (!h || --h->depth)
        return HD_SECTION_NONE;
    uint32_t id = close_section(s, e, h->section);
    *h = *(struct hold *)hd_vec_at(&l->readers, --l->readers.len);
    return id;
}

struct hd_outer_section_step hd_outer_sections_pass(struct hd_outer_sections *s, hd_eid e)
{
    struct hd_outer_section_step step = {HD_SECTION_NONE, HD_SECTION_NONE};
    uint32_t depth;
    switch (s->t->op[e]) {
    case HD_OP_ACQ:
        step.opened = acquire(s, e, 1);
        break;
    case HD_OP_REL:
        step.closed = release(s, e, false);
        break;
    case HD_OP_RACQ:
        step.opened = read_acquire(s, e);
        break;
    case HD_OP_RREL:
        step.closed = read_release(s, e);
        break;
    case HD_OP_WAIT:
        step.closed = release(s, e, true);
        break;
    case HD_OP_WAKE:
    case HD_OP_TMO:
        depth = s->wait_depth[s->t->thread[e]];
        step.opened = acquire(s, e, depth ? depth : 1);
        break;
    default:
        break;
    }
    return step;
}

bool hd_sections_lock_is_shared(const struct hd_trace *t, uint32_t lock)
{
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_LOCK, lock, &n);
    for (size_t i = 1; i < n; i++)
        if (t->thread[events[i]] != t->thread[events[0]])
            return true;
    return false;
}
