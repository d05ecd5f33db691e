/* Prediction against exhaustive enumeration on random traces in which objects go from thread to
 * thread through links: lists under two mutexes, of which a thread takes the first object or all of
 * them, walks what it has, turns it round, takes it apart, and gives it back to one of the two, by
 * one of two links. Faults are part of the draw: an object is used after it was given, given twice,
 * taken without a look; a link is not written, a lock, a branch, a dependence is left out, a lock
 * is held by readers only.
 *
 * HEDDLE_TEST_LONG=1 draws 1,000,000 traces, else 10,000; HEDDLE_SEEDS=m,n those of the seeds m to
 * n - 1. HEDDLE_SEED=n runs that one and prints it.
 */
#include "../support/seeds.h"
#include "../support/judge.h"
#include "../support/owned_pairs.h"

#include "base/alloc.h"
#include "base/rng.h"

enum { THREADS = 3, OBJECTS = 3, MAX_EVENTS = 66, FIRST = 5001, LISTS = 2 };
/* Locations: the lists, then of each object two links and data. */
enum { NEXT = LISTS, DOWN = NEXT + OBJECTS, DATA = DOWN + OBJECTS, LOCS = DATA + OBJECTS };

/* What is done wrong now and then in a trace. */
enum fault {
    NO_BRANCH,
    NO_VALUE,
    NO_LOCK,
    NO_WRITE,
    KEEP,
    NO_LINK,
    LATE,
    COPY,
    STRAY,
    SHARED,
    ANY,
    NOTHING,
    FAULTS
};

struct thread {
    int has;                /* the first of its objects, or -1 */
    unsigned read[OBJECTS]; /* the read by which it came across each; 0: none */
    unsigned late;          /* a read that is looked at later; 0: none */
};

struct machine {
    struct hd_rng rng;
    FILE *out;
    unsigned n;
    enum fault fault;
    bool addressed; /* accesses depend on the reads of addresses by themselves */
    unsigned mem[LOCS];
    struct thread thread[THREADS];
};

static bool chance(struct machine *m, unsigned percent)
{
    return hd_rng_chance(&m->rng, percent);
}

static bool fault(struct machine *m, enum fault kind)
{
    return (m->fault == kind && chance(m, 35)) || (m->fault == ANY && chance(m, 8));
}

static const char *const slots[] = {"list", "list", "next", "next", "next", "down", "down", "down"};

