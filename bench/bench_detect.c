/* Speed of the detectors from memory. bench/README.md says what is measured.
 * Usage: bench_detect [events [threads [locks [random|orders]]]], default 1000000 20 100; or
 * bench_detect FILE. Two rows for each detector, at a third of the size and at the full size;
 * growth is the time for an event in the second over that in the first: 1 is linear. */
#include "base/alloc.h"
#include "detect/detect.h"
#include "detect/memory_order.h"
#include "trace/gen/gen.h"
#include "trace/trace_io.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec * 1e-9;
}

/* kind: NULL, a program; "random", nearly every location races, under overlapping sections;
 * "orders", the same with atomics of all orders and fences. */
static struct hd_trace *make(uint32_t events, uint32_t threads, uint32_t locks, const char *kind)
{
    struct hd_gen_config config;
    struct hd_trace *t;
    struct hd_err err;
    hd_gen_defaults(&config);
    config.style = HD_GEN_STYLE_PROGRAM;
    config.control = HD_GEN_CONTROL_ALL;
    config.events = events;
    config.threads = threads;
    config.locks = locks;
    config.locations = locks * 10;
    config.races = 10;
    config.seed = 1;
    if (kind) {
        config.style = HD_GEN_STYLE_RANDOM;
        config.locations = locks * 20;
        config.features =
            UINT32_C(1) << HD_GEN_READ | UINT32_C(1) << HD_GEN_WRITE | UINT32_C(1) << HD_GEN_MUTEX;
        if (!strcmp(kind, "orders"))
            config.features |= UINT32_C(1) << HD_GEN_ORDERS | UINT32_C(1) << HD_GEN_ATOMIC |
                               UINT32_C(1) << HD_GEN_RMW;
    }
    if (hd_gen(&config, &t, &err) != HD_OK) {
        fprintf(stderr, "%s\n", err.text);
        exit(4);
    }
    return t;
}

/* The walk with memory orders, by hb and by hb+, which is no detector of the table. */
static enum hd_status run_order(const struct hd_trace *t, const struct hd_detect_opts *opts,
                                struct hd_detect_result *r, struct hd_err *err)
{
    return hd_memory_order_detect(t, opts, HD_BY_HB, r, err);
}

static enum hd_status run_plus(const struct hd_trace *t, const struct hd_detect_opts *opts,
                               struct hd_detect_result *r, struct hd_err *err)
{
    return hd_memory_order_detect(t, opts, HD_BY_PLUS, r, err);
}
static const struct hd_detector orders[] = {{"order", "", run_order}, {"order+", "", run_plus}};

/* CPU seconds of the detector, the better of two runs. */
static double measure(const struct hd_detector *d, const struct hd_trace *t,
                      struct hd_detect_result *r, size_t *peak)
{
    double best = 1e9;
    for (int i = 0; i < 2; i++) {
        struct hd_detect_opts opts = {0};
        struct hd_err err;
        size_t base = hd_alloc_in_use();
        hd_alloc_reset_peak();
        double start = now();
        if (d->run(t, &opts, r, &err) != HD_OK)
            exit(4);
        double seconds = now() - start;
        *peak = hd_alloc_peak() - base;
        best = seconds < best ? seconds : best;
        if (i == 0)
            hd_detect_result_fini(r);
    }
    return best;
}

static double row(const struct hd_detector *d, const struct hd_trace *t, double smaller)
{
    struct hd_detect_result r;
    size_t peak;
    double seconds = measure(d, t, &r, &peak), each = seconds / (double)t->n_events;
    printf("%s,%zu,%.3f,%.1f,%.1f,%llu,%zu,%llu,", d->name, t->n_events, seconds, 1e-6 / each,
           (double)peak / (double)t->n_events, (unsigned long long)r.racy_events, r.places.len,
           (unsigned long long)r.rounds);
    if (smaller > 0)
        printf("%.2f\n", each / smaller);
    else
        printf("\n");
    fflush(stdout);
    hd_detect_result_fini(&r);
    return each;
}

int main(int argc, char **argv)
{
    char *end = NULL;
    unsigned long events = argc > 1 ? strtoul(argv[1], &end, 10) : 1000000;
    uint32_t threads = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 20;
    uint32_t locks = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 100;
    struct hd_trace *t, *third = NULL;
    if (argc > 1 && *end) {
        struct hd_err err;
        if (hd_trace_io_load(argv[1], &t, &err) != HD_OK) {
            fprintf(stderr, "%s\n", err.text);
            return 3;
        }
    } else {
        t = make((uint32_t)events, threads, locks, argc > 4 ? argv[4] : NULL);
        third = make((uint32_t)events / 3, threads, locks, argc > 4 ? argv[4] : NULL);
    }
    printf("detector,events,seconds,Mevents/s,peak bytes/event,racy events,place pairs,rounds,"
           "growth\n");
    bool all = argc <= 4 || strcmp(argv[4], "orders");
    for (size_t i = 0; all && i < hd_n_detectors; i++)
        row(&hd_detectors[i], t, third ? row(&hd_detectors[i], third, 0) : 0);
    for (size_t i = 0; i < 2; i++)
        row(&orders[i], t, third ? row(&orders[i], third, 0) : 0);
    hd_trace_free(t);
    hd_trace_free(third);
    return 0;
}
