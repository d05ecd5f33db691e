/* Rounds of polling that are left out (trace/polls.h, trace/fold_polls.h) against exhaustive
 * enumeration: small random traces in which one thread polls one to three locations, which others
 * write in many ways. Without the rounds the trace must be consistent, and by places the same pairs
 * race, the same are unordered and stand alone, and the same triples can be cut.
 *
 * HEDDLE_TEST_LONG=1 runs 60,000 seeds, else 4,000. HEDDLE_SEEDS=m,n runs those from m to n - 1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "../support/seeds.h"
#include "base/rng.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "model/enumerate_order.h"
#include "model/enumerate_property.h"
#include "trace/fold_polls.h"
#include "trace/text/text.h"

static uint64_t folded, pairs, unordered, triples;

/* ---- traces ---- */

struct maker {
    struct hd_rng rng;
    char text[4096];
    size_t len;
    unsigned events, last_read[3]; /* by thread: event number, or 0 */
    unsigned memory[4], places;
};

__attribute__((format(printf, 2, 3))) static void say(struct maker *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    m->len += (size_t)vsnprintf(m->text + m->len, sizeof m->text - m->len, format, args);
    va_end(args);
}

static const char *const names = "pab", *const vars = "xyzd";

/* A read or write of another thread, or of the one that polls, outside of its rounds. */
static void access_any(struct maker *m, unsigned thread)
{
    static const char *const orders[] = {"", ";mo=rlx", ";mo=rel"};
    unsigned x = hd_rng_below(&m->rng, 4), value = hd_rng_below(&m->rng, 3);
    const char *mo = orders[hd_rng_below(&m->rng, 3)];
    char var = vars[x], name = names[thread];
    bool plain = x == 3 || hd_rng_chance(&m->rng, 15);
    m->events++;
    if (hd_rng_chance(&m->rng, x == 3 ? 40 : 20)) {
        say(m, "%c|%s(%c,%u)|p%u\n", name, plain ? "r" : "ar", var, m->memory[x], ++m->places);
        m->last_read[thread] = m->events;
        return;
    }
    if (!plain && hd_rng_chance(&m->rng, 15)) {
        say(m, "%c|rmw(%c,%u,%u)|p%u|val=%u\n", name, var, m->memory[x], value, ++m->places,
            m->events);
        m->last_read[thread] = m->events;
    } else if (m->last_read[thread] && hd_rng_chance(&m->rng, 30)) {
        say(m, "%c|%s(%c,%u)|p%u|val=%u%s\n", name, plain ? "w" : "aw", var, value, ++m->places,
            m->last_read[thread], plain ? "" : mo);
    } else {
        say(m, "%c|%s(%c,%u)|p%u|val=%s\n", name, plain ? "w" : "aw", var, value, ++m->places,
            plain ? "" : mo);
    }
    m->memory[x] = value;
}

static void other(struct maker *m)
{
    unsigned thread = hd_rng_below(&m->rng, 3);
    if (m->last_read[thread] && hd_rng_chance(&m->rng, 15)) {
        say(m, "%c|br|p%u|deps=%u\n", names[thread], ++m->places, m->last_read[thread]);
        m->events++;
        return;
    }
    access_any(m, thread);
}

/* reads locations of one round; after[i]: a branch follows. */
struct loop {
    unsigned n, x[3];
    bool plain[3], after[3], weak;
};

static void round_of(struct maker *m, const struct loop *l)
{
    unsigned open[3], n = 0;
    for (unsigned i = 0; i < l->n; i++) {
        say(m, "p|%s(%c,%u)|r%u%s\n", l->plain[i] ? "r" : "ar", vars[l->x[i]], m->memory[l->x[i]],
            i, l->weak && !l->plain[i] ? "|mo=rlx" : "");
        open[n++] = ++m->events;
        m->last_read[0] = m->events;
        if (!l->after[i])
            continue;
        say(m, "p|br|b%u|deps=%u", i, open[0]);
        for (unsigned k = 1; k < n; k++)
            say(m, ",%u", open[k]);
        say(m, "\n");
        m->events++;
        n = 0;
    }
}

static void poll(struct maker *m)
{
    struct loop l = {.n = 1 + hd_rng_below(&m->rng, 3), .weak = hd_rng_chance(&m->rng, 20)};
    for (unsigned i = 0; i < l.n; i++) {
        l.x[i] = hd_rng_below(&m->rng, 3);
        l.plain[i] = hd_rng_chance(&m->rng, 25);
        l.after[i] = i + 1 == l.n || hd_rng_chance(&m->rng, 25);
    }
    for (unsigned n = l.n == 1 ? 4 + hd_rng_below(&m->rng, 2) : 4; n > 0; n--)
        round_of(m, &l);
}

