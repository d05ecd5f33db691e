#include "cli/campaign_run.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "campaign/folder.h"
#include "campaign/slurm.h"
#include "campaign/work.h"
#include "cli/common.h"
#include "cli/outdir.h"
#include "report/format/words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum hd_exit hd_campaign_open(struct hd_campaign *c, const struct hd_cli *cli, const char *dir)
{
    struct hd_err err = {0};
    *c = (struct hd_campaign){.cli = cli};
    if (!realpath(dir, c->dir)) {
        hd_unitplan_init(&c->plan);
        hd_cli_error(cli, "%s: %s", dir, strerror(errno));
        return HD_EXIT_INPUT;
    }
    if (hd_unitplan_load(&c->plan, c->dir, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    return HD_EXIT_OK;
}

/* ---- results ---- */

static enum hd_exit code_of(const struct hd_gathered *g, bool allow_undecided)
{
    if (g->report && hd_report_errors(g->report))
        return HD_EXIT_RACE;
    if (g->failed.len)
        return HD_EXIT_TOOL;
    bool open = g->open || !g->report || hd_report_unfinished(g->report);
    return open && !allow_undecided ? HD_EXIT_UNDECIDED : HD_EXIT_OK;
}

static void print_finding(const struct hd_report *r, const struct hd_finding *f)
{
    enum { SHOWN = 3 };
    struct hd_arena *a = hd_arena_new();
    hd_cli_print(stdout, "%s %s [%s]\n", f->id, hd_words_title(a, f),
                 hd_finding_status_names[f->status]);
    for (size_t i = 0; i < f->n_seen && i < SHOWN; i++) {
        const struct hd_seen *s = &f->seen[i];
        for (size_t k = 0; k < r->n_parts; k++)
            if (!strcmp(r->parts[k].id, s->part))
                hd_cli_print(stdout, "   %s: in %" PRIu32 " of %s, first under %s\n",
                             r->parts[k].test ? r->parts[k].test : "?", s->units,
                             hd_common_plural(r->parts[k].units, "unit"),
                             s->first ? s->first : "?");
    }
    if (f->n_seen > SHOWN)
        printf("   and in %zu more tests\n", f->n_seen - SHOWN);
    hd_arena_free(a);
}

void hd_campaign_print(const struct hd_campaign *c, const struct hd_gathered *g)
{
    enum { SHOWN = 50, FAILED = 10 };
    const struct hd_report *r = g->report;
    for (size_t i = 0; r && i < r->n_findings && i < SHOWN; i++)
        print_finding(r, &r->findings[i]);
    if (r && r->n_findings > SHOWN)
        printf("and %zu more findings\n", r->n_findings - SHOWN);
    for (size_t i = 0; i < g->failed.len && i < FAILED; i++) {
        const struct hd_failed_unit *f = hd_vec_at(&g->failed, i);
        hd_cli_print(stdout, "failed: %s, %s: %s; units/%.2s/%s.log\n", f->unit->test, f->unit->how,
                     f->reason, f->unit->name, f->unit->name);
    }
    if (g->failed.len > FAILED)
        printf("and %zu more failed\n", g->failed.len - FAILED);
    printf("%s: %zu of %s done", c->dir, g->done, hd_common_plural(c->plan.units.len, "unit"));
    if (g->failed.len)
        printf(", %zu failed", g->failed.len);
    if (g->open)
        printf(", %zu not run", g->open);
    printf("; %s", hd_common_plural(r ? r->n_findings : 0, "finding"));
    if (r)
        printf(", %" PRIu64 " undecided", r->undecided);
    printf("\n");
}

enum hd_exit hd_campaign_finish(struct hd_campaign *c, bool allow_undecided)
{
    struct hd_gathered g;
    struct hd_err err = {0};
    enum hd_exit code;
    enum hd_status s = hd_gather(&c->plan, c->dir, &g, &err);
    if (s == HD_OK)
        s = hd_gather_save(&g, c->dir, &err);
    if (s == HD_OK) {
        if (!g.open && !g.failed.len)
            hd_folder_sweep(c->dir, true);
        if (!c->cli->quiet)
            hd_campaign_print(c, &g);
        code = code_of(&g, allow_undecided);
    } else {
        code =
            s == HD_ERR_INPUT ? hd_cli_fail_input(c->cli, &err) : hd_cli_fail_output(c->cli, &err);
    }
    hd_gathered_fini(&g);
    return code;
}

/* ---- the local engine ---- */

struct showing {
    struct hd_progress progress;
    char hint[96];
};

static void show_progress(void *ctx, const struct hd_work_progress *p)
{
    struct showing *s = ctx;
    snprintf(s->hint, sizeof s->hint, "%zu running, %zu failed, %zu with findings", p->running,
             p->failed, p->findings);
    hd_progress_update(&s->progress, p->done + p->failed);
}

/* This program's file: units run in processes of it. */
static bool find_tool(const struct hd_cli *cli, char *path, size_t size)
{
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0) {
        hd_cli_error(cli, "the file of this program is not known: %s", strerror(errno));
        return false;
    }
    path[n] = 0;
    return true;
}

static enum hd_exit after_work(struct hd_campaign *c, const struct hd_engine_options *e,
                               enum hd_status s, const struct hd_err *err,
                               const struct hd_work_progress *p, bool report)
{
    int sig = hd_interrupt_signal();
    if (s == HD_ERR_STOPPED) {
        hd_cli_error(c->cli,
                     "interrupted: %zu of %s done and kept; go on with: heddle campaign resume %s",
                     p->done, hd_common_plural(p->total, "unit"), c->dir);
        return sig ? hd_common_end_like(sig) : HD_EXIT_UNDECIDED;
    }
    if (s != HD_OK) {
        hd_cli_fail_output(c->cli, err);
        hd_cli_error(c->cli,
                     "stopped: %zu of %s done and kept; go on with: heddle campaign resume "
                     "%s",
                     p->done, hd_common_plural(p->total, "unit"), c->dir);
        return HD_EXIT_TOOL;
    }
    if (report)
        return hd_campaign_finish(c, e->allow_undecided);
    return p->failed ? HD_EXIT_TOOL : HD_EXIT_OK;
}

enum hd_exit hd_campaign_local(struct hd_campaign *c, const struct hd_engine_options *e,
                               const uint32_t *units, size_t n, bool report)
{
    char tool[PATH_MAX];
    struct showing show = {0};
    struct hd_work_progress p;
    struct hd_err err = {0};
    if (!find_tool(c->cli, tool, sizeof tool))
        return HD_EXIT_TOOL;
    size_t total = units ? n : c->plan.units.len;
    uint32_t *all = hd_calloc(total, sizeof *all);
    for (size_t i = 0; i < total; i++)
        all[i] = units ? units[i] : (uint32_t)i;
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    const struct hd_work_options o = {.plan = &c->plan,
                                      .dir = c->dir,
                                      .tool = tool,
                                      .units = all,
                                      .n_units = total,
                                      .jobs = e->jobs     ? (unsigned)e->jobs
                                              : cores > 0 ? (unsigned)cores
                                                          : 1,
                                      .retries = (unsigned)e->retries,
                                      .timeout = e->timeout < 0 ? HD_UNIT_SECONDS : e->timeout,
                                      .again = true,
                                      .progress = show_progress,
                                      .ctx = &show};
    hd_cli_progress(c->cli, &show.progress, "campaign", "units", total);
    show.progress.hint = show.hint;
    hd_interrupt_catch();
    enum hd_status s = hd_work(&o, &p, &err);
    hd_interrupt_release();
    hd_progress_end(&show.progress);
    hd_free(all, total * sizeof *all);
    return after_work(c, e, s, &err, &p, report);
}

/* ---- the engine slurm ---- */

#define FINISHED "slurm/finished" /* appears when the last job has made the report */
#define JOB      "slurm/job"      /* the job that will look at what is done */
#define LOOKS    8                /* in a row without a job: it is gone */

static void mark(const struct hd_campaign *c, const char *name, uint64_t number)
{
    char path[PATH_MAX + 32];
    struct hd_outfile out;
    struct hd_err err;
    snprintf(path, sizeof path, "%s/%s", c->dir, name);
    if (hd_outfile_open(path, &out, &err) != HD_OK)
        return;
    fprintf(out.file, "%" PRIu64 "\n", number);
    hd_outfile_commit(&out, &err);
}

static bool marked(const struct hd_campaign *c, const char *name, uint64_t *number)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", c->dir, name);
    FILE *in = fopen(path, "re");
    bool there = in && fscanf(in, "%" SCNu64, number) == 1;
    if (in)
        fclose(in);
    return there;
}

