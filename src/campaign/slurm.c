#include "campaign/slurm.h"

#include "base/log.h"
#include "base/outfile.h"
#include "base/process.h"
#include "campaign/folder.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PER_TASK 20   /* short runs do not drown in scheduling */
#define TASKS    1000 /* of an array; sites allow 1001 unless they say otherwise */
#define WORDS    128  /* of a command of ours */
#define WORD     (PATH_MAX + 64)

/* ---- commands ---- */

struct command {
    char words[16][WORD];
    const char *argv[WORDS];
    size_t n, made;
};

static void put(struct command *c, const char *word)
{
    if (c->n + 1 < WORDS)
        c->argv[c->n++] = word;
}

__attribute__((format(printf, 2, 3))) static void putf(struct command *c, const char *fmt, ...)
{
    va_list args;
    char *word = c->words[c->made++];
    va_start(args, fmt);
    vsnprintf(word, WORD, fmt, args);
    va_end(args);
    put(c, word);
}

/* Runs sbatch, which prints the number of the job. */
static enum hd_status run_sbatch(const struct command *c, uint64_t *job, struct hd_err *err)
{
    const struct hd_process process = {.file = "sbatch", .argv = (char *const *)c->argv};
    char text[256], *end;
    int status = -1;
    struct hd_err why = {0};
    if (hd_process_capture(&process, STDOUT_FILENO, text, sizeof text, &status, &why) != HD_OK)
        return hd_err_set(err, HD_ERR_LIMIT, "the engine slurm needs sbatch: %s", why.text);
    *job = strtoull(text, &end, 10);
    HD_DEBUG_LINE(CAMPAIGN, "sbatch answers with status %d: %s", status, text);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || end == text)
        return hd_err_set(err, HD_ERR_IO, "sbatch refused the jobs");
    return HD_OK;
}

bool hd_slurm_waits(uint64_t job)
{
    char number[24], text[64] = "";
    int status = -1;
    struct hd_err err;
    snprintf(number, sizeof number, "%" PRIu64, job);
    const char *argv[] = {"squeue", "--noheader", "--format=%i", "--jobs", number, NULL};
    const struct hd_process process = {.file = "squeue", .argv = (char *const *)argv};
    return hd_process_capture(&process, STDOUT_FILENO, text, sizeof text, &status, &err) == HD_OK &&
           strlen(text) > 0;
}

/* ---- files ---- */

/* A word for a shell. */
static void put_quoted(FILE *out, const char *word)
{
    fputs(" '", out);
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", out);
        else
            fputc(*word, out);
    fputc('\'', out);
}

/* A script that becomes a command of this tool. */
static enum hd_status write_script(const struct hd_slurm_options *o, const char *path,
                                   const struct command *c, struct hd_err *err)
{
    struct hd_outfile out;
    enum hd_status s = hd_outfile_open(path, &out, err);
    if (s != HD_OK)
        return s;
    fputs("#!/bin/sh\nexec", out.file);
    put_quoted(out.file, o->tool);
    for (size_t i = 0; i < c->n; i++)
        put_quoted(out.file, c->argv[i]);
    fputc('\n', out.file);
    return hd_outfile_commit(&out, err);
}

/* The units of a wave: how many go to a task, and their numbers in the plan. The first wave also
 * takes those that failed before. */
static enum hd_status write_units(const struct hd_slurm_options *o, unsigned wave, uint64_t *tasks,
                                  uint64_t *per_task, struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_outfile out;
    struct hd_u32vec list = {0};
    for (size_t i = 0; i < o->plan->units.len; i++) {
        enum hd_unit_state state = hd_folder_state(o->dir, hd_unitplan_unit(o->plan, i)->name);
        if (state == HD_UNIT_OPEN || (state == HD_UNIT_FAILED && wave == 1))
            hd_u32vec_push(&list, (uint32_t)i);
    }
    uint64_t least = (list.len + TASKS - 1) / TASKS;
    uint64_t each = o->per_task ? o->per_task : PER_TASK;
    each = each < least ? least : each;
    *tasks = (list.len + each - 1) / each;
    *per_task = each;
    snprintf(path, sizeof path, "%s/slurm/wave-%u.units", o->dir, wave);
    enum hd_status s = hd_outfile_open(path, &out, err);
    if (s == HD_OK) {
        fprintf(out.file, "%" PRIu64 "\n", each);
        for (size_t i = 0; i < list.len; i++)
            fprintf(out.file, "%" PRIu32 "\n", list.data[i]);
        s = hd_outfile_commit(&out, err);
    }
    hd_u32vec_fini(&list);
    return s;
}

enum hd_status hd_slurm_task(const char *dir, unsigned wave, uint64_t task, struct hd_u32vec *units,
                             struct hd_err *err)
{
    char path[PATH_MAX];
    uint64_t each = 0;
    uint32_t unit;
    snprintf(path, sizeof path, "%s/slurm/wave-%u.units", dir, wave);
    FILE *in = fopen(path, "re");
    if (!in)
        return hd_err_at(err, HD_ERR_INPUT, path, 0, "%s", strerror(errno));
    bool ok = fscanf(in, "%" SCNu64, &each) == 1;
    for (uint64_t i = 0; ok && fscanf(in, "%" SCNu32, &unit) == 1; i++)
        if (i / (each ? each : 1) == task)
            hd_u32vec_push(units, unit);
    fclose(in);
    return ok ? HD_OK : hd_err_at(err, HD_ERR_INPUT, path, 1, "this is not the list of a wave");
}

