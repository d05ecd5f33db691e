#include "cli/cmds.h"
#include "cli/common.h"
#include "trace/stats.h"

struct values {
    const char *json;
};

static const struct hd_opt options[] = {
    HD_OPTION_JSON(json),
    {0},
};

/* The plain counts, in the order in which they are printed: name in the table, key in JSON. */
struct row {
    const char *text, *key;
    uint64_t value;
};
enum { ROWS = 14 };

static void fill_rows(const struct hd_trace *t, const struct hd_stats *s, struct row rows[ROWS])
{
    const struct row all[ROWS] = {
        {"threads", "threads", hd_trace_n_threads(t)},
        {"locations", "locations", hd_trace_n_objs(t, HD_OBJ_LOC)},
        {"  shared", "shared_locations", s->shared},
        {"  shared and written", "shared_written_locations", s->shared_written},
        {"locks", "locks", hd_trace_n_objs(t, HD_OBJ_LOCK)},
        {"conditions", "conditions", hd_trace_n_objs(t, HD_OBJ_COND)},
        {"semaphores", "semaphores", hd_trace_n_objs(t, HD_OBJ_SEM)},
        {"barriers", "barriers", hd_trace_n_objs(t, HD_OBJ_BARRIER)},
        {"source places", "places", t->places.count},
        {"values left out", "values_omitted", s->omitted},
        {"dependences given", "dependences_given", s->dependences},
        {"critical sections", "critical_sections", s->sections},
        {"deepest lock nesting", "lock_nesting", s->nesting},
        {"deepest re-entrance", "lock_reentrance", s->reentrance},
    };
    for (int i = 0; i < ROWS; i++)
        rows[i] = all[i];
}

static void print_longest(const struct hd_trace *t, const struct hd_stats_section *longest)
{
    if (longest->from == HD_EID_NONE)
        return;
    printf("longest section        %s of lock %s, from event %u",
           hd_common_plural(longest->length, "event"),
           hd_trace_obj_name(t, HD_OBJ_LOCK, longest->lock), longest->from + 1);
    if (longest->to == HD_EID_NONE)
        printf(" to the end of its thread\n");
    else
        printf(" to event %u\n", longest->to + 1);
}

static void print_text(const char *name, const struct hd_trace *t, const struct hd_stats *s)
{
    struct row rows[ROWS];
    fill_rows(t, s, rows);
    printf("%s\nevents                 %zu\n", name, t->n_events);
    for (int op = 0; op < HD_OP_COUNT; op++)
        if (s->by_op[op])
            printf("  %-20s %llu\n", hd_op_info[op].text, (unsigned long long)s->by_op[op]);
    printf("control                %s\n", t->control == HD_CONTROL_ALL ? "all" : "branches");
    for (int i = 0; i < ROWS; i++)
        printf("%-22s %llu\n", rows[i].text, (unsigned long long)rows[i].value);
    print_longest(t, &s->longest);
    printf("memory                 %zu bytes\n", hd_trace_bytes(t));
}

static void json_longest(struct hd_json *j, const struct hd_trace *t,
                         const struct hd_stats_section *longest)
{
    hd_json_key(j, "longest_section");
    if (longest->from == HD_EID_NONE) {
        hd_json_null(j);
        return;
    }
    hd_json_begin_object(j);
    hd_json_key(j, "events");
    hd_json_uint(j, longest->length);
    hd_json_key(j, "lock");
    hd_json_string(j, hd_trace_obj_name(t, HD_OBJ_LOCK, longest->lock));
    hd_json_key(j, "from");
    hd_json_uint(j, (uint64_t)longest->from + 1);
    hd_json_key(j, "to");
    if (longest->to == HD_EID_NONE)
        hd_json_null(j);
    else
        hd_json_uint(j, (uint64_t)longest->to + 1);
    hd_json_end_object(j);
}

static void print_json(FILE *out, const struct hd_trace *t, const struct hd_stats *s)
{
    struct hd_json j;
    struct row rows[ROWS];
    fill_rows(t, s, rows);
    hd_json_init(&j, out);
    hd_json_begin_object(&j);
    hd_json_key(&j, "schema");
    hd_json_string(&j, "heddle-trace-stats-1");
    hd_json_key(&j, "events");
    hd_json_uint(&j, t->n_events);
    hd_json_key(&j, "by_kind");
    hd_json_begin_object(&j);
    for (int op = 0; op < HD_OP_COUNT; op++) {
        hd_json_key(&j, hd_op_info[op].text);
        hd_json_uint(&j, s->by_op[op]);
    }
    hd_json_end_object(&j);
    hd_json_key(&j, "control");
    hd_json_string(&j, t->control == HD_CONTROL_ALL ? "all" : "branches");
    for (int i = 0; i < ROWS; i++) {
        hd_json_key(&j, rows[i].key);
        hd_json_uint(&j, rows[i].value);
    }
    json_longest(&j, t, &s->longest);
    hd_json_key(&j, "memory_bytes");
    hd_json_uint(&j, hd_trace_bytes(t));
    hd_json_end_object(&j);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    struct hd_trace *t = hd_common_load(cli, argv[0], &code);
    if (!t)
        return code;
    struct hd_stats stats;
    struct hd_cli_json json;
    hd_stats_compute(t, &stats);
    code = hd_cli_json_begin(cli, v.json, &json);
    if (code == HD_EXIT_OK && json.text)
        print_text(hd_common_input_name(argv[0]), t, &stats);
    if (code == HD_EXIT_OK && json.out)
        print_json(json.out, t, &stats);
    hd_trace_free(t);
    return hd_cli_json_end(cli, &json, code);
}

const struct hd_cmd hd_cmd_trace_stats = {
    .name = "stats",
    .path = "trace stats",
    .summary = "what is in a trace, in numbers",
    .args = "FILE",
    .detail = "Events by kind, threads, locations and which of them are shared, locks, the\n"
              "longest critical section, the depth of lock nesting, and the memory that the\n"
              "trace takes. The order of the events is not judged: see 'heddle trace\n"
              "check'.",
    .options = options,
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
