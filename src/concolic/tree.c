#include "concolic/tree.h"

#define ROOT 1u

static uint32_t add_node(struct hd_tree *t, uint32_t parent)
{
    uint32_t id = (uint32_t)t->nodes.len;
    struct hd_tree_node *n = hd_vec_push(&t->nodes);
    *n = (struct hd_tree_node){.parent = parent};
    *(uint32_t *)hd_vec_push(&t->same) = 0;
    if (id > ROOT) {
        struct hd_tree_node *up = hd_tree_at(t, parent);
        n->depth = up->depth + 1;
        n->sibling = up->child;
        up->child = id;
    }
    return id;
}

void hd_tree_init(struct hd_tree *t)
{
    *t = (struct hd_tree){.nodes = HD_VEC_INIT(struct hd_tree_node), .same = HD_VEC_INIT(uint32_t)};
    add_node(t, 0);
    add_node(t, ROOT);
}

void hd_tree_fini(struct hd_tree *t)
{
    for (size_t i = 0; i < t->nodes.len; i++) {
        struct hd_tree_node *n = hd_vec_at(&t->nodes, i);
        hd_path_put(n->core.path);
        hd_u32vec_fini(&n->core.steps);
    }
    hd_vec_fini(&t->nodes);
    hd_vec_fini(&t->same);
    hd_map_fini(&t->child_of);
    hd_map_fini(&t->with_state);
}

struct hd_tree_node *hd_tree_at(const struct hd_tree *t, uint32_t node)
{
    HD_DCHECK(node < t->nodes.len);
    return hd_vec_at(&t->nodes, node);
}

uint32_t hd_tree_enter(struct hd_tree *t, uint32_t node, uint64_t choice, bool *fresh)
{
    uint64_t key = hd_hash_mix(choice + hd_hash_mix(node));
    uint32_t *slot = hd_map_put(&t->child_of, key, fresh);
    if (!*fresh)
        return *slot;
    uint32_t id = (uint32_t)t->nodes.len;
    *slot = id;
    add_node(t, node);
    return id;
}

void hd_tree_mark(struct hd_tree *t, uint32_t node, uint64_t state)
{
    hd_tree_at(t, node)->state = state;
    bool fresh;
    uint32_t *last = hd_map_put(&t->with_state, state, &fresh);
    *(uint32_t *)hd_vec_at(&t->same, node) = fresh ? 0 : *last;
    *last = node;
}

uint32_t hd_tree_same(const struct hd_tree *t, uint32_t node, uint32_t before)
{
    return *(uint32_t *)hd_vec_at(&t->same, before ? before : node);
}

static void count(struct hd_tree *t, uint32_t node, int by)
{
    for (;; node = hd_tree_at(t, node)->parent) {
        HD_DCHECK(by > 0 || hd_tree_at(t, node)->pending > 0);
        hd_tree_at(t, node)->pending += (uint32_t)by;
        if (node == ROOT)
            return;
    }
}

void hd_tree_open(struct hd_tree *t, uint32_t node)
{
    hd_tree_at(t, node)->flip = HD_FLIP_OPEN;
    count(t, node, 1);
}

void hd_tree_close(struct hd_tree *t, uint32_t node, enum hd_flip flip)
{
    HD_DCHECK(hd_tree_at(t, node)->flip == HD_FLIP_OPEN);
    hd_tree_at(t, node)->flip = flip;
    count(t, node, -1);
    if (flip == HD_FLIP_UNKNOWN)
        hd_tree_give_up(t, node, flip);
}

void hd_tree_give_up(struct hd_tree *t, uint32_t node, enum hd_flip flip)
{
    hd_tree_at(t, node)->flip = flip;
    for (;; node = hd_tree_at(t, node)->parent) {
        hd_tree_at(t, node)->given_up = true;
        if (node == ROOT)
            return;
    }
}

void hd_tree_set_core(struct hd_tree *t, uint32_t node, struct hd_path *path,
                      const struct hd_u32vec *steps)
{
    struct hd_core *c = &hd_tree_at(t, node)->core;
    hd_path_put(c->path);
    c->path = hd_path_get(path);
    c->steps.len = 0;
    for (size_t i = 0; i < steps->len; i++)
        hd_u32vec_push(&c->steps, steps->data[i]);
}

bool hd_tree_is_above(const struct hd_tree *t, uint32_t upper, uint32_t node)
{
    uint32_t depth = hd_tree_at(t, upper)->depth;
    while (hd_tree_at(t, node)->depth > depth)
        node = hd_tree_at(t, node)->parent;
    return node == upper;
}
