/* Every schedule of a program, by dynamic partial order reduction with source sets and sleep sets.
 *
 * After each execution, each race of it (order.h) names a different schedule: all that need not
 * wait for the first step, then the thread of the second one. If none of the threads that could
 * begin it is to be tried at the node before the first step, one of them is added there. Sleep sets
 * keep what was explored from being explored again, so that each schedule is seen once; an
 * execution may still turn out redundant before its end.
 *
 * Two cases beyond the textbook. A signal may wake any waiter: its step is tried once for each. A
 * thread that was chosen and could not move (pthread_once while another thread is inside) tells
 * that the order of the node was judged wrongly: everybody who may run is tried there, and what it
 * waits for is turned round. What a thread did inside a call before it had to wait there is no
 * step: schedules that differ in nothing else count as one.
 */
#include "base/interrupt.h"
#include "base/log.h"
#include "explore/ahead.h"
#include "explore/branch_stack.h"
#include "explore/explore.h"
#include "explore/findings.h"
#include "explore/freeze.h"
#include "explore/order.h"

#include <stdio.h>
#include <time.h>

struct search {
    const struct hd_explore_opts *opts;
    struct hd_explore_result *result;
    struct hd_exec_names names;
    struct hd_ahead *ahead;
    struct hd_branch_stack stack;
    struct hd_order order;
    struct hd_findings findings;
    char loss[sizeof((struct hd_explore_result *)0)->why]; /* why schedules were left out, or "" */
    bool bounded;
    bool lost;     /* no use to go on: what is tried next is not what the program would do */
    bool unproved; /* it goes on, and no execution has shown that the program is the same */
    bool foreign;  /* the execution belongs to another share */
    struct hd_schedule_top top;
    uint64_t start, begun; /* time; executions of earlier parts */
};

