/* Prediction against exhaustive enumeration on random traces in which threads go through the same
 * few steps again and again: atomic stores, exchanges, additions, looks at what is there, and a
 * plain location under a lock, with accesses to data in between. The branch that needs a look
 * comes at once, some steps later, or never; stores depend on what was read, or not; a first thread
 * may set things up before it makes the others. What the rule protocol of index/protocol.h says
 * about such traces is judged with the other filters and without them.
 *
 * HEDDLE_TEST_LONG=1 draws 1,000,000 traces, else 15,000; HEDDLE_SEEDS=m,n those of the seeds m to
 * n - 1. HEDDLE_SEED=n runs that one and prints it.
 */
#include <inttypes.h>

#include "../support/seeds.h"
#include "../support/judge.h"

#include "base/rng.h"

enum { NEVER = 8, THREADS = 3, STEPS = 4, MAX_EVENTS = 24 };
enum var { A, B, C /* under the mutex */, DATA, VARS };
static const char *const names[VARS] = {"a", "b", "c", "data"};

enum op { STORE, SWAP, ADD, LOOK, TAKE, SHARE, GIVE, READ_C, WRITE_C, READ, WRITE, OPS };

struct step {
    enum op op;
    enum var var;
    uint64_t value;
    unsigned delay; /* of the branch on what was read, in steps; NEVER: there is none */
    bool computed;  /* what is stored depends on the last read */
};

struct thread {
    struct step program[STEPS];
    unsigned at;
    unsigned last_read; /* event number; 0: none */
    unsigned branch_of, branch_in;
};

struct machine {
    struct hd_rng rng;
    FILE *out;
    unsigned n; /* events so far */
    uint64_t mem[VARS];
    int owner;       /* of the lock, or -1 */
    unsigned shared; /* threads that share it, as bits */
    struct thread thread[THREADS];
};

static struct step draw_step(struct hd_rng *rng)
{
    return (struct step){.op = (enum op)hd_rng_below(rng, OPS),
                         .var = (enum var)hd_rng_below(rng, 2),
                         .value = hd_rng_below(rng, 3),
                         .delay =
                             (unsigned)(hd_rng_chance(rng, 60) ? 0 : hd_rng_below(rng, NEVER + 1)),
                         .computed = hd_rng_chance(rng, 30)};
}

/* Programs that exclude each other are rare by chance, so most are near to one of these: a spin
 * lock, a count under the mutex, turns, and a relay of three. */
static void draw_program(struct hd_rng *rng, struct thread *t, unsigned family, int u)
{
    static const struct step known[][STEPS] = {
        {{SWAP, A, 1, 0, false},
         {WRITE, A, 0, 0, false},
         {STORE, A, 0, 0, false},
         {LOOK, B, 0, NEVER, false}},
        {{TAKE, A, 0, 0, false},
         {READ_C, C, 0, 0, false},
         {WRITE_C, C, 1, 0, true},
         {GIVE, A, 0, 0, false}},
        {{TAKE, A, 0, 0, false},
         {READ_C, C, 0, NEVER, false},
         {WRITE_C, C, 1, 0, true},
         {GIVE, A, 0, 0, false}},
        {{READ_C, C, 0, NEVER, false},
         {TAKE, A, 0, 0, false},
         {WRITE_C, C, 1, 0, true},
         {GIVE, A, 0, 0, false}},
        {{SHARE, A, 0, 0, false},
         {READ_C, C, 0, 0, false},
         {WRITE, A, 0, 0, false},
         {GIVE, A, 0, 0, false}},
        {{TAKE, A, 0, 0, false},
         {READ_C, C, 0, 0, false},
         {GIVE, A, 0, 0, false},
         {WRITE, A, 0, 0, false}},
        {{LOOK, A, 0, 0, false},
         {WRITE, A, 0, 0, false},
         {STORE, A, 1, 0, false},
         {LOOK, B, 0, 1, false}},
        {{WRITE, A, 0, 0, false},
         {STORE, A, 1, 0, false},
         {WRITE, A, 0, 0, false},
         {STORE, A, 0, 0, false}},
        {{LOOK, A, 0, 2, false},
         {STORE, B, 1, 0, false},
         {LOOK, A, 0, 6, false},
         {STORE, B, 2, 0, false}},
        {{LOOK, B, 0, 0, false},
         {WRITE, A, 0, 0, false},
         {LOOK, B, 0, 0, false},
         {WRITE, A, 0, 0, false}},
        {{LOOK, A, 0, 7, false},
         {STORE, B, 0, 0, false},
         {STORE, B, 0, 0, false},
         {STORE, B, 0, 0, false}},
    };
    enum { KNOWN = sizeof known / sizeof *known, COUNT = 1, RELAY = 7, LATE = 10 };
    unsigned base = (unsigned)hd_rng_below(rng, KNOWN);
    if (family == COUNT)
        base = COUNT + (unsigned)hd_rng_below(rng, 5);
    if (family == RELAY)
        base = u == 1 && hd_rng_chance(rng, 50) ? LATE : RELAY + (unsigned)u;
    for (int i = 0; i < STEPS; i++)
        t->program[i] = hd_rng_chance(rng, 20) ? draw_step(rng) : known[base][i];
}

