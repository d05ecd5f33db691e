#include "base/alloc.h"
#include "base/suggest.h"
#include "cli/cmds.h"
#include "cli/common.h"
#include "trace/text/text.h"

#include <string.h>

struct values {
    const char *thread;
    uint64_t from, to; /* 1-based, inclusive; 0: not given */
    bool numbers, keep_all;
};

static const struct hd_opt options[] = {
    {'t', "thread", HD_OPT_TEXT, offsetof(struct values, thread), "T",
     "Print only the events of thread T", NULL, 0, 0},
    {0, "from", HD_OPT_COUNT, offsetof(struct values, from), "N",
     "Print from event number N on (the first is 1)", NULL, 1, 0},
    {0, "to", HD_OPT_COUNT, offsetof(struct values, to), "M",
     "Print up to and including event number M", NULL, 1, 0},
    {'n', "numbers", HD_OPT_FLAG, offsetof(struct values, numbers), NULL,
     "Put the number of each event before it", NULL, 0, 0},
    {0, "keep-all-events", HD_OPT_FLAG, offsetof(struct values, keep_all), NULL,
     "Of a recording: all accesses, shared or not", NULL, 0, 0},
    {0},
};

static enum hd_exit unknown_thread(const struct hd_cli *cli, const struct hd_cmd *cmd,
                                   const struct hd_trace *t, const char *name)
{
    size_t n = hd_trace_n_threads(t);
    const char **names = hd_alloc(n * sizeof *names);
    for (hd_tid u = 0; u < n; u++)
        names[u] = hd_trace_thread_name(t, u);
    const char *near = hd_suggest(name, names, n);
    enum hd_exit code =
        hd_cli_usage(cli, cmd, "--thread: the trace has no thread '%s'%s%s%s", name,
                     near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    hd_free(names, n * sizeof *names);
    return code;
}

/* Prints part of a trace, or all of it with numbers: for reading, not for reading back. */
static enum hd_exit print_part(const struct hd_cli *cli, const struct hd_cmd *cmd,
                               const struct values *v, const struct hd_trace *t)
{
    uint32_t thread = UINT32_MAX;
    uint64_t from = v->from ? v->from : 1, to = v->to ? v->to : t->n_events;
    if (v->thread && !hd_names_find(&t->threads, v->thread, strlen(v->thread), &thread))
        return unknown_thread(cli, cmd, t, v->thread);
    if (from > t->n_events && v->from)
        return hd_cli_usage(cli, cmd, "--from %llu: the trace has %s", (unsigned long long)from,
                            hd_common_plural(t->n_events, "event"));
    if (to > t->n_events)
        to = t->n_events;
    for (uint64_t e = from - 1; e < to && !ferror(stdout); e++) {
        if (v->thread && t->thread[e] != thread)
            continue;
        if (v->numbers)
            printf("%8llu  ", (unsigned long long)e + 1);
        hd_text_write_event(t, (hd_eid)e, stdout);
    }
    return HD_EXIT_OK;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    cli->keep_all = v.keep_all;
    if (v.from && v.to && v.from > v.to)
        return hd_cli_usage(cli, cmd, "--from %llu is after --to %llu", (unsigned long long)v.from,
                            (unsigned long long)v.to);
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    struct hd_err err = {0};
    code = HD_EXIT_OK;
    if (v.thread || v.from || v.to || v.numbers)
        code = print_part(cli, cmd, &v, t);
    else if (hd_text_write(t, stdout, &err) == HD_ERR_INPUT)
        code = hd_cli_fail_input(cli, &err);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_cat = {
    .name = "cat",
    .path = "trace cat",
    .summary = "print a trace as text",
    .args = "FILE",
    .detail = "Without options the output is the whole trace in the text format of\n"
              "docs/MODEL.md section 5 and can be read back. With --thread, --from, --to or\n"
              "--numbers it is for the eye: directives are left out, and deps, val and addr\n"
              "name events by their number in FILE.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
