/* The detectors against their definitions, written down as naively as possible: relations as bit
 * matrices closed by repetition, sync-preserving reorderings by trying every set of prefixes.
 * Traces are random, with every primitive of docs/MODEL.md. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "detect/detect.h"
#include "detect/filters/mhb.h"
#include "model/matching.h"
#include "model/witness.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

#define MAX_N 64 /* one word a row */

typedef uint64_t row;
#define BIT(i) (UINT64_C(1) << (i))

struct section {
    hd_eid acq, rel; /* rel: HD_EID_NONE when open */
    uint32_t lock;
    bool write;
};

struct naive {
    const struct hd_trace *t;
    size_t n;
    row rec[MAX_N]; /* direct recorded edges into an event */
    row po[MAX_N];  /* the event before it in its thread */
    row arf[MAX_N]; /* atomic write to the atomic read of it */
    row rf[MAX_N];  /* any write to the read of it */
    struct section section[MAX_N];
    size_t n_sections;
};

/* How deep thread u holds the lock just before event `at`, and its outermost acquire. */
static unsigned depth_at(const struct hd_trace *t, hd_tid u, uint32_t lock, bool write, size_t at,
                         hd_eid *acq)
{
    unsigned depth = 0, saved = 0;
    for (size_t e = 0; e < at; e++) {
        if (t->thread[e] != u)
            continue;
        enum hd_op op = t->op[e];
        enum hd_obj_kind kind = hd_op_info[op].kind;
        if (!(kind == HD_OBJ_LOCK || hd_op_info[op].has_lock) ||
            hd_trace_lock(t, (hd_eid)e) != lock)
            continue;
        unsigned before = depth;
        if (op == (write ? HD_OP_ACQ : HD_OP_RACQ))
            depth++;
        else if (op == (write ? HD_OP_REL : HD_OP_RREL))
            depth--;
        else if (write && op == HD_OP_WAIT)
            saved = depth, depth = 0;
        else if (write && (op == HD_OP_WAKE || op == HD_OP_TMO))
            depth = saved;
        if (!before && depth)
            *acq = (hd_eid)e;
    }
    return depth;
}

static void find_sections(struct naive *v)
{
    const struct hd_trace *t = v->t;
    for (size_t e = 0; e < v->n; e++)
        for (int write = 0; write < 2; write++) {
            enum hd_op op = t->op[e];
            if (!(hd_op_info[op].kind == HD_OBJ_LOCK || hd_op_info[op].has_lock))
                continue;
            uint32_t lock = hd_trace_lock(t, (hd_eid)e);
            hd_tid u = t->thread[e];
            hd_eid acq = HD_EID_NONE, none;
            unsigned before = depth_at(t, u, lock, write, e, &acq);
            unsigned after = depth_at(t, u, lock, write, e + 1, &none);
            if (!before && after)
                v->section[v->n_sections++] = (struct section){(hd_eid)e, HD_EID_NONE, lock, write};
            for (size_t i = 0; before && !after && i < v->n_sections; i++)
                if (v->section[i].acq == acq && v->section[i].write == write)
                    v->section[i].rel = (hd_eid)e;
        }
}

static void edge(struct naive *v, hd_eid from, hd_eid to)
{
    if (from != HD_EID_NONE && v->t->thread[from] != v->t->thread[to])
        v->rec[to] |= BIT(from);
}

/* The event that ended the wait before wake e: the first bcast, or the sig meant for the thread. */
static hd_eid notifier(const struct naive *v, const struct hd_matching *m, hd_eid wait)
{
    const struct hd_trace *t = v->t;
    for (hd_eid e = wait + 1; e < v->n; e++) {
        if (t->op[e] == HD_OP_BCAST && t->obj[e] == t->obj[wait])
            return e;
        if (t->op[e] == HD_OP_SIG && t->obj[e] == t->obj[wait] &&
            hd_matching_woken(m, e) == t->thread[wait])
            return e;
        if (t->thread[e] == t->thread[wait])
            return HD_EID_NONE;
    }
    return HD_EID_NONE;
}

