#include "record/stall.h"

#include "base/log.h"
#include "symbols/live.h"

#include <stdio.h>

static void on_thread(void *ctx, pid_t tid, const char *name, const char *place)
{
    const struct hd_stall *s = ctx;
    char line[700];
    snprintf(line, sizeof line, "  thread %d (%s) is in %s", (int)tid, name, place);
    s->say(s->ctx, line);
}

static void tell(struct hd_stall *s, double seconds, bool polling)
{
    char line[160];
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
    /* A look at an empty chunk makes the kernel find memory for it: not in a short run. */
    uint64_t at = s->since ? hd_ring_position(s->ring) : 0;
    if (!s->since || (at != s->seen && !polling)) {
        s->seen = at;
        s->since = now;
        s->patience = HD_STALL_SECONDS;
    } else if (now - s->since >= s->patience) {
        HD_DEBUG_LINE(RECORD, "no progress since byte %llu%s", (unsigned long long)at,
                      polling ? ", its threads poll" : "");
        tell(s, now - s->since, polling);
        s->patience *= 2;
    }
}
