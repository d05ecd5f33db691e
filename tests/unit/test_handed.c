/* Memory that is handed over (predict/index/handed.h) against exhaustive enumeration: on small
 * random traces a part of the locations are carriers; without those that are handed over the trace
 * must be consistent and have exactly the same racing pairs and the same unordered pairs, and no
 * block of a thread is cut by another thread on them. One trace for each rule besides.
 *
 * HEDDLE_TEST_LONG=1 runs 60,000 seeds, else 4,000. HEDDLE_SEED=n runs only that one.
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
#include "base/alloc.h"
#include "base/rng.h"
#include "model/check.h"
#include "model/enumerate.h"
#include "model/enumerate_order.h"
#include "model/enumerate_property.h"
#include "predict/index/handed.h"
#include "trace/gen/gen.h"
#include "trace/reduce.h"
#include "trace/text/text.h"

static uint64_t beyond, pairs, unordered, triples; /* beyond: left out, and not by fork and join */

static void show(const struct hd_trace *t, const struct hd_trace *less, uint64_t seed)
{
    print_error("seed %llu:\n", (unsigned long long)seed);
    for (hd_eid e = 0; e < t->n_events; e++)
        hd_text_write_event(t, e, stderr);
    print_error("reduced:\n");
    for (hd_eid e = 0; e < less->n_events; e++)
        hd_text_write_event(less, e, stderr);
}

static bool same_pairs(const struct hd_trace *t, const struct hd_trace *less,
                       const struct hd_u32vec *from)
{
    struct hd_enum_opts opts = {.max_states = 200000};
    struct hd_enum_result a = {0}, b = {0};
    struct hd_err err = {0};
    bool done = hd_enumerate(t, &opts, &a, &err) == HD_OK;
    done = hd_enumerate(less, &opts, &b, &err) == HD_OK && done;
    bool equal = !done || a.n_pairs == b.n_pairs;
    for (size_t i = 0; done && equal && i < b.n_pairs; i++)
        equal =
            from->data[b.pairs[i].a] == a.pairs[i].a && from->data[b.pairs[i].b] == a.pairs[i].b;
    pairs += a.n_pairs;
    hd_enum_result_fini(&a);
    hd_enum_result_fini(&b);
    return equal;
}

static bool same_unordered(const struct hd_trace *t, const struct hd_trace *less,
                           const struct hd_u32vec *from)
{
    struct hd_vec a = HD_VEC_INIT(struct hd_unordered), b = HD_VEC_INIT(struct hd_unordered);
    struct hd_err err = {0};
    bool done = hd_enumerate_order(t, 60000, &a, &err) == HD_OK;
    done = done && hd_enumerate_order(less, 60000, &b, &err) == HD_OK;
    bool equal = !done || a.len == b.len;
    for (size_t i = 0; done && equal && i < a.len; i++) {
        const struct hd_unordered *x = hd_vec_at(&a, i), *y = hd_vec_at(&b, i);
        equal = x->a == from->data[y->a] && x->b == from->data[y->b] && x->alone == y->alone;
    }
    unordered += done ? a.len : 0;
    hd_enumerate_order_fini(&a);
    hd_enumerate_order_fini(&b);
    return equal;
}

static bool in_section(const struct hd_trace *t, hd_eid c)
{
    int depth = 0;
    for (hd_eid e = 0; e < c; e++)
        if (t->thread[e] == t->thread[c])
            depth += (t->op[e] == HD_OP_ACQ || t->op[e] == HD_OP_RACQ) -
                     (t->op[e] == HD_OP_REL || t->op[e] == HD_OP_RREL);
    return depth > 0;
}

/* Is d in the block that c is in, or may their two sections be one? */
static bool one_block(const struct hd_trace *t, hd_eid c, hd_eid d)
{
    int depth = 0;
    if (!hd_op_writes(t->op[c]) && hd_op_writes(t->op[d]) && in_section(t, c) && in_section(t, d))
        return true;
    for (hd_eid e = 0; e < d; e++) {
        bool opens = t->op[e] == HD_OP_BEGIN || t->op[e] == HD_OP_ACQ || t->op[e] == HD_OP_RACQ;
        bool ends = t->op[e] == HD_OP_END || t->op[e] == HD_OP_REL || t->op[e] == HD_OP_RREL;
        if (t->thread[e] != t->thread[c])
            continue;
        depth += opens - ends;
        if (e >= c && depth == 0)
            return false;
    }
    return depth > 0;
}

