#include "cli/cmds.h"

static const struct hd_cmd *const subs[] = {
    &hd_cmd_trace_check,  &hd_cmd_trace_stats, &hd_cmd_trace_cat,       &hd_cmd_trace_convert,
    &hd_cmd_trace_reduce, &hd_cmd_trace_gen,   &hd_cmd_trace_enumerate, NULL,
};

const struct hd_cmd hd_cmd_trace = {
    .name = "trace",
    .path = "trace",
    .summary = "check, describe, print, convert and make traces",
    .args = "COMMAND ...",
    .detail = "Traces are read from text (docs/MODEL.md section 5, plain RAPID STD\n"
              "included), from text compressed with gzip or zstd, and from .hdt files; '-'\n"
              "is the standard input.",
    .subs = subs,
    .run = hd_cli_run_group,
};