static uint64_t now_ns(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

/* Schedules are left out for good. The first reason is kept. */
static void incomplete(struct search *s, const char *why)
{
    if (!*s->loss) {
        HD_DEBUG_LINE(EXPLORE, "not every schedule will be run: %s", why);
        snprintf(s->loss, sizeof s->loss, "%s", why);
    }
}

/* The search ends before it is through, and may go on. */
static void pause(struct search *s, const char *why)
{
    HD_DEBUG_LINE(EXPLORE, "the search pauses: %s", why);
    snprintf(s->result->why, sizeof s->result->why, "%s", why);
}

/* ---- what an execution asks for ---- */

/* Threads that could begin the schedule in which the thread of race->j does not wait for race->i.
 */
static uint64_t initials(const struct hd_order *o, const struct hd_order_race *race)
{
    uint32_t first[HD_STEER_THREADS];
    uint64_t seen = 0, result = 0;
    for (uint32_t k = race->i + 1; k < race->j; k++) {
        uint32_t t = hd_run_step(o->run, k)->thread;
        if (hd_order_before(o, race->i, k) || seen >> t & 1)
            continue;
        bool waits = false;
        for (uint32_t u = 0; u < o->width && !waits; u++)
            waits = seen >> u & 1 && o->clocks[(size_t)k * o->width + u] >= first[u];
        first[t] = o->index.data[k];
        seen |= UINT64_C(1) << t;
        if (!waits)
            result |= UINT64_C(1) << t;
    }
    return result;
}

/* The thread of j itself, if nothing between i and j that stays comes before it. */
static bool begins(const struct hd_order *o, const struct hd_order_race *race)
{
    for (uint32_t k = race->i + 1; k < race->j; k++) {
        if (hd_order_before(o, race->i, k))
            continue;
        bool before = hd_run_step(o->run, k)->thread == race->thread;
        if (race->j < o->run->steps.len)
            before = before || hd_order_before(o, k, race->j);
        if (before)
            return false;
    }
    return true;
}

static void reverse(struct search *s, const struct hd_order_race *race)
{
    struct hd_node *n = hd_stack_at(&s->stack, race->i);
    uint64_t who = initials(&s->order, race), me = UINT64_C(1) << race->thread;
    if (begins(&s->order, race))
        who |= me;
    if (!who || who & (n->to_try | n->asleep | n->extra))
        return;
    uint64_t one = who & me ? me : who & -who;
    if (hd_schedule_in_top(&s->top, n))
        n->extra |= one; /* the other shares do not know it */
    else
        hd_branch_stack_try(n, one);
}

static void reverse_races(struct search *s, size_t taken)
{
    for (size_t k = 0; k < s->order.races.len; k++) {
        const struct hd_order_race *r = hd_vec_at(&s->order.races, k);
        bool whole = taken == s->order.run->steps.len;
        if (r->i < taken && (r->j < taken || whole))
            reverse(s, r);
    }
}

/* The execution came to the end of the top: to a prefix. */
static void see_prefix(struct search *s, const struct hd_exec_run *run)
{
    bool redundant = run->end == HD_EXEC_REDUNDANT || run->end == HD_EXEC_BLOCKED;
    s->foreign = !hd_schedule_share_owns(&s->top, &s->opts->share, redundant);
    for (size_t i = 0; i < s->stack.nodes.len; i++) {
        struct hd_node *n = hd_stack_at(&s->stack, i);
        if (hd_schedule_in_top(&s->top, n) && hd_schedule_chooses(n))
            hd_branch_stack_try(n, hd_schedule_share_guess(&s->names, run, i));
    }
}

/* Whether the node of step `at` is the first one below the top. */
static bool ends_top(const struct search *s, size_t at)
{
    if (at < s->stack.nodes.len || !s->top.depth)
        return false;
    const struct hd_node *before = at ? hd_stack_at(&s->stack, at - 1) : NULL;
    return before && hd_schedule_in_top(&s->top, before) &&
           hd_schedule_share_choices(before) >= s->top.depth;
}

/* Steps of the execution become nodes, unless they belong to another share; how many of them are on
 * the stack then. */
static size_t take_steps(struct search *s, const struct hd_exec_run *run)
{
    size_t at = s->stack.nodes.len ? s->stack.nodes.len - 1 : 0;
    s->foreign = false;
    for (; at < run->steps.len; at++) {
        bool known = at < s->stack.nodes.len; /* a choice: the node was there */
        if (ends_top(s, at))
            see_prefix(s, run);
        if (s->foreign || !hd_branch_stack_add(&s->stack, run, (uint32_t)at))
            return at;
        struct hd_node *n = hd_stack_at(&s->stack, at);
        if (!known)
            n->choices = hd_schedule_share_choices(at ? n - 1 : NULL);
        if (s->opts->all)
            hd_branch_stack_try(n, n->step.may_run);
        s->result->p.states++;
    }
    if (at && hd_schedule_in_top(&s->top, hd_stack_at(&s->stack, at - 1))) {
        s->top.short_runs++;
        see_prefix(s, run);
    }
    return at;
}

static void count(struct search *s, const struct hd_exec_run *run, bool whole)
{
    struct hd_explore_progress *p = &s->result->p;
    p->executions++;
    p->depth = run->steps.len;
    bool ended =
        run->end == HD_EXEC_EXIT || run->end == HD_EXEC_CRASH || run->end == HD_EXEC_DEADLOCK;
    if (ended && whole) {
        p->schedules++;
        if (s->opts->ran)
            s->opts->ran(s->opts->ctx, run, &s->order);
    } else if (ended || run->end == HD_EXEC_REDUNDANT || run->end == HD_EXEC_BLOCKED) {
        p->redundant++;
    }
    if (run->end == HD_EXEC_CUT)
        incomplete(s, "an execution was cut: it has too many steps");
    else if (run->end == HD_EXEC_TIMEOUT)
        incomplete(s, "an execution did not end in its time");
    else if (run->end == HD_EXEC_DIED)
        incomplete(s, "the program died and took its other threads with it");
    else if (run->end == HD_EXEC_DIVERGED)
        incomplete(s, "the program did not do again what it did before");
    else if (run->end == HD_EXEC_CROWDED)
        incomplete(s, HD_EXEC_CROWD_TEXT);
}

/* The choice of the last node could not be carried out. */
static void see_refusal(struct search *s)
{
    struct hd_node *n = hd_stack_at(&s->stack, s->stack.nodes.len - 1);
    hd_branch_stack_try(n, n->step.may_run);
}

static void see_run(struct search *s, const struct hd_exec_run *run)
{
    bool first = !s->stack.nodes.len;
    size_t taken = 0;
    if (!first && (run->end == HD_EXEC_DIVERGED || !hd_branch_stack_agrees(&s->stack, run, 1))) {
        s->result->p.executions++;
        incomplete(s, "the program did not do again what it did before");
        return;
    }
    uint32_t from = first ? 0 : (uint32_t)s->stack.nodes.len - 1;
    if (run->end == HD_EXEC_BLOCKED && run->steps.len <= from) {
        see_refusal(s);
        hd_order_make(&s->order, run, (uint32_t)s->names.threads.len, from);
        if (!s->opts->all)
            for (size_t k = 0; k < s->order.races.len; k++)
                reverse(s, hd_vec_at(&s->order.races, k));
        count(s, run, false);
        return;
    }
    taken = take_steps(s, run);
    if (s->names.threads.len > HD_STEER_THREADS) {
        incomplete(s, HD_EXEC_CROWD_TEXT);
        return;
    }
    if (s->foreign) {
        s->result->p.executions++;
        return;
    }
    hd_order_make(&s->order, run, (uint32_t)s->names.threads.len, from);
    if (!s->opts->all)
        reverse_races(s, taken);
    hd_findings_see(&s->findings, &s->order);
    count(s, run, taken == run->steps.len);
}

/* ---- the search ---- */

static uint64_t frontier(const struct search *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->stack.nodes.len; i++) {
        const struct hd_node *d = hd_stack_at(&s->stack, i);
        uint64_t left = d->to_try & ~d->tried & ~d->asleep & ~(UINT64_C(1) << d->step.thread);
        n += (uint64_t)__builtin_popcountll(left) + (uint64_t)__builtin_popcountll(d->wakes_left);
    }
    return n;
}

