/* campaign FROM TO LIMIT PROGRAM: for each number in between, explores the schedules of PROGRAM
 * NUMBER three times: with reduction; every thread at every node unless it sleeps; and every order
 * of every step. The last in at most LIMIT executions, the one before in 20 times as many. Told and
 * counted as wrong:
 *   - a search that does not say that it is through, a class that is seen twice;
 *   - a class that one of both has and the other has not;
 *   - a class whose executions do not all do the same: what each thread saw, and how it ended. This
 *     does not use which operations depend on each other, so it tells when a dependence is missing;
 *   - a class or race that a search in shares has not, or has beyond the whole one;
 *   - two accesses in conflict that stood beside each other in an execution and are no race found;
 *     a race found that stood so in none.
 * When LIMIT is too small for all orders, what they came to still has to be in the reduction. */
#include "explore/explore.h"
#include "explore/order.h"
#include "log/rt_depend.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct set {
    struct hd_map map;
    struct hd_vec keys; /* uint64_t */
};

struct side {
    struct set classes, races;
    struct hd_vec outcomes; /* uint64_t, by class */
    uint64_t twice, mixed;
    enum hd_explore_all how;
    struct hd_explore_result result;
};

static uint64_t mix(uint64_t h, uint64_t x)
{
    return hd_hash_mix(h * UINT64_C(0x9e3779b97f4a7c15) + x);
}

static bool add(struct set *s, uint64_t key, uint32_t *at)
{
    bool fresh;
    uint32_t *slot = hd_map_put(&s->map, key, &fresh);
    if (fresh) {
        *slot = (uint32_t)s->keys.len;
        *(uint64_t *)hd_vec_push(&s->keys) = key;
    }
    *at = *slot;
    return fresh;
}

static bool has(const struct set *s, uint64_t key)
{
    return hd_map_get(&s->map, key, &(uint32_t){0});
}

/* ---- what an execution did ---- */

static uint64_t see_op(uint64_t h, const struct hd_steer_op *o)
{
    h = mix(mix(h, o->kind), o->addr);
    h = mix(mix(h, o->site), o->value);
    return mix(mix(h, o->kind == HD_LOG_SIG ? 0 : o->other), o->wakes);
}

static uint64_t outcome(const struct hd_exec_run *run)
{
    uint64_t threads[HD_STEER_THREADS] = {0}, sum = run->end;
    for (size_t i = 0; i < run->ops.len; i++) {
        const struct hd_steer_op *o = &hd_run_op(run, i)->op;
        threads[o->thread % HD_STEER_THREADS] = see_op(threads[o->thread % HD_STEER_THREADS], o);
    }
    for (size_t i = 0; i < run->states.len; i++) {
        const struct hd_exec_state *s = hd_vec_at(&run->states, i);
        uint64_t *t = &threads[s->thread % HD_STEER_THREADS];
        *t = mix(mix(*t, s->s.waits), s->s.ended);
        *t = mix(*t, (uint64_t)s->s.signal);
    }
    for (unsigned i = 0; i < HD_STEER_THREADS; i++)
        sum = mix(sum, threads[i]);
    return sum;
}

static uint64_t pair(uint64_t a, uint64_t b)
{
    return mix(a < b ? a : b, a < b ? b : a);
}

static bool conflict(const struct hd_steer_op *a, const struct hd_steer_op *b)
{
    bool plain = !hd_steer_is_atomic(a->kind) || !hd_steer_is_atomic(b->kind);
    bool writes = hd_steer_writes(a->kind) || hd_steer_writes(b->kind);
    return hd_steer_is_access(a->kind) && hd_steer_is_access(b->kind) && plain && writes &&
           a->thread != b->thread && hd_steer_overlap(a, b);
}

/* A thread that stands at an access can always do it: two such that come one after the other could
 * have come the other way round. */
static void see_neighbours(struct side *s, const struct hd_exec_run *run)
{
    for (size_t i = 0; i + 1 < run->steps.len; i++) {
        const struct hd_exec_step *p = hd_run_step(run, i), *q = hd_run_step(run, i + 1);
        const struct hd_steer_op *a = &hd_run_op(run, p->first)->op;
        const struct hd_steer_op *b = &hd_run_op(run, q->first)->op;
        if (p->n == 1 && q->n == 1 && conflict(a, b))
            add(&s->races, pair(a->site, b->site), &(uint32_t){0});
    }
}

static void on_run(void *ctx, const struct hd_exec_run *run, const struct hd_order *order)
{
    struct side *s = ctx;
    uint32_t at;
    uint64_t now = outcome(run);
    if (add(&s->classes, hd_order_class(order), &at)) {
        *(uint64_t *)hd_vec_push(&s->outcomes) = now;
    } else {
        s->twice++;
        s->mixed += *(uint64_t *)hd_vec_at(&s->outcomes, at) != now;
    }
    if (s->how != HD_EXPLORE_REDUCED)
        see_neighbours(s, run);
}

static void on_found(void *ctx, const struct hd_explore_finding *f)
{
    struct side *s = ctx;
    if (s->how == HD_EXPLORE_REDUCED && f->kind == HD_EXPLORE_RACE)
        add(&s->races, pair(f->ops[0].site, f->ops[1].site), &(uint32_t){0});
}

/* ---- comparing ---- */

static size_t missing(const struct set *from, const struct set *in)
{
    size_t n = 0;
    for (size_t i = 0; i < from->keys.len; i++)
        n += !has(in, *(uint64_t *)hd_vec_at(&from->keys, i));
    return n;
}

