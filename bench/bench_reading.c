/* Speed and memory of reading recordings. bench/README.md says what is measured.
 * Usage: bench_reading RECORDING...; bench/record/read.sh makes the recordings. */
#include "base/alloc.h"
#include "build/load.h"

#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

static double cpu_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static int measure(const char *path)
{
    struct hd_trace *t;
    struct hd_load_info info;
    struct hd_build_info built;
    struct hd_err err = {0};
    hd_alloc_reset_peak();
    size_t before = hd_alloc_in_use();
    double start = cpu_now();
    if (hd_load_trace(path, &t, &info, &built, &err) != HD_OK) {
        fprintf(stderr, "%s: %s\n", path, err.text);
        return 1;
    }
    double seconds = cpu_now() - start;
    size_t peak = hd_alloc_peak() - before, kept = hd_alloc_in_use() - before;
    double n = (double)t->n_events, entries = (double)built.events;
    struct rusage use;
    getrusage(RUSAGE_SELF, &use); /* of the largest so far: for one recording at a time */
    printf("%s: %zu events of %llu entries, %.2f s, %.1f ns/entry, in memory %.1f bytes/event, "
           "peak %.1f MB, resident %.1f MB, %llu writes from outside\n",
           path, t->n_events, (unsigned long long)built.events, seconds, seconds * 1e9 / entries,
           (double)kept / n, (double)peak / 1e6, (double)use.ru_maxrss * 1024 / 1e6,
           (unsigned long long)built.outside_writes);
    hd_trace_free(t);
    hd_build_info_fini(&built);
    return 0;
}

int main(int argc, char **argv)
{
    int status = 0;
    if (argc < 2)
        puts("no recordings: bench/record/read.sh makes some");
    for (int i = 1; i < argc; i++)
        status |= measure(argv[i]);
    return status;
}
