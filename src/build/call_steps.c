/* Calls of the program: which events the runtime made in one of them. A thread can only be stopped
 * before a call, never inside. */
#include "build/walk.h"

/* Did the runtime make this event in the call that made the thread's last one? */
static bool joins(const struct hd_walk *w, const struct hd_walk_thread *t, const struct hd_raw *rec)
{
    unsigned last = t->last_kind;
    if (rec->kind == HD_LOG_WAKE || rec->kind == HD_LOG_TMO || rec->kind == HD_LOG_BAROUT)
        return false; /* others have to run before */
    if (hd_walk_is_joined(rec))
        return true;
    if (last == HD_LOG_BRANCH && !t->last_site)
        return true; /* on the arguments of the call */
    if (!rec->site || rec->site != t->last_site)
        return false;
    if (t->in_stdio && rec->kind != HD_LOG_ACQ)
        return true;
    switch (rec->kind) {
    case HD_LOG_WRITE:
        return last == HD_LOG_READ && (t->last_aux & HD_LOG_PENDING || hd_walk_site_copies(w, rec));
    case HD_LOG_RANGE_WRITE:
        return last == HD_LOG_RANGE_READ || last == HD_LOG_FREE || last == HD_LOG_JOIN ||
               last == HD_LOG_SEM || last == HD_LOG_LOOK || last == HD_LOG_SET;
    case HD_LOG_FREE:
    case HD_LOG_POST:
        return last == HD_LOG_RANGE_READ;
    case HD_LOG_FORK:
    case HD_LOG_SEM:
        return last == HD_LOG_RANGE_WRITE;
    default:
        return false;
    }
}

/* So many steps of the thread that each began a call and left nothing; this is the last of them. */
void hd_walk_skip_calls(struct hd_walk *w, uint64_t n, const struct hd_raw *last)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    t->steps += (uint32_t)n;
    w->joined = w->anchors = false;
    t->call_step = t->steps;
    t->call = (struct hd_walk_call){last->site, last->slot, last->aux, last->kind};
    hd_walk_in_call(t, last);
    t->in_call = t->in_stdio = false;
    t->last_kind = last->kind;
    t->last_aux = last->aux;
    t->last_site = last->site;
}

/* Which call of the program does the record belong to? */
void hd_walk_find_call(struct hd_walk *w, const struct hd_raw *rec)
{
    struct hd_walk_thread *t = hd_walk_current(w);
    bool same_call = joins(w, t, rec);
    t->steps++;
    w->joined = same_call && t->in_call;
    w->anchors = !w->own.keep_all && !w->own.hand && same_call && !t->in_call;
    if (!same_call) {
        t->call_step = t->steps;
        t->call = (struct hd_walk_call){rec->site, rec->slot, rec->aux, rec->kind};
    }
    hd_walk_in_call(t, rec);
    t->in_call = w->joined;
    /* A call of stdio takes the lock of its stream, works, and releases it. */
    bool same = rec->site && rec->site == t->last_site;
    t->in_stdio = rec->kind == HD_LOG_ACQ || (t->in_stdio && same && rec->kind != HD_LOG_REL);
    t->last_kind = rec->kind;
    t->last_aux = rec->aux;
    t->last_site = rec->site;
}
