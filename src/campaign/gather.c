#include "campaign/gather.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/json.h"
#include "base/log.h"
#include "base/outfile.h"
#include "campaign/folder.h"
#include "report/format/formats.h"
#include "report/format/report_json.h"

#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define LISTED 100 /* failed units that the report names */

static enum hd_status add_done(struct hd_merge *m, const char *dir, const struct hd_unit *u,
                               struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_report *r = NULL;
    const struct hd_merge_unit unit = {u->part, u->test, u->name, u->how};
    hd_folder_unit(dir, u->name, "/report.json", path, sizeof path);
    enum hd_status s = hd_report_json_load(path, &r, err);
    if (s != HD_OK)
        return s;
    hd_folder_unit(dir, u->name, "", path, sizeof path);
    r->directory = path;
    s = hd_merge_add(m, r, &unit, err);
    hd_report_free(r);
    return s;
}

static void add_failed(struct hd_gathered *g, const char *dir, const struct hd_unit *u)
{
    char path[PATH_MAX];
    json_error_t why;
    hd_folder_unit(dir, u->name, ".failed", path, sizeof path);
    json_t *root = json_load_file(path, 0, &why);
    const char *reason = json_string_value(json_object_get(root, "reason"));
    reason = reason ? reason : "its reason cannot be read";
    *(struct hd_failed_unit *)hd_vec_push(&g->failed) =
        (struct hd_failed_unit){u, hd_strndup(reason, strlen(reason))};
    json_decref(root);
}

/* The report says what it lacks. */
static void note_missing(struct hd_gathered *g, size_t total)
{
    struct hd_report *r = g->report;
    for (size_t i = 0; i < g->failed.len && i < LISTED; i++) {
        const struct hd_failed_unit *f = hd_vec_at(&g->failed, i);
        hd_report_add(r, &r->notes,
                      hd_report_format(r, "unit %.12s (%s, %s) failed: %s", f->unit->name,
                                       f->unit->test, f->unit->how, f->reason));
    }
    if (g->failed.len)
        hd_report_add(r, &r->notes,
                      hd_report_format(r, "%zu of %zu units failed", g->failed.len, total));
    if (g->open)
        hd_report_add(r, &r->notes,
                      hd_report_format(r, "%zu of %zu units were not run", g->open, total));
    r->cut = r->cut || g->failed.len || g->open;
}

enum hd_status hd_gather(const struct hd_unitplan *plan, const char *dir, struct hd_gathered *g,
                         struct hd_err *err)
{
    struct hd_merge *m = hd_merge_new(dir);
    enum hd_status s = HD_OK;
    *g = (struct hd_gathered){.failed = HD_VEC_INIT(struct hd_failed_unit)};
    for (size_t i = 0; i < plan->units.len && s == HD_OK; i++) {
        const struct hd_unit *u = hd_unitplan_unit(plan, i);
        enum hd_unit_state state = hd_folder_state(dir, u->name);
        if (state == HD_UNIT_DONE)
            s = add_done(m, dir, u, err);
        else if (state == HD_UNIT_FAILED)
            add_failed(g, dir, u);
        g->done += state == HD_UNIT_DONE;
        g->open += state == HD_UNIT_OPEN;
        if (hd_interrupt_requested() && s == HD_OK)
            s = hd_err_set(err, HD_ERR_STOPPED, "interrupted");
    }
    g->report = hd_merge_end(m, &g->times);
    g->running = hd_folder_running(dir);
    HD_DEBUG_LINE(CAMPAIGN, "gathered %zu units, %zu failed, %zu open, %zu at work", g->done,
                  g->failed.len, g->open, g->running);
    if (g->report)
        note_missing(g, plan->units.len);
    return s;
}

void hd_gathered_fini(struct hd_gathered *g)
{
    hd_report_free(g->report);
    for (size_t i = 0; i < g->failed.len; i++) {
        struct hd_failed_unit *f = hd_vec_at(&g->failed, i);
        hd_free(f->reason, strlen(f->reason) + 1);
    }
    hd_vec_fini(&g->failed);
}

/* ---- writing ---- */

static enum hd_status save_report(struct hd_report *r, const char *dir, const char *name,
                                  struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_outfile out;
    snprintf(path, sizeof path, "%s/%s", dir, name);
    enum hd_status s = hd_outfile_open(path, &out, err);
    if (s != HD_OK)
        return s;
    hd_formats_write(out.file, r, (enum hd_report_kind)hd_formats_of_name(name), NULL, false);
    return hd_outfile_commit(&out, err);
}

static void put_seconds(struct hd_json *j, const char *key, double seconds)
{
    hd_json_key(j, key);
    hd_json_double(j, seconds);
}

static enum hd_status save_times(const struct hd_gathered *g, const char *dir, struct hd_err *err)
{
    char path[PATH_MAX];
    struct hd_outfile out;
    struct hd_json j;
    snprintf(path, sizeof path, "%s/times.json", dir);
    enum hd_status s = hd_outfile_open(path, &out, err);
    if (s != HD_OK)
        return s;
    hd_json_init(&j, out.file);
    hd_json_begin_object(&j);
    hd_json_key(&j, "units");
    hd_json_uint(&j, g->done);
    hd_json_key(&j, "seconds");
    hd_json_begin_object(&j);
    put_seconds(&j, "all", g->times.all);
    put_seconds(&j, "record", g->times.record);
    put_seconds(&j, "analyze", g->times.analyze);
    put_seconds(&j, "replay", g->times.replay);
    hd_json_end_object(&j);
    hd_json_end_object(&j);
    fputc('\n', out.file);
    return hd_outfile_commit(&out, err);
}

enum hd_status hd_gather_save(struct hd_gathered *g, const char *dir, struct hd_err *err)
{
    static const char *const names[] = {"report.txt", "report.html", "report.json"};
    enum hd_status s = save_times(g, dir, err);
    for (size_t i = 0; i < sizeof names / sizeof *names && s == HD_OK && g->report; i++)
        s = save_report(g->report, dir, names[i], err);
    return s;
}