static void report_progress(struct search *s)
{
    struct hd_explore_progress *p = &s->result->p;
    p->seconds = (double)(now_ns() - s->start) / 1e9;
    p->frontier = frontier(s);
    p->findings = s->findings.n;
    if (s->opts->progress)
        s->opts->progress(s->opts->ctx, p);
}

static bool used_up(struct search *s)
{
    const struct hd_explore_progress *p = &s->result->p;
    if (s->opts->runs && p->executions - s->begun >= s->opts->runs)
        pause(s, "the number of executions is used up");
    else if (s->opts->budget && (now_ns() - s->start) / 1000000 >= s->opts->budget)
        pause(s, "the time is up");
    else
        return false;
    return true;
}

/* Steps that look independent may depend on each other then. The search goes on without the claim;
 * but a release by another thread makes choices of locks wrong, so that it may never end. */
static void see_untold(struct search *s, const struct hd_exec_run *run)
{
    const char *why = hd_exec_run_untold(run);
    if (why)
        incomplete(s, why);
    s->lost = s->lost || run->untold & HD_STEER_FOREIGN_RELEASE;
}

/* The choices that come next if this execution adds none: the deepest ones. */
static void run_ahead(struct search *s)
{
    struct hd_exec_plan plan;
    for (size_t i = s->stack.nodes.len; i-- > 0 && hd_ahead_idle(s->ahead);)
        if (hd_branch_stack_plan_later(&s->stack, i, &plan))
            hd_ahead_start(s->ahead, &plan);
}

/* The first execution of a search that goes on: addresses of sleepers would mean something else in
 * a program that lies elsewhere, and schedules would be missed. */
static enum hd_status see_same(struct search *s, const struct hd_exec_run *run, struct hd_err *err)
{
    if (!s->unproved)
        return HD_OK;
    s->unproved = false;
    if (run->end != HD_EXEC_DIVERGED && hd_branch_stack_agrees(&s->stack, run, 1) &&
        hd_branch_stack_lies_so(&s->stack, run, 1))
        return HD_OK;
    return hd_err_set(err, HD_ERR_INPUT,
                      "the search cannot go on: the program does not do again what it did then, or "
                      "its memory is at other addresses; search again without --resume");
}

