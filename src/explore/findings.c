#include "explore/findings.h"

#include "base/log.h"
#include "log/rt_depend.h"

#include <string.h>
#include <sys/wait.h>

const char *const hd_explore_kind_names[] = {"race", "deadlock", "assertion", "crash", "hang"};

void hd_findings_init(struct hd_findings *f,
                      void (*found)(void *ctx, const struct hd_explore_finding *f), void *ctx)
{
    *f = (struct hd_findings){.found = found,
                              .ctx = ctx,
                              .keys = HD_VEC_INIT(uint64_t),
                              .choices = HD_VEC_INIT(struct hd_steer_choice)};
}

void hd_findings_fini(struct hd_findings *f)
{
    hd_map_fini(&f->seen);
    hd_vec_fini(&f->keys);
    hd_vec_fini(&f->choices);
}

/* Operations at the end of an execution without end that tell where it is. */
#define LOOP 1000

static uint64_t mix(uint64_t h, uint64_t x)
{
    return hd_hash_mix(h * UINT64_C(0x9e3779b97f4a7c15) + x);
}

void hd_findings_know(struct hd_findings *f, uint64_t key)
{
    bool fresh;
    hd_map_put(&f->seen, key, &fresh);
    if (fresh)
        *(uint64_t *)hd_vec_push(&f->keys) = key;
}

/* False: it was told before. */
static bool is_new(struct hd_findings *f, enum hd_explore_kind kind, uint64_t key)
{
    size_t before = f->keys.len;
    hd_findings_know(f, mix(key, kind));
    return f->keys.len > before;
}

static void choose_step(struct hd_findings *f, const struct hd_exec_step *s)
{
    struct hd_steer_choice *last =
        f->choices.len ? hd_vec_at(&f->choices, f->choices.len - 1) : NULL;
    bool joins = last && last->thread == s->thread && last->wakes == HD_STEER_NOBODY &&
                 s->wakes == HD_EXEC_NOBODY;
    if (!joins)
        last = hd_vec_push(&f->choices);
    *last = (struct hd_steer_choice){s->thread, s->until, s->wakes};
}

static void report(struct hd_findings *f, struct hd_explore_finding *what)
{
    what->choices = f->choices.data;
    what->n_choices = f->choices.len;
    what->exec = f->exec;
    f->n++;
    HD_DEBUG_LINE(EXPLORE, "found: %s: %s", hd_explore_kind_names[what->kind],
                  what->text ? what->text : "");
    if (f->found)
        f->found(f->ctx, what);
}

/* ---- races ---- */

static bool conflict(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    return hd_steer_is_access(a->kind) && hd_steer_is_access(b->kind) &&
           !(hd_steer_is_atomic(a->kind) && hd_steer_is_atomic(b->kind)) && hd_steer_depend(a, b);
}

static void see_race(struct hd_findings *f, const struct hd_order *o, const struct hd_order_race *r,
                     const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    uint64_t pa = a->site, pb = b->site;
    if (!conflict(a, b) || !is_new(f, HD_EXPLORE_RACE, mix(pa < pb ? pa : pb, pa < pb ? pb : pa)))
        return;
    f->choices.len = 0;
    for (uint32_t k = 0; k < r->j; k++)
        if (k < r->i || (k > r->i && !hd_order_before(o, r->i, k)))
            choose_step(f, hd_run_step(o->run, k));
    struct hd_explore_finding what = {.kind = HD_EXPLORE_RACE, .ops = {*a, *b}, .text = ""};
    report(f, &what);
}

static void see_races(struct hd_findings *f, const struct hd_order *o)
{
    for (size_t k = 0; k < o->races.len; k++) {
        const struct hd_order_race *r = hd_vec_at(&o->races, k);
        if (r->j >= o->run->steps.len)
            continue;
        const struct hd_exec_step *i = hd_run_step(o->run, r->i), *j = hd_run_step(o->run, r->j);
        for (uint32_t a = 0; a < i->n; a++)
            for (uint32_t b = 0; b < j->n; b++)
                see_race(f, o, r, &hd_run_op(o->run, i->first + a)->op,
                         &hd_run_op(o->run, j->first + b)->op);
    }
}

/* ---- ends ---- */

static void choose_all(struct hd_findings *f, const struct hd_exec_run *run)
{
    f->choices.len = 0;
    for (size_t i = 0; i < run->steps.len; i++)
        choose_step(f, hd_run_step(run, i));
}

static void see_deadlock(struct hd_findings *f, const struct hd_exec_run *run)
{
    uint64_t key = 0;
    for (size_t i = 0; i < run->states.len; i++) {
        const struct hd_exec_state *s = hd_vec_at(&run->states, i);
        if (s->s.waits && s->s.waits != HD_WAITS_JOIN)
            key += mix(s->s.site, s->s.waits);
    }
    if (!is_new(f, HD_EXPLORE_DEADLOCK, key))
        return;
    choose_all(f, run);
    struct hd_explore_finding what = {.kind = HD_EXPLORE_DEADLOCK, .text = ""};
    report(f, &what);
}

static uint32_t last_step(const struct hd_exec_run *run, uint32_t thread)
{
    for (uint32_t i = (uint32_t)run->steps.len; i-- > 0;)
        if (hd_run_step(run, i)->thread == thread)
            return i;
    return UINT32_MAX;
}

static bool crashed(const struct hd_exec_run *run, uint32_t thread)
{
    for (size_t i = 0; i < run->states.len; i++) {
        const struct hd_exec_state *s = hd_vec_at(&run->states, i);
        if (s->thread == thread && s->s.ended == 2)
            return true;
    }
    return false;
}