/* ---- jobs ---- */

static void put_engine(struct command *c, const struct hd_slurm_options *o)
{
    putf(c, "--retries=%" PRIu64, o->retries);
    if (o->timeout >= 0)
        putf(c, "--unit-timeout=%g", o->timeout);
    putf(c, "--jobs=%" PRIu64, o->jobs ? o->jobs : 1);
}

/* What a task may need if each of its units takes all that a unit may: as many turns as there are
 * units for a core, each as often as it is tried, and a minute to start. */
static void put_limits(struct command *c, const struct hd_slurm_options *o, uint64_t units)
{
    uint64_t jobs = o->jobs ? o->jobs : 1;
    uint64_t turns = (units + jobs - 1) / jobs;
    if (o->timeout > 0)
        putf(c, "--time=%.0f",
             ceil((double)turns * (double)(1 + o->retries) * o->timeout / 60) + 1);
    if (o->memory)
        putf(c, "--mem-per-cpu=%" PRIu64 "M", (o->memory + 999999) / 1000000);
}

/* What all jobs have: they start again when a node is lost, and add to their logs. */
static void begin_sbatch(struct command *c, const struct hd_slurm_options *o, const char *name)
{
    put(c, "sbatch");
    put(c, "--parsable");
    put(c, "--requeue");
    put(c, "--open-mode=append");
    putf(c, "--job-name=%s", name);
    putf(c, "--chdir=%s", o->dir);
}

static void end_sbatch(struct command *c, const struct hd_slurm_options *o, const char *script)
{
    for (size_t i = 0; i < o->n_extra; i++)
        put(c, o->extra[i]);
    put(c, script);
}

static enum hd_status submit_tasks(const struct hd_slurm_options *o, unsigned wave, uint64_t tasks,
                                   uint64_t per_task, uint64_t *job, struct hd_err *err)
{
    char script[PATH_MAX];
    struct command work = {0}, batch = {0};
    put(&work, "campaign");
    put(&work, "work");
    put(&work, o->dir);
    putf(&work, "--wave=%u", wave);
    put_engine(&work, o);
    put(&work, "--quiet");
    snprintf(script, sizeof script, "%s/slurm/wave-%u.sh", o->dir, wave);
    enum hd_status s = write_script(o, script, &work, err);
    begin_sbatch(&batch, o, "heddle-units");
    putf(&batch, "--array=0-%" PRIu64, tasks - 1);
    putf(&batch, "--cpus-per-task=%" PRIu64, o->jobs ? o->jobs : 1);
    putf(&batch, "--output=%s/slurm/wave-%u-%%a.log", o->dir, wave);
    put_limits(&batch, o, per_task);
    end_sbatch(&batch, o, script);
    return s == HD_OK ? run_sbatch(&batch, job, err) : s;
}

/* The job behind the array: reports, or submits what is left as the next wave. */
static enum hd_status submit_follower(const struct hd_slurm_options *o, unsigned wave,
                                      uint64_t after, uint64_t *job, struct hd_err *err)
{
    char script[PATH_MAX];
    struct command resume = {0}, batch = {0};
    put(&resume, "campaign");
    put(&resume, "resume");
    put(&resume, o->dir);
    put(&resume, "--engine=slurm");
    put(&resume, "--no-wait");
    putf(&resume, "--wave=%u", wave + 1);
    if (o->per_task)
        putf(&resume, "--per-task=%" PRIu64, o->per_task);
    put_engine(&resume, o);
    if (o->memory)
        putf(&resume, "--unit-memory=%" PRIu64, o->memory);
    for (size_t i = 0; i < o->n_extra; i++) {
        put(&resume, "--sbatch");
        put(&resume, o->extra[i]);
    }
    snprintf(script, sizeof script, "%s/slurm/follow-%u.sh", o->dir, wave);
    enum hd_status s = write_script(o, script, &resume, err);
    begin_sbatch(&batch, o, "heddle-report");
    putf(&batch, "--dependency=afterany:%" PRIu64, after);
    putf(&batch, "--output=%s/slurm/follow-%u.log", o->dir, wave);
    end_sbatch(&batch, o, script);
    return s == HD_OK ? run_sbatch(&batch, job, err) : s;
}

enum hd_status hd_slurm_submit(const struct hd_slurm_options *o, unsigned wave, uint64_t *job,
                               struct hd_err *err)
{
    char path[PATH_MAX];
    uint64_t tasks = 0, per_task = 0, array = 0;
    *job = 0;
    snprintf(path, sizeof path, "%s/slurm", o->dir);
    enum hd_status s = hd_folder_make(path, err);
    if (s == HD_OK)
        s = write_units(o, wave, &tasks, &per_task, err);
    if (s != HD_OK || !tasks || wave > HD_SLURM_WAVES)
        return s;
    s = submit_tasks(o, wave, tasks, per_task, &array, err);
    return s == HD_OK ? submit_follower(o, wave, array, job, err) : s;
}