static bool tell(uint64_t number, const char *what, uint64_t n)
{
    if (n)
        printf("%" PRIu64 ": %s: %" PRIu64 "\n", number, what, n);
    return n > 0;
}

static size_t other_outcomes(const struct side *a, const struct side *b)
{
    size_t n = 0;
    for (size_t i = 0; i < a->classes.keys.len; i++) {
        uint32_t at;
        if (hd_map_get(&b->classes.map, *(uint64_t *)hd_vec_at(&a->classes.keys, i), &at))
            n +=
                *(uint64_t *)hd_vec_at(&a->outcomes, i) != *(uint64_t *)hd_vec_at(&b->outcomes, at);
    }
    return n;
}

static bool compare(uint64_t number, const struct side *less, const struct side *all)
{
    bool wrong = false;
    if (!less->result.complete) {
        printf("%" PRIu64 ": the search is not through: %s\n", number, less->result.why);
        wrong = true;
    }
    wrong |= tell(number, "classes seen twice", less->twice);
    wrong |= tell(number, "classes that were missed", missing(&all->classes, &less->classes));
    wrong |= tell(number, "races that were missed", missing(&all->races, &less->races));
    wrong |= tell(number, "executions unlike others of their class", all->mixed);
    wrong |= tell(number, "classes that ended otherwise", other_outcomes(less, all));
    if (all->result.complete)
        wrong |= tell(number, "classes that are none", missing(&less->classes, &all->classes));
    if (all->result.complete && all->how == HD_EXPLORE_ALL)
        wrong |= tell(number, "races that are none", missing(&less->races, &all->races));
    return wrong;
}

static bool explore_share(struct side *s, char **argv, uint64_t limit, uint32_t i, uint32_t n)
{
    struct hd_explore_opts opts = {.share = {i, n},
                                   .exec = {.argv = argv, .timeout = 120000},
                                   .runs = limit,
                                   .jobs = 1,
                                   .preemptions = UINT32_MAX,
                                   .all = s->how,
                                   .ctx = s,
                                   .ran = on_run,
                                   .found = on_found};
    struct hd_err err = {0};
    if (hd_explore_dpor(&opts, &s->result, &err) == HD_OK)
        return true;
    printf("%s\n", err.text);
    return false;
}

static void side_fini(struct side *s)
{
    hd_map_fini(&s->classes.map);
    hd_map_fini(&s->races.map);
    hd_vec_fini(&s->classes.keys);
    hd_vec_fini(&s->races.keys);
    hd_vec_fini(&s->outcomes);
}

static void side_init(struct side *s)
{
    s->classes.keys = s->races.keys = s->outcomes = HD_VEC_INIT(uint64_t);
}

static bool explore(struct side *s, char **argv, uint64_t limit)
{
    side_init(s);
    return explore_share(s, argv, limit, 0, 1);
}

/* The shares together against the whole. Two shares may come to one class: what their prefixes did
 * not foresee. */
static bool explore_shares(uint64_t number, const struct side *whole, char **argv, uint32_t n)
{
    struct side parts = {.how = HD_EXPLORE_REDUCED};
    bool wrong = false;
    side_init(&parts);
    for (uint32_t i = 0; i < n; i++)
        wrong |= !explore_share(&parts, argv, 0, i, n) ||
                 tell(number, "shares that are not through", !parts.result.complete);
    wrong |= tell(number, "classes that shares missed", missing(&whole->classes, &parts.classes));
    wrong |= tell(number, "classes only in shares", missing(&parts.classes, &whole->classes));
    wrong |= tell(number, "races that shares missed", missing(&whole->races, &parts.races));
    wrong |= tell(number, "races only in shares", missing(&parts.races, &whole->races));
    side_fini(&parts);
    return wrong;
}

int main(int argc, char **argv)
{
    uint64_t wrong = 0, enough = 0, whole = 0, classes = 0, executions = 0;
    if (argc < 5)
        return 2;
    uint64_t from = strtoull(argv[1], NULL, 10), to = strtoull(argv[2], NULL, 10);
    uint64_t limit = strtoull(argv[3], NULL, 10);
    for (uint64_t i = from; i <= to; i++) {
        char number[24];
        char *words[] = {argv[4], number, NULL};
        struct side less = {.how = HD_EXPLORE_REDUCED}, more = {.how = HD_EXPLORE_ASLEEP};
        struct side all = {.how = HD_EXPLORE_ALL};
        snprintf(number, sizeof number, "%" PRIu64, i);
        if (!explore(&less, words, 0) || !explore(&more, words, 20 * limit) ||
            !explore(&all, words, limit))
            return 1;
        bool one = compare(i, &less, &more), two = compare(i, &less, &all); /* both tell */
        bool three = explore_shares(i, &less, words, 2 + (uint32_t)(i % 4));
        wrong += one || two || three;
        enough += more.result.complete;
        whole += all.result.complete;
        classes += less.classes.keys.len;
        executions += less.result.p.executions + more.result.p.executions + all.result.p.executions;
        side_fini(&less);
        side_fini(&more);
        side_fini(&all);
        fflush(stdout);
    }
    printf("%" PRIu64 " programs, %" PRIu64 " with all threads at all nodes, %" PRIu64
           " with all orders, %" PRIu64 " schedules, %" PRIu64 " executions; wrong: %" PRIu64 "\n",
           to - from + 1, enough, whole, classes, executions, wrong);
    return wrong != 0;
}