static void wait_edges(struct naive *v, hd_eid e, const struct hd_matching *m)
{
    const struct hd_trace *t = v->t;
    if (t->op[e] != HD_OP_WAIT)
        return;
    hd_eid n = notifier(v, m, e), wake = e + 1;
    if (n == HD_EID_NONE)
        return;
    if (t->op[n] == HD_OP_SIG)
        edge(v, e, n);
    while (wake < v->n && t->thread[wake] != t->thread[e])
        wake++;
    if (wake < v->n && t->op[wake] == HD_OP_WAKE)
        edge(v, n, wake);
}

static void sem_edges(struct naive *v, hd_eid e)
{
    const struct hd_trace *t = v->t;
    if (t->op[e] != HD_OP_SEM)
        return;
    uint64_t takes = 0, posts = 0;
    for (hd_eid p = 0; p < e; p++)
        takes += t->op[p] == HD_OP_SEM && t->obj[p] == t->obj[e];
    if (takes < t->sem_init[t->obj[e]])
        return;
    takes -= t->sem_init[t->obj[e]];
    for (hd_eid p = 0; p < e; p++)
        if (t->op[p] == HD_OP_POST && t->obj[p] == t->obj[e] && posts++ == takes)
            edge(v, p, e);
}

/* The arrival that completes the round of the k-th arrival (0-based), or HD_EID_NONE. */
static hd_eid completion(const struct naive *v, uint32_t barrier, uint64_t k)
{
    uint64_t size = v->t->barrier_size[barrier], last = k / size * size + size - 1, i = 0;
    for (hd_eid e = 0; e < v->n; e++)
        if (v->t->op[e] == HD_OP_BARIN && v->t->obj[e] == barrier && i++ == last)
            return e;
    return HD_EID_NONE;
}

static void barrier_edges(struct naive *v, hd_eid e)
{
    const struct hd_trace *t = v->t;
    uint64_t k = 0, mine = UINT64_MAX;
    if (t->op[e] != HD_OP_BARIN && t->op[e] != HD_OP_BAROUT)
        return;
    for (hd_eid p = 0; p < e + (t->op[e] == HD_OP_BARIN); p++)
        if (t->op[p] == HD_OP_BARIN && t->obj[p] == t->obj[e]) {
            if (t->thread[p] == t->thread[e])
                mine = k;
            k++;
        }
    hd_eid done = completion(v, t->obj[e], mine);
    if (done == HD_EID_NONE)
        return;
    if (t->op[e] == HD_OP_BAROUT) {
        edge(v, done, e);
        return;
    }
    edge(v, e, done);
    uint64_t size = t->barrier_size[t->obj[e]];
    if (done == e && mine >= size)
        edge(v, completion(v, t->obj[e], mine - size), e);
}

static void try_edges(struct naive *v, hd_eid e)
{
    const struct hd_trace *t = v->t;
    hd_eid first = HD_EID_NONE, acq = HD_EID_NONE;
    if (t->op[e] != HD_OP_TRYFAIL)
        return;
    for (int write = 1; write >= 0 && first == HD_EID_NONE; write--)
        for (hd_tid u = 0; u < hd_trace_n_threads(t); u++)
            if (u != t->thread[e] && depth_at(t, u, t->obj[e], write, e, &acq) && acq < first)
                first = acq;
    edge(v, first, e);
}

static void memory_edges(struct naive *v, hd_eid e)
{
    const struct hd_trace *t = v->t;
    if (!hd_op_reads(t->op[e]))
        return;
    for (hd_eid p = e; p-- > 0;)
        if (hd_op_writes(t->op[p]) && t->obj[p] == t->obj[e]) {
            v->rf[e] = BIT(p);
            if (hd_op_is_atomic(t->op[p]) && hd_op_is_atomic(t->op[e]))
                v->arf[e] = BIT(p);
            return;
        }
}

static void naive_init(struct naive *v, const struct hd_trace *t)
{
    *v = (struct naive){.t = t, .n = t->n_events};
    struct hd_matching m = {0};
    hd_matching_check(t, &m);
    for (hd_eid e = 0; e < v->n; e++) {
        if (t->pos[e])
            v->po[e] = BIT(hd_trace_back(t, e, 1));
        else if (t->fork_of[t->thread[e]] < e)
            edge(v, t->fork_of[t->thread[e]], e);
        for (hd_eid p = 0; t->op[e] == HD_OP_JOIN && p < e; p++)
            if (t->thread[p] == t->obj[e])
                edge(v, p, e);
        wait_edges(v, e, &m);
        sem_edges(v, e);
        barrier_edges(v, e);
        try_edges(v, e);
        memory_edges(v, e);
    }
    hd_matching_fini(&m);
    find_sections(v);
}

