/* Shell completion, written from the command tables. Each script walks the words typed so far along
 * the command paths and then offers the options and subcommands of that path, or file names. */
#include "base/suggest.h"
#include "cli/cli.h"
#include "cli/cmds.h"

#include <string.h>

typedef void visit_fn(const struct hd_cmd *cmd);

static void each_command(const struct hd_cmd *cmd, visit_fn *visit)
{
    visit(cmd);
    for (const struct hd_cmd *const *sub = cmd->subs; sub && *sub; sub++)
        each_command(*sub, visit);
}

typedef void option_fn(const struct hd_cmd *cmd, const struct hd_opt *o);

static void each_option(const struct hd_cmd *cmd, option_fn *visit)
{
    for (const struct hd_opt *o = cmd->options; o && o->name; o++)
        visit(cmd, o);
    for (const struct hd_opt *o = hd_cli_common_options; o->name; o++)
        visit(cmd, o);
}

/* "a|b|c" as "a b c". */
static void print_choices(const struct hd_opt *o)
{
    for (const char *c = o->choices; *c; c++)
        putchar(*c == '|' ? ' ' : *c);
}

static void print_subs(const struct hd_cmd *cmd)
{
    for (const struct hd_cmd *const *sub = cmd->subs; sub && *sub; sub++)
        printf("%s ", (*sub)->name);
}

/* A help sentence inside single quotes of a shell. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*text);
    }
    putchar('\'');
}

static void path_case(const struct hd_cmd *cmd)
{
    if (*cmd->path)
        printf("        '%s') at=$next ;;\n", cmd->path);
}

/* The walk is the same text in bash and zsh, but for where the words are. */
static void print_walk(const char *loop)
{
    printf("%s        next=\"${at:+$at }$word\"\n        case \"$next\" in\n", loop);
    each_command(&hd_cmd_root, path_case);
    printf("        esac\n    done\n");
}

static void bash_argument(const struct hd_cmd *cmd, const struct hd_opt *o)
{
    if (o->type == HD_OPT_FLAG || o->type == HD_OPT_RESULT)
        return;
    printf("    '%s:--%s'%s", cmd->path, o->name, o->letter ? "" : ") ");
    if (o->letter)
        printf("|'%s:-%c') ", cmd->path, o->letter);
    if (o->type == HD_OPT_CHOICE) {
        printf("COMPREPLY=($(compgen -W '");
        print_choices(o);
        printf("' -- \"$cur\")); ");
    } else if (o->type == HD_OPT_FILE || o->type == HD_OPT_FILES) {
        printf("COMPREPLY=($(compgen -f -- \"$cur\")); ");
    }
    printf("return ;;\n");
}

static void bash_arguments(const struct hd_cmd *cmd)
{
    each_option(cmd, bash_argument);
}

static void bash_option(const struct hd_cmd *cmd, const struct hd_opt *o)
{
    (void)cmd;
    printf("--%s ", o->name);
}

static void bash_words(const struct hd_cmd *cmd)
{
    printf("    '%s') options='", cmd->path);
    each_option(cmd, bash_option);
    printf("' subs='");
    print_subs(cmd);
    printf("' ;;\n");
}

static void print_bash(void)
{
    printf("# bash completion for heddle; written by 'heddle completion bash'\n"
           "_heddle()\n{\n"
           "    local cur prev at= next word options= subs=\n"
           "    COMPREPLY=()\n"
           "    cur=${COMP_WORDS[COMP_CWORD]}\n"
           "    prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    if [[ $cur == = ]]; then cur=\n"
           "    elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n");
    print_walk("    for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n");
    printf("    case \"$at:$prev\" in\n");
    each_command(&hd_cmd_root, bash_arguments);
    printf("    esac\n    case \"$at\" in\n");
    each_command(&hd_cmd_root, bash_words);
    printf("    esac\n"
           "    if [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
           "    elif [[ $subs ]]; then COMPREPLY=($(compgen -W \"$subs\" -- \"$cur\"))\n"
           "    else COMPREPLY=($(compgen -f -- \"$cur\")); fi\n"
           "}\n"
           "complete -o filenames -F _heddle heddle\n");
}