static void make_any(struct maker *m)
{
    bool block = hd_rng_chance(&m->rng, 25);
    for (unsigned n = hd_rng_below(&m->rng, 4); n > 0; n--)
        other(m);
    if (block) {
        say(m, "p|begin\n");
        m->events++;
    }
    poll(m);
    for (unsigned n = 2 + hd_rng_below(&m->rng, 4); n > 0; n--)
        other(m);
    if (block)
        say(m, "p|end\n");
}

static void flip(struct maker *m, char thread, unsigned x, unsigned value)
{
    say(m, "%c|aw(%c,%u)|p%u|val=\n", thread, vars[x], value, ++m->places);
    m->memory[x] = value;
    m->events++;
}

/* Others change x and y to and fro before the rounds; where they do it often enough, rounds can run
 * meanwhile, though never at a moment at which both have the values that are read. */
static void make_flips(struct maker *m)
{
    unsigned n = 6 + hd_rng_below(&m->rng, 6), steady = hd_rng_below(&m->rng, 4);
    unsigned own = steady > 1 ? 20 + hd_rng_below(&m->rng, 30) : hd_rng_below(&m->rng, 2) * 5;
    bool two = hd_rng_chance(&m->rng, 30);
    for (unsigned i = 0; i < n; i++) {
        unsigned x = i / 2 % 2 ? (i + 1) % 2 : i % 2; /* x, y, y, x, x, ... */
        char other = two ? "ab"[x] : 'a';
        if (hd_rng_chance(&m->rng, 10))
            x = !x;
        bool mine = hd_rng_chance(&m->rng, own);
        flip(m, mine ? 'p' : other, x, mine || steady < 2 ? !m->memory[x] : 0);
    }
    say(m, "a|r(d,0)|p%u\n", ++m->places);
    m->events++;
    for (unsigned x = 0; x < 2; x++)
        if (m->memory[x])
            flip(m, steady > 1 || !two ? 'a' : "ab"[x], x, 0);
    struct loop l = {.n = 2, .x = {0, 1}, .after = {hd_rng_chance(&m->rng, 30), true}};
    for (unsigned i = 0; i < 4; i++)
        round_of(m, &l);
    say(m, "p|w(d,1)|p%u|val=\n", ++m->places);
}

static struct hd_trace *make(uint64_t seed)
{
    struct maker m = {0};
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_rng_init(&m.rng, seed);
    m.memory[1] = seed % 2;
    say(&m, "!control branches\n!init x 0\n!init y %u\n!init z 0\n!init d 0\n", m.memory[1]);
    if (hd_rng_chance(&m.rng, 50))
        make_any(&m);
    else
        make_flips(&m);
    enum hd_status s = hd_text_read(m.text, m.len, "polls", &t, &err);
    if (s != HD_OK)
        print_error("seed %llu: %s\n%s", (unsigned long long)seed, err.text, m.text);
    assert_int_equal(s, HD_OK);
    return t;
}

/* ---- what is found, by places ---- */

struct found {
    struct hd_u32vec keys; /* sorted, no duplicates */
};