static bool exclude(const struct naive *v, const struct section *x, const struct section *y)
{
    return x->lock == y->lock && (x->write || y->write) &&
           v->t->thread[x->acq] != v->t->thread[y->acq];
}

static void lock_edges(const struct naive *v, row direct[])
{
    for (size_t i = 0; i < v->n_sections; i++)
        for (size_t j = 0; j < v->n_sections; j++) {
            const struct section *x = &v->section[i], *y = &v->section[j];
            if (x->acq < y->acq && x->rel != HD_EID_NONE && exclude(v, x, y))
                direct[y->acq] |= BIT(x->rel);
        }
}

/* Transitive closure of edges that all point forward. */
static void close_rows(size_t n, row r[])
{
    for (size_t e = 0; e < n; e++)
        for (size_t p = 0; p < e; p++)
            if (r[e] & BIT(p))
                r[e] |= r[p];
}

static void known_rows(const struct naive *v, row k[])
{
    for (size_t e = 0; e < v->n; e++)
        k[e] = v->po[e] | v->rec[e] | v->arf[e];
    close_rows(v->n, k);
}

static void hb_rows(const struct naive *v, row hb[])
{
    for (size_t e = 0; e < v->n; e++)
        hb[e] = v->po[e] | v->rec[e] | v->arf[e];
    lock_edges(v, hb);
    close_rows(v->n, hb);
}

/* What comes before b by schedulable happens-before without b's own reading. */
static void shb_rows(const struct naive *v, row before[])
{
    row direct[MAX_N] = {0}, shb[MAX_N];
    for (size_t e = 0; e < v->n; e++)
        direct[e] = v->po[e] | v->rec[e];
    lock_edges(v, direct);
    for (size_t e = 0; e < v->n; e++)
        shb[e] = direct[e] | v->rf[e];
    close_rows(v->n, shb);
    for (size_t e = 0; e < v->n; e++) {
        before[e] = direct[e];
        for (size_t p = 0; p < e; p++)
            if (direct[e] & BIT(p))
                before[e] |= shb[p];
    }
}

static row events_of(const struct naive *v, const struct section *s)
{
    row set = 0;
    for (hd_eid e = s->acq; e < v->n && (s->rel == HD_EID_NONE || e <= s->rel); e++)
        if (v->t->thread[e] == v->t->thread[s->acq])
            set |= BIT(e);
    return set;
}

/* Accesses of set that touch what e touches, one of them writing. */
static bool touches(const struct naive *v, row set, hd_eid e)
{
    const struct hd_trace *t = v->t;
    for (hd_eid p = 0; p < v->n; p++)
        if (set & BIT(p) && hd_op_is_access(t->op[p]) && t->obj[p] == t->obj[e] &&
            (hd_op_writes(t->op[p]) || hd_op_writes(t->op[e])))
            return true;
    return false;
}

/* One application of rules (a) and (b) of cp or wcp for a pair of sections. */
static void weak_rules(const struct naive *v, const struct section *x, const struct section *y,
                       bool weak, const row known[], row w[])
{
    if (x->rel == HD_EID_NONE || x->acq > y->acq || !exclude(v, x, y))
        return;
    row in_x = events_of(v, x), in_y = events_of(v, y);
    for (hd_eid e = 0; e < v->n; e++) {
        if (!(in_y & BIT(e)))
            continue;
        if (hd_op_is_access(v->t->op[e]) && touches(v, in_x, e))
            w[weak ? e : y->acq] |= BIT(x->rel);
        if ((w[e] | known[e]) & in_x && (!weak || y->rel != HD_EID_NONE))
            w[weak ? y->rel : y->acq] |= BIT(x->rel);
    }
}

