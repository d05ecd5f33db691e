/* Which earlier section of a lock touched a location in a conflicting way? (rule (a) of cp and wcp)
 *
 * When a section ends, each location it accessed is noted with the section's mark: for wcp the hb
 * stamp of the release, for cp the number of the section. A later access in a section of the same
 * lock asks for the marks of other threads' sections that it conflicts with. Sections of a lock
 * that exclude each other are totally ordered, and the release of a later one knows the earlier
 * ones, so the answer is the latest write section, and read sections after it. Everything older is
 * forgotten.
 *
 * Only locations and locks that two threads use are followed.
 */
#ifndef HD_DETECT_PUBLISHED_CONFLICTS_H
#define HD_DETECT_PUBLISHED_CONFLICTS_H

#include "base/hash.h"
#include "detect/clock.h"
#include "detect/published/sections.h"

struct hd_mark {
    struct hd_stamp stamp; /* clock may be NULL when the user needs only the section */
    uint32_t section;
    hd_tid thread;
    bool write; /* the section's side */
};

struct hd_conflict_log; /* what the open sections of a thread accessed */
struct hd_conflict_cell;

struct hd_conflicts {
    const struct hd_trace *t;
    struct hd_clock_pool *pool;
    struct hd_map cell_of; /* lock << 32 | location: cell + 1 */
    struct hd_vec cells;   /* struct hd_conflict_cell */
    struct hd_conflict_log *log;
    uint8_t *contended;   /* by location */
    uint8_t *shared_lock; /* by lock */
};

/* pool: where the stamps of marks live; NULL if marks have none. */
void hd_conflicts_init(struct hd_conflicts *c, const struct hd_trace *t,
                       struct hd_clock_pool *pool);
void hd_conflicts_fini(struct hd_conflicts *c);

void hd_conflicts_open(struct hd_conflicts *c, const struct hd_outer_section *s, uint32_t id);
/* Ends section id of thread u; stamp is copied (its clock counted) when the pool is given. */
void hd_conflicts_close(struct hd_conflicts *c, const struct hd_outer_section *s, uint32_t id,
                        const struct hd_stamp *stamp);

/* Calls found(ctx, mark, section) for each mark that conflicts with access e, for each open section
 * of its thread, and notes the access. */
typedef void (*hd_conflict_found)(void *ctx, const struct hd_mark *mark, uint32_t section);
void hd_conflicts_access(struct hd_conflicts *c, hd_eid e, hd_conflict_found found, void *ctx);

#endif
