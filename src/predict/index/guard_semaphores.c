/* Guards that are semaphores: each thread takes and gives back, and there is one token. */
#include "predict/index/guards_int.h"

#include "base/stop.h"

/* The sections of one semaphore, in the order of the trace: there only one thread at a time is in
 * one, as the trace is consistent. False: there can be two tokens at once. */
static bool walk(struct hd_guard_search *s, uint32_t sem)
{
    const struct hd_trace *t = s->t;
    size_t n;
    const hd_eid *events = hd_trace_obj_events(t, HD_OBJ_SEM, sem, &n);
    uint64_t tokens = t->sem_init[sem]; /* at most so many at once: what is not given back */
    hd_eid open = HD_EID_NONE;
    for (size_t i = 0; i < n; i++) {
        hd_eid e = events[i];
        bool closes = open != HD_EID_NONE && t->thread[open] == t->thread[e];
        if (t->op[e] == HD_OP_SEM && open != HD_EID_NONE)
            return false;
        if (t->op[e] == HD_OP_POST && !closes && ++tokens > 1)
            return false;
        if (t->op[e] == HD_OP_POST && closes)
            *(struct hd_section *)hd_vec_push(s->out) =
                (struct hd_section){open, e, s->guards, t->thread[e], false, false};
        open = t->op[e] == HD_OP_SEM ? e : closes ? HD_EID_NONE : open;
    }
    if (open != HD_EID_NONE)
        *(struct hd_section *)hd_vec_push(s->out) =
            (struct hd_section){open, HD_EID_NONE, s->guards, t->thread[open], false, false};
    return tokens <= 1;
}

void hd_guard_semaphores(struct hd_guard_search *s)
{
    for (uint32_t sem = 0; sem < hd_trace_n_objs(s->t, HD_OBJ_SEM) && !hd_stop_often(sem); sem++) {
        size_t start = s->out->len;
        bool two = false;
        bool guards = walk(s, sem);
        for (size_t i = start; i < s->out->len; i++)
            two |= ((struct hd_section *)hd_vec_at(s->out, i))->thread !=
                   ((struct hd_section *)hd_vec_at(s->out, start))->thread;
        if (guards && two)
            s->guards++;
        else
            s->out->len = start;
    }
}
