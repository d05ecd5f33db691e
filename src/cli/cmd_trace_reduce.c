#include "base/alloc.h"
#include "cli/cmds.h"
#include "cli/common.h"
#include "predict/index/handed.h"
#include "trace/fold_polls.h"
#include "trace/reduce.h"

struct values {
    int to; /* enum hd_format, or -1 */
};

static const struct hd_opt options[] = {
    {0, "to", HD_OPT_CHOICE, offsetof(struct values, to), "FORMAT",
     "Write text, std or hdt instead of what the suffix says", "text|std|hdt", 0, 0},
    {0},
};

static enum hd_exit reduce(const struct hd_cli *cli, const char *name, const char *path,
                           enum hd_format format, const struct hd_trace *t)
{
    struct hd_trace *less = NULL, *out;
    struct hd_err err = {0};
    if (!hd_common_check(cli, name, t))
        return HD_EXIT_INPUT;
    size_t n = hd_trace_n_objs(t, HD_OBJ_LOC);
    uint8_t *carriers = hd_calloc(n, 1), *handed = hd_calloc(n, 1);
    hd_handed_carriers(t, carriers);
    hd_handed_find(t, carriers, handed);
    enum hd_status s = hd_reduce_trace(t, handed, &less, NULL, &err);
    hd_free(carriers, n);
    hd_free(handed, n);
    if (s == HD_OK)
        s = hd_fold_polls(less, &out, NULL, &err);
    hd_trace_free(less);
    if (s != HD_OK)
        return hd_cli_fail_input(cli, &err);
    enum hd_exit code = hd_common_save(cli, out, path, format);
    hd_trace_free(out);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.to = -1};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    enum hd_format format;
    if (!hd_common_out_format(cli, cmd, argv[1], v.to, &format))
        return HD_EXIT_USAGE;
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    code = reduce(cli, argv[0], argv[1], format, t);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_reduce = {
    .name = "reduce",
    .path = "trace reduce",
    .summary = "leave out what threads do not share, and rounds of polling",
    .args = "IN OUT",
    .detail = "Leaves out accesses to locations that every schedule hands from thread to\n"
              "thread in the same order, by fork and join or by what is read under locks\n"
              "and from atomics, and branches that depend on nothing else. The same pairs of\n"
              "accesses race. Of the rounds of a thread that polls (the same reads with the\n"
              "same values, and branches on them) at most three in a row stay; the same pairs\n"
              "of places race. The trace has to be consistent. Formats are as in trace\n"
              "convert. Recordings are read in this way anyway; convert them.",
    .options = options,
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
