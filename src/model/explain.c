/* Why an event cannot run, in words. Slow paths only: everything is searched for when asked. */
#include "model/state.h"

#include <stdarg.h>
#include <stdio.h>

struct out {
    char *text;
    size_t cap;
};

__attribute__((format(printf, 2, 3))) static void say(struct out *o, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    vsnprintf(o->text, o->cap, fmt, args);
    va_end(args);
}

/* Users count events from 1. */
static unsigned long long num(hd_eid e)
{
    return (unsigned long long)e + 1;
}

static const char *lock_name(const struct hd_state *s, hd_eid e)
{
    return hd_trace_obj_name(s->t, HD_OBJ_LOCK, hd_trace_lock(s->t, e));
}

/* The event by which u came to hold lock l, for writing or for reading, walking back from its last
 * event over inner pairs. */
static hd_eid held_since(const struct hd_state *s, hd_tid u, uint32_t l, bool reading)
{
    const struct hd_trace *t = s->t;
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    uint32_t depth = reading ? hd_state_read_holds(s, u, l) : s->lock[l].depth;
    for (uint32_t i = s->thread[u].next; i-- > 0;) {
        hd_eid e = events[i];
        enum hd_op op = t->op[e];
        if (hd_op_info[op].has_lock && t->val[e] == l && !reading && op != HD_OP_WAIT)
            return e;
        if (hd_op_info[op].kind != HD_OBJ_LOCK || t->obj[e] != l)
            continue;
        if (op == (reading ? HD_OP_RREL : HD_OP_REL))
            depth++;
        else if (op == (reading ? HD_OP_RACQ : HD_OP_ACQ) && !--depth)
            return e;
    }
    return HD_EID_NONE;
}

static void say_owned(const struct hd_state *s, hd_eid e, struct out *o)
{
    uint32_t l = hd_trace_lock(s->t, e);
    hd_tid u = s->lock[l].owner - 1;
    say(o, "lock %s is held by %s since event %llu", lock_name(s, e), hd_trace_thread_name(s->t, u),
        num(held_since(s, u, l, false)));
}

static void say_read(const struct hd_state *s, hd_eid e, struct out *o)
{
    uint32_t l = hd_trace_lock(s->t, e);
    hd_tid me = s->t->thread[e], u = me;
    for (hd_tid other = 0; other < hd_trace_n_threads(s->t) && u == me; other++)
        if (other != me && hd_state_read_holds(s, other, l))
            u = other;
    say(o, "lock %s is held for reading by %s since event %llu", lock_name(s, e),
        hd_trace_thread_name(s->t, u), num(held_since(s, u, l, true)));
}

static void say_stale(const struct hd_state *s, hd_eid e, enum hd_dep_role role, bool control,
                      struct out *o)
{
    const struct hd_trace *t = s->t;
    struct hd_deps deps = hd_trace_deps(t, e, role);
    hd_eid found = HD_EID_NONE;
    uint32_t n = deps.all || control ? t->pos[e] : deps.n;
    for (uint32_t i = 0; i < n && found == HD_EID_NONE; i++) {
        hd_eid read = hd_trace_back(t, e, deps.all || control ? i + 1 : deps.dist[i]);
        if (hd_state_is_stale(s, read))
            found = read;
    }
    const char *x = hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[found]);
    if (control)
        say(o,
            "event %llu read another value of %s than in the trace, and without recorded branches "
            "every later event of %s depends on it",
            num(found), x, hd_trace_thread_name(t, t->thread[e]));
    else
        say(o, "%s event %llu, which read another value of %s than in the trace",
            role == HD_DEP_ADDR ? "its address depends on" : "the branch depends on", num(found),
            x);
}

static void say_order(const struct hd_state *s, hd_eid e, enum hd_why why, struct out *o)
{
    const struct hd_trace *t = s->t;
    hd_tid u = t->thread[e];
    size_t n;
    const hd_eid *events = hd_trace_thread_events(t, u, &n);
    if (why == HD_WHY_NOT_FORKED)
        say(o, "event %llu, which forks %s, has not run", num(t->fork_of[u]),
            hd_trace_thread_name(t, u));
    else if (hd_state_ran(s, e))
        say(o, "it has already run");
    else
        say(o, "event %llu of the same thread has not run", num(events[s->thread[u].next]));
}

