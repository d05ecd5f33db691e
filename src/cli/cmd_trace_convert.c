#include "cli/cmds.h"
#include "cli/common.h"

struct values {
    int to; /* enum hd_format, or -1 */
    bool keep_all;
};

static const struct hd_opt options[] = {
    {0, "to", HD_OPT_CHOICE, offsetof(struct values, to), "FORMAT",
     "Write text, std or hdt instead of what the suffix says", "text|std|hdt", 0, 0},
    {0, "keep-all-events", HD_OPT_FLAG, offsetof(struct values, keep_all), NULL,
     "Of a recording: all accesses, shared or not", NULL, 0, 0},
    {0},
};

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.to = -1};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    cli->keep_all = v.keep_all;
    enum hd_format format;
    if (!hd_common_out_format(cli, cmd, argv[1], v.to, &format))
        return HD_EXIT_USAGE;
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    code = hd_common_save(cli, t, argv[1], format);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_convert = {
    .name = "convert",
    .path = "trace convert",
    .summary = "rewrite a trace in another format",
    .args = "IN OUT",
    .detail = "The format of IN is found by its content. The format of OUT is --to, or what\n"
              "its suffix says: .txt and .trace are text, .std is plain RAPID STD, .hdt is\n"
              "Heddle's binary format; a further .zst or .gz compresses. OUT '-' is the\n"
              "standard output, as text unless --to says otherwise. OUT appears whole or\n"
              "not at all, so IN and OUT may be the same file. Plain STD cannot say\n"
              "everything: what it cannot say is refused, never dropped.",
    .options = options,
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
