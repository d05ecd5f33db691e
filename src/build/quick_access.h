/* Records that change little or nothing: quick_access.c and calm.c. Shared by the files of this
 * room only. */
#ifndef HD_BUILD_QUICK_ACCESS_H
#define HD_BUILD_QUICK_ACCESS_H

#include "build/walk_state.h"

struct hd_walk;
struct hd_walk_calm;

/* quick_access.c. The first walk goes over reads, writes and branches. True: *rec is the first
 * record that is none. */
bool hd_walk_mark_pass(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed);
bool hd_walk_more_matters(const struct hd_walk *w, const struct hd_raw *rec); /* HD_LOG_MORE */
/* Of a read or write of the compiler's own at most 64 bytes, as vectors are. */
static inline bool hd_walk_is_wide(const struct hd_raw *rec)
{
    return (rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE) && rec->data &&
           (rec->aux & ~(unsigned)HD_LOG_SIZE) == HD_LOG_SITE && rec->len && rec->len <= 64;
}
static inline uint64_t hd_walk_bytes(const struct hd_raw *rec)
{
    return rec->kind == HD_LOG_RANGE_READ || rec->kind == HD_LOG_RANGE_WRITE
               ? rec->len
               : rec->aux & HD_LOG_SIZE;
}
/* *noted: it is of memory that handed_memory.c looks at. */
bool hd_walk_leave_quick(struct hd_walk *w, const struct hd_raw *rec, bool *noted);
/* In a walk that builds: granules of the page around addr, and wholly of its region, of which
 * nothing is to be noted: a bit each, from the one at *base on. */
unsigned hd_walk_quiet_around(struct hd_walk *w, uint64_t addr, uint64_t *base);
/* Is it in shared memory that may change at other addresses, too? Then it is never calm. */
bool hd_walk_is_view(struct hd_walk *w, uint64_t addr);
/* While the skeleton is made. Is it of loose memory that the thread has used in this way since its
 * last event of the skeleton, and if it reads, does it find what is known to be there? Then nothing
 * has to be noted, and what it writes is kept. False: nothing has changed. */
bool hd_walk_loose_pass(struct hd_walk *w, uint64_t addr, unsigned len, bool writes,
                        const uint8_t *bytes);
void hd_walk_lines_clear(struct hd_walk *w);
void hd_walk_lines_forget(struct hd_walk *w, uint64_t start, uint64_t end); /* regions changed */
void hd_walk_set_freed(struct hd_walk *w, struct hd_region *g);

/* calm.c: stretches of records that change nothing */
struct hd_walk_calm *hd_walk_calm_new(void);
void hd_walk_calm_free(struct hd_walk_calm *c);
void hd_walk_calm_clear(struct hd_walk *w);
/* The memory may not be calm any more. */
void hd_walk_calm_forget(struct hd_walk *w, uint64_t addr, uint64_t len);
/* A record that was left out, and of which nothing had to be noted: if it is an access, another one
 * of this memory will be so, too. */
void hd_walk_calm_add(struct hd_walk *w, const struct hd_raw *rec);
/* Goes over records that change nothing, and counts them. True: *rec is the first that does. */
bool hd_walk_calm_pass(struct hd_walk *w, struct hd_raw *rec, uint32_t *passed);

#endif
