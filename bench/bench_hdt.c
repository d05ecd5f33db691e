/* The binary format on two traces of N events (default 10 million): one like a program, one random.
 * bench/README.md describes both and keeps measured figures. Usage: bench_hdt [N] */
#include "base/alloc.h"
#include "base/hash.h"
#include "trace/builder.h"
#include "trace/hdt/hdt.h"
#include "trace/text/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { WORKERS = 4, ARRAY = 1 << 16, GRID = 1 << 14, TABLE = 1 << 12, LOCKS = 16 };

static uint64_t state = 1;

static uint64_t draw(uint64_t below)
{
    state += UINT64_C(0x9e3779b97f4a7c15);
    return hd_hash_mix(state) % below;
}

static void stop(const char *what)
{
    fprintf(stderr, "bench_hdt: %s\n", what);
    exit(1);
}

/* ---- a program-like trace ---- */

struct worker {
    unsigned pc, i, end, k;
    uint64_t x, y;
    hd_eid read_x, read_y; /* the events that read x and y */
};

struct program {
    struct hd_builder *b;
    uint64_t memory[ARRAY + GRID + 1 + TABLE + LOCKS + WORKERS + 1];
    uint32_t loc[ARRAY + GRID + 1 + TABLE + LOCKS + WORKERS + 1]; /* id + 1, or 0: no name yet */
    uint32_t lock[LOCKS];
    int owner[LOCKS]; /* worker + 1, or 0 */
    uint32_t place[32];
    struct worker worker[WORKERS];
};

enum {
    AT_ARRAY = 0,
    AT_GRID = ARRAY,
    AT_TABLE = AT_GRID + GRID + 1,
    AT_COUNT = AT_TABLE + TABLE,
    AT_SUM = AT_COUNT + LOCKS,
    AT_TICKET = AT_SUM + WORKERS
};

static uint32_t location(struct program *p, unsigned at)
{
    static const char *const names[] = {"array", "grid", "table", "count", "sum", "ticket"};
    static const unsigned starts[] = {AT_ARRAY, AT_GRID, AT_TABLE, AT_COUNT, AT_SUM, AT_TICKET};
    char name[32];
    if (p->loc[at])
        return p->loc[at] - 1;
    unsigned part = 5;
    while (at < starts[part])
        part--;
    int len = sprintf(name, "%s[%u]", names[part], at - starts[part]);
    uint32_t id = hd_builder_obj(p->b, HD_OBJ_LOC, name, (size_t)len);
    p->loc[at] = id + 1;
    return id;
}

static hd_eid emit(struct program *p, unsigned u, unsigned line, struct hd_event ev)
{
    hd_eid e = (hd_eid)hd_builder_count(p->b);
    struct hd_err err;
    ev.thread = u + 1;
    ev.place = p->place[line];
    if (hd_builder_add(p->b, &ev, &err) != HD_OK)
        stop(err.text);
    return e;
}

static uint64_t load(struct program *p, unsigned u, unsigned line, unsigned at, hd_eid *e)
{
    *e = emit(
        p, u, line,
        (struct hd_event){
            .op = HD_OP_READ, .obj = location(p, at), .has_value = true, .value = p->memory[at]});
    return p->memory[at];
}

static void store(struct program *p, unsigned u, unsigned line, unsigned at, uint64_t value,
                  uint32_t n, const hd_eid *deps)
{
    p->memory[at] = value;
    emit(p, u, line,
         (struct hd_event){.op = HD_OP_WRITE,
                           .obj = location(p, at),
                           .has_value = true,
                           .value = value,
                           .deps = {true, n, deps}});
}

static void branch(struct program *p, unsigned u, unsigned line, uint32_t n, const hd_eid *deps)
{
    emit(p, u, line, (struct hd_event){.op = HD_OP_BRANCH, .deps = {true, n, deps}});
}

/* for (i = start; i < start + 64; i++) { if (array[i] & 1) sum += array[i]; } */
static void step_sum(struct program *p, unsigned u, struct worker *w)
{
    switch (w->pc) {
    case 0:
        w->i = (unsigned)draw(ARRAY - 64);
        w->end = w->i + 64;
        w->pc = 1;
        /* fall through */
    case 1:
        w->x = load(p, u, 1, AT_ARRAY + w->i, &w->read_x);
        w->pc = 2;
        return;
    case 2:
        branch(p, u, 1, 1, &w->read_x);
        w->pc = w->x & 1 ? 3 : 5;
        return;
    case 3:
        w->y = load(p, u, 2, AT_SUM + u, &w->read_y);
        w->pc = 4;
        return;
    case 4:
        store(p, u, 2, AT_SUM + u, w->y + w->x, 2, (hd_eid[]){w->read_x, w->read_y});
        w->pc = 5;
        return;
    default:
        branch(p, u, 0, 0, NULL);
        w->pc = ++w->i < w->end ? 1 : 10;
    }
}

