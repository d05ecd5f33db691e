/* Prediction against exhaustive enumeration on random traces with objects that are counted: tables
 * under a mutex share them, threads add to the count and take from it under the same mutex, another
 * one, or none, and the thread that takes the last unit has the object alone and puts it into a
 * pool. Faults are part of the draw: an object is used after its unit was given back, a count is
 * not changed, changed twice, by two, stored, wrong in the beginning, read before its lock is
 * taken; a thread takes a count for its own; a lock, a branch, a dependence is left out, a lock is
 * held by readers only.
 *
 * HEDDLE_TEST_LONG=1 draws 1,000,000 traces, else 5,000; HEDDLE_SEEDS=m,n those of the seeds m to
 * n - 1. HEDDLE_SEED=n runs that one and prints it.
 */
#include "../support/seeds.h"
#include "../support/judge.h"
#include "../support/owned_pairs.h"

#include "base/alloc.h"
#include "base/rng.h"

enum { THREADS = 3, OBJECTS = 3, MAX_EVENTS = 96, FIRST = 5001, TABLES = 2 };
/* Locations: the tables, the pool, then of each object a link, the count and data. */
enum { POOL = TABLES, NEXT, COUNT = NEXT + OBJECTS, DATA = COUNT + OBJECTS, LOCS = DATA + OBJECTS };
/* Mutexes: of the tables, of the pool, of counts. */
enum { TABLE_LOCK, POOL_LOCK, COUNT_LOCK, LOCKS };

/* What is done wrong now and then in a trace. */
enum fault {
    NO_BRANCH,
    NO_VALUE,
    NO_LOCK,
    NO_WRITE,
    NO_COUNT,
    TWICE,
    STORE,
    SPLIT,
    MORE,
    GUESS,
    KEEP,
    LATE,
    STRAY,
    SHARED,
    ANY,
    NOTHING,
    FAULTS
};

/* How counts are changed: by a read and a write under the lock of counts, or of tables; by one
 * read-modify-write. */
enum mode { OWN_LOCK, TABLES_LOCK, ATOMIC, MODES };

struct thread {
    int has;                /* the object that it has alone, or -1 */
    int units[OBJECTS];     /* that it has of each */
    unsigned read[OBJECTS]; /* the read by which it came across each; 0: none */
    unsigned late;          /* a read that is looked at later; 0: none */
    bool held[LOCKS];
};

