/* A recorded program that makes no progress: nothing new is in its log, or all its threads that can
 * run only poll. The user is shown where its threads stand, first after HD_STALL_SECONDS, then each
 * time it has lasted twice as long. Of one that computes meanwhile it is not known whether it makes
 * progress: then that is said. */
#ifndef HD_RECORD_STALL_H
#define HD_RECORD_STALL_H

#include "record/ring.h"

#include <sys/types.h>

#define HD_STALL_SECONDS 10.0

struct hd_stall {
    const struct hd_ring *ring;
    pid_t pid;
    void (*say)(void *ctx, const char *line); /* NULL: nothing is said */
    void *ctx;
    uint64_t seen;   /* of the log, when it last changed */
    double since;    /* when that was; 0: not looked yet */
    double used;     /* processor time of the program then */
    double patience; /* seconds; 0: HD_STALL_SECONDS */
};

/* About once a second while the program runs. */
void hd_stall_look(struct hd_stall *s, double now);

#endif
