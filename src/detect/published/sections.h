/* Critical sections: from an outermost acquire to its release.
 *
 * Nested acquires of a lock by its holder are part of the section. A wait closes the section of its
 * lock at whatever depth, wake and tmo open a new one. Read and write sides are sections of their
 * own, also when one thread has both. Two sections of one lock by different threads exclude each
 * other unless both read.
 */
#ifndef HD_DETECT_PUBLISHED_SECTIONS_H
#define HD_DETECT_PUBLISHED_SECTIONS_H

#include "base/vec.h"
#include "trace/trace.h"

#define HD_SECTION_NONE UINT32_MAX

struct hd_outer_section {
    uint32_t lock;
    hd_eid acq, rel;           /* rel: HD_EID_NONE while open */
    uint32_t acq_pos, rel_pos; /* in their thread */
    hd_tid thread;
    bool write;
};

struct hd_outer_section_lock;

struct hd_outer_sections {
    const struct hd_trace *t;
    struct hd_vec all; /* struct hd_outer_section, in order of their acquires */
    struct hd_outer_section_lock *lock;
    uint32_t *wait_depth; /* by thread */
};

struct hd_outer_section_step {
    uint32_t opened, closed; /* HD_SECTION_NONE if not */
};

void hd_outer_sections_init(struct hd_outer_sections *s, const struct hd_trace *t);
void hd_outer_sections_fini(struct hd_outer_sections *s);

/* Passes event e, which is not an access; events come in trace order. */
struct hd_outer_section_step hd_outer_sections_pass(struct hd_outer_sections *s, hd_eid e);

static inline struct hd_outer_section *hd_outer_section_at(const struct hd_outer_sections *s,
                                                           uint32_t id)
{
    return hd_vec_at(&s->all, id);
}

/* Whether two or more threads use the lock. */
bool hd_sections_lock_is_shared(const struct hd_trace *t, uint32_t lock);

#endif
