/* How fast text is read, written and digested. Usage: bench_text [events] [rounds]
 *
 * The input is made in memory, so that no disk is measured: a trace like a program's, and a
 * scattered one whose names come in no order (bench/README.md tells what is in them). Each figure
 * is the best of the rounds, since the machine may be shared.
 */
#include "base/alloc.h"
#include "base/rng.h"
#include "trace/digest.h"
#include "trace/gen/gen.h"
#include "trace/text/text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { THREADS = 8, HOT = 1000, COLD = 50000, PLACES = 3000, BURST = 40 };

struct text {
    char *data;
    size_t len;
};

/* A read that a later branch or write of the burst names. */
static size_t put_access(FILE *out, struct hd_rng *rng, unsigned thread, size_t event, size_t read)
{
    bool hot = hd_rng_below(rng, 10) < 8;
    unsigned loc = (unsigned)hd_rng_below(rng, hot ? HOT : COLD);
    unsigned place = (unsigned)hd_rng_below(rng, PLACES);
    unsigned value = (unsigned)hd_rng_below(rng, 100000);
    bool write = hd_rng_below(rng, 3) == 0;
    fprintf(out, "T%u|%s(obj%u.f%u,%u)|src/part%u.c:%u", thread, write ? "w" : "r", loc / 8,
            loc % 8, value, place / 100, 10 + place % 100 * 7);
    if (write && read && hd_rng_below(rng, 4) == 0)
        fprintf(out, "|val=%zu", read);
    fputc('\n', out);
    return write ? read : event;
}

static struct text make_scattered(size_t events)
{
    struct text text;
    struct hd_rng rng;
    FILE *out = open_memstream(&text.data, &text.len);
    hd_rng_init(&rng, 1);
    fputs("!control branches\n", out);
    for (size_t event = 1; event <= events;) {
        unsigned thread = (unsigned)hd_rng_below(&rng, THREADS);
        unsigned lock = (unsigned)hd_rng_below(&rng, 100);
        size_t read = 0;
        fprintf(out, "T%u|acq(lock%u)|src/lock.c:%u\n", thread, lock, lock);
        event++;
        for (int i = 0; i < BURST; i++, event++) {
            if (hd_rng_below(&rng, 6) == 0 && read)
                fprintf(out, "T%u|br|src/part1.c:%d|deps=%zu\n", thread, i, read);
            else
                read = put_access(out, &rng, thread, event, read);
        }
        fprintf(out, "T%u|rel(lock%u)|src/lock.c:%u\n", thread, lock, lock + 1);
        event++;
    }
    fclose(out);
    return text;
}

static struct text make_program(size_t events)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err = {0};
    struct text text;
    hd_gen_defaults(&config);
    config.style = HD_GEN_STYLE_PROGRAM;
    config.control = HD_GEN_CONTROL_BRANCHES;
    config.seed = 1;
    config.events = (uint32_t)events;
    config.threads = 8;
    config.locations = 4000;
    config.locks = 50;
    config.races = 10;
    FILE *out = open_memstream(&text.data, &text.len);
    if (hd_gen(&config, &t, &err) != HD_OK || hd_text_write(t, out, &err) != HD_OK) {
        fprintf(stderr, "bench: %s\n", err.text);
        exit(1);
    }
    fclose(out);
    hd_trace_free(t);
    return text;
}

/* Time of this thread on a core, so that other work on the machine disturbs less. */
static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void keep_best(double *best, double seconds)
{
    if (*best == 0 || seconds < *best)
        *best = seconds;
}

struct figures {
    double read, write, digest;
    size_t events, trace_bytes, peak_bytes;
    char digest_text[HD_DIGEST_SIZE];
};

static void run_round(const struct text *text, struct figures *f)
{
    struct hd_trace *t;
    struct hd_err err = {0};
    hd_alloc_reset_peak();
    double start = now();
    if (hd_text_read(text->data, text->len, "bench", &t, &err) != HD_OK) {
        fprintf(stderr, "bench:%llu: %s\n", (unsigned long long)err.line, err.text);
        exit(1);
    }
    keep_best(&f->read, now() - start);
    f->peak_bytes = hd_alloc_peak();
    f->trace_bytes = hd_trace_bytes(t);
    f->events = t->n_events;
    FILE *null = fopen("/dev/null", "w");
    start = now();
    if (!null || hd_text_write(t, null, &err) != HD_OK)
        exit(1);
    keep_best(&f->write, now() - start);
    fclose(null);
    start = now();
    hd_digest_trace(t, f->digest_text);
    keep_best(&f->digest, now() - start);
    hd_trace_free(t);
}

static void report(const char *name, struct text text, unsigned rounds)
{
    struct figures f = {0};
    for (unsigned i = 0; i < rounds; i++)
        run_round(&text, &f);
    double n = (double)f.events;
    printf(
        "%s: %zu events, bytes/event: %.1f of text, %.1f in memory, %.1f at most while reading\n",
        name, f.events, (double)text.len / n, (double)f.trace_bytes / n, (double)f.peak_bytes / n);
    printf("  read   %7.2f M events/s\n", n / f.read / 1e6);
    printf("  write  %7.2f M events/s\n", n / f.write / 1e6);
    printf("  digest %7.2f M events/s  %s\n", n / f.digest / 1e6, f.digest_text);
    free(text.data);
}

int main(int argc, char **argv)
{
    size_t events = argc > 1 ? strtoul(argv[1], NULL, 10) : 4000000;
    unsigned rounds = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 5;
    report("program", make_program(events), rounds);
    report("scattered", make_scattered(events), rounds);
    return 0;
}
