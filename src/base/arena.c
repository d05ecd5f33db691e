#include "base/arena.h"

#include "base/alloc.h"

#include <stdalign.h>
#include <stdint.h>
#include <string.h>

enum { ALIGN = 16, FIRST_BLOCK = 16 << 10, LAST_BLOCK = 1 << 20 };

struct block {
    struct block *older;
    size_t size; /* of data[] */
    alignas(ALIGN) unsigned char data[];
};

struct hd_arena {
    struct block *blocks; /* the one in use first */
    size_t used;          /* bytes of blocks->data given out */
    size_t bytes;
    size_t next_size;
};

struct hd_arena *hd_arena_new(void)
{
    struct hd_arena *a = hd_calloc(1, sizeof *a);
    a->next_size = FIRST_BLOCK;
    return a;
}

static void free_blocks(struct block *b)
{
    while (b) {
        struct block *older = b->older;
        hd_free(b, sizeof *b + b->size);
        b = older;
    }
}

void hd_arena_free(struct hd_arena *a)
{
    if (!a)
        return;
    free_blocks(a->blocks);
    hd_free(a, sizeof *a);
}

static struct block *new_block(size_t size)
{
    struct block *b = hd_alloc(sizeof *b + size);
    b->older = NULL;
    b->size = size;
    return b;
}

/* A request that would waste more than half of a fresh block goes behind the block in use, which
 * keeps its free space. */
static void *alloc_apart(struct hd_arena *a, size_t bytes)
{
    struct block *b = new_block(bytes);
    if (a->blocks) {
        b->older = a->blocks->older;
        a->blocks->older = b;
    } else {
        a->blocks = b;
        a->used = bytes;
    }
    return b->data;
}

void *hd_arena_alloc(struct hd_arena *a, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        return hd_alloc(bytes); /* fatal; keeps the rounding below from wrapping */
    bytes = (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1);
    a->bytes += bytes;
    if (!a->blocks || a->blocks->size - a->used < bytes) {
        if (bytes > a->next_size / 2)
            return alloc_apart(a, bytes);
        struct block *b = new_block(a->next_size);
        b->older = a->blocks;
        a->blocks = b;
        a->used = 0;
        if (a->next_size < LAST_BLOCK)
            a->next_size *= 2;
    }
    void *ptr = a->blocks->data + a->used;
    a->used += bytes;
    return ptr;
}

void *hd_arena_calloc(struct hd_arena *a, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        bytes = SIZE_MAX;
    return memset(hd_arena_alloc(a, bytes), 0, bytes);
}

char *hd_arena_strndup(struct hd_arena *a, const char *text, size_t len)
{
    char *copy = hd_arena_alloc(a, len + 1);
    memcpy(copy, text, len);
    copy[len] = 0;
    return copy;
}

void hd_arena_reset(struct hd_arena *a)
{
    struct block *keep = a->blocks;
    for (struct block *b = a->blocks; b; b = b->older)
        if (b->size > keep->size)
            keep = b;
    for (struct block **link = &a->blocks; *link; link = &(*link)->older)
        if (*link == keep) {
            *link = keep->older;
            break;
        }
    free_blocks(a->blocks);
    if (keep)
        keep->older = NULL;
    a->blocks = keep;
    a->used = 0;
    a->bytes = 0;
}

size_t hd_arena_bytes(const struct hd_arena *a)
{
    return a->bytes;
}
