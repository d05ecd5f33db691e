/* The machine on which the generator runs its threads. Only gen*.c include this.
 *
 * It keeps what docs/MODEL.md section 2 calls a state, but only along one order, with real values
 * and with the waiter of a sig chosen when it happens. hd_gen_sim_can returns whether a step may be
 * taken now; hd_gen_sim_do takes it and adds the event to the trace.
 *
 * Stricter than the model on purpose: a thread that waits or stands at a barrier does nothing else
 * until it leaves; a lock owned for writing is not also taken for reading by its owner.
 */
#ifndef HD_TRACE_GEN_GEN_SIM_H
#define HD_TRACE_GEN_GEN_SIM_H

#include "base/rng.h"
#include "trace/builder.h"
#include "trace/gen/gen.h"

enum { SIM_RING = 16, SIM_MAX_HELD = 8, SIM_MAX_DEPS = 6 };
#define SIM_NOBODY UINT32_MAX

enum sim_phase { SIM_UNBORN, SIM_READY, SIM_WAITING, SIM_NOTIFIED, SIM_AT_BARRIER, SIM_ENDED };

struct sim_held {
    uint32_t lock, depth; /* depth of the write side */
    uint32_t reads;       /* depth of the read side */
};

struct sim_thread {
    enum sim_phase phase;
    uint32_t cond, lock, lock_depth; /* while WAITING or NOTIFIED */
    uint32_t barrier;                /* while AT_BARRIER */
    uint64_t arrival;                /* its number among the barrier's arrivals, from 0 */
    struct sim_held held[SIM_MAX_HELD];
    uint32_t n_held;
    uint32_t blocks;        /* open begin..end */
    hd_eid reads[SIM_RING]; /* the latest reads, as a ring */
    uint64_t n_reads;
    uint64_t events;
    bool may_be_forked, joined;
};

struct sim_lock {
    uint32_t owner, readers; /* owner: index of a thread or SIM_NOBODY; readers counts read holds */
};

enum sim_memory { SIM_UNSET, SIM_KNOWN, SIM_OPAQUE };

struct sim_loc {
    enum sim_memory state; /* UNSET: no access yet; OPAQUE: holds a value that was left out */
    bool has_init;
    uint64_t value;
};

/* One step. Objects are numbered by the machine; see struct sim. */
struct sim_step {
    enum hd_op op;
    uint32_t obj;
    uint32_t lock;
    uint32_t place;
    bool omit; /* leave the value out */
    enum hd_mem_order order;
    uint64_t value; /* what is written; also what a read of an UNSET location returns */
    struct hd_dep_list deps, addr;
};

/* The name of object i of a kind, for the trace. */
typedef void sim_name(enum hd_obj_kind kind, uint32_t i, char *name, size_t size);

/* Objects have numbers of the machine's own, from 0 in each kind. An object enters the trace, with
 * its directive, when it is first used: ids[kind][i] is its id there, or SIM_NOBODY before. */
struct sim {
    struct hd_rng rng;
    struct hd_builder *builder;
    sim_name *name;
    uint32_t count[HD_OBJ_THREAD + 1];
    uint32_t *ids[HD_OBJ_THREAD + 1];
    uint64_t *sem_start;
    struct sim_thread *threads;
    struct sim_lock *locks;
    struct sim_loc *locs;
    uint64_t *sems;
    uint64_t *arrivals; /* by barrier */
    uint64_t *barrier_size;
    uint64_t events;
    uint32_t waiting, notified; /* threads in these phases */
};

/* Every thread is UNBORN, every semaphore 0, every location UNSET; the caller changes what it
 * wants. A barrier needs a size before its first use. */
void hd_gen_sim_init(struct sim *s, uint64_t seed, const uint32_t count[HD_OBJ_THREAD + 1],
                     sim_name *name);
void hd_gen_sim_fini(
    struct sim *s); /* frees the builder, too, unless it was taken; a zeroed s is fine */

/* Before the first step. */
void hd_gen_sim_set_sem(struct sim *s, uint32_t sem, uint64_t count);
void hd_gen_sim_set_init(struct sim *s, uint32_t loc, uint64_t value);

bool hd_gen_sim_can(const struct sim *s, uint32_t thread, const struct sim_step *step);

/* Requires hd_gen_sim_can. A step on an OPAQUE location leaves its value out, whatever step->omit
 * is.
 */
enum hd_status hd_gen_sim_do(struct sim *s, uint32_t thread, const struct sim_step *step,
                             struct hd_err *err);

struct sim_held *hd_gen_sim_held(const struct sim *s, uint32_t thread, uint32_t lock); /* or NULL */

/* The k-th latest read of a thread (0 = the latest). Requires k < SIM_RING and k < n_reads. */
static inline hd_eid hd_gen_sim_recent_read(const struct sim_thread *t, uint32_t k)
{
    HD_ASSERT(k < SIM_RING && k < t->n_reads);
    return t->reads[(t->n_reads - 1 - k) % SIM_RING];
}

static inline uint32_t hd_gen_sim_recent_count(const struct sim_thread *t)
{
    return t->n_reads < SIM_RING ? (uint32_t)t->n_reads : SIM_RING;
}

/* The two styles; each initialises s and fills its builder. The caller frees s in any case. */
enum hd_status hd_gen_sim_random(const struct hd_gen_config *config, struct sim *s,
                                 struct hd_err *err);
enum hd_status hd_gen_sim_program(const struct hd_gen_config *config, struct sim *s,
                                  struct hd_err *err);

#endif