/* Units that are done, for the progress line. */
static size_t count_done(const struct hd_campaign *c)
{
    size_t done = 0;
    for (size_t i = 0; i < c->plan.units.len; i++)
        done += hd_folder_state(c->dir, hd_unitplan_unit(&c->plan, i)->name) != HD_UNIT_OPEN;
    return done;
}

/* Until the last job has made the report. */
static enum hd_exit wait_for_jobs(struct hd_campaign *c, const struct hd_engine_options *e)
{
    struct showing show = {0};
    uint64_t job = 0, unused;
    unsigned gone = 0;
    hd_cli_progress(c->cli, &show.progress, "campaign", "units", c->plan.units.len);
    show.progress.hint = "Ctrl-C leaves the jobs running";
    hd_interrupt_catch();
    while (!marked(c, FINISHED, &unused) && !hd_interrupt_requested() && gone < LOOKS) {
        gone = marked(c, JOB, &job) && hd_slurm_waits(job) ? 0 : gone + 1;
        hd_progress_update(&show.progress, count_done(c));
        usleep(500000);
    }
    hd_interrupt_release();
    hd_progress_end(&show.progress);
    if (marked(c, FINISHED, &unused))
        return hd_campaign_finish(c, e->allow_undecided);
    if (hd_interrupt_requested()) {
        hd_cli_error(c->cli, "the jobs go on; see: heddle campaign status %s", c->dir);
        return hd_common_end_like(hd_interrupt_signal());
    }
    hd_cli_error(c->cli,
                 "job %" PRIu64
                 " has ended and left no report in %s: do all nodes see this folder, "
                 "and heddle there? See slurm/*.log in it, and sacct",
                 job, c->dir);
    return HD_EXIT_TOOL;
}

