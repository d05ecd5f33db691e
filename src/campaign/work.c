#include "campaign/work.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "base/progress.h"
#include "campaign/folder.h"
#include "campaign/unit_process.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define LOOK_MS 100 /* for interrupts and late units, when nothing ends */

struct work {
    const struct hd_work_options *o;
    struct hd_work_progress *p;
    struct hd_unit_process *slots;
    size_t next; /* unit */
    struct hd_err *err;
};

/* ---- what a unit leaves ---- */

/* Writes why the unit failed, and keeps its log. */
static enum hd_status keep_failure(const struct work *w, const struct hd_unit_process *p,
                                   const char *reason)
{
    char path[PATH_MAX], log[PATH_MAX], from[sizeof p->work + 8], host[65] = "?";
    struct hd_outfile out;
    struct hd_json j;
    snprintf(path, sizeof path, "%s/units/%.2s", w->o->dir, p->unit->name);
    enum hd_status s = hd_folder_make(path, w->err);
    hd_folder_unit(w->o->dir, p->unit->name, ".log", log, sizeof log);
    snprintf(from, sizeof from, "%s" HD_UNIT_LOG, p->work);
    if (rename(from, log) != 0 && errno != ENOENT && s == HD_OK)
        s = hd_err_set(w->err, HD_ERR_IO, "cannot write %s: %s", log, strerror(errno));
    hd_folder_unit(w->o->dir, p->unit->name, ".failed", path, sizeof path);
    if (s == HD_OK)
        s = hd_outfile_open(path, &out, w->err);
    if (s != HD_OK)
        return s;
    gethostname(host, sizeof host - 1);
    hd_json_init(&j, out.file);
    hd_json_begin_object(&j);
    hd_json_key(&j, "unit");
    hd_json_string(&j, p->unit->name);
    hd_json_key(&j, "reason");
    hd_json_string(&j, reason);
    hd_json_key(&j, "tries");
    hd_json_uint(&j, p->tries + 1);
    hd_json_key(&j, "host");
    hd_json_string(&j, host);
    hd_json_end_object(&j);
    fputc('\n', out.file);
    return hd_outfile_commit(&out, w->err);
}

static enum hd_status keep_result(const struct work *w, const struct hd_unit_process *p)
{
    static const char *const endings[] = {".failed", ".log"};
    char path[PATH_MAX], out[sizeof p->work + sizeof HD_UNIT_OUT];
    snprintf(out, sizeof out, "%s" HD_UNIT_OUT, p->work);
    enum hd_status s = hd_folder_keep(out, w->o->dir, p->unit->name, w->err);
    for (size_t i = 0; i < 2 && s == HD_OK; i++) { /* of an earlier try */
        hd_folder_unit(w->o->dir, p->unit->name, endings[i], path, sizeof path);
        unlink(path);
    }
    return s;
}

/* ---- one slot ---- */

static enum hd_status start(struct work *w, struct hd_unit_process *p)
{
    const struct hd_work_options *o = w->o;
    enum hd_status s =
        hd_folder_work(o->dir, (unsigned)(p - w->slots), p->work, sizeof p->work, w->err);
    if (s != HD_OK)
        return s;
    struct hd_err why = {0};
    HD_DEBUG_LINE(CAMPAIGN, "unit %s: try %u in %s", p->unit->name, (unsigned)p->tries + 1,
                  p->work);
    s = hd_unit_process_check(p->unit, &why);
    if (s == HD_OK)
        s = hd_unit_process_start(p, o->plan, o->tool, &why);
    if (s == HD_ERR_IO)
        *w->err = why;
    if (s != HD_ERR_INPUT)
        return s;
    w->p->failed++;
    s = keep_failure(w, p, why.text);
    hd_folder_remove(p->work);
    return s;
}

static enum hd_status finish(struct work *w, struct hd_unit_process *p, int status)
{
    struct hd_unit_end end;
    hd_unit_process_judge(p, status, &end);
    HD_DEBUG_LINE(CAMPAIGN, "unit %s: status %d, %s", p->unit->name, status,
                  end.done ? "done" : end.reason);
    enum hd_status s = HD_OK;
    if (end.done) {
        s = keep_result(w, p);
        w->p->done++;
        w->p->findings += end.findings;
    } else if (end.full) {
        s = hd_err_set(w->err, HD_ERR_IO, "%s", end.reason);
    } else if (p->tries < w->o->retries) {
        p->tries++;
        hd_folder_remove(p->work);
        return start(w, p);
    } else {
        s = keep_failure(w, p, end.reason);
        w->p->failed++;
    }
    hd_folder_remove(p->work);
    return s;
}

/* The next unit that is to be run; NULL: there is none. */
static const struct hd_unit *next_unit(struct work *w)
{
    while (w->next < w->o->n_units) {
        const struct hd_unit *u = hd_unitplan_unit(w->o->plan, w->o->units[w->next++]);
        enum hd_unit_state state = hd_folder_state(w->o->dir, u->name);
        if (state == HD_UNIT_OPEN || (state == HD_UNIT_FAILED && w->o->again))
            return u;
        w->p->done += state == HD_UNIT_DONE;
        w->p->failed += state == HD_UNIT_FAILED;
    }
    return NULL;
}

/* Lets free slots begin, and looks at those that are busy. */
static enum hd_status turn(struct work *w)
{
    enum hd_status s = HD_OK;
    int status;
    w->p->running = 0;
    for (unsigned i = 0; i < w->o->jobs && s == HD_OK; i++) {
        struct hd_unit_process *p = &w->slots[i];
        if (p->pid && hd_unit_process_ended(p, &status))
            s = finish(w, p, status);
        while (!p->pid && s == HD_OK && (p->unit = next_unit(w))) {
            p->tries = 0;
            s = start(w, p);
        }
        if (p->pid && w->o->timeout > 0 && hd_progress_now() > p->started + w->o->timeout) {
            p->late = true;
            HD_DEBUG_LINE(CAMPAIGN, "unit %s is killed after %.3f s", p->unit->name, w->o->timeout);
            kill(-p->pid, SIGKILL);
        }
        w->p->running += p->pid != 0;
    }
    return s;
}

enum hd_status hd_work(const struct hd_work_options *o, struct hd_work_progress *p,
                       struct hd_err *err)
{
    struct work w = {.o = o, .p = p, .err = err};
    sigset_t child, before;
    enum hd_status s = HD_OK;
    const struct timespec wait = {0, LOOK_MS * 1000000L};
    *p = (struct hd_work_progress){.total = o->n_units};
    w.slots = hd_calloc(o->jobs, sizeof *w.slots);
    hd_folder_sweep(o->dir, false);
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &before);
    while (s == HD_OK) {
        s = turn(&w);
        if (o->progress)
            o->progress(o->ctx, p);
        if (s == HD_OK && !p->running)
            break;
        if (hd_interrupt_requested() && s == HD_OK)
            s = hd_err_set(err, HD_ERR_STOPPED, "interrupted");
        if (s == HD_OK)
            sigtimedwait(&child, NULL, &wait);
    }
    for (unsigned i = 0; i < o->jobs; i++) {
        bool busy = w.slots[i].pid != 0;
        hd_unit_process_kill(&w.slots[i]);
        if (busy)
            hd_folder_remove(w.slots[i].work);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    hd_free(w.slots, o->jobs * sizeof *w.slots);
    return s;
}
