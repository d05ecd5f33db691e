/* Prediction against exhaustive enumeration on random traces of a list whose objects have a lock
 * each, which are taken hand over hand: a thread takes the lock of an object while it holds that of
 * the one before, walks on, puts an object behind the one it is at, takes one out, gives it to a
 * pool under another lock, gets one from there. Faults are part of the draw: a lock is taken late,
 * not at all, or as a reader, given back early; a link, a look, a dependence is left out; an object
 * is used after it was given.
 *
 * HEDDLE_TEST_LONG=1 draws 1,000,000 traces, else 20,000; HEDDLE_SEEDS=m,n those of the seeds m to
 * n - 1. HEDDLE_SEED=n runs that one and prints it.
 */
#include "../support/seeds.h"
#include "../support/judge.h"
#include "../support/owned_pairs.h"

#include "base/alloc.h"
#include "base/rng.h"

enum { THREADS = 3, OBJECTS = 3, MAX_EVENTS = 66, FIRST = 5001, NOBODY = -1, NONE = -1 };
/* Locks: of the list, of the pool, of each object. */
enum { LIST, POOL, INNER, LOCKS = INNER + OBJECTS };
/* Locations: where the list and the pool begin, then of each object its link and data. */
enum { NEXT = INNER, DATA = NEXT + OBJECTS, LOCS = DATA + OBJECTS };

/* What is done wrong now and then in a trace. */
enum fault {
    NO_BRANCH,
    NO_VALUE,
    NO_LOCK, /* an object is used without its lock */
    EARLY,   /* the lock before is given back before the next one is taken */
    NO_WRITE,
    NO_LINK,  /* a link is not written before the object is given */
    KEEP,     /* an object is used after it was given */
    READER,   /* a lock is taken for reading */
    UNLOCKED, /* an object is taken out without its lock */
    STRAY,
    DOUBLE, /* an object stays in the list when it goes to the pool */
    CUT,    /* an object is taken out with all that follows it */
    ANY,
    NOTHING,
    FAULTS
};

struct thread {
    int at;                 /* the object it is at, whose lock it may hold; NONE */
    int under;              /* the lock of what leads there; NONE: it was given back */
    int has;                /* an object of its own; NONE */
    int old;                /* an object that it had or was at before */
    unsigned read[OBJECTS]; /* the read by which it came across each; 0: none */
};

struct machine {
    struct hd_rng rng;
    FILE *out;
    unsigned n;
    enum fault fault;
    bool addressed; /* accesses depend on the reads of addresses by themselves */
    unsigned mem[LOCS];
    int holder[LOCKS];
    bool reads[LOCKS]; /* the holder holds it for reading */
    struct thread thread[THREADS];
};

static bool chance(struct machine *m, unsigned percent)
{
    return hd_rng_chance(&m->rng, percent);
}

static bool fault(struct machine *m, enum fault kind)
{
    return (m->fault == kind && chance(m, 35)) || (m->fault == ANY && chance(m, 6));
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
    if (loc >= NEXT && loc < DATA)
        fprintf(m->out, "|next:1");
    else
        fprintf(m->out, "|p:%u", m->n);
}

