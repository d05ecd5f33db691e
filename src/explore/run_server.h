/* A process of the program that was started once and forks for each execution
 * (src/rt/core/fork_server.c). What it costs to start a program (loading, linking) is paid once.
 *
 * Not every program can be one: a wrapper that takes the descriptor away, a library that starts the
 * runtime early. Then asking for a run fails, and the caller starts the program itself.
 */
#ifndef HD_EXPLORE_RUN_SERVER_H
#define HD_EXPLORE_RUN_SERVER_H

#include <stdbool.h>
#include <sys/types.h>

#define HD_SERVER_FD 250 /* in the program: out of the way of its own descriptors */

struct hd_server {
    pid_t pid;  /* 0: none */
    int ours;   /* our end of the sockets; -1: none */
    int theirs; /* for the child that becomes the server; -1 */
};

/* Makes the sockets. False: there are none. */
bool hd_server_open(struct hd_server *s);
/* Asks for a run; its process, or 0: the server does not answer in so many milliseconds. */
pid_t hd_server_run(struct hd_server *s, int timeout);
/* Waits so long for the end of the run. */
bool hd_server_ended(struct hd_server *s, int timeout, int *status);
void hd_server_close(struct hd_server *s); /* ends the process */

#endif