/* No other thread comes between two accesses of a block to what is left out. */
static bool blocks_hold(const struct hd_trace *t, const uint8_t *handed)
{
    struct hd_triple list[64];
    bool found[64] = {0};
    size_t n = 0;
    struct hd_err err = {0};
    for (hd_eid c = 0; c < t->n_events; c++)
        for (hd_eid d = c + 1; hd_op_is_access(t->op[c]) && handed[t->obj[c]] && d < t->n_events;
             d++)
            for (hd_eid r = 0; r < t->n_events && n < 64; r++)
                if (hd_op_is_access(t->op[d]) && hd_op_is_access(t->op[r]) &&
                    t->thread[c] == t->thread[d] && t->thread[r] != t->thread[c] &&
                    t->obj[d] == t->obj[c] && t->obj[r] == t->obj[c] &&
                    (hd_op_writes(t->op[r]) ||
                     (hd_op_writes(t->op[c]) && hd_op_writes(t->op[d]))) &&
                    one_block(t, c, d))
                    list[n++] = (struct hd_triple){c, r, d};
    if (!n || hd_enumerate_property_triples(t, list, n, 200000, found, &err) != HD_OK)
        return true;
    triples += n;
    bool cut = false;
    for (size_t i = 0; i < n; i++)
        cut |= found[i];
    return !cut;
}

static size_t accesses(const struct hd_trace *t, const uint8_t *handed)
{
    struct hd_trace *less;
    struct hd_err err = {0};
    size_t n = 0;
    assert_int_equal(hd_reduce_trace(t, handed, &less, NULL, &err), HD_OK);
    for (hd_eid e = 0; e < less->n_events; e++)
        n += hd_op_is_access(less->op[e]);
    hd_trace_free(less);
    return n;
}

/* Returns how many locations are left out. carriers NULL: those that are chosen. Frees t. */
static size_t compare(struct hd_trace *t, const uint8_t *carriers, uint64_t seed)
{
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC), count = 0;
    uint8_t *chosen = hd_calloc(n, 1), *handed = hd_calloc(n, 1);
    struct hd_trace *less;
    struct hd_u32vec from = {0};
    struct hd_err err = {0};
    if (carriers)
        memcpy(chosen, carriers, n);
    else
        hd_handed_carriers(t, chosen);
    hd_handed_find(t, chosen, handed);
    for (size_t x = 0; x < n; x++)
        count += handed[x];
    assert_int_equal(hd_reduce_trace(t, handed, &less, &from, &err), HD_OK);
    bool good = hd_check_trace(less, NULL, &err) == HD_OK;
    good = good && (!count || (same_pairs(t, less, &from) && same_unordered(t, less, &from)));
    good = good && blocks_hold(t, handed);
    if (!good)
        show(t, less, seed);
    assert_true(good);
    beyond += count ? accesses(t, NULL) - accesses(t, handed) : 0;
    hd_u32vec_fini(&from);
    hd_free(chosen, n);
    hd_free(handed, n);
    hd_trace_free(less);
    hd_trace_free(t);
    return count;
}

/* b is written, q published under a lock, taken, b read. */
#define GIVE "m|fork(u)\nm|w(b,1)||val=\nm|acq(l)\nm|w(q,1)||val=\nm|rel(l)\n"
#define TAKE "u|acq(l)\nu|r(q,1)\nu|br||deps=7\nu|rel(l)\n"

