/* Help, made from the tables. */
#include "cli/cli.h"

#include <ctype.h>
#include <string.h>

/* One screen of 80 by 24: usage, the commands, three examples. */

enum { WIDTH = 79, OPTION_COLUMN = 26 };

/* Prints text from the given column on, broken at blanks so that no line is wider than WIDTH; lines
 * after the first begin at that column. A line end in the text is a blank, two are an empty line.
 */
static void print_wrapped(const char *text, int column)
{
    int at = column;
    while (*text) {
        int word = (int)strcspn(text, " \n");
        if (at + word > WIDTH && at > column) {
            printf("\n%*s", column, "");
            at = column;
        }
        printf("%.*s", word, text);
        text += word;
        at += word;
        if (text[0] == '\n' && text[1] == '\n') {
            printf("\n\n%*s", column, "");
            at = column;
            text += 2;
        } else if (*text) {
            size_t next = strcspn(text + 1, " \n");
            if (at + 1 + (int)next <= WIDTH) /* no blank at the end of a line */
                putchar(' ');
            at++;
            text++;
        }
    }
    putchar('\n');
}

static bool names_word(const char *help, const char *word, size_t n)
{
    for (const char *at = help; (at = memmem(at, strlen(at), word, n)); at++)
        if ((at == help || !isalnum((unsigned char)at[-1])) && !isalnum((unsigned char)at[n]))
            return true;
    return false;
}

/* Whether the help of a choice names each word that it takes. */
static bool names_all(const struct hd_opt *o)
{
    for (const char *word = o->type == HD_OPT_CHOICE ? o->choices : ""; *word;) {
        size_t n = strcspn(word, "|");
        if (!names_word(o->help, word, n))
            return false;
        word += n + (word[n] == '|');
    }
    return true;
}

static void print_option(const struct hd_opt *o)
{
    char left[64], letter[6] = "    ";
    if (o->letter)
        snprintf(letter, sizeof letter, "-%c, ", o->letter);
    bool optional = o->type == HD_OPT_RESULT;
    snprintf(left, sizeof left, "%s--%s%s%s%s", letter, o->name,
             optional ? "[="
             : o->arg ? " "
                      : "",
             o->arg ? o->arg : "", optional ? "]" : "");
    if (strlen(left) > OPTION_COLUMN - 4)
        printf("  %s\n%*s", left, OPTION_COLUMN, "");
    else
        printf("  %-*s", OPTION_COLUMN - 2, left);
    char help[400];
    int n = snprintf(help, sizeof help, "%s", o->help);
    const char *sep = ": ";
    for (const char *word = names_all(o) ? "" : o->choices; *word && n < (int)sizeof help;
         sep = ", ") {
        int len = (int)strcspn(word, "|");
        n += snprintf(help + n, sizeof help - (size_t)n, "%s%.*s", sep, len, word);
        word += len + (word[len] == '|');
    }
    print_wrapped(help, OPTION_COLUMN);
}

static void print_usage_line(const struct hd_cmd *cmd)
{
    bool options = cmd->options && cmd->options->name;
    char line[256];
    snprintf(line, sizeof line, "heddle %s%s%s%s", cmd->path, options ? " [OPTIONS]" : "",
             *cmd->args ? " " : "", cmd->args);
    printf("Usage: ");
    print_wrapped(line, (int)strlen("Usage: "));
}

/* The commands that are only named. */
static void print_others(const struct hd_cmd *const *sub)
{
    char text[400] = "";
    size_t used = 0;
    for (; *sub && used < sizeof text; sub++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", (*sub)->name,
                                 sub[1] ? ", " : "");
    printf("Also: ");
    print_wrapped(text, 6);
}

static void print_root(const struct hd_cmd *root)
{
    enum { EXPLAINED = 10 }; /* the first ones of the table: what a user needs every day */
    const struct hd_cmd *const *sub = root->subs;
    printf("heddle: finds data races of C and C++ programs that one run did not show\n\n"
           "Usage: heddle [--color=WHEN] [-q] COMMAND ...\n\n");
    for (int i = 0; i < EXPLAINED && *sub; i++, sub++)
        printf("  %-12s %s\n", (*sub)->name, (*sub)->summary);
    print_others(sub);
    printf("\nExamples:\n"
           "  heddle run prog.c                       compile it, find and confirm its races\n"
           "  heddle cc -g prog.c -o prog -pthread    compile a program\n"
           "  heddle run -- ./prog                    the same with a program\n\n"
           "'heddle help COMMAND' describes one; 'heddle --version' prints the version.\n"
           "Exit: 0 nothing found, 66 race, 5 undecided, 2 usage, 3 bad input, 4 failure.\n");
}

void hd_cli_print_help(const struct hd_cmd *cmd)
{
    if (!*cmd->path) {
        print_root(cmd);
        return;
    }
    printf("heddle %s: %s\n\n", cmd->path, cmd->summary);
    print_usage_line(cmd);
    if (*cmd->detail) {
        putchar('\n');
        print_wrapped(cmd->detail, 0);
    }
    if (cmd->subs) {
        printf("\nCommands:\n");
        for (const struct hd_cmd *const *sub = cmd->subs; *sub; sub++)
            printf("  %-12s %s\n", (*sub)->name, (*sub)->summary);
        printf("\n'heddle help %s COMMAND' describes a command.\n", cmd->path);
        if (!cmd->options)
            return;
    }
    printf("\nOptions:\n");
    for (const struct hd_opt *o = cmd->options; o && o->name; o++)
        print_option(o);
    for (const struct hd_opt *o = hd_cli_common_options; o->name; o++)
        print_option(o);
}
