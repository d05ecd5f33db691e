/* Prediction against exhaustive enumeration on random traces in which threads synchronise by
 * values: spin locks (compare-and-swap, exchange), hand-over flags, counters (atomic, or under a
 * mutex), generations, a number of readers or a writer; and by a semaphore with no, one or two
 * tokens. Faults are part of the draw: a lock is given back by one who does not own it, a branch or
 * a dependence is missing, an access stands outside. Wrong rules about values are found here;
 * tests/predict has the shapes one by one.
 *
 * HEDDLE_TEST_LONG=1 draws 2,000,000 traces, else 40,000; HEDDLE_SEEDS=m,n those of the seeds m to
 * n - 1. HEDDLE_SEED=n runs that one and prints it.
 */
#include <inttypes.h>

#include "../support/seeds.h"
#include "../support/judge.h"

#include "base/rng.h"

enum { THREADS = 3, MAX_EVENTS = 22 };
enum var { LOCK, COUNT, GEN, RW, DATA, VARS };
static const char *const names[VARS] = {"lk", "cnt", "gen", "rw", "data"};

/* What a thread is about to do: the steps of one activity. */
enum step {
    SPIN,        /* compare-and-swap 0 to 1, or a look at what is there */
    SWAP,        /* exchange with 1 */
    FREE,        /* store 0 */
    READ,        /* plain, of the data */
    WRITE,       /* the same */
    ADD,         /* fetch-and-add of the counter */
    SUB,         /* fetch-and-subtract */
    TAKE,        /* mutex */
    READ_COUNT,  /* plain */
    WRITE_COUNT, /* plain: one more than was read */
    WRITE_LESS,  /* plain: one less */
    ZERO_COUNT,  /* plain or atomic */
    GIVE,        /* mutex */
    LOOK_COUNT,  /* atomic load */
    NEXT_GEN,    /* atomic store of one more than the last look */
    LOOK_GEN,    /* atomic load */
    READ_LOCK,   /* one reader more by compare-and-swap, if no writer is there */
    READ_TRY,    /* one reader more, and less again if a writer is there */
    READ_FREE,   /* one reader less */
    WRITE_LOCK,  /* compare-and-swap from nothing to the writer's number */
    WRITE_SUB,   /* takes the writer's number off */
    WRITE_ZERO,  /* stores nothing */
    DOWN,        /* semaphore */
    UP,
    STEPS
};

static const enum step activities[][6] = {
    {SPIN, READ, WRITE, FREE, STEPS},
    {SPIN, WRITE, FREE, STEPS},
    {SWAP, WRITE, FREE, STEPS},
    {TAKE, READ_COUNT, WRITE_COUNT, GIVE, STEPS},
    {ADD, STEPS},
    {ADD, WRITE, STEPS},
    {ADD, SUB, STEPS},
    {WRITE, SUB, STEPS},
    {ADD, WRITE, SUB, STEPS},
    {WRITE, TAKE, READ_COUNT, WRITE_LESS, GIVE, STEPS},
    {ADD, ZERO_COUNT, NEXT_GEN, STEPS},
    {LOOK_COUNT, READ, STEPS},
    {LOOK_GEN, WRITE, STEPS},
    {LOOK_GEN, READ, STEPS},
    {WRITE, NEXT_GEN, STEPS},
    {TAKE, READ_COUNT, GIVE, WRITE, STEPS},
    {READ_LOCK, READ, READ_FREE, STEPS},
    {READ_LOCK, READ, READ_FREE, STEPS},
    {READ_TRY, READ, READ_FREE, STEPS},
    {WRITE_LOCK, WRITE, WRITE_SUB, STEPS},
    {WRITE_LOCK, WRITE, WRITE_ZERO, STEPS},
    {DOWN, WRITE, UP, STEPS},
    {DOWN, WRITE, UP, STEPS},
    {DOWN, READ, WRITE, UP, STEPS},
    {WRITE, UP, STEPS},
    {DOWN, READ, STEPS},
};
enum { ACTIVITIES = sizeof activities / sizeof *activities };
enum { RW_ACTIVITIES = 5, SEM_ACTIVITIES = 5 }; /* the last ones; semaphores after these */

struct thread {
    const enum step *next;
    unsigned last_read; /* event number of the last read; 0: none */
    uint64_t seen;      /* its value */
};

struct machine {
    struct hd_rng rng;
    FILE *out;
    unsigned n; /* events so far */
    uint64_t mem[VARS];
    uint64_t writer; /* what a writer adds to the number of readers */
    int owner;       /* of the mutex, or -1 */
    unsigned tokens; /* of the semaphore */
    struct thread thread[THREADS];
};