struct machine {
    struct hd_rng rng;
    FILE *out;
    unsigned n;
    enum fault fault;
    enum mode mode;
    bool addressed; /* accesses depend on the reads of addresses by themselves */
    bool again;     /* the count is read again, to see whether none is left */
    int objects;
    const char *doing; /* part of the source place */
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
    fprintf(m->out, "|%s:%d", m->doing, loc < NEXT ? loc + 1 : NEXT + (loc - NEXT) / OBJECTS);
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

static void look_soon(struct machine *m, int u, unsigned read)
{
    if (fault(m, LATE))
        m->thread[u].late = read;
    else if (!fault(m, NO_BRANCH))
        look(m, u, read);
}

static unsigned read_loc(struct machine *m, int u, int loc, bool branch)
{
    int object = object_of(m->mem[loc]);
    event(m, u, loc, "r(x%d,%u)", loc, m->mem[loc]);
    address(m, u, loc);
    if (object >= 0)
        m->thread[u].read[object] = m->n;
    if (branch)
        look_soon(m, u, m->n);
    return m->mem[loc];
}

static void value_from(struct machine *m, unsigned read)
{
    if (read && !fault(m, NO_VALUE))
        fprintf(m->out, ";val=%u", read);
    else
        fprintf(m->out, ";val=");
}

/* read: the event it was computed from; 0: none. */
static void write_loc(struct machine *m, int u, int loc, unsigned value, unsigned read)
{
    if (fault(m, NO_WRITE))
        return;
    event(m, u, loc, "w(x%d,%u)", loc, value);
    address(m, u, loc);
    value_from(m, read);
    m->mem[loc] = value;
}

/* True: the lock was taken now, and has to be given back. */
static bool take_lock(struct machine *m, int u, int lock)
{
    if (m->thread[u].held[lock] || fault(m, NO_LOCK))
        return false;
    event(m, u, -1, "acq(m%d)", lock);
    return m->thread[u].held[lock] = true;
}

static void give_lock(struct machine *m, int u, int lock, bool taken)
{
    if (!taken)
        return;
    event(m, u, -1, "rel(m%d)", lock);
    m->thread[u].held[lock] = false;
}

/* ---- counts ---- */

static int count_lock(const struct machine *m)
{
    return m->mode == OWN_LOCK ? COUNT_LOCK : TABLE_LOCK;
}

/* Between the read and the write of a count the lock is given back. */
static void split(struct machine *m, int u)
{
    int lock = count_lock(m);
    if (!m->thread[u].held[lock] || !fault(m, SPLIT))
        return;
    event(m, u, -1, "rel(m%d)", lock);
    event(m, u, -1, "acq(m%d)", lock);
}

/* The count is read, and written one higher or lower. The read. */
static unsigned change_count(struct machine *m, int u, int b, int step)
{
    int loc = COUNT + b;
    if (fault(m, MORE) && (step > 0 || m->mem[loc] > 1))
        step *= 2;
    unsigned value = m->mem[loc] + (unsigned)step;
    if (m->mode == ATOMIC) {
        event(m, u, loc, "rmw(x%d,%u,%u)", loc, m->mem[loc], value);
        address(m, u, loc);
        value_from(m, m->n);
        m->mem[loc] = value;
        return m->n;
    }
    read_loc(m, u, loc, false);
    unsigned read = m->n;
    split(m, u);
    write_loc(m, u, loc, value, fault(m, STORE) ? 0 : read);
    if (fault(m, TWICE))
        write_loc(m, u, loc, value, read);
    return read;
}

static void add_unit(struct machine *m, int u, int b)
{
    bool locked = m->mode != ATOMIC && take_lock(m, u, count_lock(m));
    if (!fault(m, NO_COUNT))
        change_count(m, u, b, 1);
    give_lock(m, u, count_lock(m), locked);
    m->thread[u].units[b]++;
}

/* The thread gives a unit back; if it is the last, it has the object alone. */
static void put(struct machine *m, int u, int b)
{
    m->doing = "put";
    struct thread *t = &m->thread[u];
    bool locked = m->mode != ATOMIC && take_lock(m, u, count_lock(m));
    if (!m->mem[COUNT + b]) {
        give_lock(m, u, count_lock(m), locked);
        return;
    }
    unsigned read = change_count(m, u, b, -1);
    if (m->again) {
        read_loc(m, u, COUNT + b, false);
        read = m->n;
    }
    bool last = !m->mem[COUNT + b], inside = chance(m, 30);
    if (inside)
        look_soon(m, u, read);
    give_lock(m, u, count_lock(m), locked);
    if (!inside)
        look_soon(m, u, read);
    if (!fault(m, KEEP))
        t->units[b]--;
    if (fault(m, TWICE))
        t->units[b] = 1;
    if (last && t->has < 0)
        t->has = b;
}

/* ---- tables and the pool ---- */

static void get(struct machine *m, int u)
{
    m->doing = "get";
    int table = chance(m, 15) ? 1 : 0;
    bool locked = take_lock(m, u, TABLE_LOCK);
    int b = object_of(read_loc(m, u, table, true));
    if (b >= 0)
        add_unit(m, u, b);
    give_lock(m, u, TABLE_LOCK, locked);
}

/* What the thread has goes into a table, alone or by a unit; what was there is the thread's. */
static void replace(struct machine *m, int u, int b, bool alone)
{
    struct thread *t = &m->thread[u];
    m->doing = "replace";
    int table = chance(m, 15) ? 1 : 0;
    if (alone) {
        write_loc(m, u, DATA + b, 7, 0);
        if (chance(m, 25))
            write_loc(m, u, COUNT + b, 2, 0);
        write_loc(m, u, COUNT + b, chance(m, 80) ? 1 : 2, 0);
        t->units[b] = (int)m->mem[COUNT + b];
        t->has = -1;
    }
    bool locked = take_lock(m, u, TABLE_LOCK);
    int old = object_of(read_loc(m, u, table, false));
    unsigned read = m->n;
    bool first = old >= 0 && chance(m, 25);
    if (first) {
        look_soon(m, u, read);
        t->units[old]++;
        put(m, u, old);
    }
    write_loc(m, u, table, (unsigned)(FIRST + b), 0);
    t->units[b]--;
    give_lock(m, u, TABLE_LOCK, locked);
    if (old >= 0 && !first) {
        look_soon(m, u, read);
        t->units[old]++;
    }
}

/* Another table gets what one has. */
static void share(struct machine *m, int u)
{
    m->doing = "share";
    bool locked = take_lock(m, u, TABLE_LOCK), before = chance(m, 60);
    int b = object_of(read_loc(m, u, 0, true));
    if (b >= 0 && object_of(m->mem[1]) < 0) {
        if (before)
            add_unit(m, u, b);
        write_loc(m, u, 1, (unsigned)(FIRST + b), 0);
        if (!before)
            add_unit(m, u, b);
        m->thread[u].units[b]--;
    }
    give_lock(m, u, TABLE_LOCK, locked);
}

static void take(struct machine *m, int u)
{
    m->doing = "take";
    bool locked = take_lock(m, u, POOL_LOCK);
    int b = object_of(read_loc(m, u, POOL, true));
    if (b >= 0) {
        unsigned next = read_loc(m, u, NEXT + b, false);
        write_loc(m, u, POOL, next, m->n);
    }
    give_lock(m, u, POOL_LOCK, locked);
    m->thread[u].has = b;
}

static void give(struct machine *m, int u)
{
    m->doing = "give";
    int b = m->thread[u].has;
    bool locked = take_lock(m, u, POOL_LOCK);
    unsigned old = read_loc(m, u, POOL, false);
    write_loc(m, u, NEXT + b, old, m->n);
    write_loc(m, u, POOL, (unsigned)(FIRST + b), 0);
    give_lock(m, u, POOL_LOCK, locked);
    if (!fault(m, KEEP))
        m->thread[u].has = -1;
}

/* ---- uses ---- */

static void use(struct machine *m, int u, int b, bool writes)
{
    if (!writes) {
        read_loc(m, u, DATA + b, false);
        return;
    }
    event(m, u, DATA + b, "w(x%d,%u)", DATA + b, m->mem[DATA + b] = 7);
    address(m, u, DATA + b);
}

/* A thread with the only unit may write. */
static void write_alone(struct machine *m, int u, int b)
{
    m->doing = "write_alone";
    bool locked = m->mode != ATOMIC && take_lock(m, u, count_lock(m));
    unsigned units = read_loc(m, u, COUNT + b, true);
    give_lock(m, u, count_lock(m), locked);
    use(m, u, b, units == (unsigned)m->thread[u].units[b]);
}

/* What a table has is used under its lock. */
static void peek(struct machine *m, int u)
{
    m->doing = "peek";
    bool shared = fault(m, SHARED);
    event(m, u, -1, "%s(m%d)", shared ? "racq" : "acq", TABLE_LOCK);
    int b = object_of(read_loc(m, u, 0, true));
    if (b >= 0)
        use(m, u, b, chance(m, 30));
    event(m, u, -1, "%s(m%d)", shared ? "rrel" : "rel", TABLE_LOCK);
}

static void work(struct machine *m, int u, int b)
{
    unsigned draw = (unsigned)hd_rng_below(&m->rng, 100);
    if (draw < 30)
        use(m, u, b, chance(m, 10));
    else if (draw < 80)
        put(m, u, b);
    else if (draw < 87)
        replace(m, u, b, false);
    else if (draw < 97)
        write_alone(m, u, b);
    else
        add_unit(m, u, b);
}

static void step(struct machine *m, int u)
{
    m->doing = "step";
    struct thread *t = &m->thread[u];
    int b = -1;
    for (int i = 0; i < m->objects; i++)
        b = t->units[i] > 0 ? i : b;
    if (fault(m, GUESS)) {
        write_alone(m, u, (int)hd_rng_below(&m->rng, (uint64_t)m->objects));
    } else if (t->late && chance(m, 30)) {
        look(m, u, t->late);
        t->late = 0;
    } else if (fault(m, STRAY)) {
        use(m, u, (int)hd_rng_below(&m->rng, (uint64_t)m->objects), true);
    } else if (t->has >= 0 && chance(m, 40)) {
        use(m, u, t->has, chance(m, 80));
    } else if (t->has >= 0 && b < 0) {
        if (chance(m, 30))
            give(m, u);
        else
            replace(m, u, t->has, true);
    } else if (b >= 0 && chance(m, 90)) {
        work(m, u, b);
    } else if (t->has < 0 && m->mem[POOL] && chance(m, 35)) {
        take(m, u);
    } else if (chance(m, 8)) {
        share(m, u);
    } else if (chance(m, 8)) {
        peek(m, u);
    } else {
        get(m, u);
    }
}

/* Objects are in a table, in the pool, or of a thread, in the beginning. */
static void begin(struct machine *m)
{
    for (int u = 0; u < THREADS; u++)
        m->thread[u] = (struct thread){.has = -1};
    m->objects = chance(m, 60) ? 2 : OBJECTS;
    m->mem[0] = FIRST;
    m->mem[COUNT] = chance(m, 90) ? 1 : 2;
    if (chance(m, 30)) {
        m->thread[0].has = 1;
    } else {
        m->mem[POOL] = FIRST + 1;
        m->mem[NEXT + 1] = m->objects > 2 ? FIRST + 2 : 0;
    }
    if (chance(m, 15)) /* in both tables */
        m->mem[1] = FIRST;
    if (m->mem[1] && chance(m, 80))
        m->mem[COUNT]++;
    if (chance(m, 25)) /* an old address */
        m->mem[NEXT] = FIRST + 1;
    fprintf(m->out, "!control branches\n");
    for (int x = 0; x < DATA; x++)
        fprintf(m->out, "!init x%d %u\n", x, m->mem[x]);
}

static size_t make(uint64_t seed, char *buffer, size_t size)
{
    struct machine m = {.out = fmemopen(buffer, size, "w")};
    hd_rng_init(&m.rng, seed);
    unsigned drawn = (unsigned)hd_rng_below(&m.rng, FAULTS + 8);
    m.fault = drawn < FAULTS ? (enum fault)drawn : NOTHING;
    m.mode = (enum mode)hd_rng_below(&m.rng, MODES);
    m.addressed = chance(&m, 75);
    m.again = m.mode != ATOMIC && chance(&m, 30);
    int threads = chance(&m, 75) ? 2 : THREADS;
    begin(&m);
    unsigned stop = 26 + (unsigned)hd_rng_below(&m.rng, MAX_EVENTS - 38);
    for (int tries = 0; m.n < stop && tries < 200; tries++)
        step(&m, (int)hd_rng_below(&m.rng, (uint64_t)threads));
    fputc('\n', m.out);
    size_t len = (size_t)ftell(m.out);
    fclose(m.out);
    return len;
}

static void counts_are_judged_as_enumerated(void **state)
{
    uint64_t n = seeds_count(5000, 1000000), pairs = 0;
    char buffer[8192];
    (void)state;
    uint64_t done = judge_seeds(make, n);
    if (seeds_were_chosen())
        return;
    for (uint64_t seed = 0; seed < 2000; seed++)
        pairs += owned_pairs(buffer, make(seed, buffer, sizeof buffer), 1, HD_OWNED_SHARED,
                             HD_OWNED_ALONE);
    print_message("%" PRIu64 " traces enumerated; races %" PRIu64 ", impossible by lockset %" PRIu64
                  ", by must %" PRIu64 "; of 2000 traces by counts %" PRIu64 "\n",
                  done, races, proved[HD_STEP_LOCKSET], proved[HD_STEP_MUST], pairs);
    assert_true(done > n / 2 && races > n / 4 && pairs > 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_judged_as_enumerated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
