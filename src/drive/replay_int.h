/* Between replay.c and replay_text.c. */
#ifndef HD_DRIVE_REPLAY_INT_H
#define HD_DRIVE_REPLAY_INT_H

#include "drive/replay.h"

/* Fills exit_status, signal, assertion and summary. Requires timeout, deadlock and err. */
void hd_replay_describe(struct hd_replay_order *o, int wait_status);
/* Did two executions do the same, as far as anybody can see? */
bool hd_replay_equal(const struct hd_replay_order *a, const struct hd_replay_order *b);
/* Lines of the outputs that only one order wrote; NULL: none. Free with its length plus one. */
char *hd_replay_diff(const struct hd_replay_order *a, const struct hd_replay_order *b);

#endif