/* An event; its attributes may follow. */
static void event(struct machine *m, int u, const char *text)
{
    fprintf(m->out, "%st%d|%s|p:%u", m->n ? "\n" : "", u, text, m->n + 1);
    m->n++;
}

/* A branch on the last read: nearly always there. */
static void branch(struct machine *m, int u)
{
    if (hd_rng_chance(&m->rng, 12))
        return;
    event(m, u, "br");
    if (hd_rng_chance(&m->rng, 85))
        fprintf(m->out, "|deps=%u", m->thread[u].last_read);
}

static void note_read(struct machine *m, int u, enum var x)
{
    m->thread[u].last_read = m->n;
    m->thread[u].seen = m->mem[x];
}

static void read_var(struct machine *m, int u, const char *op, enum var x, bool look)
{
    char text[64];
    snprintf(text, sizeof text, "%s(%s,%" PRIu64 ")", op, names[x], m->mem[x]);
    event(m, u, text);
    note_read(m, u, x);
    if (look)
        branch(m, u);
}

static void write_var(struct machine *m, int u, const char *op, enum var x, uint64_t value,
                      bool computed)
{
    char text[64];
    snprintf(text, sizeof text, "%s(%s,%" PRIu64 ")", op, names[x], value);
    event(m, u, text);
    if (computed && m->thread[u].last_read)
        fprintf(m->out, "|val=%u", m->thread[u].last_read);
    else if (!hd_rng_chance(&m->rng, 10))
        fprintf(m->out, "|val=");
    m->mem[x] = value;
}

static void rmw_var(struct machine *m, int u, enum var x, uint64_t value, bool computed)
{
    char text[64];
    snprintf(text, sizeof text, "rmw(%s,%" PRIu64 ",%" PRIu64 ")", names[x], m->mem[x], value);
    event(m, u, text);
    if (computed)
        fprintf(m->out, "|val=%u", m->n);
    else if (!hd_rng_chance(&m->rng, 30))
        fprintf(m->out, "|val=");
    note_read(m, u, x);
    m->mem[x] = value;
    branch(m, u);
}

static bool use_mutex(struct machine *m, int u, bool take)
{
    if (take && m->owner >= 0)
        return m->owner == u; /* held for good by a thread that has begun anew: go on */
    if (!take && m->owner != u)
        return true;
    m->owner = take ? u : -1;
    event(m, u, take ? "acq(m)" : "rel(m)");
    return true;
}

/* The lock of readers and writers: as run_step. */
static bool run_rw_step(struct machine *m, int u, enum step step)
{
    bool writes = m->mem[RW] >= m->writer;
    switch (step) {
    case READ_LOCK:
        if (writes || hd_rng_chance(&m->rng, 20)) {
            read_var(m, u, "ar", RW, true);
            return hd_rng_chance(&m->rng, 5);
        }
        rmw_var(m, u, RW, m->mem[RW] + 1, !hd_rng_chance(&m->rng, 10));
        return true;
    case READ_TRY:
        rmw_var(m, u, RW, m->mem[RW] + 1, true);
        if (!writes)
            return true;
        if (hd_rng_chance(&m->rng, 20))
            read_var(m, u, "r", DATA, false);
        rmw_var(m, u, RW, m->mem[RW] - 1, true);
        return false;
    case READ_FREE:
        rmw_var(m, u, RW, m->mem[RW] - 1, true);
        return true;
    case WRITE_LOCK:
        if (m->mem[RW] && hd_rng_chance(&m->rng, 90)) {
            read_var(m, u, "ar", RW, true);
            return hd_rng_chance(&m->rng, 5);
        }
        rmw_var(m, u, RW, m->mem[RW] + m->writer, !hd_rng_chance(&m->rng, 10));
        return true;
    case WRITE_SUB:
        rmw_var(m, u, RW, m->mem[RW] - m->writer, true);
        return true;
    default:
        write_var(m, u, "aw", RW, 0, false);
        return true;
    }
}

static bool use_semaphore(struct machine *m, int u, bool take)
{
    if (take && !m->tokens)
        return false;
    m->tokens += take ? -1u : 1;
    event(m, u, take ? "sem(s)" : "post(s)");
    return true;
}

