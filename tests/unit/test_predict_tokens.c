/* Prediction against exhaustive enumeration on random traces in which blocks go from thread to
 * thread: lists of free blocks under a mutex (taken from the front, put back there or on another
 * list, looked at), queues with a tail, marks "busy". A thread may also use blocks that it finds in
 * a list while it holds the mutex, the first one or the one behind it, with or without taking them
 * out; and blocks hold old pointers to others. Faults are part of the draw: a block is used after
 * it was given back, given twice, taken or used without a look; a link is not written, a lock, a
 * branch, a dependence or a whole step is left out; an old pointer is followed.
 *
 * HEDDLE_TEST_LONG=1 draws 1,000,000 traces, else 20,000; HEDDLE_SEEDS=m,n those of the seeds m to
 * n - 1. HEDDLE_SEED=n runs that one and prints it.
 */
#include <inttypes.h>

#include "../support/seeds.h"
#include "../support/judge.h"

#include "base/rng.h"

enum { THREADS = 3, BLOCKS = 2, MAX_EVENTS = 52, FIRST = 101 };
/* Locations: two heads, a tail, then of each block a link, data, a mark and an old pointer. */
enum {
    HEAD,
    OTHER,
    TAIL,
    LINK,
    DATA = LINK + BLOCKS,
    MARK = DATA + BLOCKS,
    OLD = MARK + BLOCKS,
    LOCS = OLD + BLOCKS
};

enum kind { STACK, QUEUE, MARKS, KINDS };

/* What is done wrong now and then in a trace. */
enum fault {
    NO_BRANCH,
    NO_VALUE,
    NO_LOCK,
    NO_WRITE,
    NO_MOVE,
    KEEP,
    NO_LINK,
    LATE,
    COPY,
    FOLLOW,
    STRAY,
    BLIND,
    AFTER,
    ANY,
    NOTHING,
    FAULTS
};

struct thread {
    int has, kept; /* blocks, or -1; kept only beside another one */
    unsigned last_read;
    unsigned late; /* a read that is looked at later; 0: none */
};

struct machine {
    struct hd_rng rng;
    FILE *out;
    enum kind kind;
    unsigned n;
    enum fault fault;
    bool visits; /* threads use free blocks while they hold the mutex */
    unsigned mem[LOCS];
    int owner; /* of the mutex, or -1 */
    struct thread thread[THREADS];
};

static bool fault(struct machine *m, enum fault kind)
{
    return (m->fault == kind && hd_rng_chance(&m->rng, 35)) ||
           (m->fault == ANY && hd_rng_chance(&m->rng, 8));
}