static void weak_rows(const struct naive *v, bool weak, const row known[], const row hb[], row w[])
{
    row last[MAX_N];
    memset(w, 0, MAX_N * sizeof *w);
    do {
        memcpy(last, w, sizeof last);
        for (size_t i = 0; i < v->n_sections; i++)
            for (size_t j = 0; j < v->n_sections; j++)
                weak_rules(v, &v->section[i], &v->section[j], weak, known, w);
        for (size_t e = 0; e < v->n; e++)
            for (size_t p = 0; p < e; p++) {
                if (w[e] & BIT(p))
                    w[e] |= hb[p];
                if (hb[e] & BIT(p))
                    w[e] |= w[p];
            }
    } while (memcmp(last, w, sizeof last));
}

/* A set with all that its events demand, running which in trace order is a sync-preserving
 * reordering? */
static bool is_ideal(const struct naive *v, row set)
{
    for (size_t e = 0; e < v->n; e++)
        if (set & BIT(e) && (v->po[e] | v->rec[e] | v->rf[e]) & ~set)
            return false;
    for (size_t i = 0; i < v->n_sections; i++)
        for (size_t j = 0; j < v->n_sections; j++) {
            const struct section *x = &v->section[i], *y = &v->section[j];
            if (x->acq < y->acq && exclude(v, x, y) && set & BIT(x->acq) && set & BIT(y->acq) &&
                (x->rel == HD_EID_NONE || !(set & BIT(x->rel))))
                return false;
        }
    return true;
}

/* Tries all sets of prefixes; marks the pairs whose needs a set holds and that it does not hold. */
static void try_prefixes(const struct naive *v, hd_tid u, row set, row race[])
{
    if (u < hd_trace_n_threads(v->t)) {
        size_t n;
        const hd_eid *events = hd_trace_thread_events(v->t, u, &n);
        try_prefixes(v, u + 1, set, race);
        for (size_t i = 0; i < n; i++)
            try_prefixes(v, u + 1, set |= BIT(events[i]), race);
        return;
    }
    if (!is_ideal(v, set))
        return;
    row ready = 0;
    for (size_t e = 0; e < v->n; e++)
        if (!(set & BIT(e)) && !((v->po[e] | v->rec[e]) & ~set))
            ready |= BIT(e);
    for (size_t e = 0; e < v->n; e++)
        if (ready & BIT(e))
            race[e] |= ready;
}

static void collect(const struct hd_trace *t, const row ordered[], const row *race,
                    struct hd_pairs *pairs)
{
    for (hd_eid a = 0; a < t->n_events; a++)
        for (hd_eid b = a + 1; b < t->n_events; b++)
            if (hd_op_is_access(t->op[a]) && hd_op_is_access(t->op[b]) &&
                hd_property_conflict(t, a, b) && (race ? race[b] & BIT(a) : !(ordered[b] & BIT(a))))
                hd_pairs_push(pairs, a, b);
    hd_pairs_sort(pairs);
}

static void expect_equal(const struct hd_trace *t, const char *name, uint64_t seed,
                         const struct hd_pairs *want, const struct hd_pairs *got)
{
    if (hd_pairs_equal(want, got))
        return;
    struct hd_pair p = {0};
    bool missed = !hd_pairs_subset(want, got, &p);
    if (!missed)
        hd_pairs_subset(got, want, &p);
    hd_text_write(t, stderr, NULL);
    fail_msg("%s, seed %llu: pair %u-%u %s", name, (unsigned long long)seed, p.a + 1, p.b + 1,
             missed ? "is missing" : "is too much");
}

static void run(const struct hd_trace *t, const char *name, bool pairs, struct hd_detect_result *r)
{
    struct hd_detect_opts opts = {.pairs = pairs};
    struct hd_err err;
    assert_int_equal(hd_detector_find(name)->run(t, &opts, r, &err), HD_OK);
}

/* The detector's pairs are `want`, and its fast mode tells the same story. */
static void expect(const struct hd_trace *t, const char *name, uint64_t seed, const row ordered[],
                   const row *race)
{
    struct hd_pairs want = {0}, places = {0};
    struct hd_detect_result all, fast;
    collect(t, ordered, race, &want);
    run(t, name, true, &all);
    run(t, name, false, &fast);
    expect_equal(t, name, seed, &want, &all.pairs);
    row second = 0;
    for (size_t i = 0; i < want.len; i++) {
        hd_pairs_push(&places, t->place[want.data[i].a], t->place[want.data[i].b]);
        second |= BIT(want.data[i].b);
    }
    hd_pairs_sort(&places);
    assert_int_equal(fast.pairs.len, 0);
    expect_equal(t, name, seed, &places, &fast.places);
    expect_equal(t, name, seed, &places, &all.places);
    assert_int_equal(fast.racy_events, __builtin_popcountll(second));
    assert_int_equal(all.racy_events, fast.racy_events);
    hd_pairs_fini(&want);
    hd_pairs_fini(&places);
    hd_detect_result_fini(&all);
    hd_detect_result_fini(&fast);
}