/* True: the step is done; false: it has to be tried again, or cannot be done now. */
static bool run_step(struct machine *m, int u, enum step step)
{
    struct thread *t = &m->thread[u];
    bool mine;
    switch (step) {
    case SPIN:
        if (m->mem[LOCK]) {
            read_var(m, u, "ar", LOCK, true);
            return hd_rng_chance(&m->rng, 5);
        }
        rmw_var(m, u, LOCK, 1, false);
        return true;
    case SWAP:
        mine = m->mem[LOCK] == 0;
        rmw_var(m, u, LOCK, 1, false);
        return mine || hd_rng_chance(&m->rng, 5);
    case FREE:
        write_var(m, u, "aw", LOCK, 0, false);
        return true;
    case READ:
        read_var(m, u, "r", DATA, hd_rng_chance(&m->rng, 30));
        return true;
    case WRITE:
        write_var(m, u, "w", DATA, (unsigned)hd_rng_below(&m->rng, 3), hd_rng_chance(&m->rng, 30));
        return true;
    case ADD:
    case SUB:
        rmw_var(m, u, COUNT, (uint32_t)(m->mem[COUNT] + (step == ADD ? 1 : -1u)), true);
        return true;
    case TAKE:
    case GIVE:
        return use_mutex(m, u, step == TAKE);
    case DOWN:
    case UP:
        return use_semaphore(m, u, step == DOWN);
    case READ_COUNT:
        read_var(m, u, "r", COUNT, hd_rng_chance(&m->rng, 50));
        return true;
    case WRITE_COUNT:
    case WRITE_LESS:
        write_var(m, u, "w", COUNT, (uint32_t)(t->seen + (step == WRITE_COUNT ? 1 : -1u)), true);
        return true;
    case ZERO_COUNT:
        write_var(m, u, "aw", COUNT, 0, false);
        return true;
    case LOOK_COUNT:
        read_var(m, u, "ar", COUNT, true);
        return true;
    case NEXT_GEN:
        write_var(m, u, "aw", GEN, m->mem[GEN] + 1, false);
        return true;
    case LOOK_GEN:
        read_var(m, u, "ar", GEN, true);
        return true;
    default:
        return run_rw_step(m, u, step);
    }
}

static size_t make(uint64_t seed, char *buffer, size_t size)
{
    struct machine m = {.owner = -1, .mem[COUNT] = 4, .out = fmemopen(buffer, size, "w")};
    hd_rng_init(&m.rng, seed);
    m.writer = (const uint64_t[]){8, UINT32_MAX, UINT64_MAX}[hd_rng_below(&m.rng, 3)];
    int threads = 2 + (int)hd_rng_below(&m.rng, THREADS - 1);
    unsigned kinds = 1 + (unsigned)hd_rng_below(&m.rng, 3), kind[3], stop = m.n;
    unsigned plain = ACTIVITIES - RW_ACTIVITIES - SEM_ACTIVITIES, draw = hd_rng_below(&m.rng, 10);
    unsigned from = draw < 2 ? plain + RW_ACTIVITIES : draw < 5 ? plain : 0;
    for (unsigned i = 0; i < kinds; i++)
        kind[i] = from + (unsigned)hd_rng_below(&m.rng, ACTIVITIES - from);
    m.tokens = (const unsigned[]){0, 1, 1, 1, 2}[hd_rng_below(&m.rng, 5)];
    if (!hd_rng_chance(&m.rng, 10))
        fprintf(m.out, "!control branches\n");
    for (int x = 0; x < DATA; x++)
        fprintf(m.out, "!init %s %" PRIu64 "\n", names[x], m.mem[x]);
    fprintf(m.out, "!sem s %u\n", m.tokens);
    stop = 8 + (unsigned)hd_rng_below(&m.rng, MAX_EVENTS - 10);
    for (int tries = 0; m.n < stop && tries < 200; tries++) {
        int u = (int)hd_rng_below(&m.rng, (uint64_t)threads);
        struct thread *t = &m.thread[u];
        if (!t->next || *t->next == STEPS)
            t->next = activities[kind[hd_rng_below(&m.rng, kinds)]];
        if (hd_rng_chance(&m.rng, 4)) /* a step left out */
            t->next++;
        else if (run_step(&m, u, *t->next))
            t->next++;
    }
    fputc('\n', m.out);
    size_t len = (size_t)ftell(m.out);
    fclose(m.out);
    return len;
}

static void values_are_judged_as_enumerated(void **state)
{
    uint64_t n = seeds_count(40000, 2000000);
    (void)state;
    uint64_t done = judge_seeds(make, n);
    if (seeds_were_chosen())
        return;
    print_message("%llu of %llu traces enumerated; races %llu, impossible by lockset %llu, by must "
                  "%llu\n",
                  (unsigned long long)done, (unsigned long long)n, (unsigned long long)races,
                  (unsigned long long)proved[HD_STEP_LOCKSET],
                  (unsigned long long)proved[HD_STEP_MUST]);
    assert_true(done > n / 2);
    assert_true(races > n && proved[HD_STEP_LOCKSET] > n / 10 && proved[HD_STEP_MUST] > n / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_judged_as_enumerated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
