#include "base/interrupt.h"
#include "cli/cmds.h"
#include "cli/common.h"
#include "model/enumerate.h"
#include "model/witness_json.h"

struct values {
    uint64_t states;
    const char *dir;
    const char *json;
    bool witnesses, require_complete;
};

static const struct hd_opt options[] = {
    {0, "states", HD_OPT_COUNT, offsetof(struct values, states), "N",
     "Give up after N states (2000000)", NULL, 1, UINT32_MAX - 1},
    {'w', "witnesses", HD_OPT_FLAG, offsetof(struct values, witnesses), NULL,
     "Also print a schedule for each race", NULL, 0, 0},
    {0, "witness-dir", HD_OPT_FILE, offsetof(struct values, dir), "DIR",
     "Write each schedule as DIR/witness-A-B.json", NULL, 0, 0},
    HD_OPTION_JSON(json),
    {0, "require-complete", HD_OPT_FLAG, offsetof(struct values, require_complete), NULL,
     "Exit 5 when the search was cut short and found no race", NULL, 0, 0},
    {0},
};

static void print_access(const struct hd_trace *t, hd_eid e)
{
    printf("%u (%s %s %s)", e + 1, hd_trace_thread_name(t, t->thread[e]), hd_op_info[t->op[e]].text,
           hd_trace_place_name(t, e));
}

static void print_schedule(const struct hd_trace *t, const struct hd_witness *w)
{
    printf("  schedule:");
    for (size_t i = 0; i < w->n; i++)
        printf(" %u", w->schedule[i] + 1);
    printf("\n");
    for (size_t i = 0; i < w->n_wakes; i++)
        printf("  event %u wakes %s\n", w->wakes[i].sig + 1,
               hd_trace_thread_name(t, w->wakes[i].thread));
}

static void print_text(const struct hd_cli *cli, const char *name, const struct hd_trace *t,
                       const struct hd_enum_result *r, bool witnesses)
{
    for (size_t i = 0; i < r->n_pairs && !ferror(stdout); i++) {
        printf("%srace%s on %s: event ", hd_term_style(cli->color_out, HD_STYLE_RED),
               hd_term_style(cli->color_out, HD_STYLE_PLAIN),
               hd_trace_obj_name(t, HD_OBJ_LOC, t->obj[r->pairs[i].a]));
        print_access(t, r->pairs[i].a);
        printf(" and event ");
        print_access(t, r->pairs[i].b);
        printf("\n");
        if (witnesses)
            print_schedule(t, &r->witnesses[i]);
    }
    printf("%s: %s in %s%s\n", name, hd_common_plural(r->n_pairs, "racing pair"),
           hd_common_plural(r->n_states, "state"),
           r->complete ? "" : " (not all states were visited)");
}

/* The shape of docs/MODEL.md section 6, with "enumerate" as the detector. */
static void print_json(FILE *out, const struct hd_trace *t, const struct hd_enum_result *r,
                       bool witnesses)
{
    struct hd_json j;
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    hd_json_key(&j, "schema");
    hd_json_string(&j, "heddle-analysis-1");
    hd_common_json_trace(&j, t);
    hd_json_key(&j, "detectors");
    hd_json_begin_object(&j);
    hd_json_key(&j, "enumerate");
    hd_json_begin_object(&j);
    hd_json_key(&j, "pairs");
    hd_json_begin_array(&j);
    for (size_t i = 0; i < r->n_pairs; i++) {
        hd_json_begin_array(&j);
        hd_json_uint(&j, (uint64_t)r->pairs[i].a + 1);
        hd_json_uint(&j, (uint64_t)r->pairs[i].b + 1);
        hd_json_end_array(&j);
    }
    hd_json_end_array(&j);
    hd_json_key(&j, "complete");
    hd_json_bool(&j, r->complete);
    hd_json_key(&j, "states");
    hd_json_uint(&j, r->n_states);
    if (witnesses) {
        hd_json_key(&j, "witnesses");
        hd_json_begin_array(&j);
        for (size_t i = 0; i < r->n_pairs; i++) {
            hd_json_begin_object(&j);
            hd_witness_json_write_fields(&j, t, &r->witnesses[i]);
            hd_json_end_object(&j);
        }
        hd_json_end_array(&j);
    }
    hd_json_end_object(&j);
    hd_json_end_object(&j);
    hd_json_end_object(&j);
}

static void tick(void *ctx, size_t states)
{
    hd_progress_update(ctx, states);
}

static enum hd_exit enumerate(struct hd_cli *cli, const struct values *v, const char *name,
                              const struct hd_trace *t)
{
    struct hd_progress progress;
    struct hd_enum_opts opts = {.max_states = (size_t)v->states,
                                .witnesses = v->witnesses || v->dir,
                                .partial = true,
                                .tick = tick,
                                .ctx = &progress};
    struct hd_enum_result result;
    struct hd_err err = {0};
    hd_cli_progress(cli, &progress, "enumerating", "states", 0);
    progress.hint = "Ctrl-C for partial results";
    hd_interrupt_catch();
    enum hd_status status = hd_enumerate(t, &opts, &result, &err);
    hd_interrupt_release();
    hd_progress_end(&progress);
    if (status != HD_OK)
        return hd_cli_fail_output(cli, &err);
    struct hd_cli_json json;
    enum hd_exit code = hd_cli_json_begin(cli, v->json, &json);
    if (code == HD_EXIT_OK && json.text)
        print_text(cli, name, t, &result, v->witnesses);
    if (code == HD_EXIT_OK && json.out)
        print_json(json.out, t, &result, v->witnesses);
    code = hd_cli_json_end(cli, &json, code);
    if (!result.complete)
        hd_cli_error(cli, "%s: %s; races may be missing", name, err.text);
    bool open = !result.complete && v->require_complete;
    if (code == HD_EXIT_OK)
        code = result.n_pairs ? HD_EXIT_RACE : open ? HD_EXIT_UNDECIDED : HD_EXIT_OK;
    for (size_t i = 0; v->dir && i < result.n_pairs; i++) {
        enum hd_exit saved = hd_common_save_witness(cli, v->dir, name, t, &result.witnesses[i]);
        if (saved != HD_EXIT_OK) {
            code = saved;
            break;
        }
    }
    hd_enum_result_fini(&result);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {.states = HD_ENUM_MAX_STATES};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    code = HD_EXIT_INPUT;
    if (hd_common_check(cli, argv[0], t))
        code = enumerate(cli, &v, hd_common_input_name(argv[0]), t);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_enumerate = {
    .name = "enumerate",
    .path = "trace enumerate",
    .summary = "every race of a small trace, by definition",
    .args = "FILE",
    .detail = "Visits every state that the model of docs/MODEL.md can reach from the trace\n"
              "and prints each pair of accesses that race. Meant for traces of up to about\n"
              "25 events: it is the judge of faster analyses, not one of them. Exits 66\n"
              "when there is a race. Ctrl-C ends the search and prints what was found so\n"
              "far; a second Ctrl-C ends the program.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
