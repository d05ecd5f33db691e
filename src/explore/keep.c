#include "explore/keep.h"

#include "base/log.h"
#include "explore/kept.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

static enum hd_status next_path(struct hd_keeper *k, char *path, size_t size, struct hd_err *err)
{
    int n = snprintf(path, size, "%s/run-%" PRIu64 ".hdr", k->dir, k->next++);
    return n > 0 && (size_t)n < size
               ? HD_OK
               : hd_err_set(err, HD_ERR_IO, "the path of the folder is too long");
}

enum hd_status hd_keep(struct hd_keeper *k, const struct hd_explore_finding *f, bool *led,
                       struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_trace *t = NULL;
    struct hd_witness w = {0};
    *led = false;
    enum hd_status status = next_path(k, path, sizeof path, err);
    if (status != HD_OK)
        return status;
    status = hd_kept_save(f, path, &t, &w, err);
    struct hd_explored e = {.kind = hd_explore_kind_names[f->kind],
                            .path = path,
                            .text = f->text,
                            .signal = f->signal,
                            .witness = &w};
    if (status == HD_OK) {
        status = k->taker.take(k->taker.ctx, &e, led, err);
    } else if (status == HD_ERR_LIMIT || status == HD_ERR_INPUT) {
        unlink(path);
        HD_DEBUG_LINE(EXPLORE, "a %s cannot be kept: %s", e.kind, err->text);
        if (f->kind != HD_EXPLORE_HANG) /* it took long, or waited for a thread that was parked */
            k->taker.lost(k->taker.ctx, e.kind, err->text);
        status = HD_OK;
    }
    hd_witness_fini(&w);
    hd_trace_free(t);
    return status;
}

enum hd_status hd_keep_run(struct hd_keeper *k, struct hd_exec *exec, const struct hd_exec_run *run,
                           bool *led, struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_vec choices = HD_VEC_INIT(struct hd_steer_choice);
    enum hd_exec_end end;
    *led = false;
    enum hd_status status = next_path(k, path, sizeof path, err);
    for (size_t i = 0; i < run->steps.len; i++) {
        const struct hd_exec_step *s = hd_run_step(run, i);
        *(struct hd_steer_choice *)hd_vec_push(&choices) =
            (struct hd_steer_choice){s->thread, s->until, s->wakes};
    }
    struct hd_exec_plan plan = {
        .choices = choices.data, .n_choices = choices.len, .first = HD_EXEC_NOBODY};
    if (status == HD_OK)
        status = hd_exec_record(exec, &plan, path, 0, &end, err);
    hd_vec_fini(&choices);
    struct hd_explored e = {.kind = "race", .path = path, .text = ""};
    return status == HD_OK ? k->taker.take(k->taker.ctx, &e, led, err) : status;
}
