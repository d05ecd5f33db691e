#include "cli/cmds.h"
#include "cli/common.h"
#include "model/witness_json.h"

#include <string.h>

static void print_events(const struct hd_trace *t, const hd_eid *events, size_t n)
{
    for (size_t i = 0; i < n; i++)
        printf("%s event %u (%s %s)",
               i == 0       ? ""
               : i + 1 == n ? " and"
                            : ",",
               events[i] + 1, hd_trace_thread_name(t, t->thread[events[i]]),
               hd_trace_place_name(t, events[i]));
}

/* The verdict on one witness. */
static enum hd_exit judge(const struct hd_cli *cli, const char *path, const struct hd_trace *t,
                          const struct hd_witness *w)
{
    struct hd_err err = {0};
    size_t entry;
    const char *name = hd_common_input_name(path);
    if (hd_witness_check(t, w, &entry, &err) != HD_OK) {
        if (entry < w->n)
            hd_cli_error(cli, "%s: not a witness: entry %zu of the schedule (event %u): %s", name,
                         entry + 1, w->schedule[entry] + 1, err.text);
        else
            hd_cli_error(cli, "%s: not a witness: %s", name, err.text);
        return HD_EXIT_INPUT;
    }
    printf("%s: %switness%s ", name, hd_term_style(cli->color_out, HD_STYLE_GREEN),
           hd_term_style(cli->color_out, HD_STYLE_PLAIN));
    const hd_eid pair[] = {w->a, w->b};
    bool race = w->property == HD_PROPERTY_RACE;
    if (w->property == HD_PROPERTY_DEADLOCK)
        printf("of a deadlock:");
    else
        printf("of %s on %s:", race ? "a race" : "an atomicity violation",
               hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[race ? w->a : w->events[0]]));
    print_events(t, race ? pair : w->events, race ? 2 : w->n_events);
    printf(", %zu entries\n", w->n);
    return HD_EXIT_OK;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, NULL, &argc, argv, &code))
        return code;
    if (!strcmp(argv[0], "-") && !strcmp(argv[1], "-"))
        return hd_cli_usage(cli, cmd, "only one of TRACE and WITNESS can be the standard input");
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    struct hd_witness w = {0};
    struct hd_err err = {0};
    code = HD_EXIT_INPUT;
    if (!hd_common_check(cli, argv[0], t))
        ; /* an impossible trace has no witnesses; the reason is told */
    else if (hd_witness_json_load(argv[1], t, &w, &err) != HD_OK)
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
    .summary = "does this schedule show what it claims?",
    .args = "TRACE WITNESS",
    .detail = "Runs the schedule of the file WITNESS through the model and prints whether\n"
              "both accesses of its pair can happen next, its atomicity violation happens,\n"
              "or its threads wait for each other. Exits 0 when it is a witness; otherwise\n"
              "names the entry that cannot run, and why, and exits 3.",
    .min_args = 2,
    .max_args = 2,
    .run = run,
};