static uint32_t place(const struct hd_trace *t, hd_eid e)
{
    return t->place[e];
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void settle(struct found *f)
{
    size_t n = 0;
    if (f->keys.len)
        qsort(f->keys.data, f->keys.len, sizeof *f->keys.data, by_number);
    for (size_t i = 0; i < f->keys.len; i++)
        if (!n || f->keys.data[n - 1] != f->keys.data[i])
            f->keys.data[n++] = f->keys.data[i];
    f->keys.len = n;
}

static uint32_t key_of(const struct hd_trace *t, hd_eid a, hd_eid b)
{
    uint32_t x = place(t, a), y = place(t, b);
    return x < y ? x << 8 | y : y << 8 | x;
}

static bool races(const struct hd_trace *t, struct found *f)
{
    struct hd_enum_opts opts = {.max_states = 200000};
    struct hd_enum_result r = {0};
    struct hd_err err = {0};
    bool done = hd_enumerate(t, &opts, &r, &err) == HD_OK;
    for (size_t i = 0; i < r.n_pairs; i++)
        hd_u32vec_push(&f->keys, key_of(t, r.pairs[i].a, r.pairs[i].b));
    hd_enum_result_fini(&r);
    settle(f);
    return done;
}

static bool without_order(const struct hd_trace *t, struct found *f)
{
    struct hd_vec list = HD_VEC_INIT(struct hd_unordered);
    struct hd_err err = {0};
    bool done = hd_enumerate_order(t, 60000, &list, &err) == HD_OK;
    for (size_t i = 0; i < list.len; i++) {
        const struct hd_unordered *u = hd_vec_at(&list, i);
        hd_u32vec_push(&f->keys, key_of(t, u->a, u->b));
        if (u->alone)
            hd_u32vec_push(&f->keys, 1u << 31 | key_of(t, u->a, u->b));
    }
    hd_enumerate_order_fini(&list);
    settle(f);
    return done;
}

/* Can another thread's write come between two accesses of the thread that polls? */
static bool cuts(const struct hd_trace *t, struct found *f)
{
    struct hd_triple list[512];
    bool found[512] = {0};
    size_t n = 0;
    struct hd_err err = {0};
    for (hd_eid c = 0; c < t->n_events; c++)
        for (hd_eid d = c + 1; hd_op_is_access(t->op[c]) && d < t->n_events; d++)
            for (hd_eid r = 0; hd_op_is_access(t->op[d]) && t->obj[d] == t->obj[c] &&
                               t->thread[c] == t->thread[d] && r < t->n_events && n < 512;
                 r++)
                if (hd_op_is_access(t->op[r]) && t->thread[r] != t->thread[c] &&
                    t->obj[r] == t->obj[c] && hd_op_writes(t->op[r]))
                    list[n++] = (struct hd_triple){c, r, d};
    if (n && hd_enumerate_property_triples(t, list, n, 200000, found, &err) != HD_OK)
        return false;
    for (size_t i = 0; i < n; i++)
        if (found[i])
            hd_u32vec_push(&f->keys, place(t, list[i].c) << 16 | place(t, list[i].r) << 8 |
                                         place(t, list[i].d));
    settle(f);
    return n < 512;
}

static bool same(bool (*find)(const struct hd_trace *, struct found *), const struct hd_trace *t,
                 const struct hd_trace *less, uint64_t *count)
{
    struct found a = {0}, b = {0};
    bool done = find(t, &a), equal = true;
    done = find(less, &b) && done;
    if (done) {
        equal = a.keys.len == b.keys.len;
        for (size_t i = 0; equal && i < a.keys.len; i++)
            equal = a.keys.data[i] == b.keys.data[i];
        *count += a.keys.len;
    }
    hd_u32vec_fini(&a.keys);
    hd_u32vec_fini(&b.keys);
    return equal;
}

static void show(const struct hd_trace *t, const struct hd_trace *less, uint64_t seed)
{
    print_error("seed %llu:\n", (unsigned long long)seed);
    for (hd_eid e = 0; e < t->n_events; e++)
        hd_text_write_event(t, e, stderr);
    print_error("without rounds:\n");
    for (hd_eid e = 0; e < less->n_events; e++)
        hd_text_write_event(less, e, stderr);
}

/* Returns how many events were left out. Frees t. */
static size_t compare(struct hd_trace *t, uint64_t seed)
{
    struct hd_trace *less;
    struct hd_err err = {0};
    assert_int_equal(hd_fold_polls(t, &less, NULL, &err), HD_OK);
    size_t n = t->n_events - less->n_events;
    bool good = hd_check_trace(less, NULL, &err) == HD_OK;
    const char *what = good ? "" : "consistent";
    if (n && good && !same(races, t, less, &pairs))
        what = "races";
    else if (n && good && !same(without_order, t, less, &unordered))
        what = "unordered pairs";
    else if (n && good && !same(cuts, t, less, &triples))
        what = "triples";
    if (*what) {
        print_error("%s differ\n", what);
        show(t, less, seed);
    }
    assert_string_equal(what, "");
    hd_trace_free(less);
    hd_trace_free(t);
    return n;
}

static void random_traces(void **state)
{
    (void)state;
    struct seeds seeds = seeds_given(4000, 60000);
    uint64_t n = seeds.end - seeds.from;
    for (uint64_t seed = seeds.from; seed < seeds.end; seed++)
        folded += compare(make(seed), seed) > 0;
    print_message("%llu of %llu traces with less, %llu pairs race, %llu unordered, %llu triples\n",
                  (unsigned long long)folded, (unsigned long long)n, (unsigned long long)pairs,
                  (unsigned long long)unordered, (unsigned long long)triples);
    if (n >= 1000) {
        assert_true(folded > n / 4);
        assert_true(pairs > n / 10 && unordered > n / 10 && triples > n / 4);
    }
}

/* ---- one trace for each rule ---- */

#define HEAD "!control branches\n!init x 0\n!init y 0\n"

static size_t left_out_of(const char *text)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    enum hd_status s = hd_text_read(text, strlen(text), "hand", &t, &err);
    if (s != HD_OK)
        print_error("%s\n%s", err.text, text);
    assert_int_equal(s, HD_OK);
    return compare(t, 0);
}

