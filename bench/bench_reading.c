/* Speed and memory of reading recordings. bench/README.md says what is measured.
 * Usage: bench_reading RECORDING...; bench/record/read.sh makes the recordings. */
#include "base/alloc.h"
#include "build/load.h"
#include "recording/rawlog_quick.h"
#include "recording/recnames.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double cpu_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
    return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

/* Goes over the log as walks do. What is unpacked is only added up; with `keep` it is stored first,
 * as for another thread. */
static double unpack(const struct hd_rec *rec, const struct hd_recnames *names, bool keep)
{
    static struct {
        uint64_t w0, w1;
        const struct hd_raw_shape *is;
    } stored[8192];
    static volatile uint64_t result;
    const size_t most = sizeof stored / sizeof *stored;
    struct hd_rawlog log;
    struct hd_raw raw;
    uint64_t sum = 0;
    size_t n = 0;
    double start = cpu_now();
    hd_rawlog_init(&log, rec, names->keys.data, (uint32_t)names->keys.len);
    hd_rawlog_rewind(&log);
    do {
        struct hd_rawlog_run r = hd_rawlog_run_start(&log);
        uint32_t stop = r.count + (uint32_t)hd_rawlog_may_pass(&log);
        while (r.count != stop && hd_rawlog_run_next(&r)) {
            sum += keep ? 0 : r.w0 ^ r.w1 ^ r.is->kind;
            if (!keep)
                continue;
            stored[n].w0 = r.w0;
            stored[n].w1 = r.w1;
            stored[n].is = r.is;
            n++;
            for (size_t i = 0; n == most && i < most; i++)
                sum += stored[i].w0 ^ stored[i].w1 ^ stored[i].is->kind;
            n = n == most ? 0 : n;
        }
        hd_rawlog_run_end(&r);
    } while (hd_rawlog_next(&log, &raw));
    hd_rawlog_fini(&log);
    result = sum;
    (void)result;
    return cpu_now() - start;
}

/* Of a recording whose log is its own (no fork). */
static void measure_unpacking(const char *path)
{
    struct hd_rec rec;
    struct hd_recnames names = {0};
    struct hd_err err = {0};
    struct stat st = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return;
    void *map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (map != MAP_FAILED &&
        hd_rec_open_mapped(path, map, (size_t)st.st_size, &rec, &err) == HD_OK) {
        if (hd_recnames_read(&rec, &names, &err) == HD_OK)
            printf("; unpacking alone %.2f s a walk, stored for another thread %.2f s",
                   unpack(&rec, &names, false), unpack(&rec, &names, true));
        hd_recnames_fini(&names);
        hd_rec_close(&rec);
    }
    if (map != MAP_FAILED)
        munmap(map, (size_t)st.st_size);
    close(fd);
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
           "peak %.1f MB, resident %.1f MB, %llu writes from outside",
           path, t->n_events, (unsigned long long)built.events, seconds, seconds * 1e9 / entries,
           (double)kept / n, (double)peak / 1e6, (double)use.ru_maxrss * 1024 / 1e6,
           (unsigned long long)built.outside_writes);
    hd_trace_free(t);
    hd_build_info_fini(&built);
    measure_unpacking(path);
    putchar('\n');
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
