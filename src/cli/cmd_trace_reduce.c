#include "cli/cmds.h"
#include "cli/common.h"
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
    struct hd_trace *less;
    struct hd_err err = {0};
    if (!hd_cli_check(cli, name, t))
        return HD_EXIT_INPUT;
    if (hd_trace_reduce(t, &less, NULL, &err) != HD_OK)
        return hd_cli_fail_input(cli, &err);
    enum hd_exit code = hd_cli_save(cli, less, path, format);
    hd_trace_free(less);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.to = -1};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    enum hd_format format;
    if (!hd_cli_out_format(cli, cmd, argv[1], v.to, &format))
        return HD_EXIT_USAGE;
    struct hd_trace *t = hd_cli_load(cli, argv[0], &code);
    if (!t)
        return code;
    code = reduce(cli, argv[0], argv[1], format, t);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_reduce = {
    .name = "reduce",
    .path = "trace reduce",
    .summary = "leave out what threads do not share",
    .args = "IN OUT",
    .detail = "Leaves out accesses to locations that every schedule hands from thread to\n"
              "thread by fork and join alone, and branches that depend on nothing else.\n"
              "The same pairs of accesses race. The trace has to be consistent. Formats are\n"
              "as in trace convert. Recordings are read in this way anyway; convert them.",
    .options = options,
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