static enum hd_status run_once(struct search *s, struct hd_err *err)
{
    struct hd_exec_plan plan;
    struct hd_exec_run run;
    if (!s->opts->all)
        run_ahead(s);
    hd_branch_stack_plan(&s->stack, &plan);
    enum hd_status status = hd_ahead_run(s->ahead, &plan, &run, err);
    if (status == HD_OK)
        status = see_same(s, &run, err);
    if (status == HD_OK) {
        see_untold(s, &run);
        see_run(s, &run);
    }
    hd_exec_run_fini(&run);
    return status;
}

/* A walk over the top is over: the next one, or the search, begins at the root. */
static bool walk_again(struct search *s)
{
    hd_schedule_share_walked(&s->top, &s->opts->share);
    hd_branch_stack_fini(&s->stack);
    hd_branch_stack_init(&s->stack);
    s->bounded = false;
    return true;
}

static enum hd_status search(struct search *s, struct hd_err *err)
{
    for (;;) {
        enum hd_status status = run_once(s, err);
        if (status == HD_ERR_STOPPED)
            pause(s, "interrupted");
        if (status != HD_OK)
            return status;
        s->top.runs++;
        bool more = hd_branch_stack_next(&s->stack, s->opts->preemptions,
                                         s->opts->all != HD_EXPLORE_ALL, &s->bounded);
        if (s->top.scouting && (!more || hd_schedule_share_too_long(&s->top, &s->opts->share)))
            more = walk_again(s);
        report_progress(s);
        if (!more) {
            if (s->bounded)
                incomplete(s, "the bound on preemptions left schedules out");
            s->result->complete = !*s->loss;
            return HD_OK;
        }
        if (s->lost || (s->opts->whole && *s->loss) || used_up(s))
            return HD_OK;
    }
}

/* ---- in parts ---- */

static void freeze_text(struct hd_freezer *z, char *text, size_t size)
{
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        for (size_t k = 0; k < 8 && i + k < size; k++)
            word |= (uint64_t)(unsigned char)text[i + k] << 8 * k;
        hd_freeze_u64(z, &word);
        for (size_t k = 0; k < 8 && i + k < size; k++)
            text[i + k] = (char)(word >> 8 * k);
    }
    text[size - 1] = 0;
}

static void freeze_findings(struct hd_freezer *z, struct hd_findings *f)
{
    struct hd_vec keys = z->writes ? f->keys : HD_VEC_INIT(uint64_t);
    hd_freeze_u64s(z, &keys);
    hd_freeze_u64(z, &f->n);
    if (z->writes)
        return;
    for (size_t i = 0; i < keys.len; i++)
        hd_findings_know(f, *(uint64_t *)hd_vec_at(&keys, i));
    hd_vec_fini(&keys);
}

static void freeze_top(struct hd_freezer *z, struct hd_schedule_top *t)
{
    hd_freeze_u32(z, &t->depth);
    hd_freeze_u32(z, &t->shallower);
    hd_freeze_bool(z, &t->scouting);
    hd_freeze_u64(z, &t->runs);
    hd_freeze_u64(z, &t->useful);
    hd_freeze_u64(z, &t->redundant);
    hd_freeze_u64(z, &t->short_runs);
}

static void freeze(struct search *s, struct hd_freezer *z)
{
    struct hd_explore_progress *p = &s->result->p;
    hd_freeze_u64(z, &p->executions);
    hd_freeze_u64(z, &p->schedules);
    hd_freeze_u64(z, &p->redundant);
    hd_freeze_u64(z, &p->states);
    freeze_text(z, s->loss, sizeof s->loss);
    hd_freeze_bool(z, &s->bounded);
    hd_freeze_bool(z, &s->lost);
    freeze_top(z, &s->top);
    freeze_findings(z, &s->findings);
    hd_freeze_names(z, &s->names);
    hd_branch_stack_freeze(&s->stack, z, (uint32_t)s->names.threads.len);
}

#define FILE_KIND "HDDPOR3"

static void freeze_share(struct hd_freezer *z, struct hd_schedule_share *share)
{
    hd_freeze_u32(z, &share->number);
    hd_freeze_u32(z, &share->of);
}

