#include "cli/cmds.h"
#include "cli/common.h"

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, NULL, &argc, argv, &code))
        return code;
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    code = HD_EXIT_INPUT;
    if (hd_common_check(cli, argv[0], t)) {
        code = HD_EXIT_OK;
        if (t->n_events == 0)
            hd_cli_error(cli, "%s: warning: the trace has no events",
                         hd_common_input_name(argv[0]));
        printf("%s: %sconsistent%s: %s, %s, %s, %s\n", hd_common_input_name(argv[0]),
               hd_term_style(cli->color_out, HD_STYLE_GREEN),
               hd_term_style(cli->color_out, HD_STYLE_PLAIN),
               hd_common_plural(t->n_events, "event"),
               hd_common_plural(hd_trace_n_threads(t), "thread"),
               hd_common_plural(hd_trace_n_objs(t, HD_OBJ_LOC), "location"),
               hd_common_plural(hd_trace_n_objs(t, HD_OBJ_LOCK), "lock"));
    }
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_check = {
    .name = "check",
    .path = "trace check",
    .summary = "is the order of the events possible?",
    .args = "FILE",
    .detail = "Reads a trace and runs it through the model of docs/MODEL.md: every event\n"
              "must be able to happen where it stands, and every read must return what\n"
              "memory holds. Prints one line and exits 0, or names the first event that\n"
              "cannot happen and exits 3.",
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