/* lock(l[k]); count[k]++; unlock(l[k]); then t = ticket++ (atomic) and table[t * 7 % TABLE] = t. */
static void step_count(struct program *p, unsigned u, struct worker *w)
{
    switch (w->pc) {
    case 10:
        w->k = (unsigned)draw(LOCKS);
        w->pc = 11;
        /* fall through */
    case 11:
        if (p->owner[w->k])
            return;
        p->owner[w->k] = 1;
        emit(p, u, 10, (struct hd_event){.op = HD_OP_ACQ, .obj = p->lock[w->k]});
        break;
    case 12:
        w->x = load(p, u, 11, AT_COUNT + w->k, &w->read_x);
        break;
    case 13:
        store(p, u, 11, AT_COUNT + w->k, w->x + 1, 1, &w->read_x);
        break;
    case 14:
        p->owner[w->k] = 0;
        emit(p, u, 12, (struct hd_event){.op = HD_OP_REL, .obj = p->lock[w->k]});
        break;
    case 15:
        w->x = p->memory[AT_TICKET]++;
        w->read_x = emit(p, u, 13,
                         (struct hd_event){.op = HD_OP_RMW,
                                           .obj = location(p, AT_TICKET),
                                           .has_value = true,
                                           .value = w->x,
                                           .new_value = w->x + 1});
        break;
    default:
        store(p, u, 14, AT_TABLE + (unsigned)(w->x * 7 % TABLE), w->x, 1, &w->read_x);
        w->pc = 19;
    }
    w->pc++;
}

/* for (i = start; i < start + 32; i++) grid[i] = (grid[i] + grid[i + 1]) / 2 + 1; */
static void step_grid(struct program *p, unsigned u, struct worker *w)
{
    switch (w->pc) {
    case 20:
        w->i = (unsigned)draw(GRID - 32);
        w->end = w->i + 32;
        w->pc = 21;
        /* fall through */
    case 21:
        w->x = load(p, u, 21, AT_GRID + w->i, &w->read_x);
        break;
    case 22:
        w->y = load(p, u, 21, AT_GRID + w->i + 1, &w->read_y);
        break;
    case 23:
        store(p, u, 21, AT_GRID + w->i, (w->x + w->y) / 2 + 1, 2, (hd_eid[]){w->read_x, w->read_y});
        break;
    default:
        branch(p, u, 20, 0, NULL);
        w->pc = ++w->i < w->end ? 20 : UINT32_MAX;
    }
    w->pc++;
}

static void step(struct program *p, unsigned u)
{
    struct worker *w = &p->worker[u];
    if (w->pc < 10)
        step_sum(p, u, w);
    else if (w->pc < 20)
        step_count(p, u, w);
    else
        step_grid(p, u, w);
}

static void start_program(struct program *p)
{
    char name[32];
    hd_tid tid;
    p->b = hd_builder_new();
    hd_builder_control(p->b, HD_CONTROL_BRANCHES, NULL);
    hd_builder_thread(p->b, "main", 4, &tid, NULL);
    for (unsigned i = 0; i < WORKERS; i++)
        hd_builder_thread(p->b, name, (size_t)sprintf(name, "worker%u", i), &tid, NULL);
    for (unsigned i = 0; i < LOCKS; i++)
        p->lock[i] = hd_builder_obj(p->b, HD_OBJ_LOCK, name, (size_t)sprintf(name, "lock[%u]", i));
    for (unsigned i = 0; i < 32; i++)
        p->place[i] = hd_builder_place(p->b, name, (size_t)sprintf(name, "work.c:%u", 100 + i));
    for (unsigned i = 0; i < ARRAY; i++)
        p->memory[AT_ARRAY + i] = draw(1000);
    for (unsigned u = 0; u < WORKERS; u++)
        emit(p, (unsigned)-1, 31, (struct hd_event){.op = HD_OP_FORK, .obj = u + 1});
}

static struct hd_trace *program_trace(size_t n)
{
    struct program *p = calloc(1, sizeof *p);
    start_program(p);
    while (hd_builder_count(p->b) < n) {
        unsigned u = (unsigned)draw(WORKERS);
        for (uint64_t quantum = 1 + draw(100); quantum > 0 && hd_builder_count(p->b) < n; quantum--)
            step(p, u);
    }
    struct hd_trace *t;
    struct hd_err err;
    if (hd_builder_finish(p->b, &t, &err) != HD_OK)
        stop(err.text);
    free(p);
    return t;
}

/* ---- a random trace ---- */

enum { RANDOM_THREADS = 8, RANDOM_LOCS = 100000, RANDOM_PLACES = 1000 };