static void event(struct machine *m, int u, const char *text)
{
    fprintf(m->out, "%st%d|%s|p:%u", m->n ? "\n" : "", u, text, u * 10 + (int)m->thread[u].at);
    m->n++;
}

static void access(struct machine *m, int u, const char *op, enum var x, const uint64_t *values,
                   int n)
{
    char text[64];
    if (n == 1)
        snprintf(text, sizeof text, "%s(%s,%" PRIu64 ")", op, names[x], values[0]);
    else
        snprintf(text, sizeof text, "%s(%s,%" PRIu64 ",%" PRIu64 ")", op, names[x], values[0],
                 values[1]);
    event(m, u, text);
}

static void look(struct machine *m, int u, const struct step *s)
{
    struct thread *t = &m->thread[u];
    t->last_read = m->n;
    if (s->delay != NEVER) {
        t->branch_of = m->n;
        t->branch_in = s->delay + 1;
    }
}

static void store(struct machine *m, int u, const struct step *s, const char *op, enum var x)
{
    access(m, u, op, x, &s->value, 1);
    fprintf(m->out, "|val=");
    if (s->computed && m->thread[u].last_read)
        fprintf(m->out, "%u", m->thread[u].last_read);
    m->mem[x] = s->value;
}

static void rmw(struct machine *m, int u, const struct step *s, bool add)
{
    uint64_t values[2] = {m->mem[s->var], add ? (m->mem[s->var] + 1) % 4 : s->value};
    access(m, u, "rmw", s->var, values, 2);
    fprintf(m->out, "|val=");
    if (add)
        fprintf(m->out, "%u", m->n);
    m->mem[s->var] = values[1];
    look(m, u, s);
}

static void read_var(struct machine *m, int u, const struct step *s, const char *op, enum var x)
{
    access(m, u, op, x, &m->mem[x], 1);
    look(m, u, s);
}

static bool must_wait(const struct machine *m, int u, enum op op)
{
    bool mine = m->owner == u || m->shared >> u & 1;
    return !mine &&
           ((op == TAKE && (m->owner >= 0 || m->shared)) || (op == SHARE && m->owner >= 0));
}

static void use_lock(struct machine *m, int u, enum op op)
{
    bool mine = m->owner == u, shares = m->shared >> u & 1;
    if (op == GIVE ? !mine && !shares : mine || shares)
        return;
    event(m, u, op == TAKE ? "acq(m)" : op == SHARE ? "racq(m)" : mine ? "rel(m)" : "rrel(m)");
    if (op == SHARE || shares)
        m->shared ^= 1u << u;
    else
        m->owner = op == TAKE ? u : -1;
}

static void run_op(struct machine *m, int u, const struct step *s)
{
    bool mine = m->owner == u;
    switch (s->op) {
    case STORE:
        store(m, u, s, "aw", s->var);
        return;
    case SWAP:
    case ADD:
        rmw(m, u, s, s->op == ADD);
        return;
    case LOOK:
        read_var(m, u, s, "ar", s->var);
        return;
    case TAKE:
    case SHARE:
    case GIVE:
        use_lock(m, u, s->op);
        return;
    case READ_C:
        read_var(m, u, s, "r", C);
        return;
    case WRITE_C:
        if (mine || m->shared >> u & 1 || hd_rng_chance(&m->rng, 5))
            store(m, u, s, "w", C);
        return;
    case READ:
        read_var(m, u, s, "r", DATA);
        return;
    default:
        store(m, u, s, "w", DATA);
    }
}

