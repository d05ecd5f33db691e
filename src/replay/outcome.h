/* What the log of a replay shows: did both threads stand, what did they access, what came
 * instead, where did it crash. */
#ifndef HD_REPLAY_OUTCOME_H
#define HD_REPLAY_OUTCOME_H

#include "build/regions.h"
#include "log/rt_raw.h"
#include "replay/replay.h"
#include "replay/schedule.h"

struct hd_replay_seen {
    bool stood, free_run; /* both stood; the whole schedule ran */
    bool made[2];         /* the access was made */
    bool deadlock;        /* the program's own, after the schedule */
    int signal;           /* that the program crashed with; 0: none was seen */
    bool diverged;        /* then the rest */
    uint64_t entry;       /* entry that was expected */
    char came[400];       /* what came instead: "T1.2 acq at file.c:12" */
};

/* data: the recording. `deadlock` is left to the caller. Fills access and crash of the order too.
 * swap: the second access went first. stacks: with stacks, which cost most of the time. */
enum hd_status hd_outcome_read(const char *data, size_t len, const struct hd_schedule *s, bool swap,
                               bool stacks, struct hd_replay_order *order,
                               struct hd_replay_seen *out, struct hd_err *err);

/* Fills what a touches and how, and answers whether the record is an access of memory. */
bool hd_outcome_access(struct hd_regions *memory, const struct hd_raw *rec,
                       struct hd_replay_access *a);
/* Keeps up with mappings. */
void hd_outcome_memory(struct hd_regions *memory, const struct hd_raw *rec);

/* met.c: adds a struct hd_origin to met for each place at which another thread's access raced with
 * the one that was held. Nothing if that was not made, or where was not known when it stood. */
enum hd_status hd_outcome_met(const char *data, size_t len, const struct hd_origins *o,
                              const struct hd_replay_access *held, struct hd_vec *met,
                              struct hd_err *err);

#endif
