/* The one allocator of the tool.
 *
 * Running out of memory is fatal here: a half-finished analysis must never look like a finished
 * one. Sizes are given back on free, so the bytes in use and their high-water mark are exact;
 * benches and `trace stats` print them. The out-of-memory hook may be replaced by tests; it must
 * not return (it may exit or longjmp). Counters are atomic: any thread may call these functions.
 */
#ifndef HD_BASE_ALLOC_H
#define HD_BASE_ALLOC_H

#include <stddef.h>

void *hd_alloc(size_t bytes);               /* not zeroed; bytes may be 0 */
void *hd_calloc(size_t count, size_t size); /* zeroed; overflow is fatal */
void hd_free(void *ptr, size_t bytes);      /* bytes as allocated; NULL is fine */

/* ptr may be NULL when old_bytes is 0. The array form takes element counts; overflow is fatal. */
void *hd_realloc(void *ptr, size_t old_bytes, size_t new_bytes);
void *hd_realloc_array(void *ptr, size_t old_n, size_t new_n, size_t size);

char *hd_strndup(const char *text, size_t len); /* free with hd_free(p, len + 1) */

size_t hd_alloc_in_use(void);
size_t hd_alloc_peak(void);
void hd_alloc_reset_peak(void);

/* More than this in use counts as out of memory; 0: no bound. Without it the kernel gives what it
 * does not have, and ends some process when it is used. */
void hd_alloc_set_limit(size_t bytes);
size_t hd_alloc_limit(void);

typedef void (*hd_oom_hook)(size_t bytes);
void hd_alloc_set_oom_hook(hd_oom_hook hook); /* NULL restores the default: message and exit 4 */

/* Fails the n-th allocation from now (1 = the next one); 0 switches injection off. For tests. */
void hd_alloc_fail_at(size_t n);

#endif