static const struct {
    const char *text;
    size_t handed;
} hand[] = {
    {"!control branches\n!init q 0\n" GIVE TAKE "u|r(b,1)\n", 1},
    /* by an address instead of a branch */
    {"!control branches\n!init q 0\n" GIVE "u|acq(l)\nu|r(q,1)\nu|rel(l)\nu|r(b,1)||addr=7\n", 0},
    {"!control branches\n!init q 0\n" GIVE
     "u|acq(l)\nu|r(q,1)\nu|rel(l)\nu|r(c,0)||addr=7\nu|r(b,1)\n",
     1},
    /* nothing needs what was read */
    {"!control branches\n!init q 0\n" GIVE "u|acq(l)\nu|r(q,1)\nu|rel(l)\nu|r(b,1)\n", 0},
    /* q held it before */
    {"!control branches\n!init q 1\n" GIVE TAKE "u|r(b,1)\n", 0},
    /* another thread may have given it */
    {"!control branches\n!init q 0\n" GIVE "k|acq(l)\nk|w(q,1)||val=\nk|rel(l)\n"
     "u|acq(l)\nu|r(q,1)\nu|br||deps=10\nu|rel(l)\nu|r(b,1)\n",
     0},
    /* written once more after it was given away */
    {"!control branches\n!init q 0\n" GIVE "m|w(b,1)||val=\n"
     "u|acq(l)\nu|r(q,1)\nu|br||deps=8\nu|rel(l)\nu|r(b,1)\n",
     0},
    /* given back: both ways are ordered */
    {"!control branches\n!init q 0\n" GIVE TAKE "u|w(b,2)||val=\nu|acq(l)\nu|w(q,2)||val=\nu|rel(l)"
     "\nm|acq(l)\nm|r(q,2)\nm|br||deps=15\nm|rel(l)\n"
     "m|r(b,2)\n",
     1},
    /* the same in a block of m, which u cuts */
    {"!control branches\n!init q 0\nm|begin\n"
     "m|fork(u)\nm|w(b,1)||val=\nm|acq(l)\nm|w(q,1)||val=\nm|rel(l)\n"
     "u|acq(l)\nu|r(q,1)\nu|br||deps=8\nu|rel(l)\n"
     "u|w(b,2)||val=\nu|acq(l)\nu|w(q,2)||val=\nu|rel(l)\nm|acq(l)\nm|r(q,2)\nm|br||deps=16\nm|rel("
     "l)\n"
     "m|r(b,2)\nm|end\n",
     0},
    /* read under a lock, changed by u, written under a lock again */
    {"!control branches\n!init q 0\n!init b 0\nm|acq(k)\nm|r(b,0)\nm|rel(k)\nm|fork(u)\nm|acq(l)\n"
     "m|w(q,1)||val=\nm|rel(l)\nu|acq(l)\nu|r(q,1)\nu|br||deps=9\nu|rel(l)\n"
     "u|w(b,2)||val=\nu|acq(l)\nu|w(q,2)||val=\nu|rel(l)\nm|acq(l)\nm|r(q,2)\nm|br||deps=17\nm|rel("
     "l)\n"
     "m|acq(k)\nm|w(b,3)||val=2\nm|rel(k)\n",
     0},
    /* atomics that release and acquire order it, others do not */
    {"!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|aw(q,1)||val=;mo=rel\n"
     "u|ar(q,1)||mo=acq\nu|br||deps=4\nu|r(b,1)\n",
     1},
    {"!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|aw(q,1)||val=;mo=rel\n"
     "u|ar(q,1)||mo=rlx\nu|br||deps=4\nu|r(b,1)\n",
     0},
    {"!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|aw(q,1)||val=;mo=rlx\n"
     "u|ar(q,1)||mo=acq\nu|br||deps=4\nu|r(b,1)\n",
     0},
    /* an exclusion keeps m and u apart, and orders no memory: q races */
    {"!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|acq(l)||mo=rlx\nm|w(q,1)||val=\n"
     "m|rel(l)||mo=rlx\nu|acq(l)||mo=rlx\nu|r(q,1)\nu|br||deps=7\nu|rel(l)||mo=rlx\nu|r(b,1)\n",
     0},
    /* atomic parts in one order it themselves */
    {"!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|acq(l)||mo=rlx\n"
     "m|aw(q,1)||val=;mo=rel\nm|rel(l)||mo=rlx\nu|acq(l)||mo=rlx\nu|ar(q,1)||mo=acq\n"
     "u|br||deps=7\nu|rel(l)||mo=rlx\nu|r(b,1)\n",
     1},
    /* what a thread did last is before its join */
    {"!control branches\n!init q 0\n" GIVE TAKE "u|w(b,2)||val=\nm|join(u)\nm|r(b,2)\n", 1},
    /* a try that fails keeps u back until m has written b, and orders no memory: unordered */
    {"!control branches\nm|fork(u)\nm|w(b,1)||val=\nm|acq(l)\nu|tryfail(l)\nu|r(b,1)\nm|rel(l)\n",
     0},
    /* a signal hands it over; nothing is said where another thread may leave the same condition by
     * its time-out */
    {"!control branches\nm|fork(u)\nm|fork(k)\nu|acq(l)\nu|wait(c,l)\nk|acq(l)\nk|wait(d,l)\n"
     "k|tmo(d,l)\nk|rel(l)\nm|w(b,1)||val=\nm|sig(c)\nu|wake(c,l)\nu|rel(l)\nu|r(b,1)\n",
     1},
    {"!control branches\nm|fork(u)\nm|fork(k)\nu|acq(l)\nu|wait(c,l)\nk|acq(l)\nk|wait(c,l)\n"
     "k|tmo(c,l)\nk|rel(l)\nm|w(b,1)||val=\nm|sig(c)\nu|wake(c,l)\nu|rel(l)\nu|r(b,1)\n",
     0},
    /* k reads b too, and m does not wait for it */
    {"!control branches\n!init q 0\n" GIVE TAKE
     "u|r(b,1)\nk|acq(l)\nk|r(q,1)\nk|br||deps=12\nk|rel(l)\n"
     "k|r(b,1)\nm|join(u)\nm|w(b,2)||val=\n",
     0},
};