static void event(struct machine *m, int u, int loc, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void event(struct machine *m, int u, int loc, const char *format, ...)
{
    va_list args;
    fprintf(m->out, "%st%d|", m->n ? "\n" : "", u);
    va_start(args, format);
    vfprintf(m->out, format, args);
    va_end(args);
    m->n++;
    if (loc >= NEXT && loc < DATA)
        fprintf(m->out, "|%s:1", slots[loc]);
    else
        fprintf(m->out, "|p:%u", m->n);
}

static int object_of(unsigned value)
{
    return value >= FIRST && value < FIRST + OBJECTS ? (int)(value - FIRST) : -1;
}

/* The read that the address of a location depends on. */
static void address(struct machine *m, int u, int loc)
{
    unsigned read = loc < NEXT ? 0 : m->thread[u].read[(loc - NEXT) % OBJECTS];
    if (m->addressed && read && !fault(m, NO_BRANCH))
        fprintf(m->out, "|addr=%u", read);
    else
        fprintf(m->out, "|addr=");
}

static void look(struct machine *m, int u, unsigned read)
{
    event(m, u, -1, "br");
    fprintf(m->out, "|deps=%u", read);
}

static unsigned read_loc(struct machine *m, int u, int loc, bool branch)
{
    int object = object_of(m->mem[loc]);
    event(m, u, loc, "r(x%d,%u)", loc, m->mem[loc]);
    address(m, u, loc);
    unsigned read = m->n;
    if (object >= 0)
        m->thread[u].read[object] = read;
    if (branch && fault(m, LATE))
        m->thread[u].late = read;
    else if (branch && !fault(m, NO_BRANCH))
        look(m, u, read);
    return m->mem[loc];
}

/* read: the event it was computed from; 0: none. */
static void write_loc(struct machine *m, int u, int loc, unsigned value, unsigned read)
{
    if (fault(m, NO_WRITE))
        return;
    event(m, u, loc, "w(x%d,%u)", loc, value);
    address(m, u, loc);
    if (read && !fault(m, NO_VALUE))
        fprintf(m->out, ";val=%u", read);
    else
        fprintf(m->out, ";val=");
    m->mem[loc] = value;
}

static bool take_lock(struct machine *m, int u, int list)
{
    if (fault(m, NO_LOCK))
        return false;
    event(m, u, -1, "acq(m%d)", list);
    return true;
}

static void give_lock(struct machine *m, int u, int list, bool taken)
{
    if (taken)
        event(m, u, -1, "rel(m%d)", list);
}

/* The link by which objects of a list are chained. */
static int link_of(int list)
{
    return list ? DOWN : NEXT;
}

static void take(struct machine *m, int u)
{
    int list = m->mem[0] ? 0 : 1;
    if (m->mem[1] && chance(m, 50))
        list = 1;
    if (!m->mem[list] && chance(m, 80))
        return;
    bool all = chance(m, 40), early = !all || chance(m, 50);
    bool locked = take_lock(m, u, list);
    int b = object_of(read_loc(m, u, list, early));
    unsigned read = m->thread[u].read[b < 0 ? 0 : b];
    if (b >= 0 && all) {
        write_loc(m, u, list, 0, 0);
    } else if (b >= 0) {
        unsigned next = read_loc(m, u, link_of(list) + b, chance(m, 30));
        int c = object_of(next);
        write_loc(m, u, list, next, c >= 0 ? m->thread[u].read[c] : 0);
    }
    give_lock(m, u, list, locked);
    if (b >= 0 && !early && !fault(m, NO_BRANCH))
        look(m, u, read);
    m->thread[u].has = b;
}

static void give(struct machine *m, int u)
{
    int list = (int)hd_rng_below(&m->rng, LISTS), b = m->thread[u].has, last = b;
    for (int i = 0; i < OBJECTS && list == 0 && chance(m, 60); i++) { /* whole */
        int c = object_of(m->mem[NEXT + last]);
        if (c < 0)
            break;
        read_loc(m, u, NEXT + last, true);
        last = c;
    }
    bool locked = take_lock(m, u, list);
    unsigned old = read_loc(m, u, list, chance(m, 20));
    unsigned read = object_of(old) < 0 ? 0 : m->thread[u].read[object_of(old)];
    if (!fault(m, NO_LINK))
        write_loc(m, u, link_of(list) + last, old, read);
    write_loc(m, u, list, (unsigned)(FIRST + b), 0);
    give_lock(m, u, list, locked);
    if (!fault(m, KEEP))
        m->thread[u].has = -1;
}

static void use(struct machine *m, int u, int b)
{
    if (chance(m, 70)) {
        event(m, u, -1, "w(x%d,%u)", DATA + b, m->mem[DATA + b] = 7);
        address(m, u, DATA + b);
    } else {
        read_loc(m, u, DATA + b, false);
    }
}

/* Something with what the thread has: down the chain, or the first two change places. */
static void work(struct machine *m, int u)
{
    int b = m->thread[u].has, link = chance(m, 75) ? NEXT : DOWN;
    if (chance(m, 55)) {
        use(m, u, b);
        return;
    }
    int c = object_of(read_loc(m, u, link + b, chance(m, 70)));
    if (c < 0)
        return;
    if (chance(m, 60)) {
        use(m, u, c);
    } else if (c != b) {
        unsigned rest = read_loc(m, u, link + c, false);
        write_loc(m, u, link + b, rest,
                  object_of(rest) < 0 ? 0 : m->thread[u].read[object_of(rest)]);
        if (chance(m, 80))
            write_loc(m, u, NEXT + c, (unsigned)(FIRST + b), 0);
        m->thread[u].has = c;
    }
}

/* A list gets what another one keeps. */
static void copy(struct machine *m, int u)
{
    bool locked = take_lock(m, u, 0);
    unsigned v = read_loc(m, u, 0, true);
    write_loc(m, u, 1, v, object_of(v) < 0 ? 0 : m->thread[u].read[object_of(v)]);
    give_lock(m, u, 0, locked);
}

/* What a list begins with is used under its lock. */
static void peek(struct machine *m, int u)
{
    int list = m->mem[0] ? 0 : 1;
    bool shared = fault(m, SHARED);
    if (!m->mem[list])
        return;
    event(m, u, -1, "%s(m%d)", shared ? "racq" : "acq", list);
    int b = object_of(read_loc(m, u, list, true));
    use(m, u, b);
    event(m, u, -1, "%s(m%d)", shared ? "rrel" : "rel", list);
}

static void step(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    if (t->late && chance(m, 30)) {
        look(m, u, t->late);
        t->late = 0;
    } else if (fault(m, STRAY)) {
        use(m, u, (int)hd_rng_below(&m->rng, OBJECTS));
    } else if (t->has < 0 && fault(m, COPY)) {
        copy(m, u);
    } else if (t->has < 0 && chance(m, 20)) {
        peek(m, u);
    } else if (t->has < 0) {
        take(m, u);
    } else if (chance(m, 45)) {
        give(m, u);
    } else {
        work(m, u);
    }
}

/* Objects are in the first list, or of the threads, in the beginning. */
static void begin(struct machine *m)
{
    bool listed = chance(m, 85);
    int objects = chance(m, 60) ? 2 : OBJECTS;
    for (int u = 0; u < THREADS; u++)
        m->thread[u] = (struct thread){.has = listed ? -1 : u % OBJECTS};
    m->mem[0] = listed ? FIRST : 0;
    for (int b = 0; b + 1 < objects && listed; b++)
        m->mem[NEXT + b] = (unsigned)(FIRST + b + 1);
    if (chance(m, 10)) /* in two places */
        m->mem[chance(m, 50) ? 1 : DOWN + 1] = FIRST + (unsigned)hd_rng_below(&m->rng, 2);
    fprintf(m->out, "!control branches\n");
    for (int x = 0; x < DATA; x++)
        fprintf(m->out, "!init x%d %u\n", x, m->mem[x]);
}

/* Half of the traces have a thread that makes all others and joins them in the end, or some of
 * them, or one through another; then it writes and reads without a lock. */
enum joins { APART, JOINED, THROUGH, NOT_ALL };
enum { MAIN = 9 };

static void fork_all(struct machine *m, enum joins joins, int threads)
{
    for (int u = 0; u < threads && joins != APART; u++)
        event(m, MAIN, -1, "fork(t%d)", u);
}

static void clear_up(struct machine *m, struct hd_rng *rng, enum joins joins, int threads)
{
    int end = joins == NOT_ALL || joins == THROUGH ? threads - 1 : threads;
    if (joins == THROUGH)
        event(m, 0, -1, "join(t%d)", threads - 1);
    for (int u = 0; u < end; u++)
        event(m, MAIN, -1, "join(t%d)", u);
    for (uint64_t i = hd_rng_below(rng, 4); i > 0; i--) {
        int loc = (int)hd_rng_below(rng, LOCS);
        bool writes = hd_rng_chance(rng, 60);
        if (writes)
            m->mem[loc] = hd_rng_chance(rng, 50) ? FIRST + (unsigned)hd_rng_below(rng, 2) : 0;
        event(m, MAIN, loc, "%s(x%d,%u)", writes ? "w" : "r", loc, m->mem[loc]);
        fprintf(m->out, writes ? "|addr=;val=" : "|addr=");
    }
}

static size_t make(uint64_t seed, char *buffer, size_t size)
{
    struct machine m = {.out = fmemopen(buffer, size, "w")};
    struct hd_rng joining; /* its own, so that the rest is as without it */
    hd_rng_init(&joining, ~seed);
    uint64_t kind = hd_rng_below(&joining, 6);
    enum joins joins = kind > NOT_ALL ? APART : (enum joins)kind;
    hd_rng_init(&m.rng, seed);
    unsigned drawn = (unsigned)hd_rng_below(&m.rng, FAULTS + 2);
    m.fault = drawn < FAULTS ? (enum fault)drawn : NOTHING;
    m.addressed = chance(&m, 75);
    int threads = chance(&m, 75) ? 2 : THREADS;
    begin(&m);
    fork_all(&m, joins, threads);
    unsigned stop = 20 + (unsigned)hd_rng_below(&m.rng, MAX_EVENTS - 32);
    for (int tries = 0; m.n < stop && tries < 200; tries++)
        step(&m, (int)hd_rng_below(&m.rng, (uint64_t)threads));
    if (joins != APART)
        clear_up(&m, &joining, joins, threads);
    fputc('\n', m.out);
    size_t len = (size_t)ftell(m.out);
    fclose(m.out);
    return len;
}

static void ownership_is_judged_as_enumerated(void **state)
{
    uint64_t n = seeds_count(10000, 1000000), pairs = 0;
    char buffer[8192];
    (void)state;
    uint64_t done = judge_seeds(make, n);
    if (seeds_were_chosen())
        return;
    for (uint64_t seed = 0; seed < 2000; seed++)
        pairs += owned_pairs(buffer, make(seed, buffer, sizeof buffer), 1, HD_OWNED_ALONE,
                             HD_OWNED_ALONE);
    print_message("%" PRIu64 " traces enumerated; races %" PRIu64 ", impossible by lockset %" PRIu64
                  ", by must %" PRIu64 "; of 2000 traces by ownership %" PRIu64 "\n",
                  done, races, proved[HD_STEP_LOCKSET], proved[HD_STEP_MUST], pairs);
    assert_true(done > n / 2 && races > n / 4 && pairs > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ownership_is_judged_as_enumerated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