/* One step of a thread, and the branch that is due. */
static void run_thread(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    const struct step *s = &t->program[t->at];
    if (must_wait(m, u, s->op))
        return;
    run_op(m, u, s);
    t->at = (t->at + 1) % STEPS;
    if (t->branch_in && --t->branch_in == 0) {
        event(m, u, "br");
        fprintf(m->out, "|deps=%u", t->branch_of);
    }
}

static size_t make(uint64_t seed, char *buffer, size_t size)
{
    struct machine m = {.owner = -1, .out = fmemopen(buffer, size, "w")};
    hd_rng_init(&m.rng, seed);
    int threads = 2 + (int)hd_rng_below(&m.rng, THREADS - 1), first = 0;
    unsigned family = (unsigned)hd_rng_below(&m.rng, 8) | 1; /* COUNT, RELAY or none */
    for (int u = 0; u < threads; u++)
        draw_program(&m.rng, &m.thread[u], family, u);
    if (hd_rng_chance(&m.rng, 30)) /* they do the same */
        for (int u = 1; u < threads; u++)
            memcpy(m.thread[u].program, m.thread[0].program, sizeof m.thread[0].program);
    if (!hd_rng_chance(&m.rng, 10))
        fprintf(m.out, "!control branches\n");
    for (int x = 0; x < DATA && !hd_rng_chance(&m.rng, 20); x++)
        fprintf(m.out, "!init %s 0\n", names[x]);
    if (hd_rng_chance(&m.rng, 30)) { /* the first thread makes the others when it has begun */
        for (int i = (int)hd_rng_below(&m.rng, 4); i > 0; i--)
            run_thread(&m, 0);
        for (int u = 1; u < threads; u++) {
            char text[32];
            snprintf(text, sizeof text, "fork(t%d)", u);
            event(&m, 0, text);
        }
        first = (int)hd_rng_below(&m.rng, 2);
    }
    unsigned stop = 8 + (unsigned)hd_rng_below(&m.rng, MAX_EVENTS - 10);
    for (int tries = 0; m.n < stop && tries < 200; tries++)
        run_thread(&m, first + (int)hd_rng_below(&m.rng, (uint64_t)(threads - first)));
    fputc('\n', m.out);
    size_t len = (size_t)ftell(m.out);
    fclose(m.out);
    return len;
}

static void protocols_are_judged_as_enumerated(void **state)
{
    uint64_t n = seeds_count(15000, 1000000);
    (void)state;
    counted = 1u << HD_STEP_PROTOCOL | 1u << HD_STEP_GREEDY;
    uint64_t done = judge_seeds(make, n);
    if (seeds_were_chosen())
        return;
    print_message("%" PRIu64 " traces enumerated; races %" PRIu64
                  ", impossible by protocol %" PRIu64 "\n",
                  done, races, proved[HD_STEP_PROTOCOL]);
    assert_true(done > n / 2 && races > n / 4 && proved[HD_STEP_PROTOCOL] > n / 100);
}

/* What a thread does between a stale read and the branch that needs it, up to the limit of the rule
 * and beyond: t3 sees what only such a thread has stored, and t1 itself writes the data. */
static void a_late_branch_leaves_races(void **state)
{
    (void)state;
    for (int stores = 1; stores <= 7; stores++) {
        char buffer[1024];
        FILE *out = fmemopen(buffer, sizeof buffer, "w");
        fprintf(out, "!control branches\n!init a 0\n!init b 0\nt2|w(data,1)|p:1|val=\n"
                     "t2|aw(a,1)|p:2|val=\nt1|ar(a,1)|p:3\n");
        for (int i = 1; i <= stores; i++)
            fprintf(out, "t1|aw(b,%d)|p:%d|val=\n", i, 10 + i);
        fprintf(out,
                "t1|w(data,2)|p:4|val=\nt1|br|p:5|deps=3\n"
                "t3|ar(b,%d)|p:6\nt3|br|p:7|deps=%d\nt3|w(data,3)|p:8|val=\n",
                stores, 3 + stores + 3);
        size_t len = (size_t)ftell(out);
        uint64_t before = races;
        fclose(out);
        assert_true(judge(0, buffer, len, false));
        assert_int_equal(races - before, 3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(protocols_are_judged_as_enumerated),
        cmocka_unit_test(a_late_branch_leaves_races),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
