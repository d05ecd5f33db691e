#include "concolic/run.h"

#include "base/alloc.h"
#include "concolic/shared_arena.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char **words_of(const struct hd_input *in)
{
    char **argv = hd_calloc(in->words.len + 1, sizeof *argv);
    for (size_t i = 0; i < in->words.len; i++)
        argv[i] = (char *)((struct hd_input_bytes *)hd_vec_at(&in->words, i))->data;
    return argv;
}

enum hd_status hd_run_start(struct hd_input_run *r, uint32_t number, const struct hd_input *in,
                            const char *dir, const struct hd_run_limits *limits, struct hd_err *err)
{
    *r = (struct hd_input_run){.number = number, .in = in, .child.answer = -1};
    if (strlen(dir) + 32 > PATH_MAX)
        return hd_err_set(err, HD_ERR_IO, "the path of the folder is too long");
    snprintf(r->trace, sizeof r->trace, "%s/test%06u.hdr", dir, number);
    snprintf(r->arena, sizeof r->arena, "%s/test%06u.given", dir, number);
    snprintf(r->out, sizeof r->out, "%s/test%06u.out", dir, number);
    enum hd_status s = hd_shared_arena_create(r->arena, in, false, err);
    if (s != HD_OK)
        return s;
    struct hd_record_child_opts opts = {
        .record = {.out = r->trace, .policy = HD_POLICY_FIFO, .seed = 1, .quantum = 1},
        .output = r->out,
        .seconds = limits->seconds,
        .memory = limits->memory ? limits->memory + HD_SYM_SIZE + (UINT64_C(1) << 31) : 0,
        .variable = HD_SYM_ENV,
        .value = r->arena,
    };
    opts.record.argv = words_of(in);
    opts.record.depth = opts.record.steps = 1;
    opts.record.exit_steps = HD_RECORD_EXIT_STEPS;
    s = hd_record_child_start(&r->child, &opts, err);
    hd_free(opts.record.argv, (in->words.len + 1) * sizeof *opts.record.argv);
    return s;
}

enum hd_status hd_run_wait(struct hd_input_run *r, struct hd_err *err)
{
    enum hd_status s = hd_record_child_wait(&r->child, err);
    if (s == HD_ERR_STOPPED)
        unlink(r->arena);
    return s;
}

void hd_run_kill(struct hd_input_run *r)
{
    if (hd_record_child_kill(&r->child))
        unlink(r->arena);
}

void hd_run_remove(struct hd_input_run *r)
{
    hd_record_child_remove(&r->child);
    unlink(r->arena);
}
