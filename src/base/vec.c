#include "base/vec.h"

#include "base/alloc.h"

/* Doubling keeps pushes amortised O(1); 16 avoids a string of tiny reallocations. */
static size_t grown(size_t cap, size_t wanted)
{
    size_t next = !cap ? 16 : cap <= SIZE_MAX / 2 ? cap * 2 : SIZE_MAX;
    return next < wanted ? wanted : next;
}

void hd_u32vec_reserve(struct hd_u32vec *v, size_t cap)
{
    if (cap <= v->cap)
        return;
    size_t next = grown(v->cap, cap);
    v->data = hd_realloc_array(v->data, v->cap, next, sizeof *v->data);
    v->cap = next;
}

void hd_u32vec_trim(struct hd_u32vec *v)
{
    if (v->cap == v->len)
        return;
    v->data = hd_realloc_array(v->data, v->cap, v->len, sizeof *v->data);
    v->cap = v->len;
}

void hd_u32vec_fini(struct hd_u32vec *v)
{
    hd_free(v->data, v->cap * sizeof *v->data);
    *v = (struct hd_u32vec){0};
}

void hd_vec_reserve(struct hd_vec *v, size_t cap)
{
    if (cap <= v->cap)
        return;
    size_t next = grown(v->cap, cap);
    v->data = hd_realloc_array(v->data, v->cap, next, v->size);
    v->cap = next;
}

void hd_vec_reserve_exactly(struct hd_vec *v, size_t cap)
{
    if (cap <= v->cap)
        return;
    v->data = hd_realloc_array(v->data, v->cap, cap, v->size);
    v->cap = cap;
}

void hd_vec_trim(struct hd_vec *v)
{
    if (v->cap == v->len)
        return;
    v->data = hd_realloc_array(v->data, v->cap, v->len, v->size);
    v->cap = v->len;
}

void hd_vec_fini(struct hd_vec *v)
{
    hd_free(v->data, v->cap * v->size);
    *v = (struct hd_vec){.size = v->size};
}

void *hd_vec_push(struct hd_vec *v)
{
    if (v->len == v->cap)
        hd_vec_reserve(v, v->len + 1);
    return hd_vec_at(v, v->len++);
}