static struct hd_trace *random_trace(size_t n)
{
    char name[32];
    hd_tid tid;
    struct hd_builder *b = hd_builder_new();
    uint64_t *memory = calloc(RANDOM_LOCS, sizeof *memory);
    for (unsigned i = 0; i < RANDOM_THREADS; i++)
        hd_builder_thread(b, name, (size_t)sprintf(name, "t%u", i), &tid, NULL);
    for (unsigned i = 0; i < RANDOM_LOCS; i++)
        hd_builder_obj(b, HD_OBJ_LOC, name, (size_t)sprintf(name, "x%u", i));
    for (unsigned i = 0; i < RANDOM_PLACES; i++)
        hd_builder_place(b, name, (size_t)sprintf(name, "f.c:%u", i));
    struct hd_trace *t;
    struct hd_err err;
    for (size_t i = 0; i < n; i++) {
        struct hd_event ev = {.op = draw(2) ? HD_OP_WRITE : HD_OP_READ,
                              .thread = (hd_tid)draw(RANDOM_THREADS),
                              .obj = (uint32_t)draw(RANDOM_LOCS),
                              .place = (uint32_t)draw(RANDOM_PLACES),
                              .has_value = true};
        if (ev.op == HD_OP_WRITE)
            memory[ev.obj] = draw(UINT64_C(1) << 32);
        ev.value = memory[ev.obj];
        if (hd_builder_add(b, &ev, &err) != HD_OK)
            stop(err.text);
    }
    free(memory);
    if (hd_builder_finish(b, &t, &err) != HD_OK)
        stop(err.text);
    return t;
}

/* ---- measuring ---- */

static double now(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

static size_t text_bytes(const struct hd_trace *t)
{
    struct hd_err err;
    FILE *out = tmpfile();
    if (!out || hd_text_write(t, out, &err) != HD_OK)
        stop("cannot write text");
    size_t bytes = (size_t)ftell(out);
    fclose(out);
    return bytes;
}

struct best {
    double wall, cpu;
};

static void keep_best(struct best *b, double wall, double cpu)
{
    if (b->wall == 0 || wall < b->wall)
        b->wall = wall;
    if (b->cpu == 0 || cpu < b->cpu)
        b->cpu = cpu;
}

static struct best time_reading(const void *data, size_t len, size_t *bytes, size_t *peak)
{
    struct best best = {0};
    struct hd_trace *t;
    struct hd_err err;
    for (int round = 0; round < 7; round++) {
        size_t in_use = hd_alloc_in_use();
        hd_alloc_reset_peak();
        double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        if (hd_hdt_read(data, len, "bench", &t, NULL, &err) != HD_OK)
            stop(err.text);
        keep_best(&best, now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
        *bytes = hd_trace_bytes(t);
        *peak = hd_alloc_peak() - in_use;
        hd_trace_free(t);
    }
    return best;
}

static void measure(const char *name, struct hd_trace *t)
{
    struct hd_err err;
    struct best writing = {0};
    FILE *file = NULL;
    double n = (double)t->n_events;
    for (int round = 0; round < 3; round++) {
        if (file)
            fclose(file);
        file = tmpfile();
        double wall = now(CLOCK_MONOTONIC), cpu = now(CLOCK_PROCESS_CPUTIME_ID);
        if (!file || hd_hdt_write(t, file, &err) != HD_OK)
            stop("cannot write .hdt");
        keep_best(&writing, now(CLOCK_MONOTONIC) - wall, now(CLOCK_PROCESS_CPUTIME_ID) - cpu);
    }
    size_t len = (size_t)ftell(file), text = text_bytes(t), bytes, peak;
    hd_trace_free(t);
    const void *data = mmap(NULL, len, PROT_READ, MAP_PRIVATE, fileno(file), 0);
    if (data == MAP_FAILED)
        stop("cannot map the file");
    struct best reading = time_reading(data, len, &bytes, &peak);
    printf("%s: %.0f events\n", name, n);
    printf("  text                %11zu bytes  %6.2f bytes/event\n", text, (double)text / n);
    printf("  hdt                 %11zu bytes  %6.3f bytes/event\n", len, (double)len / n);
    printf("  write               %8.1f M events/s (cpu %.1f)\n", n / writing.wall * 1e-6,
           n / writing.cpu * 1e-6);
    printf("  read                %8.1f M events/s (cpu %.1f)\n", n / reading.wall * 1e-6,
           n / reading.cpu * 1e-6);
    printf("  in memory           %8.2f bytes/event, peak while reading %.2f\n", (double)bytes / n,
           (double)peak / n);
    fclose(file);
}

int main(int argc, char **argv)
{
    size_t n = argc > 1 ? strtoul(argv[1], NULL, 10) : 10000000;
    if (!n)
        stop("usage: bench_hdt [number of events]");
    measure("program", program_trace(n));
    measure("random", random_trace(n));
    return 0;
}
