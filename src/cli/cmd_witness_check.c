#include "cli/cmds.h"
#include "cli/common.h"
#include "model/witness_json.h"

#include <string.h>

/* The verdict on one witness. */
static enum hd_exit judge(const struct hd_cli *cli, const char *path, const struct hd_trace *t,
                          const struct hd_witness *w)
{
    struct hd_err err = {0};
    size_t entry;
    const char *name = hd_cli_input_name(path);
    if (hd_witness_check(t, w, &entry, &err) != HD_OK) {
        if (entry < w->n)
            hd_cli_error(cli, "%s: not a witness: entry %zu of the schedule (event %u): %s", name,
                         entry + 1, w->schedule[entry] + 1, err.text);
        else
            hd_cli_error(cli, "%s: not a witness: %s", name, err.text);
        return HD_EXIT_INPUT;
    }
    printf("%s: %switness%s of a race on %s: event %u (%s %s) and event %u (%s %s), %zu entries\n",
           name, hd_term_style(cli->color_out, HD_STYLE_GREEN),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN),
           hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[w->a]), w->a + 1,
           hd_trace_thread_name(t, t->thread[w->a]), hd_trace_place_name(t, w->a), w->b + 1,
           hd_trace_thread_name(t, t->thread[w->b]), hd_trace_place_name(t, w->b), w->n);
    return HD_EXIT_OK;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, NULL, &argc, argv, &code))
        return code;
    if (!strcmp(argv[0], "-") && !strcmp(argv[1], "-"))
        return hd_cli_usage(cli, cmd, "only one of TRACE and WITNESS can be the standard input");
    struct hd_trace *t = hd_cli_load(cli, argv[0], &code);
    if (!t)
        return code;
    struct hd_witness w = {0};
    struct hd_err err = {0};
    code = HD_EXIT_INPUT;
    if (!hd_cli_check(cli, argv[0], t))
        ; /* an impossible trace has no witnesses; the reason is told */
    else if (hd_witness_load(argv[1], t, &w, &err) != HD_OK)
        code = hd_cli_fail_input(cli, &err);
    else
        code = judge(cli, argv[1], t, &w);
    hd_witness_fini(&w);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_witness_check = {
    .name = "check",
    .path = "witness check",
    .summary = "does this schedule show the race?",
    .args = "TRACE WITNESS",
    .detail = "Runs the schedule of the file WITNESS through the model and tells whether\n"
              "both accesses of its pair can happen next. Exits 0 when it is a witness;\n"
              "otherwise names the entry that cannot run, and why, and exits 3.",
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