static enum hd_status thaw(struct search *s, struct hd_err *err)
{
    struct hd_freezer z;
    uint64_t stamp = 0;
    uint32_t preemptions = 0;
    struct hd_schedule_share share = {0};
    enum hd_status status = hd_freeze_open(&z, s->opts->state, false, FILE_KIND, err);
    if (status != HD_OK)
        return status;
    hd_freeze_u64(&z, &stamp);
    hd_freeze_u32(&z, &preemptions);
    freeze_share(&z, &share);
    freeze(s, &z);
    status = hd_freeze_close(&z, err);
    if (status == HD_OK && stamp != hd_freeze_stamp(hd_exec_program(hd_ahead_exec(s->ahead))))
        status = hd_err_set(err, HD_ERR_INPUT,
                            "the search cannot go on: the program has changed since; search again "
                            "without --resume");
    if (status == HD_OK && preemptions != s->opts->preemptions)
        status = hd_err_set(err, HD_ERR_INPUT,
                            "the search cannot go on with another bound on preemptions; search "
                            "again without --resume");
    if (status == HD_OK && (share.number != s->opts->share.number || share.of != s->opts->share.of))
        status = hd_err_set(err, HD_ERR_INPUT,
                            "the search cannot go on as another share; search again without "
                            "--resume");
    s->begun = s->result->p.executions;
    s->unproved = s->stack.nodes.len > 0;
    return status;
}

static enum hd_status save(struct search *s, struct hd_err *err)
{
    struct hd_freezer z;
    uint64_t stamp = hd_freeze_stamp(hd_exec_program(hd_ahead_exec(s->ahead)));
    uint32_t preemptions = s->opts->preemptions;
    struct hd_schedule_share share = s->opts->share;
    enum hd_status status = hd_freeze_open(&z, s->opts->state, true, FILE_KIND, err);
    if (status != HD_OK)
        return status;
    hd_freeze_u64(&z, &stamp);
    hd_freeze_u32(&z, &preemptions);
    freeze_share(&z, &share);
    freeze(s, &z);
    return hd_freeze_close(&z, err);
}

static enum hd_status go(struct search *s, struct hd_err *err)
{
    enum hd_status status = s->opts->resume ? thaw(s, err) : HD_OK;
    bool over = s->opts->resume && ((!s->stack.nodes.len && s->top.runs) || s->lost);
    if (status != HD_OK)
        return status;
    s->result->complete = over && !*s->loss;
    if (!over)
        status = search(s, err);
    if (*s->loss)
        snprintf(s->result->why, sizeof s->result->why, "%s", s->loss);
    report_progress(s);
    if (s->opts->state && (status == HD_OK || status == HD_ERR_STOPPED)) {
        enum hd_status saved = save(s, err);
        status = saved == HD_OK ? status : saved;
    }
    return status;
}

enum hd_status hd_explore_dpor(const struct hd_explore_opts *opts, struct hd_explore_result *result,
                               struct hd_err *err)
{
    struct search s = {.opts = opts, .result = result, .start = now_ns()};
    *result = (struct hd_explore_result){0};
    hd_exec_names_init(&s.names);
    hd_branch_stack_init(&s.stack);
    hd_order_init(&s.order);
    hd_findings_init(&s.findings, opts->found, opts->ctx);
    hd_schedule_share_scout(&s.top, &opts->share);
    enum hd_status status =
        hd_ahead_new(&opts->exec, &s.names, opts->jobs ? opts->jobs : 1, &s.ahead, err);
    s.findings.exec = hd_ahead_exec(s.ahead);
    if (status == HD_OK)
        status = go(&s, err);
    HD_DEBUG_LINE(EXPLORE, "dpor: %llu executions, %llu of them redundant%s%s",
                  (unsigned long long)result->p.executions, (unsigned long long)result->p.redundant,
                  *result->why ? "; " : "", result->why);
    hd_ahead_free(s.ahead);
    hd_findings_fini(&s.findings);
    hd_order_fini(&s.order);
    hd_branch_stack_fini(&s.stack);
    hd_exec_names_fini(&s.names);
    return status;
}