static void say_join(const struct hd_state *s, hd_eid e, struct out *o)
{
    size_t n;
    hd_tid u = s->t->obj[e];
    const hd_eid *events = hd_trace_thread_events(s->t, u, &n);
    say(o, "thread %s has not finished: event %llu has not run", hd_trace_thread_name(s->t, u),
        num(events[s->thread[u].next]));
}

static void say_held(const struct hd_state *s, hd_eid e, enum hd_why why, struct out *o)
{
    const char *me = hd_trace_thread_name(s->t, s->t->thread[e]);
    if (why == HD_WHY_NOBODY_HOLDS)
        say(o, "no other thread holds lock %s, so trying it cannot fail", lock_name(s, e));
    else
        say(o, "%s does not hold lock %s%s", me, lock_name(s, e),
            s->t->op[e] == HD_OP_RREL ? " for reading" : "");
}

static void say_wait(const struct hd_state *s, hd_eid e, enum hd_why why, struct out *o)
{
    const struct hd_trace *t = s->t;
    const char *me = hd_trace_thread_name(t, t->thread[e]);
    const char *c = hd_op_info[t->op[e]].kind == HD_OBJ_COND
                        ? hd_trace_obj_name(t, HD_OBJ_COND, t->obj[e])
                        : "";
    if (why == HD_WHY_IN_WAIT)
        say(o, "%s is still in the wait of event %llu", me, num(hd_trace_back(t, e, 1)));
    else if (why == HD_WHY_NO_WAIT)
        say(o, "%s has no wait on condition %s with lock %s just before it", me, c,
            lock_name(s, e));
    else if (why == HD_WHY_NOT_NOTIFIED)
        say(o, "%s is still waiting on condition %s: no thread has notified it", me, c);
    else
        say(o, "%s has been notified on condition %s, so its wait cannot time out", me, c);
}

static void say_barrier(const struct hd_state *s, hd_eid e, enum hd_why why, struct out *o)
{
    uint32_t b = s->t->obj[e];
    const char *name = hd_trace_obj_name(s->t, HD_OBJ_BARRIER, b);
    unsigned long long size = s->t->barrier_size[b], here = s->arrived[b] % size;
    if (why == HD_WHY_NO_ARRIVAL)
        say(o, "%s has not arrived at barrier %s", hd_trace_thread_name(s->t, s->t->thread[e]),
            name);
    else
        say(o, "only %llu of %llu arrivals at barrier %s in its generation", here, size, name);
}

void hd_state_explain(const struct hd_state *s, hd_eid e, enum hd_why why, char *text, size_t cap)
{
    struct out o = {text, cap};
    const struct hd_trace *t = s->t;
    switch (why) {
    case HD_WHY_ENABLED:
        say(&o, "it can run");
        break;
    case HD_WHY_NOT_NEXT:
    case HD_WHY_NOT_FORKED:
        say_order(s, e, why, &o);
        break;
    case HD_WHY_CONTROL:
    case HD_WHY_DEPS:
        say_stale(s, e, HD_DEP_CONTROL, why == HD_WHY_CONTROL, &o);
        break;
    case HD_WHY_ADDR:
        say_stale(s, e, HD_DEP_ADDR, false, &o);
        break;
    case HD_WHY_OWNED:
        say_owned(s, e, &o);
        break;
    case HD_WHY_READ:
        say_read(s, e, &o);
        break;
    case HD_WHY_NOT_HELD:
    case HD_WHY_NOBODY_HOLDS:
        say_held(s, e, why, &o);
        break;
    case HD_WHY_UNFINISHED:
        say_join(s, e, &o);
        break;
    case HD_WHY_IN_WAIT:
    case HD_WHY_NO_WAIT:
    case HD_WHY_NOT_NOTIFIED:
    case HD_WHY_NOTIFIED:
        say_wait(s, e, why, &o);
        break;
    case HD_WHY_SEM:
        say(&o, "the count of semaphore %s is 0", hd_trace_obj_name(t, HD_OBJ_SEM, t->obj[e]));
        break;
    case HD_WHY_NO_ARRIVAL:
    case HD_WHY_GENERATION:
        say_barrier(s, e, why, &o);
        break;
    case HD_WHY_NO_BEGIN:
        say(&o, "thread %s has no open block to end", hd_trace_thread_name(t, t->thread[e]));
        break;
    }
}