static void by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t less;
    } cases[] = {
        /* one location: always */
        {HEAD "p|r(x,0)|r\np|br|b|deps=1\np|r(x,0)|r\np|br|b|deps=3\np|r(x,0)|r\np|br|b|deps=5\n"
              "p|r(x,0)|r\np|br|b|deps=7\np|r(x,0)|r\np|br|b|deps=9\na|w(x,1)|w\na|w(x,0)|w2\n"
              "p|r(x,0)|r\np|br|b|deps=13\np|w(y,1)|wy\na|w(y,2)|wz\n",
         4},
        /* a read that no branch decides may be stale, and the next one not */
        {HEAD "p|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=2\np|ar(x,0)|r0\np|ar(y,0)|r1\n"
              "p|br|b|deps=5\np|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=8\np|ar(x,0)|r0\n"
              "p|ar(y,0)|r1\np|br|b|deps=11\na|aw(x,1)|w|val=\n",
         0},
        /* two locations, each with one writer of one constant */
        {HEAD "p|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=1,2\np|ar(x,0)|r0\np|ar(y,0)|r1\n"
              "p|br|b|deps=4,5\np|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=7,8\np|ar(x,0)|r0\n"
              "p|ar(y,0)|r1\np|br|b|deps=10,11\na|aw(x,1)|wx|val=\nb|aw(y,1)|wy|val=\n",
         3},
        /* x and y never have both values at one moment before a reads d: three rounds can run
         * until then, and four cannot */
        {"!control branches\n!init x 0\n!init y 1\n"
         "a|aw(x,1)|1|val=\na|aw(y,0)|2|val=\na|aw(y,1)|3|val=\na|aw(x,0)|4|val=\n"
         "a|aw(x,1)|5|val=\na|aw(y,0)|6|val=\na|aw(y,1)|7|val=\na|aw(x,0)|8|val=\n"
         "a|aw(x,1)|9|val=\na|aw(y,0)|10|val=\na|r(d,0)|11\na|aw(x,0)|12|val=\n"
         "p|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=13,14\np|ar(x,0)|r0\np|ar(y,0)|r1\n"
         "p|br|b|deps=16,17\np|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=19,20\np|ar(x,0)|r0\n"
         "p|ar(y,0)|r1\np|br|b|deps=22,23\np|w(d,1)|13|val=\n",
         0},
        /* a thread that brings back what was there: the rounds are needed to forbid it */
        {HEAD "p|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=1,2\np|ar(x,0)|r0\np|ar(y,0)|r1\n"
              "p|br|b|deps=4,5\np|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=7,8\np|ar(x,0)|r0\n"
              "p|ar(y,0)|r1\np|br|b|deps=10,11\na|aw(x,1)|wx|val=\na|aw(x,0)|wx2|val=\n",
         0},
        /* one that may store what is not known */
        {HEAD "p|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=1,2\np|ar(x,0)|r0\np|ar(y,0)|r1\n"
              "p|br|b|deps=4,5\np|ar(x,0)|r0\np|ar(y,0)|r1\np|br|b|deps=7,8\np|ar(x,0)|r0\n"
              "p|ar(y,0)|r1\np|br|b|deps=10,11\na|ar(z,0)|rz\na|aw(x,1)|wx|val=13\n",
         0},
        /* an event of another thread between rounds */
        {HEAD "p|ar(x,0)|r\np|br|b|deps=1\np|ar(x,0)|r\np|br|b|deps=3\na|w(y,1)|w\n"
              "p|ar(x,0)|r\np|br|b|deps=6\np|ar(x,0)|r\np|br|b|deps=8\n",
         0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t less = left_out_of(cases[i].text);
        if (less != cases[i].less)
            print_error("trace %zu: %zu left out\n", i, less);
        assert_int_equal(less, cases[i].less);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(random_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