static void by_hand(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++) {
        struct hd_trace *t;
        struct hd_err err = {0};
        uint32_t b;
        enum hd_status s = hd_text_read(hand[i].text, strlen(hand[i].text), "hand", &t, &err);
        if (s != HD_OK)
            print_error("trace %zu: %s\n", i, err.text);
        assert_int_equal(s, HD_OK);
        uint8_t carriers[8] = {0};
        memset(carriers, 1, hd_trace_n_objs(t, HD_OBJ_LOC));
        assert_true(hd_names_find(&t->objs[HD_OBJ_LOC], "b", 1, &b));
        carriers[b] = 0;
        size_t n = compare(t, carriers, i);
        if (n != hand[i].handed)
            print_error("trace %zu: %zu locations are handed over\n", i, n);
        assert_int_equal(n, hand[i].handed);
    }
}

/* A flag that is no lock orders nothing here: what follows from its race is listed with it. */
static void a_flag_that_races(void **state)
{
    (void)state;
    const char *text = "!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|w(q,1)||val=\n"
                       "u|r(q,1)\nu|br||deps=4\nu|r(b,1)\n";
    struct hd_trace *t;
    struct hd_err err = {0};
    uint32_t b;
    uint8_t carriers[2] = {1, 1};
    assert_int_equal(hd_text_read(text, strlen(text), "flag", &t, &err), HD_OK);
    assert_true(hd_names_find(&t->objs[HD_OBJ_LOC], "b", 1, &b));
    carriers[b] = 0;
    assert_int_equal(compare(t, carriers, 0), 0);
}

/* How many locations are handed over by s+99 if so many others of its block may race. */
static size_t beside_races(unsigned races)
{
    char text[4096];
    uint8_t carriers[32];
    struct hd_trace *t;
    struct hd_err err = {0};
    uint32_t b;
    int n = snprintf(text, sizeof text, "%s",
                     "!control branches\n!init s+99 0\nm|fork(u)\nm|w(b,1)||val=\nm|acq(l)\n"
                     "m|w(s+99,1)||val=\nm|rel(l)\nu|acq(l)\nu|r(s+99,1)\nu|br||deps=7\n"
                     "u|rel(l)\nu|r(b,1)\n");
    for (unsigned i = 0; i < races; i++)
        n += snprintf(text + n, sizeof text - (size_t)n, "m|w(s+%u,1)||val=\nu|r(s+%u,1)\n", i, i);
    assert_int_equal(hd_text_read(text, (size_t)n, "block", &t, &err), HD_OK);
    memset(carriers, 1, sizeof carriers);
    assert_true(hd_names_find(&t->objs[HD_OBJ_LOC], "b", 1, &b));
    carriers[b] = 0;
    return compare(t, carriers, races);
}

