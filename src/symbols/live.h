/* Where the threads of a running process stand, by its debug information. Each thread is stopped
 * for a moment (ptrace), so the process must be a child of ours. */
#ifndef HD_SYMBOLS_LIVE_H
#define HD_SYMBOLS_LIVE_H

#include <stdbool.h>
#include <sys/types.h>

/* One thread: its number for the kernel, its name, and "function file.c:12" of the innermost frame
 * in the program's own code. */
typedef void (*hd_live_see)(void *ctx, pid_t tid, const char *name, const char *place);

/* Threads without such a frame (the runtime's own) are left out. False: the process cannot be
 * looked into. */
bool hd_live_threads(pid_t pid, hd_live_see see, void *ctx);

#endif