static struct hd_trace *make(const struct hd_gen_config *config)
{
    struct hd_trace *t;
    struct hd_err err;
    assert_int_equal(hd_gen(config, &t, &err), HD_OK);
    assert_true(t->n_events <= MAX_N);
    /* Generated places are all different; loops make programs visit the same place again. */
    uint32_t places = 1 + (uint32_t)(config->seed % 6);
    for (size_t e = 0; e < t->n_events && places < 6; e++)
        t->place[e] %= places;
    return t;
}

static void check_orders(const struct hd_trace *t, uint64_t seed)
{
    struct naive v;
    row hb[MAX_N] = {0}, known[MAX_N] = {0}, shb[MAX_N] = {0}, w[MAX_N];
    naive_init(&v, t);
    hb_rows(&v, hb);
    expect(t, "hb", seed, hb, NULL);
    shb_rows(&v, shb);
    expect(t, "shb", seed, shb, NULL);
    known_rows(&v, known);
    for (int weak = 0; weak < 2; weak++) {
        weak_rows(&v, weak, known, hb, w);
        for (size_t e = 0; e < v.n; e++)
            w[e] |= known[e];
        expect(t, weak ? "wcp" : "cp", seed, w, NULL);
    }
}

static void small_config(uint64_t seed, struct hd_gen_config *config)
{
    hd_gen_small(seed, config);
    if (seed % 4 == 0) /* more locking than the default mix */
        config->features = UINT32_C(1) << HD_GEN_READ | UINT32_C(1) << HD_GEN_WRITE |
                           UINT32_C(1) << HD_GEN_MUTEX | UINT32_C(1) << HD_GEN_RWLOCK;
}

static void orders_follow_their_rules_on_small_traces(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 6000; seed++) {
        struct hd_gen_config config;
        small_config(seed, &config);
        struct hd_trace *t = make(&config);
        check_orders(t, seed);
        hd_trace_free(t);
    }
}

static void orders_follow_their_rules_on_longer_traces(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct hd_gen_config config;
        small_config(seed, &config);
        config.events = 40 + (uint32_t)(seed % 25);
        config.locks = 1 + (uint32_t)(seed % 4);
        config.threads = 2 + (uint32_t)(seed % 5);
        struct hd_trace *t = make(&config);
        check_orders(t, seed);
        hd_trace_free(t);
    }
}

static void syncp_finds_exactly_what_some_prefixes_allow(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        struct hd_gen_config config;
        small_config(seed, &config);
        if (config.threads > 3)
            config.threads = 3;
        struct hd_trace *t = make(&config);
        struct naive v;
        row race[MAX_N] = {0};
        naive_init(&v, t);
        try_prefixes(&v, 0, 0, race);
        expect(t, "syncp", seed, NULL, race);
        hd_trace_free(t);
    }
}

/* The least ideal that holds a set, or everything if an open section stands in the way. */
static row least_ideal(const struct naive *v, row set)
{
    row last;
    do {
        last = set;
        for (size_t e = v->n; e-- > 0;)
            if (set & BIT(e))
                set |= v->po[e] | v->rec[e] | v->rf[e];
        for (size_t i = 0; i < v->n_sections; i++)
            for (size_t j = 0; j < v->n_sections; j++) {
                const struct section *x = &v->section[i], *y = &v->section[j];
                if (x->acq < y->acq && exclude(v, x, y) && set & BIT(x->acq) && set & BIT(y->acq))
                    set |= x->rel == HD_EID_NONE ? ~UINT64_C(0) : BIT(x->rel);
            }
    } while (set != last);
    return set;
}

