/* Starting other programs, and waiting for them: the one launcher of the tool.
 *
 * The child shares our memory until it has become the program, so that starting costs the same
 * however much memory the tool has. It starts with the default action for every signal (but those
 * of `ignored`) and the signal mask `mask`. Descriptors that are not close-on-exec go along.
 */
#ifndef HD_BASE_PROCESS_H
#define HD_BASE_PROCESS_H

#include "base/err.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct hd_process_fd {
    int ours, theirs; /* descriptor `theirs` of the program is our `ours` */
};

struct hd_process {
    const char *file; /* searched in PATH if it has no slash */
    char *const *argv;
    char *const *env; /* NULL: ours */
    const char *cwd;  /* NULL: ours */
    const struct hd_process_fd *fds;
    size_t n_fds;
    bool own_group;          /* the terminal's signals do not reach it */
    bool tied;               /* dies when the thread that started it ends */
    bool fixed_addresses;    /* without address space randomisation */
    const sigset_t *ignored; /* NULL: none */
    const sigset_t *mask;    /* NULL: empty */
};

/* HD_ERR_INPUT: the file is no program that can be started; HD_ERR_IO: no process can be had. The
 * caller waits for *pid. */
enum hd_status hd_process_start(const struct hd_process *p, pid_t *pid, struct hd_err *err);

/* Waits for the end, whatever signals come. Returns the wait status, -1 if it is no child. */
int hd_process_wait(pid_t pid);

/* True when it has ended; then *status is set, unless it was no child. Does not wait. */
bool hd_process_ended(pid_t pid, int *status);

/* A descriptor that poll finds readable when the process has ended; -1 on old kernels. */
int hd_process_watch(pid_t pid);

/* Runs it to its end and keeps the beginning of what it writes to its descriptor `fd`. `text` ends
 * with a zero byte. Returns as hd_process_start. */
enum hd_status hd_process_capture(const struct hd_process *p, int fd, char *text, size_t size,
                                  int *status, struct hd_err *err);

/* An environment under construction: copies of NAME=VALUE, with NULL behind the last. */
struct hd_process_env {
    char **list;
    size_t n, room;
};

void hd_process_env_init(struct hd_process_env *e, char *const *from);
void hd_process_env_set(struct hd_process_env *e, const char *name, const char *value);
void hd_process_env_fini(struct hd_process_env *e);

#endif
