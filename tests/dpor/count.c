/* count dpor|all PROGRAM [ARGS]: explores all schedules and prints
 *     schedules N classes N twice N end=exit:N,deadlock:N... found=race:N... complete|why
 * `twice` counts schedules of a class that was seen before: 0 unless there is no reduction. With
 * KEEP in the environment, findings are kept in that folder, as KIND-N.hdt and KIND-N.json. */
#include "explore/explore.h"
#include "explore/kept.h"
#include "explore/order.h"
#include "model/witness_json.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct counts {
    struct hd_map classes;
    uint64_t twice;
    uint64_t ends[HD_EXEC_ENDS];
    uint64_t found[HD_EXPLORE_HANG + 1];
};

static void on_run(void *ctx, const struct hd_exec_run *run, const struct hd_order *order)
{
    struct counts *c = ctx;
    bool fresh;
    hd_map_put(&c->classes, hd_order_class(order), &fresh);
    c->twice += !fresh;
    c->ends[run->end] += fresh;
}

static void keep(const struct hd_explore_finding *f, const char *dir, uint64_t n)
{
    char path[1000], json[1010];
    struct hd_trace *t;
    struct hd_witness w;
    struct hd_err err = {0};
    snprintf(path, sizeof path, "%s/%s-%" PRIu64 ".hdt", dir, hd_explore_kind_names[f->kind], n);
    snprintf(json, sizeof json, "%.*s.json", (int)strlen(path) - 4, path);
    FILE *out = NULL;
    if (hd_kept_save(f, path, &t, &w, &err) == HD_OK)
        out = fopen(json, "w");
    else
        printf("not kept: %s\n", err.text);
    if (out) {
        hd_witness_json_write_named(out, t, &w, path, NULL);
        fclose(out);
        hd_trace_free(t);
    }
    hd_witness_fini(&w);
}

static void on_found(void *ctx, const struct hd_explore_finding *f)
{
    uint64_t n = ++((struct counts *)ctx)->found[f->kind];
    if (getenv("KEEP"))
        keep(f, getenv("KEEP"), n);
}

static void put(const char *name, const char *const *names, const uint64_t *n, size_t len)
{
    const char *comma = "";
    printf(" %s=", name);
    for (size_t i = 0; i < len; i++) {
        if (n[i])
            printf("%s%s:%" PRIu64, comma, names[i], n[i]);
        comma = n[i] ? "," : comma;
    }
}

int main(int argc, char **argv)
{
    struct counts c = {0};
    if (argc < 3)
        return 2;
    struct hd_explore_opts opts = {.exec = {.argv = argv + 2, .timeout = 120000},
                                   .jobs = 1,
                                   .preemptions = UINT32_MAX,
                                   .all =
                                       strcmp(argv[1], "all") ? HD_EXPLORE_REDUCED : HD_EXPLORE_ALL,
                                   .ctx = &c,
                                   .ran = on_run,
                                   .found = on_found};
    const char *limit = getenv("STEPS"), *runs = getenv("RUNS"), *bound = getenv("BOUND");
    const char *jobs = getenv("JOBS");
    const char *share = getenv("SHARE"); /* "I/N", I from 0 */
    if (share)
        sscanf(share, "%" SCNu32 "/%" SCNu32, &opts.share.number, &opts.share.of);
    opts.jobs = jobs ? (uint32_t)atoi(jobs) : 1;
    opts.exec.max_steps = limit ? (uint32_t)atoi(limit) : 0;
    opts.runs = runs ? (uint64_t)atoi(runs) : 0;
    opts.preemptions = bound ? (uint32_t)atoi(bound) : UINT32_MAX;
    struct hd_explore_result r;
    struct hd_err err = {0};
    if (hd_explore_dpor(&opts, &r, &err) != HD_OK) {
        printf("%s\n", err.text);
        return 1;
    }
    printf("schedules %" PRIu64 " classes %zu twice %" PRIu64, r.p.schedules, c.classes.len,
           c.twice);
    put("end", hd_exec_end_names, c.ends, sizeof c.ends / sizeof *c.ends);
    put("found", hd_explore_kind_names, c.found, sizeof c.found / sizeof *c.found);
    printf(" %s\n", r.complete ? "complete" : r.why);
    hd_map_fini(&c.classes);
    return 0;
}
