/* A solver process: Z3 runs in a child, so that a check can be ended at any moment.
 *
 * Z3 looks at its own limits and interrupts now and then only; in some phases not for minutes. So a
 * check that is late, or that the user no longer waits for, is ended by killing the process that
 * makes it. A process that is idle serves the next formula; at most HD_LINKS_IDLE of them wait for
 * one. It is started by fork, keeps none of the tool's files open, and ends by itself when the tool
 * does.
 *
 * A link belongs to one thread at a time. Sending and receiving fail when the process has ended,
 * when `until` (hd_progress_now, 0 = never) is over or when the user presses Ctrl-C; `lost` then
 * gives the reason, the process is gone, and the link is good for nothing but hd_link_close.
 */
#ifndef HD_SOLVE_LINK_H
#define HD_SOLVE_LINK_H

#include "solve/solve.h"

#include <sys/types.h>

enum { HD_LINKS_IDLE = 8 };

struct hd_link {
    int fd;
    pid_t pid; /* 0: not open */
    enum hd_lost lost;
};

bool hd_link_open(struct hd_link *l);
/* Lets n idle processes wait, at most HD_LINKS_IDLE. */
void hd_links_start(unsigned n);
bool hd_link_send(struct hd_link *l, const void *data, size_t bytes, double until);
bool hd_link_recv(struct hd_link *l, void *data, size_t bytes, double until);
/* The answer to a check. False also when it is HD_REPLY_MEMORY. */
bool hd_link_answer(struct hd_link *l, enum hd_sat *sat, double until);
/* reusable: the process awaits a new formula. Otherwise, or when it is lost, it is ended. */
void hd_link_close(struct hd_link *l, bool reusable);

#endif
