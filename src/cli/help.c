/* Help, made from the tables. */
#include "cli/cli.h"

#include <string.h>

/* One screen of 80 by 24: usage, the commands, three examples. */
static void print_root(const struct hd_cmd *root)
{
    printf("heddle: finds data races of C and C++ programs that one run did not show\n\n"
           "Usage: heddle [--color=WHEN] [-q] COMMAND ...\n\nCommands:\n");
    for (const struct hd_cmd *const *sub = root->subs; *sub; sub++)
        printf("  %-12s %s\n", (*sub)->name, (*sub)->summary);
    printf("\nExamples:\n"
           "  heddle trace check run.trace            is this order of events possible?\n"
           "  heddle trace stats run.hdt              what is in it\n"
           "  heddle trace enumerate small.trace      every race of a small trace\n\n"
           "'heddle help COMMAND' tells more; 'heddle --version' tells the version.\n"
           "Exit code: 0 nothing found, 66 race, 2 usage, 3 bad input, 4 tool failure.\n");
}

static void print_option(const struct hd_opt *o)
{
    char left[64], letter[6] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    snprintf(left, sizeof left, "%s--%s%s%s", letter, o->name, o->arg ? " " : "",
             o->arg ? o->arg : "");
    if (strlen(left) > 22)
        printf("  %s\n  %-22s  %s\n", left, "", o->help);
    else
        printf("  %-22s  %s\n", left, o->help);
}

static void print_usage_line(const struct hd_cmd *cmd)
{
    bool options = cmd->options && cmd->options->name;
    printf("Usage: heddle %s%s%s%s\n", cmd->path, options ? " [OPTIONS]" : "",
           *cmd->args ? " " : "", cmd->args);
}

void hd_cli_print_help(const struct hd_cmd *cmd)
{
    if (!*cmd->path) {
        print_root(cmd);
        return;
    }
    printf("heddle %s: %s\n\n", cmd->path, cmd->summary);
    print_usage_line(cmd);
    if (*cmd->detail)
        printf("\n%s\n", cmd->detail);
    if (cmd->subs) {
        printf("\nCommands:\n");
        for (const struct hd_cmd *const *sub = cmd->subs; *sub; sub++)
            printf("  %-12s %s\n", (*sub)->name, (*sub)->summary);
        printf("\n'heddle help %s COMMAND' tells more.\n", cmd->path);
        return;
    }
    printf("\nOptions:\n");
    for (const struct hd_opt *o = cmd->options; o && o->name; o++)
        print_option(o);
    for (const struct hd_opt *o = hd_cli_common_options; o->name; o++)
        print_option(o);
}
