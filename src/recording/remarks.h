/* What a recording and its building have for the user beside the trace: remarks, each with a
 * kind and a subject. The sentence is made from the table; code asks for the kind and the subject
 * and never looks for words in sentences.
 *
 * A zeroed struct hd_remarks is empty. Remarks keep their order; repeats are dropped.
 */
#ifndef HD_RECORDING_REMARKS_H
#define HD_RECORDING_REMARKS_H

#include "base/names.h"

/* X(KIND, what stands before the subject, what stands behind it). */
#define HD_REMARKS(X)                                                                              \
    X(OTHER, "", "")                                                                               \
    X(DEADLOCK, "deadlock: ", "") /* a finding of its own */                                       \
    X(UNMODELLED, "not modelled: ", "")                                                            \
    X(UNREAD, "not modelled: ", "")     /* code that the pass cannot read ran */                   \
    X(UNRECORDED, "not modelled: ", "") /* an instrumented program that the program started */     \
    X(STARTS_THREADS, "", " is not instrumented, and starts threads")                              \
    X(LOADED, "", " is not instrumented; it was loaded while the program ran")                     \
    X(STUCK, "thread ", " was stuck in a call that is not modelled; others went on")               \
    X(STARTED_UNSEEN, "thread ", " was started by code that is not instrumented")                  \
    X(RELEASED_BY_OTHER, "lock ", " was released by a thread that did not hold it")                \
    X(FORKED, "the program forked; this child is not recorded", "")                                \
    X(OTHER_PROCESS, "memory is shared with another process", "")                                  \
    X(EXEC, "the program replaced itself with another; only the first is in the trace", "")

enum hd_remark {
#define HD_REMARK_KIND(kind, before, behind) HD_REMARK_##kind,
    HD_REMARKS(HD_REMARK_KIND)
#undef HD_REMARK_KIND
};

struct hd_remarks {
    struct hd_names entries; /* a byte with the kind, then the subject */
};

void hd_remarks_fini(struct hd_remarks *r);
/* `subject` is "" for kinds that have none; it is cut after 500 bytes. */
void hd_remarks_add(struct hd_remarks *r, enum hd_remark kind, const char *subject);
void hd_remarks_addf(struct hd_remarks *r, enum hd_remark kind, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* UNMODELLED, or what it stands for in a log: UNREAD, UNRECORDED. */
void hd_remarks_add_unmodelled(struct hd_remarks *r, const char *subject);
void hd_remarks_merge(struct hd_remarks *to, const struct hd_remarks *from);

static inline size_t hd_remarks_count(const struct hd_remarks *r)
{
    return r->entries.count;
}
/* Both require i < hd_remarks_count. The subject is valid until the next remark is added. */
enum hd_remark hd_remarks_kind(const struct hd_remarks *r, size_t i);
const char *hd_remarks_subject(const struct hd_remarks *r, size_t i);

#define HD_REMARK_SIZE 640 /* room for every sentence */
/* Writes the sentence to `text`, which has room for HD_REMARK_SIZE bytes; returns it. */
const char *hd_remarks_text(const struct hd_remarks *r, size_t i, char *text);

#endif
