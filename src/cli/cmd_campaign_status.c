/* heddle campaign status: how far a campaign is. */
#include "base/json.h"
#include "cli/campaign_run.h"
#include "cli/cmds.h"

struct values {
    const char *json;
};

static const struct hd_opt options[] = {
    HD_OPTION_JSON(json),
    {0},
};

static void number(struct hd_json *j, const char *key, uint64_t value)
{
    hd_json_key(j, key);
    hd_json_uint(j, value);
}

static void text(struct hd_json *j, const char *key, const char *value)
{
    hd_json_key(j, key);
    hd_json_string(j, value);
}

static void put_failed(struct hd_json *j, const struct hd_failed_unit *f)
{
    char log[128];
    snprintf(log, sizeof log, "units/%.2s/%s.log", f->unit->name, f->unit->name);
    hd_json_begin_object(j);
    text(j, "unit", f->unit->name);
    text(j, "test", f->unit->test);
    text(j, "how", f->unit->how);
    text(j, "reason", f->reason);
    text(j, "log", log);
    hd_json_end_object(j);
}

static void put_status(FILE *out, const struct hd_campaign *c, const struct hd_gathered *g)
{
    struct hd_json j;
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    text(&j, "plan", c->plan.digest);
    number(&j, "units", c->plan.units.len);
    number(&j, "done", g->done);
    number(&j, "running", g->running);
    number(&j, "failed", g->failed.len);
    number(&j, "open", g->open);
    number(&j, "findings", g->report ? g->report->n_findings : 0);
    hd_json_key(&j, "seconds");
    hd_json_double(&j, g->times.all);
    hd_json_key(&j, "failures");
    hd_json_begin_array(&j);
    for (size_t i = 0; i < g->failed.len; i++)
        put_failed(&j, hd_vec_at(&g->failed, i));
    hd_json_end_array(&j);
    hd_json_end_object(&j);
}

static enum hd_exit show(const struct hd_campaign *c, const char *path)
{
    struct hd_gathered g;
    struct hd_err err = {0};
    struct hd_cli_json j = {0};
    enum hd_exit code = HD_EXIT_OK;
    if (hd_gather(&c->plan, c->dir, &g, &err) != HD_OK)
        code = hd_cli_fail_input(c->cli, &err);
    if (code == HD_EXIT_OK)
        code = hd_cli_json_begin(c->cli, path, &j);
    if (code == HD_EXIT_OK && j.out)
        put_status(j.out, c, &g);
    if (code == HD_EXIT_OK && j.text)
        hd_campaign_print(c, &g);
    code = hd_cli_json_end(c->cli, &j, code);
    hd_gathered_fini(&g);
    return code;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    struct hd_campaign c;
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    code = hd_campaign_open(&c, cli, argv[0]);
    if (code == HD_EXIT_OK)
        code = show(&c, v.json);
    hd_unitplan_fini(&c.plan);
    return code;
}

const struct hd_cmd hd_cmd_campaign_status = {
    .name = "status",
    .path = "campaign status",
    .summary = "how far a campaign is",
    .args = "DIR",
    .detail =
        "Prints how many units of the campaign in DIR are done, run, failed (with the reason\n"
        "and the log), and what was found so far. Exits 0 whatever that is.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
