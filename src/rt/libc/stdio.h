/* A call of stdio under the scheduler: its lock is a lock of the trace, its descriptor a channel if
 * it is a pipe. Used as
 *     struct hd_stdio c;
 *     if (!hd_rt_stdio_begin(&c, f, input, HD_BY(name, 2))) return the real one;
 *     r = the real one;
 *     hd_rt_stdio_end(&c);
 * While a program has one thread only, the lock leaves no events. errno is kept by the end. */
#ifndef HD_RT_LIBC_STDIO_H
#define HD_RT_LIBC_STDIO_H

#include "rt/hooks/caller.h"
#include "rt/libc/chan.h"
#include "rt/libc/sync.h"

#include <stdio.h>

struct hd_stdio {
    struct hd_thread *me;
    struct hd_sync *lock; /* NULL: not taken */
    FILE *file;           /* NULL: none, as for snprintf */
    struct hd_chan *chan;
    bool input;
    int there; /* bytes in the channel before the call */
    uintptr_t pc;
    bool memory; /* the caller is instrumented: what the call reads and writes is logged */
};

/* False: not recorded. file may be NULL. input: waits for something to read, if there is nothing.
 */
bool hd_rt_stdio_begin(struct hd_stdio *c, FILE *file, bool input, struct hd_caller by);
void hd_rt_stdio_settle(struct hd_stdio *c); /* before writes of what came through a pipe */
void hd_rt_stdio_end(struct hd_stdio *c);

#endif