/* A block with many locations that may race holds data, and none of its locations is a carrier. */
static void blocks_of_data(void **state)
{
    (void)state;
    assert_int_equal(beside_races(15), 1);
    assert_int_equal(beside_races(16), 0);
}

static void one_random(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    uint8_t carriers[16];
    hd_gen_small(seed, &config);
    config.features |= 1u << HD_GEN_MUTEX | 1u << HD_GEN_VAL | 1u << HD_GEN_BRANCH;
    if (seed % 2)
        config.features &= ~(1u << HD_GEN_SHAPES | 1u << HD_GEN_COND | 1u << HD_GEN_BARRIER |
                             1u << HD_GEN_SEM | 1u << HD_GEN_RWLOCK);
    if (seed % 5 == 0)
        config.features |= 1u << HD_GEN_ORDERS | 1u << HD_GEN_ATOMIC;
    if (seed % 7 == 0)
        config.features |= 1u << HD_GEN_EXCLUSION;
    config.locations = 2 + (uint32_t)(seed % 4);
    config.threads = 2 + seed % 2;
    config.values = 8;
    config.events = 12 + (uint32_t)(seed % 9);
    assert_int_equal(hd_gen(&config, &t, &err), HD_OK);
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC);
    for (size_t x = 0; x < n && x < sizeof carriers; x++)
        carriers[x] = (seed / 7 >> x & 1) != 0;
    compare(t, n > sizeof carriers || seed % 3 == 0 ? NULL : carriers, seed);
}

static void random_traces(void **state)
{
    (void)state;
    const char *one = getenv("HEDDLE_SEED");
    uint64_t n = seeds_count(4000, 60000);
    if (one) {
        one_random(strtoull(one, NULL, 10));
        return;
    }
    beyond = pairs = unordered = triples = 0;
    for (uint64_t seed = 1; seed <= n; seed++)
        one_random(seed);
    print_message("%llu accesses left out beyond fork and join, %llu pairs race, %llu are "
                  "unordered, %llu triples\n",
                  (unsigned long long)beyond, (unsigned long long)pairs,
                  (unsigned long long)unordered, (unsigned long long)triples);
    assert_true(beyond > n / 100); /* else nothing was tried */
    assert_true(pairs > n / 8);
}

/* ---- a buffer that is handed over, with accesses of every kind ---- */

enum { BUFFER, DATA, PLACES };

struct text {
    struct hd_rng rng;
    char data[2048];
    size_t len;
    unsigned events, value; /* so far; the last value that was written */
    unsigned held[PLACES];  /* what they hold */
    unsigned read[2];       /* by thread: its last read of the buffer, or 0 */
};

static void put(struct text *x, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    x->len += (size_t)vsnprintf(x->data + x->len, sizeof x->data - x->len, format, args);
    va_end(args);
    x->events++;
}

/* The buffer is used in any way; other data, which it may order, plainly. */
static void use_memory(struct text *x, bool second, unsigned place)
{
    static const char *const orders[][4] = {
        {"rlx", "acq", "con", "sc"}, {"rlx", "rel", "rlx", "sc"}, {"rlx", "acq", "rel", "ar"}};
    enum { READS, WRITES, BOTH } does = hd_rng_below(&x->rng, 5) / 2;
    char thread = second ? 'u' : 'm', name = place == BUFFER ? 'b' : 'd', val[16] = "";
    const char *mo = orders[does][hd_rng_below(&x->rng, 4)];
    const char *atomic = hd_rng_below(&x->rng, 4) && place == BUFFER ? "a" : "";
    if (x->read[second] && hd_rng_below(&x->rng, 2))
        snprintf(val, sizeof val, "%u", x->read[second]);
    unsigned held = x->held[place], value = ++x->value;
    if (does == BOTH && place == BUFFER)
        put(x, "%c|rmw(b,%u,%u)||val=%s;mo=%s\n", thread, held, value, val, mo);
    else if (does == READS)
        put(x, *atomic ? "%c|%sr(%c,%u)||mo=%s\n" : "%c|%sr(%c,%u)\n", thread, atomic, name, held,
            mo);
    else
        put(x, *atomic ? "%c|%sw(%c,%u)||val=%s;mo=%s\n" : "%c|%sw(%c,%u)||val=%s\n", thread,
            atomic, name, value, val, does == BOTH ? "sc" : mo);
    if (does != READS)
        x->held[place] = value;
    if (does != WRITES && place == BUFFER)
        x->read[second] = x->events;
}