static void syncp_finds_what_the_least_ideal_allows_on_longer_traces(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 1500; seed++) {
        struct hd_gen_config config;
        small_config(seed, &config);
        config.events = 40 + (uint32_t)(seed % 25);
        config.locks = 1 + (uint32_t)(seed % 4);
        config.threads = 2 + (uint32_t)(seed % 5);
        config.locations = 1 + (uint32_t)(seed % 6);
        struct hd_trace *t = make(&config);
        struct naive v;
        row race[MAX_N] = {0};
        naive_init(&v, t);
        for (hd_eid a = 0; a < v.n; a++)
            for (hd_eid b = a + 1; b < v.n; b++) {
                row set = least_ideal(&v, v.po[a] | v.rec[a] | v.po[b] | v.rec[b]);
                if (!(set & (BIT(a) | BIT(b))))
                    race[b] |= BIT(a);
            }
        expect(t, "syncp", seed, NULL, race);
        hd_trace_free(t);
    }
}

/* Whether two events hold a lock that keeps them apart; with histories, also whether each thread
 * took, after a hold of its own, a lock that the other holds. */
static bool kept_apart(const struct naive *v, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = v->t;
    hd_eid acq;
    for (uint32_t l = 0; l < hd_trace_n_objs(t, HD_OBJ_LOCK); l++)
        for (int m = 1; m < 4; m++) {
            bool x = m & 1, y = m >> 1; /* not both read */
            if (depth_at(t, t->thread[a], l, x, a, &acq) &&
                depth_at(t, t->thread[b], l, y, b, &acq))
                return true;
        }
    return false;
}

static bool took_after(const struct naive *v, hd_eid acq, hd_eid end, uint32_t lock, bool any_side)
{
    const struct hd_trace *t = v->t;
    for (hd_eid e = acq + 1; e < end; e++) {
        enum hd_op op = t->op[e];
        bool read = op == HD_OP_RACQ;
        if (t->thread[e] == t->thread[end] &&
            (read ? any_side : op == HD_OP_ACQ || op == HD_OP_WAKE || op == HD_OP_TMO) &&
            hd_trace_lock(t, e) == lock)
            return true;
    }
    return false;
}

static bool histories_clash(const struct naive *v, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = v->t;
    uint32_t locks = (uint32_t)hd_trace_n_objs(t, HD_OBJ_LOCK);
    for (uint32_t k = 0; k < locks * 2 * locks * 2; k++) {
        uint32_t l = k / 4 / locks, m = k / 4 % locks;
        bool x = k & 1, y = k >> 1 & 1;
        hd_eid at_l = 0, at_m = 0;
        if (l != m && depth_at(t, t->thread[a], l, x, a, &at_l) &&
            depth_at(t, t->thread[b], m, y, b, &at_m) && took_after(v, at_l, a, m, y) &&
            took_after(v, at_m, b, l, x))
            return true;
    }
    return false;
}

static void filters_follow_their_rules(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 3000; seed++) {
        struct hd_gen_config config;
        small_config(seed, &config);
        config.events = 15 + (uint32_t)(seed % 40);
        struct hd_trace *t = make(&config);
        struct hd_mhb *m = hd_mhb_new(t);
        struct naive v;
        row apart[MAX_N] = {0}, clash[MAX_N] = {0}, must[MAX_N] = {0}, quick[MAX_N] = {0};
        naive_init(&v, t);
        for (hd_eid b = 0; b < v.n; b++)
            for (hd_eid a = 0; a < b; a++) {
                bool together = t->thread[a] != t->thread[b] && kept_apart(&v, a, b);
                apart[b] |= together ? BIT(a) : 0;
                clash[b] |= together || histories_clash(&v, a, b) ? BIT(a) : 0;
                must[b] |= hd_mhb_ordered(m, a, b) ? BIT(a) : 0;
                quick[b] = apart[b] | must[b];
            }
        expect(t, "lockset", seed, apart, NULL);
        expect(t, "lah", seed, clash, NULL);
        expect(t, "mhb", seed, must, NULL);
        expect(t, "quick", seed, quick, NULL);
        hd_mhb_free(m);
        hd_trace_free(t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(orders_follow_their_rules_on_small_traces),
        cmocka_unit_test(orders_follow_their_rules_on_longer_traces),
        cmocka_unit_test(filters_follow_their_rules),
        cmocka_unit_test(syncp_finds_exactly_what_some_prefixes_allow),
        cmocka_unit_test(syncp_finds_what_the_least_ideal_allows_on_longer_traces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
