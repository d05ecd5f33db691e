/* Makes a trace: the readers, the generator and tests add names, directives and events in trace
 * order and finish. The builder checks what can be checked locally (ids, dependences, limits, that
 * wake or tmo follows its wait); whether the order is possible is model/'s question.
 *
 * After an error the builder can only be freed. hd_builder_finish frees it in any case.
 */
#ifndef HD_TRACE_BUILDER_H
#define HD_TRACE_BUILDER_H

#include "base/err.h"
#include "trace/trace.h"

struct hd_builder;

struct hd_builder *hd_builder_new(void);
void hd_builder_free(struct hd_builder *b); /* NULL is fine */
/* Forgets all events and what was given for objects; their names, threads and places stay. */
void hd_builder_restart(struct hd_builder *b);

/* Ids for names, new or known. A thread beyond HD_MAX_THREADS gives HD_ERR_LIMIT. */
enum hd_status hd_builder_thread(struct hd_builder *b, const char *name, size_t len, hd_tid *id,
                                 struct hd_err *err);
uint32_t hd_builder_obj(struct hd_builder *b, enum hd_obj_kind kind, const char *name, size_t len);
uint32_t hd_builder_place(struct hd_builder *b, const char *name, size_t len);

/* Directives. They may come anywhere before finish, but an initial value before the first access of
 * its location; a second, different one for the same object is HD_ERR_INPUT. */
enum hd_status hd_builder_control(struct hd_builder *b, enum hd_control control,
                                  struct hd_err *err);
enum hd_status hd_builder_init(struct hd_builder *b, uint32_t loc, uint64_t value,
                               struct hd_err *err);
enum hd_status hd_builder_sem(struct hd_builder *b, uint32_t sem, uint64_t count,
                              struct hd_err *err);
enum hd_status hd_builder_barrier(struct hd_builder *b, uint32_t barrier, uint64_t size,
                                  struct hd_err *err);

/* A dependence set as given: absent, or a list of absolute 0-based event numbers in any order. */
struct hd_dep_list {
    bool given;
    uint32_t n;
    const hd_eid *events;
};

struct hd_event {
    enum hd_op op;
    hd_tid thread;
    uint32_t obj;  /* within the kind of the op */
    uint32_t lock; /* wait, wake, tmo */
    uint32_t place;
    bool has_value;          /* accesses: value given (rmw: both) */
    bool tries;              /* acq, racq: does not wait for ever */
    enum hd_mem_order order; /* atomics, fence: one that fits the op; others: zero */
    uint64_t value;          /* read or written; rmw: the old value */
    uint64_t new_value;      /* rmw */
    struct hd_dep_list deps; /* br: `deps`; writing access: `val` */
    struct hd_dep_list addr; /* access: `addr` */
};

/* Appends an event. Error texts speak of "event N" by its 1-based number where needed; the caller
 * adds file and line. */
enum hd_status hd_builder_add(struct hd_builder *b, const struct hd_event *ev, struct hd_err *err);

/* The line of the text in which the event added last stands. */
void hd_builder_line(struct hd_builder *b, uint64_t line);

size_t hd_builder_count(const struct hd_builder *b); /* events so far */

/* Settles values, builds the indices, hands over the trace. Frees the builder. HD_ERR_STOPPED: the
 * user asked for it (base/stop.h). */
enum hd_status hd_builder_finish(struct hd_builder *b, struct hd_trace **trace, struct hd_err *err);

#endif