static void zsh_option(const struct hd_cmd *cmd, const struct hd_opt *o)
{
    (void)cmd;
    char spec[256];
    bool optional = o->type == HD_OPT_RESULT; /* its argument comes after = only */
    snprintf(spec, sizeof spec, "--%s%s[%s]", o->name,
             optional ? "=-"
             : o->arg ? "="
                      : "",
             o->help);
    printf(" \\\n            ");
    print_quoted(spec);
    if (!o->arg)
        return;
    printf("':%s%s:", optional ? ":" : "", o->arg);
    if (o->type == HD_OPT_CHOICE) {
        printf("(");
        print_choices(o);
        printf(")");
    } else if (o->type == HD_OPT_FILE || o->type == HD_OPT_FILES || optional) {
        printf("_files");
    }
    printf("'");
}

static void zsh_case(const struct hd_cmd *cmd)
{
    printf("    '%s')\n        _arguments", cmd->path);
    each_option(cmd, zsh_option);
    if (cmd->subs) {
        printf(" \\\n            '*:command:(");
        print_subs(cmd);
        printf(")' ;;\n");
    } else {
        printf(" \\\n            '*:file:_files' ;;\n");
    }
}

static void print_zsh(void)
{
    printf("#compdef heddle\n# zsh completion for heddle; written by 'heddle completion zsh'\n"
           "_heddle()\n{\n"
           "    local at= next word\n");
    print_walk("    for word in \"${(@)words[2,CURRENT-1]}\"; do\n");
    printf("    case \"$at\" in\n");
    each_command(&hd_cmd_root, zsh_case);
    printf("    esac\n}\ncompdef _heddle heddle\n");
}

static void fish_option(const struct hd_cmd *cmd, const struct hd_opt *o)
{
    printf("complete -c heddle -n '__heddle_at \"%s\"' -l %s ", cmd->path, o->name);
    if (o->letter)
        printf("-s %c ", o->letter);
    if (o->type == HD_OPT_CHOICE) {
        printf("-x -a '");
        print_choices(o);
        printf("' ");
    } else if (o->type == HD_OPT_FILE || o->type == HD_OPT_FILES) {
        printf("-r ");
    } else if (o->type != HD_OPT_FLAG && o->type != HD_OPT_RESULT) {
        printf("-x ");
    }
    printf("-d ");
    print_quoted(o->help);
    printf("\n");
}

static void fish_command(const struct hd_cmd *cmd)
{
    each_option(cmd, fish_option);
    for (const struct hd_cmd *const *sub = cmd->subs; sub && *sub; sub++) {
        printf("complete -c heddle -n '__heddle_at \"%s\"' -f -a %s -d ", cmd->path, (*sub)->name);
        print_quoted((*sub)->summary);
        printf("\n");
    }
}

static void fish_path(const struct hd_cmd *cmd)
{
    if (*cmd->path)
        printf("            case '%s'\n                set at $next\n", cmd->path);
}

static void print_fish(void)
{
    printf("# fish completion for heddle; written by 'heddle completion fish'\n"
           "function __heddle_at\n"
           "    set -l at ''\n"
           "    for word in (commandline -opc)[2..-1]\n"
           "        set -l next (string trim \"$at $word\")\n"
           "        switch $next\n");
    each_command(&hd_cmd_root, fish_path);
    printf("        end\n    end\n    test \"$at\" = \"$argv[1]\"\nend\n");
    each_command(&hd_cmd_root, fish_command);
}

static enum hd_exit run(struct hd_cli *cli, const struct hd_cmd *cmd, int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    const char *names[3];
    enum hd_exit code;
    if (!hd_cli_parse(cli, cmd, NULL, &argc, argv, &code))
        return code;
    for (size_t i = 0; i < 3; i++) {
        names[i] = shells[i].name;
        if (!strcmp(argv[0], shells[i].name)) {
            shells[i].print();
            return HD_EXIT_OK;
        }
    }
    const char *near = hd_suggest(argv[0], names, 3);
    return hd_cli_usage(cli, cmd, "unknown shell '%s'; %s%s%s", argv[0],
                        near ? "did you mean '" : "bash, zsh and fish are known", near ? near : "",
                        near ? "'?" : "");
}

const struct hd_cmd hd_cmd_completion = {
    .name = "completion",
    .path = "completion",
    .summary = "write a completion script for a shell",
    .args = "bash|zsh|fish",
    .detail = "For example, in ~/.bashrc:  source <(heddle completion bash)",
    .min_args = 1,
    .max_args = 1,
    .run = run,
};
