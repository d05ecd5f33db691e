/* From a finished trace to the builder of another one. */
#ifndef HD_TRACE_TRACE_COPY_H
#define HD_TRACE_TRACE_COPY_H

#include "trace/builder.h"

/* The event as a builder takes it, without its dependences; ids are those of t. */
struct hd_event hd_trace_copy_event(const struct hd_trace *t, hd_eid e);

/* Places in their order, and what is given for semaphores and barriers. */
enum hd_status hd_trace_copy_given(const struct hd_trace *t, struct hd_builder *b,
                                   struct hd_err *err);

/* The initial value of a location, if it was given. */
enum hd_status hd_trace_copy_init(const struct hd_trace *t, struct hd_builder *b, uint32_t loc,
                                  struct hd_err *err);

/* The id of an object of t in the builder. */
uint32_t hd_trace_copy_obj(const struct hd_trace *t, struct hd_builder *b, enum hd_obj_kind kind,
                           uint32_t obj);

/* The same for a thread. */
enum hd_status hd_trace_copy_thread(const struct hd_trace *t, struct hd_builder *b, hd_tid u,
                                    hd_tid *id, struct hd_err *err);

#endif
