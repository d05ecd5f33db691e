#include "record/stall.h"

#include "base/log.h"
#include "symbols/live.h"

#include <stdio.h>
#include <time.h>

static void on_thread(void *ctx, pid_t tid, const char *name, const char *place)
{
    const struct hd_stall *s = ctx;
    char line[700];
    snprintf(line, sizeof line, "  thread %d (%s) is in %s", (int)tid, name, place);
    s->say(s->ctx, line);
}

/* Processor time of the program so far, in seconds; 0: not known. */
static double used(pid_t pid)
{
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &t))
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#define COMPUTES 0.1 /* this share of the time: other programs may want the processors, too */

/* A thread that computes in registers, or in code that is not instrumented, may well make progress:
 * what is known is that nothing of it is recorded. */
static void tell(struct hd_stall *s, double seconds, bool polling)
{
    char line[160];
    if (!polling && used(s->pid) - s->used >= seconds * COMPUTES)
        snprintf(line, sizeof line,
                 "the program computes, and has done nothing that is recorded for %.0f s", seconds);
    else
        snprintf(line, sizeof line, "the program has made no progress for %.0f s%s", seconds,
                 polling ? "; its threads only poll" : "");
    s->say(s->ctx, line);
    if (!hd_live_threads(s->pid, on_thread, s))
        s->say(s->ctx, "  where its threads are cannot be seen");
    s->say(s->ctx, "  Ctrl-C ends it and keeps what was recorded; a time limit does the same");
}

void hd_stall_look(struct hd_stall *s, double now)
{
    bool polling = __atomic_load_n(&s->ring->header->resting, __ATOMIC_RELAXED) != 0;
    if (!s->say || !s->ring->header->owner || __atomic_load_n(&s->ring->stopped, __ATOMIC_RELAXED))
        return; /* behind --max-size the log says nothing of what the program does */
    uint64_t at = hd_ring_position(s->ring);
    if (!s->since || (at != s->seen && !polling)) {
        s->seen = at;
        s->since = now;
        s->used = used(s->pid);
        s->patience = HD_STALL_SECONDS;
    } else if (now - s->since >= s->patience) {
        HD_DEBUG_LINE(RECORD, "no progress since byte %llu%s", (unsigned long long)at,
                      polling ? ", its threads poll" : "");
        tell(s, now - s->since, polling);
        s->patience *= 2;
    }
}
