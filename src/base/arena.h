/* A bump arena: many small allocations that all die together, one arena per analysis run.
 *
 * Memory comes in blocks through base/alloc.h, so it is counted there and running out is fatal.
 * Blocks double from 16 KiB to 1 MiB: small runs stay small, large ones call the allocator rarely.
 * A request larger than a block gets a block of its own. Nothing is freed singly; hd_arena_reset
 * forgets everything and keeps the largest block for the next round.
 * Pointers are aligned to 16 bytes and valid until reset or free. An arena belongs to one thread at
 * a time; give each worker of hd_pool_for its own.
 */
#ifndef HD_BASE_ARENA_H
#define HD_BASE_ARENA_H

#include <stddef.h>

struct hd_arena;

struct hd_arena *hd_arena_new(void);
void hd_arena_free(struct hd_arena *a); /* with all that was allocated from it; NULL is fine */

void *hd_arena_alloc(struct hd_arena *a, size_t bytes);           /* not zeroed; bytes may be 0 */
void *hd_arena_calloc(struct hd_arena *a, size_t n, size_t size); /* zeroed; overflow is fatal */
char *hd_arena_strndup(struct hd_arena *a, const char *text, size_t len); /* NUL-terminated copy */

void hd_arena_reset(struct hd_arena *a);

/* Bytes handed out since new or reset, each request rounded up to 16. */
size_t hd_arena_bytes(const struct hd_arena *a);

#endif
