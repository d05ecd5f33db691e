#include "cli/cc.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Options whose argument is the next word, so that it is not taken for an input. */
static const char *const with_argument[] = {
    "-o",
    "-x",
    "-I",
    "-L",
    "-D",
    "-U",
    "-F",
    "-l",
    "-T",
    "-u",
    "-z",
    "-e",
    "-A",
    "-B",
    "-G",
    "-J",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-include-pch",
    "-ivfsoverlay",
    "-Xclang",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xanalyzer",
    "-mllvm",
    "-arch",
    "-target",
    "-framework",
    "-rpath",
    "-soname",
    "-serialize-diagnostics",
    "--param",
    "-dumpdir",
    "--sysroot",
    "-fplugin-arg",
    "-working-directory",
};

/* Options after which nothing is linked. */
static const char *const no_link[] = {
    "-c",           "-E",           "-S",
    "-M",           "-MM",          "-fsyntax-only",
    "-r",           "--analyze",    "--precompile",
    "-emit-ast",    "-cc1",         "-cc1as",
    "--version",    "-help",        "--help",
    "-dumpversion", "-dumpmachine", "--preprocess",
    "--compile",    "--assemble",   "-fmodule-header",
};

static bool is_one_of(const char *word, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, list[i]) == 0)
            return true;
    return false;
}
#define IS_ONE_OF(word, list) is_one_of(word, list, sizeof(list) / sizeof((list)[0]))

static bool starts(const char *word, const char *prefix)
{
    return strncmp(word, prefix, strlen(prefix)) == 0;
}

/* Whether a list after -fsanitize= names this sanitizer. */
static bool names(const char *list, const char *name)
{
    size_t len = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, len) == 0 && (at[len] == 0 || at[len] == ','))
            return true;
    return false;
}

static bool is_clashing(const char *word)
{
    static const char *const others[] = {"address", "memory", "hwaddress", "leak",
                                         "kernel-address"};
    if (!starts(word, "-fsanitize="))
        return false;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (names(word + 11, others[i]))
            return true;
    return false;
}

static bool is_openmp(const char *word)
{
    return strcmp(word, "-fopenmp") == 0 || starts(word, "-fopenmp=");
}

struct hd_cc_line hd_cc_classify(int argc, char **argv)
{
    struct hd_cc_line line = {0};
    bool stops = false, inputs = false;
    for (int i = 0; i < argc; i++) {
        const char *word = argv[i];
        if (IS_ONE_OF(word, with_argument)) {
            inputs |= strcmp(word, "-l") == 0;
            i++;
        } else if (word[0] != '-' || word[1] == 0 || starts(word, "-l") || starts(word, "-Wl,")) {
            inputs = true;
        } else if (IS_ONE_OF(word, no_link) || starts(word, "-print-") ||
                   starts(word, "--print-")) {
            stops = true;
        } else if (strcmp(word, "-static") == 0 || strcmp(word, "-static-pie") == 0) {
            line.is_static = true;
        } else if (is_openmp(word) || strcmp(word, "-fno-openmp") == 0) {
            line.openmp = is_openmp(word);
        } else if (is_clashing(word)) {
            line.clash = word;
        }
    }
    line.links = inputs && !stops;
    return line;
}

/* "-fsanitize=thread,undefined" without "thread". */
static enum hd_cc_action drop_thread(const char *word, char *text, unsigned size)
{
    size_t used = (size_t)snprintf(text, size, "-fsanitize=");
    size_t begin = used;
    const char *at = word + 11;
    while (*at) {
        size_t len = strcspn(at, ",");
        if (!(len == 6 && strncmp(at, "thread", 6) == 0)) {
            int n =
                snprintf(text + used, size - used, "%s%.*s", used > begin ? "," : "", (int)len, at);
            used += (size_t)n;
            if (used >= size)
                return HD_CC_KEEP; /* absurdly long: the compiler will say so */
        }
        at += len + (at[len] == ',');
    }
    return used > begin ? HD_CC_REPLACE : HD_CC_DROP;
}

enum hd_cc_action hd_cc_filter(const char *word, char *text, unsigned size)
{
    if (starts(word, "-fsanitize=") && names(word + 11, "thread"))
        return drop_thread(word, text, size);
    if (strcmp(word, "-fno-sanitize=thread") == 0 || strcmp(word, "-flto") == 0 ||
        starts(word, "-flto="))
        return HD_CC_DROP; /* the pass works on one file at a time */
    if (is_openmp(word))
        return HD_CC_DROP; /* the driver would link another runtime; the front end is told by us */
    if (starts(word, "-fopenmp-version="))
        return HD_CC_TO_FRONTEND;
    if (starts(word, "-fsanitize-ignorelist=") || starts(word, "-fsanitize-blacklist="))
        return HD_CC_TO_FRONTEND; /* the driver drops it: it does not know that a sanitizer is on */
    return HD_CC_KEEP;
}
