/* What is called ordered in every schedule, against enumeration: a pair that stands alone in some
 * schedule is never called so. Random traces, and shapes that the rules are made for: flags,
 * counters and spin locks of all memory orders, with fences. And where the orders are right, the
 * shapes are proved, or the rules would say nothing. */
#include "../support/seeds.h"
#include "model/enumerate_order.h"
#include "predict/orders/certain_cases.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"
#include "base/rng.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define ROOM 2000

static struct hd_trace *make(uint64_t seed)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_small(seed, &config);
    config.features |= 1u << HD_GEN_ORDERS | 1u << HD_GEN_ATOMIC | 1u << HD_GEN_RMW;
    if (seed % 3 == 0)
        config.features |= 1u << HD_GEN_EXCLUSION;
    config.events = 7 + (uint32_t)(seed % 10);
    if (hd_gen(&config, &t, &err) != HD_OK)
        fail_msg("%s", err.text);
    return t;
}

static struct hd_trace *parse(const char *text)
{
    struct hd_trace *t;
    struct hd_err err;
    if (hd_text_read(text, strlen(text), "shape", &t, &err) != HD_OK)
        fail_msg("%s: %s", text, err.text);
    return t;
}

static const char *order_of(struct hd_rng *rng, enum hd_op op, enum hd_mem_order right)
{
    enum hd_mem_order order = right;
    if (hd_rng_chance(rng, 70))
        return hd_mem_order_info[right].text;
    do
        order = (enum hd_mem_order)hd_rng_below(rng, HD_ORDER_COUNT);
    while (!hd_mem_order_fits(op, order));
    return hd_mem_order_info[order].text;
}

static void add(char *text, const char *line)
{
    size_t n = strlen(text);
    snprintf(text + n, ROOM - n, "%s", line);
}

static void add_atomic(char *text, struct hd_rng *rng, const char *what, enum hd_op op,
                       enum hd_mem_order right)
{
    char line[80];
    snprintf(line, sizeof line, "%s%smo=%s\n", what, strstr(what, "||") ? "" : "||",
             order_of(rng, op, right));
    add(text, line);
}

