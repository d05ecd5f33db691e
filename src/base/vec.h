/* Growable arrays.
 *
 * struct hd_u32vec is the workhorse (event numbers, ids) and is inlined. struct hd_vec holds
 * elements of any one size; its accessors return pointers that are valid until the next push. A
 * zeroed struct is an empty vector (hd_vec needs `size` set, see HD_VEC_INIT).
 */
#ifndef HD_BASE_VEC_H
#define HD_BASE_VEC_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

struct hd_u32vec {
    uint32_t *data;
    size_t len;
    size_t cap;
};

void hd_u32vec_reserve(struct hd_u32vec *v, size_t cap);
void hd_u32vec_trim(struct hd_u32vec *v); /* gives back what pushes reserved ahead */
void hd_u32vec_fini(struct hd_u32vec *v);

static inline void hd_u32vec_push(struct hd_u32vec *v, uint32_t x)
{
    if (v->len == v->cap)
        hd_u32vec_reserve(v, v->len + 1);
    v->data[v->len++] = x;
}

struct hd_vec {
    void *data;
    size_t len;
    size_t cap;
    size_t size; /* bytes of one element */
};

#define HD_VEC_INIT(type)                                                                          \
    (struct hd_vec)                                                                                \
    {                                                                                              \
        .size = sizeof(type)                                                                       \
    }

void hd_vec_reserve(struct hd_vec *v, size_t cap);
/* No more room than that, for vectors that are many and short. */
void hd_vec_reserve_exactly(struct hd_vec *v, size_t cap);
void hd_vec_trim(struct hd_vec *v); /* gives back what pushes reserved ahead */
void hd_vec_fini(struct hd_vec *v);
void *hd_vec_push(struct hd_vec *v); /* a new element at the end, not initialised */

static inline void *hd_vec_at(const struct hd_vec *v, size_t i)
{
    HD_DCHECK(i <= v->cap); /* the place behind the last one is an address, too */
    return (char *)v->data + i * v->size;
}

#endif