static void do_more(struct text *x, bool second)
{
    static const char *const fences[] = {"acq", "rel", "ar"};
    char thread = second ? 'u' : 'm';
    for (unsigned i = hd_rng_below(&x->rng, 4); i && x->events < 18; i--) {
        unsigned pick = hd_rng_below(&x->rng, 8);
        if (pick < 2)
            use_memory(x, second, DATA);
        else if (pick == 2)
            put(x, "%c|fence(%s)\n", thread, fences[hd_rng_below(&x->rng, 3)]);
        else if (pick == 3 && x->read[second])
            put(x, "%c|br||deps=%u\n", thread, x->read[second]);
        else
            use_memory(x, second, BUFFER);
    }
}

/* A value goes from thread to thread: under a lock, or by an atomic that orders or does not. */
static void hand_over(struct text *x, bool second)
{
    char from = second ? 'u' : 'm', to = second ? 'm' : 'u', name = second ? 'p' : 'q';
    unsigned how = hd_rng_below(&x->rng, 5);
    if (how > 1) {
        put(x, "%c|acq(l)\n%c|w(%c,1)||val=\n%c|rel(l)\n", from, from, name, from);
        x->events += 2;
    } else {
        put(x, "%c|aw(%c,1)||val=;mo=rel\n", from, name);
    }
    if (hd_rng_below(&x->rng, 4) == 0) /* and goes on with it */
        do_more(x, second);
    if (how > 1)
        put(x, "%c|acq(l)\n", to);
    if (how > 1)
        put(x, "%c|r(%c,1)\n", to, name);
    else
        put(x, "%c|ar(%c,1)||mo=%s\n", to, name, how ? "acq" : "rlx");
    put(x, "%c|br||deps=%u\n", to, x->events);
    if (how > 1)
        put(x, "%c|rel(l)\n", to);
}

static struct hd_trace *random_hand_over(uint64_t seed)
{
    struct text x = {.len = 0};
    struct hd_trace *t = NULL;
    struct hd_err err = {0};
    hd_rng_init(&x.rng, seed);
    put(&x, "!control branches\n!init p 0\n!init q 0\n!init b 0\n!init d 0\nm|fork(u)\n");
    do_more(&x, false);
    hand_over(&x, false);
    do_more(&x, true);
    if (hd_rng_below(&x.rng, 2))
        hand_over(&x, true);
    do_more(&x, false);
    do_more(&x, true);
    enum hd_status s = hd_text_read(x.data, x.len, "hand-over", &t, &err);
    if (s != HD_OK)
        print_error("seed %llu: %s\n%s", (unsigned long long)seed, err.text, x.data);
    assert_int_equal(s, HD_OK);
    return t;
}

/* Weak atomics are no carriers, and are handed over as plain accesses are. */
static void random_hand_overs(void **state)
{
    (void)state;
    uint64_t n = seeds_count(2000, 60000), handed = 0;
    beyond = pairs = unordered = triples = 0;
    for (uint64_t seed = 1; seed <= n; seed++) {
        struct hd_trace *t = random_hand_over(seed);
        uint8_t carriers[PLACES + 2];
        for (uint32_t x = 0; x < hd_trace_n_objs(t, HD_OBJ_LOC); x++)
            carriers[x] = strchr("pq", *hd_trace_obj_name(t, HD_OBJ_LOC, x)) != NULL;
        handed += compare(t, carriers, seed);
    }
    print_message("%llu locations, %llu accesses, %llu pairs race, %llu are unordered\n",
                  (unsigned long long)handed, (unsigned long long)beyond, (unsigned long long)pairs,
                  (unsigned long long)unordered);
    assert_true(beyond > n / 10);
    assert_true(unordered > n / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_hand), cmocka_unit_test(a_flag_that_races),
        cmocka_unit_test(blocks_of_data), cmocka_unit_test(random_traces),
        cmocka_unit_test(random_hand_overs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