static int object_of(unsigned value)
{
    return value >= FIRST && value < FIRST + OBJECTS ? (int)(value - FIRST) : NONE;
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

static int read_link(struct machine *m, int u, int loc)
{
    int object = object_of(m->mem[loc]);
    event(m, u, loc, "r(x%d,%u)", loc, m->mem[loc]);
    address(m, u, loc);
    unsigned read = m->n;
    if (object != NONE)
        m->thread[u].read[object] = read;
    if (!fault(m, NO_BRANCH)) {
        event(m, u, NONE, "br");
        fprintf(m->out, "|deps=%u", read);
    }
    return object;
}

/* object: whose address is written, or NONE. */
static void write_link(struct machine *m, int u, int loc, int object)
{
    unsigned read = object == NONE ? 0 : m->thread[u].read[object];
    unsigned value = object == NONE ? 0 : (unsigned)(FIRST + object);
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

static void use(struct machine *m, int u, int object)
{
    int loc = DATA + object;
    if (chance(m, 70))
        event(m, u, NONE, "w(x%d,%u)", loc, m->mem[loc] = 7);
    else
        event(m, u, NONE, "r(x%d,%u)", loc, m->mem[loc]);
    address(m, u, loc);
}

static bool is_free(const struct machine *m, int lock)
{
    return m->holder[lock] == NOBODY;
}

static void take_lock(struct machine *m, int u, int lock)
{
    m->reads[lock] = fault(m, READER);
    m->holder[lock] = u;
    event(m, u, NONE, "%s(m%d)", m->reads[lock] ? "racq" : "acq", lock);
}

static void give_lock(struct machine *m, int u, int lock)
{
    if (lock == NONE || m->holder[lock] != u)
        return;
    m->holder[lock] = NOBODY;
    event(m, u, NONE, "%s(m%d)", m->reads[lock] ? "rrel" : "rel", lock);
}

/* The location that leads to where the thread is. */
static int before(const struct thread *t)
{
    return t->under == LIST ? LIST : NEXT + t->under - INNER;
}

/* From what the lock `under` leads to, on to the next object. */
static void step_to(struct machine *m, int u, int under, int object)
{
    struct thread *t = &m->thread[u];
    bool early = fault(m, EARLY);
    if (early)
        give_lock(m, u, under);
    if (object != NONE && !fault(m, NO_LOCK) && is_free(m, INNER + object))
        take_lock(m, u, INNER + object);
    t->old = t->at;
    t->at = object;
    t->under = under;
    if (object == NONE || early || chance(m, 40)) {
        give_lock(m, u, under);
        t->under = NONE;
    }
}

static void enter(struct machine *m, int u)
{
    int first = object_of(m->mem[LIST]);
    if (!is_free(m, LIST) || (first != NONE && !is_free(m, INNER + first) && chance(m, 95)))
        return;
    take_lock(m, u, LIST);
    step_to(m, u, LIST, read_link(m, u, LIST));
}

static void leave(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    bool order = chance(m, 50);
    give_lock(m, u, order ? t->under : INNER + t->at);
    give_lock(m, u, order ? INNER + t->at : t->under);
    t->old = t->at;
    t->at = t->under = NONE;
}

static void walk_on(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    int from = t->at, next = object_of(m->mem[NEXT + from]);
    if (next != NONE && !is_free(m, INNER + next))
        return;
    give_lock(m, u, t->under);
    next = read_link(m, u, NEXT + from);
    step_to(m, u, INNER + from, next);
    if (next == NONE) /* the lock was given back */
        t->under = NONE;
}

/* Puts what the thread has behind, or before, the object it is at, or first. */
static void insert(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    int own = t->has, loc = LIST;
    bool inside = t->at != NONE;
    if (inside)
        loc = t->under != NONE && chance(m, 50) ? before(t) : NEXT + t->at;
    else if (!is_free(m, LIST))
        return;
    else
        take_lock(m, u, LIST);
    int next = read_link(m, u, loc);
    if (!fault(m, NO_LINK))
        write_link(m, u, NEXT + own, next);
    write_link(m, u, loc, own);
    if (!inside)
        give_lock(m, u, LIST);
    t->has = NONE;
    t->old = own;
}

/* The object it is at becomes its own. */
static void take_out(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    int at = t->at;
    if (t->under == NONE || t->has != NONE)
        return;
    if (fault(m, UNLOCKED))
        give_lock(m, u, INNER + at);
    int next = m->fault == CUT && chance(m, 50) ? NONE : read_link(m, u, NEXT + at);
    if (!fault(m, DOUBLE))
        write_link(m, u, before(t), m->fault == CUT ? NONE : next);
    leave(m, u);
    t->has = at;
}

static void put(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    if (!is_free(m, POOL))
        return;
    take_lock(m, u, POOL);
    int first = read_link(m, u, POOL);
    if (!fault(m, NO_LINK) && !fault(m, CUT))
        write_link(m, u, NEXT + t->has, first);
    write_link(m, u, POOL, t->has);
    give_lock(m, u, POOL);
    t->old = t->has;
    t->has = NONE;
}

static void get(struct machine *m, int u)
{
    if (!is_free(m, POOL) || (!m->mem[POOL] && chance(m, 80)))
        return;
    take_lock(m, u, POOL);
    int object = read_link(m, u, POOL);
    if (object != NONE)
        write_link(m, u, POOL, read_link(m, u, NEXT + object));
    give_lock(m, u, POOL);
    m->thread[u].has = object;
}

static void step_inside(struct machine *m, int u)
{
    unsigned drawn = (unsigned)hd_rng_below(&m->rng, 100);
    struct thread *t = &m->thread[u];
    if (drawn < 25)
        use(m, u, t->at);
    else if (drawn < 50)
        walk_on(m, u);
    else if (drawn < 70)
        take_out(m, u);
    else if (drawn < 80 && t->has != NONE && t->has != t->at)
        insert(m, u);
    else
        leave(m, u);
}

static void step(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    if (fault(m, STRAY))
        use(m, u, (int)hd_rng_below(&m->rng, OBJECTS));
    else if (t->old != NONE && fault(m, KEEP))
        use(m, u, t->old);
    else if (t->at != NONE)
        step_inside(m, u);
    else if (t->has == NONE && chance(m, 40))
        get(m, u);
    else if (t->has == NONE || chance(m, 15))
        enter(m, u);
    else if (chance(m, 30))
        use(m, u, t->has);
    else if (chance(m, 50))
        put(m, u);
    else
        insert(m, u);
}

/* Objects are in the list or in the pool in the beginning. */
static void begin(struct machine *m)
{
    int last[2] = {LIST, POOL}, objects = chance(m, 60) ? 2 : OBJECTS;
    for (int i = 0; i < LOCKS; i++)
        m->holder[i] = NOBODY;
    for (int u = 0; u < THREADS; u++)
        m->thread[u] = (struct thread){NONE, NONE, NONE, NONE, {0}};
    for (int b = 0; b < objects; b++) {
        int *end = &last[chance(m, 25)];
        m->mem[*end] = (unsigned)(FIRST + b);
        *end = NEXT + b;
    }
    if (chance(m, 10)) /* in two places */
        m->mem[NEXT + objects - 1] = FIRST + (unsigned)hd_rng_below(&m->rng, 2);
    fprintf(m->out, "!control branches\n");
    for (int x = 0; x < DATA; x++)
        fprintf(m->out, "!init x%d %u\n", x, m->mem[x]);
}

static size_t make(uint64_t seed, char *buffer, size_t size)
{
    struct machine m = {.out = fmemopen(buffer, size, "w")};
    hd_rng_init(&m.rng, seed);
    unsigned drawn = (unsigned)hd_rng_below(&m.rng, FAULTS + 2);
    m.fault = drawn < FAULTS ? (enum fault)drawn : NOTHING;
    m.addressed = chance(&m, 75);
    int threads = chance(&m, 75) ? 2 : THREADS;
    begin(&m);
    unsigned stop = 20 + (unsigned)hd_rng_below(&m.rng, MAX_EVENTS - 32);
    for (int tries = 0; m.n < stop && tries < 200; tries++)
        step(&m, (int)hd_rng_below(&m.rng, (uint64_t)threads));
    fputc('\n', m.out);
    size_t len = (size_t)ftell(m.out);
    fclose(m.out);
    return len;
}

static void inner_locks_are_judged_as_enumerated(void **state)
{
    uint64_t n = seeds_count(20000, 1000000), pairs = 0;
    char buffer[8192];
    (void)state;
    uint64_t done = judge_seeds(make, n);
    if (seeds_were_chosen())
        return;
    for (uint64_t seed = 0; seed < 2000; seed++)
        pairs += owned_pairs(buffer, make(seed, buffer, sizeof buffer), HD_OWNED_VIEW,
                             HD_OWNED_ALONE, HD_OWNED_ALONE);
    print_message("%" PRIu64 " traces enumerated; races %" PRIu64 ", impossible by lockset %" PRIu64
                  ", by must %" PRIu64 "; of 2000 traces by inner locks %" PRIu64 "\n",
                  done, races, proved[HD_STEP_LOCKSET], proved[HD_STEP_MUST], pairs);
    assert_true(done > n / 2 && races > n / 4 && pairs > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_locks_are_judged_as_enumerated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