static enum hd_exit run_slurm(struct hd_campaign *c, const struct hd_engine_options *e)
{
    char tool[PATH_MAX], path[PATH_MAX + 32];
    struct hd_err err = {0};
    uint64_t job = 0;
    unsigned wave = e->wave ? (unsigned)e->wave : 1;
    if (!find_tool(c->cli, tool, sizeof tool))
        return HD_EXIT_TOOL;
    const struct hd_slurm_options o = {.plan = &c->plan,
                                       .dir = c->dir,
                                       .tool = tool,
                                       .per_task = e->per_task,
                                       .jobs = e->jobs,
                                       .retries = e->retries,
                                       .timeout = e->timeout,
                                       .memory = e->memory,
                                       .extra = e->sbatch.items,
                                       .n_extra = e->sbatch.n};
    snprintf(path, sizeof path, "%s/" FINISHED, c->dir);
    unlink(path);
    enum hd_status s = hd_slurm_submit(&o, wave, &job, &err);
    if (s != HD_OK) {
        hd_cli_fail_output(c->cli, &err);
        return s == HD_ERR_LIMIT ? HD_EXIT_UNSUPPORTED : HD_EXIT_TOOL;
    }
    if (!job) { /* all is done, or was tried often enough */
        enum hd_exit code = hd_campaign_finish(c, e->allow_undecided);
        mark(c, FINISHED, wave);
        return code;
    }
    mark(c, JOB, job);
    if (!e->no_wait)
        return wait_for_jobs(c, e);
    printf("%s: submitted; job %" PRIu64 " makes the report\n", c->dir, job);
    return HD_EXIT_OK;
}

enum hd_exit hd_campaign_run(struct hd_campaign *c, const struct hd_engine_options *e)
{
    return e->engine == HD_ENGINE_SLURM ? run_slurm(c, e) : hd_campaign_local(c, e, NULL, 0, true);
}

/* ---- shares ---- */

static bool number_of(const char *name, uint64_t *value)
{
    const char *text = getenv(name);
    char *end;
    if (!text || !*text)
        return false;
    *value = strtoull(text, &end, 10);
    return *end == 0;
}

/* Who numbers the jobs of an array, and from where. */
static bool from_environment(uint64_t *i, uint64_t *n)
{
    static const struct {
        const char *index, *least, *count;
        uint64_t first;
    } arrays[] = {
        {"SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_MIN", "SLURM_ARRAY_TASK_COUNT", 0},
        {"CI_NODE_INDEX", NULL, "CI_NODE_TOTAL", 1},
        {"JOB_COMPLETION_INDEX", NULL, "JOB_COMPLETIONS", 0},
        {"SLURM_PROCID", NULL, "SLURM_NTASKS", 0},
        {"OMPI_COMM_WORLD_RANK", NULL, "OMPI_COMM_WORLD_SIZE", 0},
        {"PMI_RANK", NULL, "PMI_SIZE", 0},
    };
    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++) {
        uint64_t first = arrays[k].first;
        if (!number_of(arrays[k].index, i) || !number_of(arrays[k].count, n))
            continue;
        if (arrays[k].least)
            number_of(arrays[k].least, &first);
        *i = *i - first + 1;
        return true;
    }
    return false;
}

bool hd_campaign_share(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *text,
                       uint64_t *i, uint64_t *n)
{
    char *end;
    if (!strcmp(text, "auto")) {
        if (!from_environment(i, n)) {
            hd_cli_usage(cli, cmd,
                         "'auto' finds no number of a job in the environment "
                         "(SLURM_ARRAY_TASK_ID, CI_NODE_INDEX, JOB_COMPLETION_INDEX, ...)");
            return false;
        }
    } else {
        *i = strtoull(text, &end, 10);
        *n = *end == '/' && end > text ? strtoull(end + 1, &end, 10) : 0;
        *n = *end ? 0 : *n;
    }
    if (*i < 1 || *i > *n) {
        hd_cli_usage(cli, cmd, "'%s' is no share: I/N with I from 1 to N, or auto", text);
        return false;
    }
    return true;
}
