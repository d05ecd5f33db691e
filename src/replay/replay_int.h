/* Between replay.c, replay_text.c and gdb.c. */
#ifndef HD_REPLAY_REPLAY_INT_H
#define HD_REPLAY_REPLAY_INT_H

#include "record/launch.h"
#include "replay/replay.h"
#include "replay/schedule.h"
#include "replay/stacks.h"

/* Fills exit_status, signal, assertion and summary. Requires timeout, deadlock and err. */
void hd_replay_describe(struct hd_replay_order *o, int wait_status);
/* Did two executions do the same, as far as can be seen? */
bool hd_replay_equal(const struct hd_replay_order *a, const struct hd_replay_order *b);
/* o comes after `before`, another execution of the same order: says which lines are steady. */
void hd_replay_steady(const struct hd_replay_order *before, struct hd_replay_order *o);
/* Steady lines that only one order wrote; NULL: none. Free with its length plus one. */
char *hd_replay_diff(const struct hd_replay_order *a, const struct hd_replay_order *b);

/* turn.c. data: the recording of a replay in turn, in which both accesses were made. True: they
 * conflict, and neither happens before the other. */
bool hd_replay_unordered(const char *data, size_t len, const struct hd_schedule *s);

/* stacks.c. Marks the entries of the schedule whose stacks are wanted. */
void hd_replay_stacks_mark(const struct hd_stacks *stacks, const struct hd_trace *t,
                           struct hd_schedule *s);
/* Takes the stacks from the recording of that run. */
enum hd_status hd_replay_stacks_read(struct hd_stacks *stacks, const char *data, size_t len,
                                     const struct hd_schedule *s, struct hd_err *err);

/* Runs the child under gdb or gdbserver, as the options say, with the steps of the schedule in a
 * file of dir. HD_ERR_INPUT: the debugger cannot be started. */
enum hd_status hd_replay_debug(const struct hd_replay_options *opts, const struct hd_schedule *s,
                               const struct hd_child *child, const char *dir, struct hd_err *err);

#endif