/* Two threads take a spin lock by turns; one may look at it in vain, or write without it. */
static void spin(char *text, struct hd_rng *rng)
{
    bool vain = hd_rng_chance(rng, 40), loose = hd_rng_chance(rng, 15);
    bool empty = hd_rng_chance(rng, 20);
    add(text, "!init l 0\n");
    add_atomic(text, rng, "t1|rmw(l,0,1)||val=;", HD_OP_RMW, HD_ORDER_ACQ);
    add(text, "t1|br\n");
    if (vain)
        add_atomic(text, rng, "t2|ar(l,1)", HD_OP_AREAD, HD_ORDER_RLX);
    if (vain)
        add(text, "t2|br\n");
    add(text, "t1|w(x,1)||val=\n");
    add_atomic(text, rng, "t1|aw(l,0)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    if (loose)
        add(text, "t1|w(x,4)||val=\n");
    if (empty) { /* a third one takes it for nothing: only the address of its store needs that */
        char line[40];
        int number = 5 + 2 * vain + loose;
        add_atomic(text, rng, "t3|rmw(l,0,1)||val=;", HD_OP_RMW, HD_ORDER_ACQ);
        snprintf(line, sizeof line, "t3|aw(l,0)||val=;addr=%d;", number);
        add_atomic(text, rng, line, HD_OP_AWRITE, HD_ORDER_REL);
    }
    add_atomic(text, rng, "t2|rmw(l,0,1)||val=;", HD_OP_RMW, HD_ORDER_ACQ);
    add(text, "t2|br\nt2|w(x,2)||val=\n");
    add_atomic(text, rng, "t2|aw(l,0)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
}

/* A constructor, before or after the first thread is created. */
static void construct(char *text, bool late)
{
    add(text, late ? "t0|fork(t1)\n" : "");
    add(text, "t0|w(l,1)||val=\n");
    add(text, late ? "t0|fork(t2)\n" : "t0|fork(t1)\nt0|fork(t2)\n");
}

/* A semaphore of one unit: taken and given back by updates, looked at before; now and then a thread
 * that has nothing to do with it adds nothing, or stores what is there. */
static void unit(char *text, struct hd_rng *rng)
{
    bool odd = hd_rng_chance(rng, 20), stores = odd && hd_rng_chance(rng, 50);
    if (!odd && hd_rng_chance(rng, 40))
        construct(text, hd_rng_chance(rng, 30));
    else
        add(text, "!init l 1\n");
    for (int i = 1; i <= 2; i++) {
        char line[40];
        snprintf(line, sizeof line, "t%d|rmw(l,1,0)||", i);
        add_atomic(text, rng, line, HD_OP_RMW, HD_ORDER_ACQ);
        snprintf(line, sizeof line, "t%d|br\nt%d|w(x,%d)||val=\n", i, i, i);
        add(text, line);
        snprintf(line, sizeof line, "t%d|rmw(l,0,1)||", i);
        add_atomic(text, rng, line, HD_OP_RMW, HD_ORDER_REL);
        if (hd_rng_chance(rng, 70)) {
            snprintf(line, sizeof line, "t%d|br\n", i);
            add(text, line);
        }
        if (i == 1 && odd)
            add_atomic(text, rng, stores ? "t3|aw(l,1)||val=;" : "t3|rmw(l,1,1)||",
                       stores ? HD_OP_AWRITE : HD_OP_RMW, HD_ORDER_RLX);
    }
}

/* A lock in one bit of a number that a third thread adds to, or sets, also while the bit is set;
 * now and then it clears the bit that is not its own. */
static void bit(char *text, struct hd_rng *rng)
{
    static const char *const others[] = {"t3|rmw(l,4,8)||", "t3|rmw(l,4,8)||val=;",
                                         "t3|rmw(l,6,10)||", "t3|rmw(l,6,8)||"};
    static const int found[] = {4, 4, 10, 8}; /* by t1, when it closes */
    char line[40];
    unsigned other = (unsigned)hd_rng_below(rng, 5);
    bool stores = hd_rng_chance(rng, 50);
    int value = other < 4 ? 8 : 4, held = other < 4 ? found[other] : 4;
    add(text, "!init l 4\n");
    add_atomic(text, rng, "t1|rmw(l,4,6)||", HD_OP_RMW, HD_ORDER_ACQ);
    add(text, "t1|br\nt1|w(x,1)||val=\n");
    if (other == 2 || other == 3)
        add_atomic(text, rng, others[other], HD_OP_RMW, HD_ORDER_RLX);
    if (stores)
        snprintf(line, sizeof line, "t1|aw(l,%d)||val=;", other < 2 ? 4 : value);
    else
        snprintf(line, sizeof line, "t1|rmw(l,%d,%d)||", held == 4 ? 6 : held,
                 other < 2 ? 4 : value);
    add_atomic(text, rng, line, stores ? HD_OP_AWRITE : HD_OP_RMW, HD_ORDER_REL);
    if (other < 2)
        add_atomic(text, rng, others[other], HD_OP_RMW, HD_ORDER_RLX);
    snprintf(line, sizeof line, "t2|rmw(l,%d,%d)||", value, value + 2);
    add_atomic(text, rng, line, HD_OP_RMW, HD_ORDER_ACQ);
    add(text, "t2|br\nt2|w(x,2)||val=\n");
    if (stores)
        snprintf(line, sizeof line, "t2|aw(l,%d)||val=;", other < 2 ? 4 : value);
    else
        snprintf(line, sizeof line, "t2|rmw(l,%d,%d)||", value + 2, value);
    add_atomic(text, rng, line, stores ? HD_OP_AWRITE : HD_OP_RMW, HD_ORDER_REL);
}

/* Both use x, then count down; who comes last writes x. */
static void last(char *text, struct hd_rng *rng)
{
    bool fence = hd_rng_chance(rng, 50);
    add(text, "!init n 2\nt1|r(x,0)\n");
    add_atomic(text, rng, "t1|rmw(n,2,1)||", HD_OP_RMW, HD_ORDER_REL);
    add(text, "t2|r(x,0)\n");
    add_atomic(text, rng, "t2|rmw(n,1,0)||", HD_OP_RMW, fence ? HD_ORDER_REL : HD_ORDER_AR);
    add(text, "t2|br\n");
    if (fence)
        add(text, hd_rng_chance(rng, 80) ? "t2|fence(acq)\n" : "t2|fence(rel)\n");
    add(text, "t2|w(x,1)||val=\n");
}

/* A flag that says that x is there; maybe another thread sets it, too, or hands it on. */
static void flag(char *text, struct hd_rng *rng)
{
    bool second = hd_rng_chance(rng, 20), chain = !second && hd_rng_chance(rng, 40);
    bool fences = hd_rng_chance(rng, 40);
    add(text, "!init f 0\nt1|w(x,1)||val=\n");
    if (fences)
        add(text, "t1|fence(rel)\n");
    add_atomic(text, rng, "t1|aw(f,1)||val=;", HD_OP_AWRITE, fences ? HD_ORDER_RLX : HD_ORDER_REL);
    if (second)
        add_atomic(text, rng, "t3|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    if (chain)
        add_atomic(text, rng, "t3|rmw(f,1,2)||val=;", HD_OP_RMW, HD_ORDER_AR);
    add_atomic(text, rng, chain ? "t2|ar(f,2)" : "t2|ar(f,1)", HD_OP_AREAD,
               fences ? HD_ORDER_RLX : HD_ORDER_ACQ);
    if (hd_rng_chance(rng, 90))
        add(text, "t2|br\n");
    if (fences && hd_rng_chance(rng, 20))
        add(text, "t2|r(x,1)\n"); /* too early */
    if (fences)
        add(text, "t2|fence(acq)\n");
    add(text, "t2|r(x,1)\n");
}

/* A flag under a lock, and a relaxed one beside it. */
static void locked(char *text, struct hd_rng *rng)
{
    add(text, "!init f 0\n!init g 0\nt1|w(x,1)||val=\n");
    add_atomic(text, rng, "t1|aw(g,1)||val=;", HD_OP_AWRITE, HD_ORDER_RLX);
    add(text,
        hd_rng_chance(rng, 80) ? "t1|acq(m)\nt1|w(f,1)||val=\nt1|rel(m)\n" : "t1|w(f,1)||val=\n");
    if (hd_rng_chance(rng, 50))
        add_atomic(text, rng, "t2|ar(g,1)", HD_OP_AREAD, HD_ORDER_RLX);
    add(text, "t2|acq(m)\nt2|r(f,1)\nt2|rel(m)\n");
    if (hd_rng_chance(rng, 80))
        add(text, "t2|br\n");
    add(text, "t2|r(x,1)\n");
}

/* References that are taken and given back; the last one writes x and the count itself. */
static void references(char *text, struct hd_rng *rng)
{
    bool fence = hd_rng_chance(rng, 50), odd = hd_rng_chance(rng, 20);
    add(text, "t0|aw(n,2)||val=;mo=rlx\nt0|fork(t1)\nt0|fork(t2)\n");
    add_atomic(text, rng, odd ? "t1|rmw(n,2,3)||val=;" : "t1|rmw(n,2,3)", HD_OP_RMW, HD_ORDER_RLX);
    add(text, "t1|r(x,0)\n");
    add_atomic(text, rng, "t1|rmw(n,3,2)", HD_OP_RMW, HD_ORDER_REL);
    add_atomic(text, rng, "t1|rmw(n,2,1)", HD_OP_RMW, HD_ORDER_REL);
    add_atomic(text, rng, "t2|rmw(n,1,0)", HD_OP_RMW, fence ? HD_ORDER_REL : HD_ORDER_AR);
    add(text, "t2|br\n");
    if (fence)
        add(text, hd_rng_chance(rng, 80) ? "t2|fence(acq)\n" : "t2|fence(rel)\n");
    add(text, "t2|w(x,1)||val=\nt2|w(n,7)||val=\n");
}

/* Thread u adds to the number n; whoever takes the last one writes x. */
static void add_to(char *text, struct hd_rng *rng, int u, int by, int *n)
{
    bool fence = hd_rng_chance(rng, 50);
    char what[40], end[80];
    snprintf(what, sizeof what, "t%d|rmw(n,%d,%d)", u, *n, *n + by);
    add_atomic(text, rng, what, HD_OP_RMW,
               by > 0  ? HD_ORDER_RLX
               : fence ? HD_ORDER_REL
                       : HD_ORDER_AR);
    *n += by;
    if (*n || by > 0)
        return;
    snprintf(what, sizeof what, "t%d|fence(acq)\n", u);
    snprintf(end, sizeof end, "t%d|br\n%st%d|w(x,1)||val=\n", u, fence ? what : "", u);
    add(text, end);
}

/* Threads hand out references to those that they create, and give up their own. The number starts
 * with one or two stores, or without; a thread may have its reference late. */
static void handed_out(char *text, struct hd_rng *rng)
{
    char line[40];
    int n = 1, order[4] = {0, 1, 2, 3};
    if (hd_rng_chance(rng, 20))
        add(text, "!init n 1\n");
    else
        add(text, hd_rng_chance(rng, 50) ? "t0|w(n,0)||val=\nt0|aw(n,1)||val=;mo=rlx\n"
                                         : "t0|aw(n,1)||val=;mo=rlx\n");
    for (int u = 1; u <= 3; u++) {
        bool late = hd_rng_chance(rng, 15);
        int by = (int)hd_rng_below(rng, (uint64_t)u), other = (int)hd_rng_below(rng, 4);
        snprintf(line, sizeof line, "t%d|fork(t%d)\n", by, u);
        add(text, late ? line : "");
        add_to(text, rng, by, 1, &n);
        add(text, late ? "" : line);
        int was = order[u];
        order[u] = order[other];
        order[other] = was;
    }
    snprintf(line, sizeof line, "t%d|r(x,0)\n", order[0]);
    add(text, line);
    for (int i = 0; i < 4; i++)
        add_to(text, rng, order[i], -1, &n);
}

/* Two post, one takes both; beside it a relaxed flag. */
static void posts(char *text, struct hd_rng *rng)
{
    bool first = hd_rng_chance(rng, 20), other = hd_rng_chance(rng, 30);
    add(text, first ? "!sem s 1\n!init f 0\n" : "!init f 0\n");
    add(text, "t1|w(x,1)||val=\nt1|post(s)\nt2|w(y,1)||val=\n");
    add_atomic(text, rng, "t2|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_RLX);
    add(text, "t2|post(s)\n");
    add(text, other ? "t4|post(s)\nt4|sem(s)\n" : "");
    add(text, "t3|sem(s)\n");
    add_atomic(text, rng, "t3|ar(f,1)", HD_OP_AREAD, HD_ORDER_RLX);
    add(text, "t3|sem(s)\nt3|r(x,1)\nt3|r(y,1)\n");
}

/* Who takes the token puts it back; maybe there is one at the start, or from somebody else. */
static void gates(char *text, struct hd_rng *rng)
{
    bool first = hd_rng_chance(rng, 20), other = hd_rng_chance(rng, 30);
    bool before = hd_rng_chance(rng, 50), back = hd_rng_chance(rng, 80);
    add(text, first ? "!sem s 1\n" : "");
    add(text, "!init f 0\nt1|w(x,1)||val=\nt1|post(s)\n");
    add(text, other && before ? "t4|post(s)\n" : "");
    add(text, "t2|sem(s)\n");
    add_atomic(text, rng, "t2|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_RLX);
    add(text, back ? "t2|post(s)\n" : "t1|post(s)\n");
    add(text, other && !before ? "t4|post(s)\n" : "");
    add(text, "t3|sem(s)\n");
    add_atomic(text, rng, "t3|ar(f,1)", HD_OP_AREAD, HD_ORDER_RLX);
    add(text, "t3|r(x,1)\nt3|post(s)\n");
}

/* A spin lock of fences. */
static void fences(char *text, struct hd_rng *rng)
{
    const char *late = hd_rng_chance(rng, 20) ? "|w(x,5)||val=\n" : NULL;
    add(text, "!init l 0\n");
    for (int i = 1; i <= 2; i++) {
        const char *u = i == 1 ? "t1" : "t2";
        bool early = late && i == 1;
        add(text, u);
        add(text, "|rmw(l,0,1)||val=;mo=rlx\n");
        add(text, u);
        add(text, hd_rng_chance(rng, 85) ? "|br\n" : "|fence(rel)\n");
        if (hd_rng_chance(rng, 15)) {
            add(text, u);
            add(text, "|w(x,3)||val=\n"); /* too early */
        }
        add(text, u);
        add(text, hd_rng_chance(rng, 85) ? "|fence(acq)\n" : "|fence(rel)\n");
        add(text, u);
        add(text, "|w(x,2)||val=\n");
        add(text, u);
        add(text, hd_rng_chance(rng, 85) ? "|fence(rel)\n" : "|fence(acq)\n");
        add(text, early ? u : "");
        add(text, early ? late : "");
        add(text, u);
        add(text, "|aw(l,0)||val=;mo=rlx\n");
    }
}

/* The flag is set, handed on, and maybe set once more by somebody who did not see x. */
static void rows(char *text, struct hd_rng *rng)
{
    bool again = hd_rng_chance(rng, 40);
    add(text, "!init f 0\nt1|w(x,1)||val=\n");
    add_atomic(text, rng, "t1|rmw(f,0,1)||val=;", HD_OP_RMW, HD_ORDER_REL);
    add(text, "t1|br\n");
    add_atomic(text, rng, "t3|ar(f,1)", HD_OP_AREAD, HD_ORDER_RLX);
    add(text, "t3|br\n");
    if (again)
        add_atomic(text, rng, "t3|aw(f,2)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    else
        add_atomic(text, rng, "t3|rmw(f,1,2)||val=;", HD_OP_RMW, HD_ORDER_RLX);
    add_atomic(text, rng, "t2|ar(f,2)", HD_OP_AREAD, HD_ORDER_ACQ);
    add(text, "t2|br\nt2|r(x,1)\n");
}

/* A relaxed flag g forces that f was set, which somebody else does, too. */
static void twice(char *text, struct hd_rng *rng)
{
    add(text, "!init f 0\n!init g 0\nt1|w(x,1)||val=\n");
    add_atomic(text, rng, "t1|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    add_atomic(text, rng, "t1|aw(g,1)||val=;", HD_OP_AWRITE, HD_ORDER_RLX);
    if (hd_rng_chance(rng, 60))
        add_atomic(text, rng, "t3|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_RLX);
    add_atomic(text, rng, "t2|ar(g,1)", HD_OP_AREAD, HD_ORDER_RLX);
    add(text, "t2|br\n");
    add_atomic(text, rng, "t2|ar(f,1)", HD_OP_AREAD, HD_ORDER_ACQ);
    add(text, "t2|br\nt2|r(x,1)\n");
}

/* One more that hands the flag on: adds nothing to it, or sets it whatever it was. */
static void hand_on(char *text, struct hd_rng *rng, const char *thread)
{
    bool sets = hd_rng_chance(rng, 25), stores = !sets && hd_rng_chance(rng, 10);
    add(text, thread);
    add_atomic(text, rng,
               stores ? "|aw(f,1)||val=;" : (sets ? "|rmw(f,1,1)||val=;" : "|rmw(f,1,1)||"),
               stores ? HD_OP_AWRITE : HD_OP_RMW, HD_ORDER_RLX);
}

/* The flag goes through read-modify-writes of several threads, which may come in any order. */
static void chains(char *text, struct hd_rng *rng)
{
    add(text, "!init f 0\nt1|w(x,1)||val=\n");
    add_atomic(text, rng, "t1|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    if (hd_rng_chance(rng, 60))
        hand_on(text, rng, "t1");
    if (hd_rng_chance(rng, 60))
        hand_on(text, rng, "t3");
    if (hd_rng_chance(rng, 30))
        hand_on(text, rng, hd_rng_chance(rng, 50) ? "t3" : "t4");
    if (hd_rng_chance(rng, 50))
        add_atomic(text, rng, "t2|rmw(f,1,1)||", HD_OP_RMW, HD_ORDER_AR);
    else
        add_atomic(text, rng, "t2|ar(f,1)", HD_OP_AREAD, HD_ORDER_ACQ);
    add(text, "t2|br\nt2|w(x,2)||val=\n");
}

/* A flag of two parts, each accessed in an exclusion, whose orders may differ; a third thread may
 * update both, or write one of them beside it. */
static void parts(char *text, struct hd_rng *rng)
{
    bool third = hd_rng_chance(rng, 50);
    add(text, "!init f 0\n!init g 0\nt1|w(x,1)||val=\nt1|acq(o)||mo=rlx\n");
    add_atomic(text, rng, "t1|aw(f,1)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    add_atomic(text, rng, "t1|aw(g,1)||val=;", HD_OP_AWRITE, HD_ORDER_REL);
    add(text, "t1|rel(o)||mo=rlx\n");
    if (third) {
        add(text, "t3|acq(o)||mo=rlx\n");
        add_atomic(text, rng, "t3|rmw(f,1,2)||", HD_OP_RMW, HD_ORDER_RLX);
        add_atomic(text, rng, "t3|rmw(g,1,2)||", HD_OP_RMW, HD_ORDER_RLX);
        add(text, "t3|rel(o)||mo=rlx\n");
    } else if (hd_rng_chance(rng, 30)) {
        add_atomic(text, rng, "t3|aw(g,1)||val=;", HD_OP_AWRITE, HD_ORDER_RLX);
    }
    add(text, "t2|acq(o)||mo=rlx\n");
    add_atomic(text, rng, third ? "t2|ar(f,2)" : "t2|ar(f,1)", HD_OP_AREAD, HD_ORDER_ACQ);
    add_atomic(text, rng, third ? "t2|ar(g,2)" : "t2|ar(g,1)", HD_OP_AREAD, HD_ORDER_ACQ);
    add(text, "t2|rel(o)||mo=rlx\nt2|br\nt2|r(x,1)\n");
}

/* t1 enters itself into a list under a spin lock, takes itself off, writes, and enters itself
 * again; t2 closes the list, reads who is there, and looks at what that one wrote. It cannot have
 * read the first entry if t1 took itself off, as that finds the lock of an open list; unless t2
 * leaves the list open, t1 does not look, or another one enters. */
static void entries(char *text, struct hd_rng *rng)
{
    char body[ROOM];
    const char *take = "acq", *give = "rel", *weak = order_of(rng, HD_OP_RMW, HD_ORDER_RLX);
    bool opens = hd_rng_chance(rng, 15), tail = hd_rng_chance(rng, 30);
    int early = (int)hd_rng_below(rng, 8); /* 0: it writes before it takes itself off, 1: also */
    int odd = (int)hd_rng_below(rng, 20);
    add(text, "!init l 0\n!init p 0\n");
    for (int i = 0; i < 3; i++) {
        if ((i == 1 && early <= 1) || (i == 2 && early))
            add(text, "t1|w(x,1)||val=\n");
        snprintf(
            body, sizeof body,
            "t1|rmw(l,0,2)||val=;mo=%s\n%st1|aw(p,%d)||val=;mo=rlx\nt1|rmw(l,2,0)||val=;mo=%s\n",
            odd == i ? weak : take, odd == 3 + i ? "" : "t1|br\n", i == 1 ? 0 : 7,
            odd == 6 + i ? weak : give);
        add(text, body);
    }
    if (odd == 9)
        add(text, "t3|aw(p,7)||val=;mo=rlx\n");
    if (tail)
        add(text, "t1|aw(y,1)||val=;mo=rlx\n");
    snprintf(body, sizeof body, "t2|rmw(l,0,3)||val=;mo=%s\n%st2|ar(p,7)||mo=rlx\n%s",
             odd == 10 ? weak : take, odd == 11 ? "" : "t2|br\n", odd == 12 ? "" : "t2|br\n");
    add(text, body);
    snprintf(body, sizeof body, "t2|rmw(l,3,%d)||val=;mo=%s\n%s", !opens, odd == 13 ? weak : give,
             hd_rng_chance(rng, 50) ? "t2|r(x,1)\n" : "t2|w(x,2)||val=\n");
    add(text, body);
    if (tail) /* t2 ends only where t1 does; it need not end */
        add(text, "t2|ar(y,1)||mo=rlx\nt2|br\n");
}

/* What t1 leaves in p under a lock goes through one or two places of t2, which others may write,
 * too; now and then it does not come from there, another one leaves the same, or nothing needs it.
 */
static void copied(char *text, struct hd_rng *rng)
{
    bool second = hd_rng_chance(rng, 20), beside = hd_rng_chance(rng, 20);
    bool twice = hd_rng_chance(rng, 40), locked = hd_rng_chance(rng, 80);
    int odd = (int)hd_rng_below(rng, 12), number = locked ? 6 : 5, at;
    char line[80];
    add(text, "!init p 0\n!init q 0\n!init s 0\nt1|w(x,1)||val=\nt1|acq(m)\n");
    add(text, odd == 0 ? "t1|w(p,7)||val=\nt1|w(p,0)||val=\n" : "t1|w(p,7)||val=\n");
    add(text, odd == 0 ? "t1|w(p,7)||val=\nt1|rel(m)\n" : "t1|rel(m)\n");
    add(text, second ? "t3|w(p,7)||val=\n" : "");
    add(text, locked ? "t2|acq(m)\nt2|r(p,7)\n" : "t2|r(p,7)\n");
    at = number + 2 * (odd == 0) + second;
    snprintf(line, sizeof line, odd == 1 ? "t2|w(q,7)||val=\n" : "t2|w(q,7)||val=%d\n", at);
    add(text, line);
    add(text, beside ? "t3|w(q,7)||val=\n" : "");
    add(text, "t2|r(q,7)\n");
    at += 2 + beside;
    snprintf(line, sizeof line, "t2|w(s,7)||val=%d\nt2|r(s,7)\n", at);
    add(text, twice ? line : "");
    at += 2 * twice;
    snprintf(line, sizeof line, odd == 2 ? "t2|br||deps=\n" : "t2|br||deps=%d\n", at);
    add(text, line);
    add(text, locked ? "t2|r(x,1)\nt2|rel(m)\n" : "t2|r(x,1)\n");
    if (hd_rng_chance(rng, 70))
        add(text, locked ? "t4|acq(m)\nt4|w(q,3)||val=\nt4|w(s,3)||val=\n" : "t4|w(q,3)||val=\n");
}

static struct hd_trace *make_shape(uint64_t seed)
{
    static void (*const shapes[])(char *, struct hd_rng *) = {
        spin,  unit,   bit,  last,  flag,   locked, references, handed_out, posts,
        gates, fences, rows, twice, chains, parts,  entries,    copied};
    char text[ROOM] = "!control branches\n!init x 0\n!init y 0\n";
    struct hd_rng rng;
    hd_rng_init(&rng, seed);
    shapes[seed / 2 % (sizeof shapes / sizeof *shapes)](text, &rng);
    return parse(text);
}

struct answer {
    const struct hd_trace *t;
    hd_eid a[256], b[256];
    size_t n;
};

static void tell(void *ctx, hd_eid a, hd_eid b)
{
    struct answer *x = ctx;
    assert_true(x->n < 256 && a < b);
    x->a[x->n] = a;
    x->b[x->n++] = b;
}

static struct answer ask(const struct hd_trace *t, struct hd_world *w, struct hd_certain *c)
{
    struct answer x = {.t = t};
    assert_non_null(c);
    assert_true(hd_certain_open(c, w, tell, &x));
    return x;
}

/* The pair, or a later one of the same threads and places, is open: those are told of. */
static bool is_open(const struct answer *x, hd_eid a, hd_eid b)
{
    const struct hd_trace *t = x->t;
    for (size_t i = 0; i < x->n; i++)
        if (t->thread[x->a[i]] == t->thread[a] && t->thread[x->b[i]] == t->thread[b] &&
            t->obj[x->a[i]] == t->obj[a] && t->place[x->a[i]] == t->place[a] &&
            t->place[x->b[i]] == t->place[b])
            return true;
    return false;
}

/* Leaves out what is ordered in every schedule that runs both. */
static void keep_open(struct answer *x, struct hd_cases *k)
{
    size_t kept = 0;
    for (size_t i = 0; i < x->n; i++) {
        if (hd_cases_ordered(k, x->a[i], x->b[i]))
            continue;
        x->a[kept] = x->a[i];
        x->b[kept++] = x->b[i];
    }
    x->n = kept;
}

static void test_enumerated(void **state)
{
    (void)state;
    size_t alone = 0, ordered = 0;
    struct seeds seeds = seeds_given(4000, 40000);
    for (uint64_t seed = seeds.from; seed < seeds.end; seed++) {
        struct hd_trace *t = seed % 2 ? make(seed) : make_shape(seed);
        struct hd_vec pairs = HD_VEC_INIT(struct hd_unordered);
        struct hd_err err;
        assert_int_equal(hd_enumerate_order(t, 0, &pairs, &err), HD_OK);
        struct hd_world *w = hd_world_new(t);
        struct hd_certain *c = hd_certain_new(w);
        struct answer x = ask(t, w, c);
        struct hd_matching m;
        hd_matching_check(t, &m);
        struct hd_cases *k = hd_cases_new(c, &m);
        size_t told = x.n;
        keep_open(&x, k);
        ordered += told - x.n;
        for (size_t i = 0; i < pairs.len; i++) {
            const struct hd_unordered *p = hd_vec_at(&pairs, i);
            hd_eid a = p->a < p->b ? p->a : p->b, b = p->a < p->b ? p->b : p->a;
            if (!p->alone)
                continue;
            alone++;
            if (hd_certain_before(c, a, b) || hd_certain_excludes(c, a, b) || !is_open(&x, a, b))
                fail_msg("seed %llu: events %u and %u stand alone", (unsigned long long)seed, a + 1,
                         b + 1);
        }
        hd_cases_free(k);
        hd_matching_fini(&m);
        hd_certain_free(c);
        hd_world_free(w);
        hd_enumerate_order_fini(&pairs);
        hd_trace_free(t);
    }
    assert_true(alone > (seeds.end - seeds.from) / 4);
    assert_true(ordered > (seeds.end - seeds.from) / 400);
}

static size_t open_pairs(const char *body)
{
    char text[ROOM] = "!control branches\n!init x 0\n";
    add(text, body);
    struct hd_trace *t = parse(text);
    struct hd_world *w = hd_world_new(t);
    struct hd_certain *c = hd_certain_new(w);
    struct answer x = ask(t, w, c);
    struct hd_matching m;
    hd_matching_check(t, &m);
    struct hd_cases *k = hd_cases_new(c, &m);
    keep_open(&x, k);
    hd_cases_free(k);
    hd_matching_fini(&m);
    hd_certain_free(c);
    hd_world_free(w);
    hd_trace_free(t);
    return x.n;
}

#define SPIN(take, give)                                                                           \
    "!init l 0\nt1|rmw(l,0,1)||val=;mo=" take "\nt1|br\nt1|w(x,1)||val=\n"                         \
    "t1|aw(l,0)||val=;mo=" give "\nt2|rmw(l,0,1)||val=;mo=" take "\nt2|br\n"                       \
    "t2|w(x,2)||val=\nt2|aw(l,0)||val=;mo=" give "\n"
/* A semaphore of one unit; whoever gives it back looks at what it read. */
#define UNIT(take, give, other)                                                                    \
    "!init l 1\nt1|rmw(l,1,0)||mo=" take "\nt1|br\nt1|w(x,1)||val=\nt1|rmw(l,0,1)||mo=" give       \
    "\nt1|br\n" other "t2|rmw(l,1,0)||mo=" take                                                    \
    "\nt2|br\nt2|w(x,2)||val=\nt2|rmw(l,0,1)||mo=" give "\nt2|br\n"
/* The bit 2 is a lock, whatever a third thread adds beside it. */
#define BIT(take, give, other)                                                                     \
    "!init l 4\nt1|rmw(l,4,6)||mo=" take "\nt1|br\nt1|w(x,1)||val=\nt1|rmw(l,6,4)||mo=" give       \
    "\n" other "t2|rmw(l,8,10)||mo=" take "\nt2|br\nt2|w(x,2)||val=\nt2|rmw(l,10,8)||mo=" give     \
    "\n"
#define FLAG(store, load)                                                                          \
    "!init f 0\nt1|w(x,1)||val=\nt1|aw(f,1)||val=;mo=" store "\nt2|ar(f,1)||mo=" load              \
    "\nt2|br\nt2|r(x,1)\n"
#define FENCED(first, second)                                                                      \
    "!init f 0\nt1|w(x,1)||val=\nt1|fence(" first ")\nt1|aw(f,1)||val=;mo=rlx\n"                   \
    "t2|ar(f,1)||mo=rlx\nt2|br\nt2|fence(" second ")\nt2|r(x,1)\n"
#define PARTS(store, load)                                                                         \
    "!init f 0\n!init g 0\nt1|w(x,1)||val=\nt1|acq(o)||mo=rlx\nt1|aw(f,1)||val=;mo=" store         \
    "\nt1|aw(g,1)||val=;mo=" store "\nt1|rel(o)||mo=rlx\nt2|acq(o)||mo=rlx\nt2|ar(f,1)||mo=" load  \
    "\nt2|ar(g,1)||mo=" load "\nt2|rel(o)||mo=rlx\nt2|br\nt2|r(x,1)\n"
#define LOCKED(order)                                                                              \
    "!init f 0\nt1|acq(l)" order "\nt1|w(x,1)||val=\nt1|rel(l)" order "\nt1|aw(f,1)||mo=rlx\n"     \
    "t2|acq(l)" order "\nt2|w(x,2)||val=\nt2|rel(l)" order "\n"
/* A flag that excludes by its values, given back inside a section of a lock. */
#define GUARDED(order)                                                                             \
    "!init l 0\nt1|rmw(l,0,1)||val=;mo=acq\nt1|br\nt1|w(x,1)||val=\nt1|acq(o)" order               \
    "\nt1|aw(l,0)||val=;mo=rlx\nt1|rel(o)" order "\nt2|acq(o)" order                               \
    "\nt2|rmw(l,0,1)||val=;mo=acq\nt2|rel(o)" order "\nt2|br\nt2|w(x,2)||val=\nt2|acq(o)" order    \
    "\nt2|aw(l,0)||val=;mo=rlx\nt2|rel(o)" order "\n"
#define LAST(down, fence)                                                                          \
    "!init n 2\nt1|r(x,0)\nt1|rmw(n,2,1)||mo=" down "\nt2|r(x,0)\n"                                \
    "t2|rmw(n,1,0)||mo=" down "\nt2|br\n" fence "t2|w(x,1)||val=\n"

#define REFERENCES(down, fence)                                                                    \
    "t0|aw(n,2)||val=;mo=rlx\nt0|fork(t1)\nt0|fork(t2)\nt1|rmw(n,2,3)||mo=rlx\nt1|r(x,0)\n"        \
    "t1|rmw(n,3,2)||mo=" down "\nt1|rmw(n,2,1)||mo=" down "\nt2|rmw(n,1,0)||mo=" down              \
    "\nt2|br\n" fence "t2|w(x,1)||val=\nt2|w(n,7)||val=\n"

/* The first store is the constructor's; each reference is taken before its thread is
 * there. */
#define HANDED_OUT(down, fence, second)                                                            \
    "t0|w(n,0)||val=\nt0|aw(n,1)||val=;mo=rlx\nt0|rmw(n,1,2)||mo=rlx\nt0|fork(t1)\n" second        \
    "t1|r(x,0)\nt1|rmw(n,3,2)||mo=" down "\nt2|rmw(n,2,1)||mo=" down "\nt0|rmw(n,1,0)||mo=" down   \
    "\nt0|br\n" fence "t0|w(x,1)||val=\n"
#define TAKEN_FIRST "t1|rmw(n,2,3)||mo=rlx\nt1|fork(t2)\n"
#define TAKEN_LATE  "t1|fork(t2)\nt1|rmw(n,2,3)||mo=rlx\n"

/* The number starts with the store of t0, whatever t1 stored before; with others that add, t2 need
 * not have. */
#define STARTED(first, others)                                                                     \
    "t0|fork(t1)\n" first "t0|join(t1)\nt0|aw(n,1)||val=;mo=rlx\nt0|fork(t2)\nt0|fork(t3)\n"       \
    "t0|fork(t4)\nt0|fork(t5)\nt2|w(x,1)||val=\nt2|rmw(n,1,2)||mo=rel\n" others                    \
    "t3|ar(n,2)||mo=acq\nt3|br\nt3|r(x,1)\n"

#define GATE(start, other)                                                                         \
    start "!init f 0\nt1|w(x,1)||val=\nt1|post(s)\nt2|sem(s)\nt2|aw(f,1)||val=;mo=rlx\n"           \
          "t2|post(s)\n" other "t3|sem(s)\nt3|r(x,1)\nt3|post(s)\n"

#define CHAIN(middle)                                                                              \
    "!init f 0\nt1|w(x,1)||val=\nt1|aw(f,1)||val=;mo=rel\nt1|rmw(f,1,1)||mo=rlx\n" middle          \
    "t2|rmw(f,1,1)||mo=acq\nt2|br\nt2|r(x,1)\n"

/* The list of `entries`: t2 reads its second entry, since the lock of a closed list reads 1. */
#define ENTERED(entry, give)                                                                       \
    "t1|rmw(l,0,2)||mo=acq\nt1|br\nt1|aw(p," entry ")||val=;mo=rlx\n"                              \
    "t1|rmw(l,2,0)||mo=" give "\n"
#define ENTRIES(give, closed)                                                                      \
    "!init l 0\n!init p 0\n" ENTERED("7", "rel") ENTERED("0", "rel") "t1|w(x,1)||val=\n" ENTERED(  \
        "7", give) "t2|rmw(l,0,3)||mo=acq\nt2|br\nt2|ar(p,7)||mo=rlx\nt2|br\n"                     \
                   "t2|rmw(l,3," closed ")||mo=rel\nt2|r(x,1)\n"

/* Beside it t3 writes y, and t1 waits for that before its second entry: that t2 read the first one
 * contradicts what t1 wrote, and not what t3 did. */
#define NINE "t3|br\nt3|br\nt3|br\nt3|br\nt3|br\nt3|br\nt3|br\nt3|br\nt3|br\n"
#define ENTRIES_BESIDE                                                                             \
    "!init l 0\n!init p 0\n!init y 0\n!init z 0\n" ENTERED("7", "rel") ENTERED(                    \
        "0", "rel") "t1|w(x,1)||val=\n" NINE                                                       \
                    "t3|w(y,1)||val=\nt3|aw(z,1)||val=;mo=rel\nt1|ar(z,1)||mo=acq\n"               \
                    "t1|br\n" ENTERED(                                                             \
                        "7", "rel") "t2|rmw(l,0,3)||mo=acq\nt2|br\nt2|ar(p,7)||mo=rlx\nt2|br\n"    \
                                    "t2|rmw(l,3,1)||mo=rel\nt2|r(x,1)\nt2|r(y,1)\n"

/* A lock of readers and a writer, who stores 9; t3 reads beside t2, so it never found the lock
 * free. */
#define WRITER(take, give)                                                                         \
    "t1|rmw(l,0,9)||mo=" take "\nt1|br\nt1|w(x,1)||val=\nt1|aw(l,0)||val=;mo=" give "\n"
#define READER(other) "t2|rmw(l,0,1)||mo=acq\nt2|br\nt2|r(x,1)\n" other "t2|rmw(l,1,0)||mo=ar\n"
#define READERS(take, give)                                                                        \
    "!init l 0\n" WRITER("acq", "rel") WRITER("acq", give) READER("")                              \
        READER("t3|rmw(l,1,2)||mo=" take "\nt3|br\nt3|r(x,1)\nt3|rmw(l,2,1)||mo=ar\n") READER("")

/* t2 copies what t1 left, and t4 writes there under the same lock. */
#define COPIED(other, from, middle, needs)                                                         \
    "!init p 0\n!init q 0\n!init s "                                                               \
    "0\nt1|w(x,1)||val=\nt1|acq(m)\nt1|w(p,7)||val=\nt1|rel(m)\n" other                            \
    "t2|acq(m)\nt2|r(p,7)\nt2|w(q,7)||val=" from "\nt2|r(q,7)\nt2|w(s,7)||val=" middle             \
    "\nt2|r(s,7)\nt2|br||deps=" needs                                                              \
    "\nt2|r(x,1)\nt2|rel(m)\nt4|acq(m)\nt4|w(q,3)||val=\nt4|w(s,3)||val=\nt4|rel(m)\n"
#define ALSO "t3|acq(m)\nt3|w(p,7)||val=\nt3|rel(m)\n"

#define PASSED(other)                                                                              \
    "!init f 0\n!init g 0\n" other "t1|w(x,1)||val=\nt1|w(y,1)||val=\nt1|aw(f,1)||val=;mo=rlx\n"   \
    "t2|ar(f,1)||mo=rlx\nt2|br\nt2|r(y,1)\nt2|aw(g,1)||val=;mo=rel\nt3|ar(g,1)||mo=acq\n"          \
    "t3|br\nt3|r(x,1)\n"

/* t1 and t2 race on y. Whatever t2 reads there, it reads from t1, so what t3 reads of x follows
 * from that race and is not open; with another write of y it is. */
static void test_plain_reads(void **state)
{
    (void)state;
    assert_int_equal(open_pairs(PASSED("")), 1);
    assert_int_equal(open_pairs(PASSED("t4|w(y,5)||val=\n")), 4);
}

static void test_proved(void **state)
{
    (void)state;
    static const struct {
        const char *right, *wrong;
    } shapes[] = {
        {PARTS("rel", "acq"), PARTS("rlx", "acq")},
        {PARTS("rel", "acq"), PARTS("rel", "rlx")},
        {LOCKED(""), LOCKED("||mo=rlx")},
        {GUARDED(""), GUARDED("||mo=rlx")},
        {SPIN("acq", "rel"), SPIN("rlx", "rel")},
        {SPIN("acq", "rel"), SPIN("acq", "rlx")},
        {UNIT("acq", "rel", ""), UNIT("rlx", "rel", "")},
        {UNIT("acq", "rel", ""), UNIT("acq", "rlx", "")},
        {UNIT("acq", "rel", "t3|rmw(l,1,1)||mo=rlx\n"),
         UNIT("acq", "rel", "t3|aw(l,1)||val=;mo=rlx\n")},
        {BIT("acq", "rel", "t3|rmw(l,4,8)||mo=rlx\n"),
         BIT("rlx", "rel", "t3|rmw(l,4,8)||mo=rlx\n")},
        {BIT("acq", "rel", "t3|rmw(l,4,8)||mo=rlx\n"),
         BIT("acq", "rlx", "t3|rmw(l,4,8)||mo=rlx\n")},
        {BIT("acq", "rel", "t3|rmw(l,4,8)||mo=rlx\n"),
         BIT("acq", "rel", "t3|rmw(l,4,8)||val=;mo=rlx\n")},
        {FLAG("rel", "acq"), FLAG("rlx", "acq")},
        {FLAG("rel", "con"), FLAG("rel", "rlx")},
        {FENCED("rel", "acq"), FENCED("acq", "acq")},
        {FENCED("sc", "ar"), FENCED("rel", "rel")},
        {LAST("ar", ""), LAST("rlx", "")},
        {LAST("rel", "t2|fence(acq)\n"), LAST("rel", "")},
        {REFERENCES("rel", "t2|fence(acq)\n"), REFERENCES("rlx", "t2|fence(acq)\n")},
        {REFERENCES("ar", ""), REFERENCES("rel", "")},
        {HANDED_OUT("rel", "t0|fence(acq)\n", TAKEN_FIRST),
         HANDED_OUT("rlx", "t0|fence(acq)\n", TAKEN_FIRST)},
        {HANDED_OUT("ar", "", TAKEN_FIRST), HANDED_OUT("rel", "", TAKEN_FIRST)},
        {HANDED_OUT("ar", "", TAKEN_FIRST), HANDED_OUT("ar", "", TAKEN_LATE)},
        {STARTED("", ""),
         STARTED("t1|aw(n,0)||val=;mo=rlx\n", "t4|rmw(n,2,1)||mo=rlx\nt5|rmw(n,1,2)||mo=rlx\n")},
        {GATE("", ""), GATE("", "t4|post(s)\n")},
        {GATE("", ""), GATE("!sem s 1\n", "")},
        {CHAIN(""), CHAIN("t3|aw(f,1)||val=;mo=rlx\n")},
        {CHAIN("t3|rmw(f,1,1)||mo=rlx\n"), CHAIN("t3|rmw(f,1,1)||val=;mo=rlx\n")},
        {CHAIN("t3|rmw(f,1,1)||mo=rlx\nt4|rmw(f,1,1)||mo=rlx\n"),
         CHAIN("t3|rmw(f,1,1)||mo=rlx\nt4|rmw(f,1,1)||val=;mo=rlx\n")},
        {ENTRIES("rel", "1"), ENTRIES("rlx", "1")},
        {ENTRIES("rel", "1"), ENTRIES("rel", "0")},
        {ENTRIES("rel", "1"), ENTRIES_BESIDE},
        {READERS("acq", "rel"), READERS("rlx", "rel")},
        {READERS("acq", "rel"), READERS("acq", "rlx")},
        {COPIED("", "6", "8", "10"), COPIED("", "", "8", "10")},
        {COPIED("", "6", "8", "10"), COPIED("", "6", "", "10")},
        {COPIED("", "6", "8", "10"), COPIED("", "6", "8", "")},
        {COPIED("", "6", "8", "10"), COPIED(ALSO, "9", "11", "13")},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        if (open_pairs(shapes[i].right))
            fail_msg("shape %zu is not proved", i);
        if (!open_pairs(shapes[i].wrong))
            fail_msg("shape %zu is proved, and is wrong", i);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_enumerated),
                                       cmocka_unit_test(test_plain_reads),
                                       cmocka_unit_test(test_proved)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
