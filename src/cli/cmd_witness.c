#include "cli/cmds.h"

static const struct hd_cmd *const subs[] = {
    &hd_cmd_witness_check,
    NULL,
};

const struct hd_cmd hd_cmd_witness = {
    .name = "witness",
    .path = "witness",
    .summary = "judge the schedule that shows a race",
    .args = "COMMAND ...",
    .detail = "A witness is a schedule of a trace's events that ends in a racing pair; see\n"
              "docs/MODEL.md sections 3 and 6.",
    .subs = subs,
    .run = hd_cli_run_group,
};
