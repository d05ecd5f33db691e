#include "concolic/path.h"

#include "base/alloc.h"
#include "base/hash.h"

#include <string.h>

static void mark(const struct hd_shared_arena *a, uint32_t n_steps, uint32_t *index)
{
    for (uint32_t i = 0; i < n_steps; i++)
        index[a->steps[i].expr] = 1;
    for (uint32_t id = a->n_nodes; id-- > 1;) {
        const struct hd_sym_node *n = &a->nodes[id];
        if (!index[id] || n->op == HD_SYM_INPUT || n->op == HD_SYM_CONST)
            continue;
        index[n->a] = 1;
        if (n->op != HD_SYM_EXTRACT)
            index[n->b] = index[n->c] = 1;
    }
    index[0] = 0;
}

static uint64_t hash_of(const struct hd_path *p, const struct hd_sym_node *n)
{
    uint64_t h = hd_hash_mix((uint64_t)n->op << 8 | n->width);
    if (n->op == HD_SYM_CONST)
        return hd_hash_mix(h ^ n->value);
    if (n->op == HD_SYM_INPUT) {
        const struct hd_input_bytes *name = &p->objects[n->a];
        return hd_hash_mix(hd_hash_bytes(name->data, name->len, h) + n->b);
    }
    h = hd_hash_mix(h ^ p->hash[n->a]);
    h = hd_hash_mix(h + (n->op == HD_SYM_EXTRACT ? n->b : p->hash[n->b]));
    return hd_hash_mix(h + 3 * p->hash[n->c]);
}

static void copy_nodes(struct hd_path *p, const struct hd_shared_arena *a, const uint32_t *index)
{
    for (uint32_t id = 1; id < a->n_nodes; id++) {
        if (!index[id])
            continue;
        struct hd_sym_node n = a->nodes[id];
        if (n.op != HD_SYM_INPUT && n.op != HD_SYM_CONST) {
            n.a = index[n.a];
            n.b = n.op == HD_SYM_EXTRACT ? n.b : index[n.b];
            n.c = index[n.c];
        }
        p->nodes[index[id]] = n;
        p->hash[index[id]] = hash_of(p, &n);
    }
}

static void copy_objects(struct hd_path *p, const struct hd_shared_arena *a,
                         const struct hd_input *in)
{
    hd_input_copy(&p->input, in);
    p->n_objects = a->n_objects;
    p->objects = hd_calloc(a->n_objects + 1, sizeof *p->objects);
    for (uint32_t i = 0; i < a->n_objects; i++) {
        const struct hd_sym_object *o = &a->objects[i];
        size_t len = strlen(o->name);
        p->objects[i] = (struct hd_input_bytes){(uint8_t *)hd_strndup(o->name, len), len};
        hd_input_set(&p->input, o->name, a->data + o->start, o->size);
    }
}

struct hd_path *hd_path_new(const struct hd_shared_arena *a, const struct hd_input *in,
                            uint32_t number, uint32_t max_steps)
{
    struct hd_path *p = hd_calloc(1, sizeof *p);
    size_t bytes = ((size_t)a->n_nodes + 1) * sizeof(uint32_t);
    uint32_t *index = hd_calloc(a->n_nodes + 1, sizeof *index), next = 1;
    p->refs = 1;
    p->number = number;
    p->n_steps = a->n_steps < max_steps ? a->n_steps : max_steps;
    copy_objects(p, a, in);
    mark(a, p->n_steps, index);
    for (uint32_t id = 1; id < a->n_nodes; id++)
        if (index[id])
            index[id] = next++;
    p->n_nodes = next;
    p->nodes = hd_calloc(next, sizeof *p->nodes);
    p->hash = hd_calloc(next, sizeof *p->hash);
    copy_nodes(p, a, index);
    p->steps = hd_calloc(p->n_steps + 1, sizeof *p->steps);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        p->steps[i] = a->steps[i];
        p->steps[i].expr = index[a->steps[i].expr];
    }
    hd_free(index, bytes);
    return p;
}

struct hd_path *hd_path_get(struct hd_path *p)
{
    p->refs++;
    return p;
}

void hd_path_put(struct hd_path *p)
{
    if (!p || --p->refs > 0)
        return;
    for (uint32_t i = 0; i < p->n_objects; i++)
        hd_free(p->objects[i].data, p->objects[i].len + 1);
    hd_free(p->objects, (p->n_objects + 1) * sizeof *p->objects);
    hd_free(p->nodes, p->n_nodes * sizeof *p->nodes);
    hd_free(p->hash, p->n_nodes * sizeof *p->hash);
    hd_free(p->steps, (p->n_steps + 1) * sizeof *p->steps);
    hd_input_fini(&p->input);
    hd_free(p, sizeof *p);
}

uint64_t hd_path_choice(const struct hd_path *p, uint32_t i, bool taken)
{
    const struct hd_sym_step *s = &p->steps[i];
    return hd_hash_mix(p->hash[s->expr] * 2 + taken) + s->thread;
}