static void event(struct machine *m, int u, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void event(struct machine *m, int u, const char *format, ...)
{
    va_list args;
    fprintf(m->out, "%st%d|", m->n ? "\n" : "", u);
    va_start(args, format);
    vfprintf(m->out, format, args);
    va_end(args);
    m->n++;
    fprintf(m->out, "|p:%u", m->n);
}

static void look(struct machine *m, int u, unsigned read)
{
    event(m, u, "br");
    fprintf(m->out, "|deps=%u", read);
}

static unsigned read_loc(struct machine *m, int u, int loc, bool branch)
{
    event(m, u, "r(x%d,%u)", loc, m->mem[loc]);
    m->thread[u].last_read = m->n;
    if (branch && fault(m, LATE))
        m->thread[u].late = m->n;
    else if (branch && !fault(m, NO_BRANCH))
        look(m, u, m->n);
    return m->mem[loc];
}

/* read: the event it was computed from; 0: none. */
static void write_loc(struct machine *m, int u, int loc, unsigned value, unsigned read)
{
    if (fault(m, NO_WRITE))
        return;
    event(m, u, "w(x%d,%u)", loc, value);
    if (read && !fault(m, NO_VALUE))
        fprintf(m->out, "|val=%u", read);
    else
        fprintf(m->out, "|val=");
    m->mem[loc] = value;
}

static bool take_lock(struct machine *m, int u)
{
    if (fault(m, NO_LOCK))
        return false;
    m->owner = u;
    event(m, u, "acq(m)");
    return true;
}

static void give_lock(struct machine *m, int u, bool taken)
{
    if (taken)
        event(m, u, "rel(m)");
    m->owner = -1;
}

static int block_of(unsigned value)
{
    return value >= FIRST && value < FIRST + BLOCKS ? (int)(value - FIRST) : -1;
}

static void take(struct machine *m, int u)
{
    bool locked = take_lock(m, u);
    int head = hd_rng_chance(&m->rng, 80) ? HEAD : OTHER;
    if (m->kind == MARKS) {
        int b = (int)hd_rng_below(&m->rng, BLOCKS);
        if (!read_loc(m, u, MARK + b, true)) {
            write_loc(m, u, MARK + b, 1, 0);
            m->thread[u].has = b;
        }
    } else {
        int b = block_of(read_loc(m, u, head, true));
        if (b >= 0 && !fault(m, NO_MOVE)) {
            unsigned next = read_loc(m, u, LINK + b, m->kind == QUEUE);
            write_loc(m, u, head, next, m->thread[u].last_read);
            if (m->kind == QUEUE && !next)
                write_loc(m, u, TAIL, 0, 0);
            m->thread[u].has = b;
        }
    }
    give_lock(m, u, locked);
}

static void put_front(struct machine *m, int u, int b)
{
    int head = hd_rng_chance(&m->rng, 80) ? HEAD : OTHER;
    read_loc(m, u, head, false);
    if (!fault(m, NO_LINK))
        write_loc(m, u, LINK + b, m->mem[head], m->n);
    write_loc(m, u, head, (unsigned)(FIRST + b), 0);
}

static void put_back(struct machine *m, int u, int b)
{
    if (!fault(m, NO_LINK))
        write_loc(m, u, LINK + b, 0, 0);
    int last = block_of(read_loc(m, u, TAIL, true));
    write_loc(m, u, last >= 0 ? LINK + last : HEAD, (unsigned)(FIRST + b), 0);
    write_loc(m, u, TAIL, (unsigned)(FIRST + b), 0);
}

static void give(struct machine *m, int u)
{
    int b = m->thread[u].has;
    bool locked = take_lock(m, u);
    if (m->kind == MARKS)
        write_loc(m, u, MARK + b, 0, 0);
    else if (m->kind == STACK)
        put_front(m, u, b);
    else
        put_back(m, u, b);
    give_lock(m, u, locked);
    if (fault(m, KEEP))
        return;
    m->thread[u].has = m->thread[u].kept;
    m->thread[u].kept = -1;
}

/* One more. */
static void take_again(struct machine *m, int u)
{
    struct thread *t = &m->thread[u];
    t->kept = t->has;
    t->has = -1;
    take(m, u);
    if (t->has >= 0)
        return;
    t->has = t->kept;
    t->kept = -1;
}

/* A list gets what another one keeps. */
static void copy(struct machine *m, int u)
{
    bool locked = take_lock(m, u);
    unsigned v = read_loc(m, u, HEAD, true);
    write_loc(m, u, OTHER, v, m->thread[u].last_read);
    give_lock(m, u, locked);
}

static void use(struct machine *m, int u, int b)
{
    if (hd_rng_chance(&m->rng, 70))
        event(m, u, "w(x%d,%u)", DATA + b, (m->mem[DATA + b] = 7));
    else
        read_loc(m, u, DATA + b, false);
}

/* Takes the first block out and puts it back, or only uses it. */
static void use_first(struct machine *m, int u, int head, int b)
{
    bool out = m->kind == STACK && hd_rng_chance(&m->rng, 60);
    if (out) {
        unsigned next = read_loc(m, u, LINK + b, false);
        write_loc(m, u, head, next, m->thread[u].last_read);
    }
    if (hd_rng_chance(&m->rng, 30))
        write_loc(m, u, OLD + b, (unsigned)(FIRST + (b + 1) % BLOCKS), 0);
    use(m, u, b);
    if (out)
        put_front(m, u, b);
}

/* The second block of a list goes to another list. */
static void move_second(struct machine *m, int u, int b, int c, unsigned read)
{
    unsigned next = read_loc(m, u, LINK + c, false);
    write_loc(m, u, LINK + b, next, m->thread[u].last_read);
    write_loc(m, u, LINK + c, 0, 0);
    write_loc(m, u, OTHER, (unsigned)(FIRST + c), read);
}

static void visit_list(struct machine *m, int u)
{
    int head = hd_rng_chance(&m->rng, 80) ? HEAD : OTHER, c = -1;
    bool stray = fault(m, STRAY);
    int b = stray ? (int)hd_rng_below(&m->rng, BLOCKS)
                  : block_of(read_loc(m, u, head, !fault(m, BLIND)));
    if (b >= 0 && (stray || hd_rng_chance(&m->rng, 60)))
        c = block_of(read_loc(m, u, (fault(m, FOLLOW) ? OLD : LINK) + b, !fault(m, BLIND)));
    unsigned read = m->thread[u].last_read;
    if (c >= 0 && hd_rng_chance(&m->rng, 70))
        use(m, u, c);
    else if (c >= 0 && !stray && m->kind == STACK && !m->mem[OTHER])
        move_second(m, u, b, c, read);
    if (b >= 0 && !stray && (c < 0 || hd_rng_chance(&m->rng, 30)))
        use_first(m, u, head, b);
}

/* Blocks that are free are used while the mutex is held. */
static void visit(struct machine *m, int u)
{
    bool locked = take_lock(m, u);
    int b = (int)hd_rng_below(&m->rng, BLOCKS);
    if (m->kind != MARKS)
        visit_list(m, u);
    else if (!read_loc(m, u, MARK + b, !fault(m, BLIND)))
        use(m, u, b);
    give_lock(m, u, locked);
    if (fault(m, AFTER))
        use(m, u, b);
}

static void step(struct machine *m, int u)
{
    int b = m->thread[u].has;
    if (m->thread[u].late && hd_rng_chance(&m->rng, 30)) {
        look(m, u, m->thread[u].late);
        m->thread[u].late = 0;
    } else if (b < 0 && fault(m, COPY))
        copy(m, u);
    else if (b < 0 && m->visits && hd_rng_chance(&m->rng, 50))
        visit(m, u);
    else if (b < 0)
        take(m, u);
    else if (m->thread[u].kept < 0 && m->visits && hd_rng_chance(&m->rng, 30))
        take_again(m, u);
    else if (hd_rng_chance(&m->rng, 65))
        give(m, u);
    else
        use(m, u, m->thread[u].kept >= 0 && hd_rng_chance(&m->rng, 50) ? m->thread[u].kept : b);
}

/* Blocks are in the list, or of the threads, in the beginning. */
static void begin(struct machine *m)
{
    bool listed = hd_rng_chance(&m->rng, 60);
    for (int u = 0; u < THREADS; u++)
        m->thread[u] = (struct thread){.has = listed ? -1 : u % BLOCKS, .kept = -1};
    if (listed && m->kind != MARKS) {
        m->mem[HEAD] = FIRST;
        m->mem[LINK] = FIRST + 1;
        m->mem[TAIL] = FIRST + 1;
    }
    if (m->kind == MARKS)
        for (int b = 0; b < BLOCKS && !listed; b++)
            m->mem[MARK + b] = 1;
    fprintf(m->out, "!control branches\n");
    for (int x = 0; x < LOCS; x++)
        if (x < DATA || x >= MARK)
            fprintf(m->out, "!init x%d %u\n", x, m->mem[x]);
}

static size_t make(uint64_t seed, char *buffer, size_t size)
{
    struct machine m = {.owner = -1, .out = fmemopen(buffer, size, "w")};
    hd_rng_init(&m.rng, seed);
    m.kind = hd_rng_chance(&m.rng, 50) ? STACK : (enum kind)hd_rng_below(&m.rng, KINDS);
    m.fault = (enum fault)hd_rng_below(&m.rng, FAULTS);
    m.visits = m.fault >= FOLLOW ? hd_rng_chance(&m.rng, 80) : hd_rng_chance(&m.rng, 40);
    int threads = hd_rng_chance(&m.rng, 75) ? 2 : THREADS;
    begin(&m);
    unsigned stop = 12 + (unsigned)hd_rng_below(&m.rng, MAX_EVENTS - 22);
    for (int tries = 0; m.n < stop && tries < 200; tries++)
        step(&m, (int)hd_rng_below(&m.rng, (uint64_t)threads));
    fputc('\n', m.out);
    size_t len = (size_t)ftell(m.out);
    fclose(m.out);
    return len;
}

static void tokens_are_judged_as_enumerated(void **state)
{
    uint64_t n = seeds_count(20000, 1000000);
    (void)state;
    uint64_t done = judge_seeds(make, n);
    if (seeds_were_chosen())
        return;
    print_message("%" PRIu64 " traces enumerated; races %" PRIu64 ", impossible by lockset %" PRIu64
                  ", by must %" PRIu64 "\n",
                  done, races, proved[HD_STEP_LOCKSET], proved[HD_STEP_MUST]);
    assert_true(done > n / 2 && races > n / 4 && proved[HD_STEP_LOCKSET] > n / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tokens_are_judged_as_enumerated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