/* What has to come before the crash. False: another one is among it, so this one never comes. */
static bool choose_past(struct hd_findings *f, const struct hd_order *o, uint32_t last)
{
    f->choices.len = 0;
    for (uint32_t i = 0; i <= last; i++) {
        const struct hd_exec_step *s = hd_run_step(o->run, i);
        if (i != last && !hd_order_before(o, i, last))
            continue;
        if (i != last && crashed(o->run, s->thread) && last_step(o->run, s->thread) == i)
            return false;
        choose_step(f, s);
    }
    return true;
}

static void see_crash(struct hd_findings *f, const struct hd_order *o,
                      const struct hd_exec_state *s)
{
    const struct hd_exec_run *run = o->run;
    bool assertion = s->s.signal == SIGABRT && *run->assertion;
    uint32_t last = last_step(run, s->thread);
    uint64_t key = mix((uint64_t)s->s.signal, s->s.count);
    if (assertion)
        key = hd_hash_bytes(run->assertion, strlen(run->assertion), 0);
    else if (last != UINT32_MAX)
        key = mix((uint64_t)s->s.signal, hd_run_op(run, hd_run_step(run, last)->first)->op.site);
    enum hd_explore_kind kind = assertion ? HD_EXPLORE_ASSERTION : HD_EXPLORE_CRASH;
    if (last == UINT32_MAX || !choose_past(f, o, last) || !is_new(f, kind, key))
        return;
    struct hd_explore_finding what = {
        .kind = kind, .signal = s->s.signal, .text = assertion ? run->assertion : ""};
    what.ops[0].thread = (uint16_t)s->thread;
    report(f, &what);
}

/* Of the operations at the end: the same wherever in its loop a thread was stopped. */
static uint64_t first_site(const struct hd_exec_run *run)
{
    uint64_t site = UINT64_MAX;
    for (size_t i = run->ops.len > LOOP ? run->ops.len - LOOP : 0; i < run->ops.len; i++) {
        const struct hd_steer_op *o = &hd_run_op(run, i)->op;
        site = o->site < site ? o->site : site;
    }
    return site;
}

/* The choices of one that was cut need not follow the loop to the end of the room. */
static void choose_start(struct hd_findings *f, const struct hd_exec_run *run)
{
    size_t n = run->steps.len > LOOP ? run->steps.len - LOOP : run->steps.len;
    f->choices.len = 0;
    for (size_t i = 0; i < n; i++)
        choose_step(f, hd_run_step(run, i));
}

/* Whether it would never have ended shows when it runs again with more time (kept.h). */
static void see_hang(struct hd_findings *f, const struct hd_exec_run *run)
{
    if (!is_new(f, HD_EXPLORE_HANG, first_site(run)))
        return;
    choose_start(f, run);
    struct hd_explore_finding what = {.kind = HD_EXPLORE_HANG, .text = ""};
    report(f, &what);
}

/* A process that became another program, or left by a system call of its own, did not crash. */
static void see_death(struct hd_findings *f, const struct hd_exec_run *run)
{
    int sig = WIFSIGNALED(run->wait_status) ? WTERMSIG(run->wait_status) : 0;
    const struct hd_exec_step *last = run->steps.len ? hd_run_step(run, run->steps.len - 1) : NULL;
    uint64_t site = last ? hd_run_op(run, last->first + last->n - 1)->op.site : 0;
    if (!sig || !is_new(f, HD_EXPLORE_CRASH, mix(site, (uint64_t)sig)))
        return;
    choose_all(f, run);
    struct hd_explore_finding what = {.kind = HD_EXPLORE_CRASH, .signal = sig, .text = ""};
    report(f, &what);
}

static void see_end(struct hd_findings *f, const struct hd_exec_run *run)
{
    if (run->end == HD_EXEC_DEADLOCK)
        see_deadlock(f, run);
    if (run->end == HD_EXEC_TIMEOUT || run->end == HD_EXEC_CUT)
        see_hang(f, run);
    if (run->end == HD_EXEC_DIED)
        see_death(f, run);
}

/* A crash of an execution that was not ordered comes with all that was done. */
static void see_late_crash(struct hd_findings *f, const struct hd_exec_run *run,
                           const struct hd_exec_state *s)
{
    bool assertion = s->s.signal == SIGABRT && *run->assertion;
    uint64_t key = assertion ? hd_hash_bytes(run->assertion, strlen(run->assertion), 0)
                             : mix((uint64_t)s->s.signal, s->s.count);
    enum hd_explore_kind kind = assertion ? HD_EXPLORE_ASSERTION : HD_EXPLORE_CRASH;
    if (!is_new(f, kind, key))
        return;
    choose_all(f, run);
    struct hd_explore_finding what = {
        .kind = kind, .signal = s->s.signal, .text = assertion ? run->assertion : ""};
    what.ops[0].thread = (uint16_t)s->thread;
    report(f, &what);
}

void hd_findings_see_end(struct hd_findings *f, const struct hd_exec_run *run)
{
    see_end(f, run);
    for (size_t i = 0; i < run->states.len; i++) {
        const struct hd_exec_state *s = hd_vec_at(&run->states, i);
        if (s->s.ended == 2)
            see_late_crash(f, run, s);
    }
}

void hd_findings_see(struct hd_findings *f, const struct hd_order *order)
{
    const struct hd_exec_run *run = order->run;
    see_races(f, order);
    see_end(f, run);
    for (size_t i = 0; i < run->states.len; i++) {
        const struct hd_exec_state *s = hd_vec_at(&run->states, i);
        if (s->s.ended == 2)
            see_crash(f, order, s);
    }
}
