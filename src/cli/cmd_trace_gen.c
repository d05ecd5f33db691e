#include "base/suggest.h"
#include "cli/cmds.h"
#include "cli/common.h"
#include "trace/gen/gen.h"

#include <string.h>

struct values {
    uint64_t seed, threads, events, locations, locks, values, races;
    const char *with, *without, *only, *output;
    int style, control, format;
};

#define AT(field) offsetof(struct values, field)
static const struct hd_opt options[] = {
    {'s', "seed", HD_OPT_COUNT, AT(seed), "S", "The same S gives the same trace (0)", NULL, 0, 0},
    {'t', "threads", HD_OPT_COUNT, AT(threads), "N", "Threads (3)", NULL, 1, 4096},
    {'e', "events", HD_OPT_COUNT, AT(events), "N", "Events (40)", NULL, 0, 4000000000},
    {'x', "locations", HD_OPT_COUNT, AT(locations), "N", "Memory locations (3)", NULL, 1, 1000000},
    {'l', "locks", HD_OPT_COUNT, AT(locks), "N", "Locks (2)", NULL, 0, 1000000},
    {0, "values", HD_OPT_COUNT, AT(values), "N", "Different values written (3)", NULL, 1,
     UINT32_MAX},
    {0, "with", HD_OPT_TEXT, AT(with), "LIST", "Also use these features (see above)", NULL, 0, 0},
    {0, "without", HD_OPT_TEXT, AT(without), "LIST", "Do not use these features", NULL, 0, 0},
    {0, "only", HD_OPT_TEXT, AT(only), "LIST", "Use exactly these features", NULL, 0, 0},
    {0, "control", HD_OPT_CHOICE, AT(control), "C", "mixed (by seed), all or branches",
     "mixed|all|branches", 0, 0},
    {0, "style", HD_OPT_CHOICE, AT(style), "STYLE", "random, or program (see above)",
     "random|program", 0, 0},
    {0, "races", HD_OPT_COUNT, AT(races), "N", "Races to plant in a program (0)", NULL, 0, 1000000},
    {'o', "output", HD_OPT_FILE, AT(output), "FILE", "Write FILE, by its suffix as 'convert' does",
     NULL, 0, 0},
    {0, "to", HD_OPT_CHOICE, AT(format), "FORMAT", "Write text, std or hdt", "text|std|hdt", 0, 0},
    {0},
};

static bool find_feature(const char *word, size_t len, uint32_t *feature)
{
    for (*feature = 0; *feature < HD_GEN_FEATURE_COUNT; ++*feature) {
        const char *name = hd_gen_feature_name((enum hd_gen_feature) * feature);
        if (strlen(name) == len && !memcmp(name, word, len))
            return true;
    }
    return false;
}

/* Reads "sem,barrier" into a mask; "all" is every feature. */
static bool parse_features(const struct hd_cli *cli, const struct hd_cmd *cmd, const char *option,
                           const char *list, uint32_t *mask)
{
    *mask = 0;
    for (const char *word = list; word && *word;) {
        size_t len = strcspn(word, ",");
        uint32_t feature;
        if (len == 3 && !memcmp(word, "all", 3)) {
            *mask = HD_GEN_ALL;
        } else if (find_feature(word, len, &feature)) {
            *mask |= 1u << feature;
        } else if (len) {
            const char *names[HD_GEN_FEATURE_COUNT];
            char text[32];
            for (int f = 0; f < HD_GEN_FEATURE_COUNT; f++)
                names[f] = hd_gen_feature_name((enum hd_gen_feature)f);
            snprintf(text, sizeof text, "%.*s", (int)len, word);
            const char *near = hd_suggest(text, names, HD_GEN_FEATURE_COUNT);
            hd_cli_usage(cli, cmd, "--%s: unknown feature '%s'%s%s%s", option, text,
                         near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
            return false;
        }
        word += len + (word[len] == ',');
    }
    return true;
}

static bool fill_config(const struct hd_cli *cli, const struct hd_cmd *cmd, const struct values *v,
                        struct hd_gen_config *config)
{
    uint32_t with, without, only;
    config->style = (enum hd_gen_style)v->style;
    config->control = (enum hd_gen_control)v->control;
    config->seed = v->seed;
    config->threads = (uint32_t)v->threads;
    config->events = (uint32_t)v->events;
    config->locations = (uint32_t)v->locations;
    config->locks = (uint32_t)v->locks;
    config->values = (uint32_t)v->values;
    config->races = (uint32_t)v->races;
    if (!parse_features(cli, cmd, "with", v->with, &with) ||
        !parse_features(cli, cmd, "without", v->without, &without) ||
        !parse_features(cli, cmd, "only", v->only, &only))
        return false;
    config->features = ((v->only ? only : config->features) | with) & ~without;
    return true;
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct hd_gen_config config;
    hd_gen_defaults(&config);
    struct values v = {.threads = config.threads,
                       .events = config.events,
                       .locations = config.locations,
                       .locks = config.locks,
                       .values = config.values,
                       .output = "-",
                       .format = -1};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    enum hd_format format;
    if (!hd_common_out_format(cli, cmd, v.output, v.format, &format))
        return HD_EXIT_USAGE;
    if (!fill_config(cli, cmd, &v, &config))
        return HD_EXIT_USAGE;
    struct hd_trace *t;
    struct hd_err err = {0};
    enum hd_status status = hd_gen(&config, &t, &err);
    if (status == HD_ERR_INPUT)
        return hd_cli_usage(cli, cmd, "%s", err.text);
    if (status != HD_OK)
        return hd_cli_fail_output(cli, &err);
    code = hd_common_save(cli, t, v.output, format);
    hd_trace_free(t);
    return code;
}

const struct hd_cmd hd_cmd_trace_gen = {
    .name = "gen",
    .path = "trace gen",
    .summary = "make a random trace that is consistent",
    .args = "",
    .detail = "Simulates an execution and prints it. The same seed gives the same trace.\n"
              "\n"
              "Features, as a list with commas: read, write, atomic, rmw, branch, deps,\n"
              "val, addr, mutex, reentrant, rwlock, tryfail, fork, join, cond, timeout,\n"
              "sem, barrier, block, omit (values left out), init, shapes (rare meetings\n"
              "of the others, on purpose), orders (memory orders, fences); all. The\n"
              "default is all but omit, shapes and orders.\n"
              "They and --values are for the random style.\n"
              "\n"
              "--style program makes program-like traces of about N events: workers with\n"
              "guarded structures, a queue, a rwlock, barrier phases. Its only races are\n"
              "those that --races plants.",
    .options = options,
    .run = run,
};
