#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/cmds.h"

struct values {
    bool tables;
};

static const struct hd_opt options[] = {
    {0, "tables", HD_OPT_FLAG, offsetof(struct values, tables), NULL,
     "List every command and option, for scripts", NULL, 0, 0},
    {0},
};

static void print_tables(const struct hd_cmd *cmd)
{
    printf("%s\n", cmd->path);
    for (const struct hd_opt *o = cmd->options; o && o->name; o++)
        printf("%s\t--%s\n", cmd->path, o->name);
    for (const struct hd_cmd *const *sub = cmd->subs; sub && *sub; sub++)
        print_tables(*sub);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    struct values v = {0};
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, &v, &argc, argv, &code))
        return code;
    if (v.tables) {
        print_tables(&hd_cmd_root);
        return HD_EXIT_OK;
    }
    const struct hd_cmd *topic = &hd_cmd_root;
    for (int i = 0; i < argc; i++) {
        const struct hd_cmd *sub = hd_cli_find(topic, argv[i]);
        if (!sub) {
            const char *words[32];
            size_t n = 0;
            for (const struct hd_cmd *const *s = topic->subs; s && *s && n < 32; s++)
                words[n++] = (*s)->name;
            const char *near = hd_suggest(argv[i], words, n);
            return hd_cli_usage(cli, cmd, "no help on '%s'%s%s%s", argv[i],
                                near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
        }
        topic = sub;
    }
    hd_cli_print_help(topic);
    return HD_EXIT_OK;
}

const struct hd_cmd hd_cmd_help = {
    .name = "help",
    .path = "help",
    .summary = "explain a command in full",
    .args = "[COMMAND...]",
    .detail = "For example: heddle help trace check",
    .options = options,
    .max_args = 4,
    .run = run,
};
