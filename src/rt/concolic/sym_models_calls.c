/* Models of functions that call the program back or keep a state: qsort, bsearch, getopt,
 * getopt_long; compiled like sym_models.c. qsort and getopt take the place of the real ones in
 * programs that are searched, since it could not be known afterwards what the real ones moved or
 * looked at. */
#include "rt/concolic/sym_models.h"

#include <getopt.h>
#include <stddef.h>

#define EXPORT __attribute__((visibility("default")))

typedef int compare_fn(const void *, const void *);

static void copy(char *to, const char *from, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
        ((volatile char *)to)[i] = from[i];
}

/* Merges base[0..half) and base[half..n); tmp has room for the first half. */
static void merge(char *base, uint64_t half, uint64_t n, uint64_t size, compare_fn *compare,
                  char *tmp)
{
    uint64_t i = 0, j = half, k = 0;
    copy(tmp, base, half * size);
    while (i < half && j < n) {
        bool second = compare(tmp + i * size, base + j * size) > 0;
        copy(base + k++ * size, second ? base + j * size : tmp + i * size, size);
        *(second ? &j : &i) += 1;
    }
    copy(base + k * size, tmp + i * size, (half - i) * size);
}

/* Stable, as glibc's is. Runs of 1, 2, 4, ... elements are joined in pairs. */
void __hd_model_qsort(void *base, uint64_t n, uint64_t size, compare_fn *compare, void *tmp)
{
    for (uint64_t run = 1; run < n; run *= 2)
        for (uint64_t at = 0; at + run < n; at += 2 * run) {
            uint64_t both = n - at < 2 * run ? n - at : 2 * run;
            merge((char *)base + at * size, run, both, size, compare, tmp);
        }
}

EXPORT uint64_t __hd_model_bsearch(uint64_t result, uint64_t key, uint64_t base, uint64_t n,
                                   uint64_t size, uint64_t compare)
{
    uint64_t low = 0, high = n;
    if (!__hd_model_on())
        return result;
    while (low < high) {
        uint64_t at = (low + high) / 2;
        const char *p = (const char *)base + at * size;
        int c = ((compare_fn *)compare)((const void *)key, p);
        if (c < 0)
            high = at;
        else if (c > 0)
            low = at + 1;
        else
            return (uint64_t)p;
    }
    return 0;
}

/* ---- getopt ---- */

static const char *rest; /* of an argument with several options */
static int passed;       /* arguments before the current one that are no options */

static bool is_option(const char *arg)
{
    return arg[0] == '-' && arg[1];
}

/* Moves argv[from] down to `to`; those between move up. */
static void move_down(char **argv, int from, int to)
{
    char *arg = argv[from];
    for (; from > to; from--)
        argv[from] = argv[from - 1];
    argv[to] = arg;
}

/* The next argument with options comes to optind; false: there is none. */
static bool next_argument(int argc, char **argv, bool ordered)
{
    int at = optind;
    passed = 0;
    while (!ordered && at < argc && !is_option(argv[at]))
        at++;
    if (at >= argc || !is_option(argv[at]))
        return false;
    passed = at - optind;
    move_down(argv, at, optind);
    if (argv[optind][1] == '-' && !argv[optind][2]) {
        optind++;
        return false;
    }
    rest = argv[optind] + 1;
    return true;
}

static const char *find_option(const char *options, char c)
{
    for (; *options; options++)
        if (*options != ':' && *options == c)
            return options;
    return NULL;
}

static int failed(char **argv, char c, bool quiet, bool missing)
{
    optopt = c;
    if (opterr && !quiet)
        __hd_model_getopt_error(argv[0], c,
                                missing ? "option requires an argument --" : "invalid option --");
    return missing && quiet ? ':' : '?';
}

/* The argument of an option, when it takes one. False: it is missing. */
static bool take_argument(int argc, char **argv, const char *option)
{
    optarg = NULL;
    if (option[1] != ':' || (option[2] == ':' && !*rest))
        return true;
    if (*rest) {
        optarg = (char *)rest;
    } else {
        if (optind + 1 + passed >= argc)
            return false;
        move_down(argv, optind + 1 + passed, optind + 1);
        optarg = argv[++optind];
    }
    rest = NULL;
    return true;
}

static int short_option(int argc, char **argv, const char *options, bool quiet)
{
    char c = *rest++;
    const char *option = find_option(options, c);
    int result = option ? *option : failed(argv, c, quiet, false);
    if (option && !take_argument(argc, argv, option)) {
        rest = NULL;
        result = failed(argv, *option, quiet, true);
    }
    if (!rest || !*rest) {
        rest = NULL;
        optind++;
    }
    return result;
}

/* ---- getopt_long ---- */

/* 0: another option; 1: the name of this one begins so; 2: it is this one. */
static int match(const char *given, const char *name)
{
    size_t i = 0;
    while (given[i] && given[i] != '=' && given[i] == name[i])
        i++;
    return given[i] && given[i] != '=' ? 0 : name[i] ? 1 : 2;
}

/* NULL: none, or (*many) several that differ begin so. */
static const struct option *find_long(const char *given, const struct option *list, bool *many)
{
    const struct option *found = NULL;
    *many = false;
    for (const struct option *o = list; o->name; o++) {
        int fits = match(given, o->name);
        if (fits == 2)
            return o;
        if (!fits)
            continue;
        *many = *many || (found && (found->has_arg != o->has_arg || found->flag != o->flag ||
                                    found->val != o->val));
        found = found ? found : o;
    }
    return *many ? NULL : found;
}

static int failed_long(char **argv, const char *given, const char *what, bool quiet, int value)
{
    optopt = value;
    if (opterr && !quiet)
        __hd_model_getopt_long_error(argv[0], given, what);
    return '?';
}

/* The argument that optind names is "--" and `given`. */
static int long_option(int argc, char **argv, const char *given, const struct option *list,
                       int *index, bool quiet)
{
    bool many;
    const struct option *o = find_long(given, list, &many);
    const char *equals = given;
    optind++;
    optarg = NULL;
    if (!o)
        return failed_long(argv, given, many ? "is ambiguous" : NULL, quiet, 0);
    while (*equals && *equals != '=')
        equals++;
    if (*equals && o->has_arg == no_argument)
        return failed_long(argv, o->name, "doesn't allow an argument", quiet, o->val);
    if (*equals) {
        optarg = (char *)equals + 1;
    } else if (o->has_arg == required_argument) {
        if (optind + passed >= argc) {
            failed_long(argv, o->name, "requires an argument", quiet, o->val);
            return quiet ? ':' : '?';
        }
        move_down(argv, optind + passed, optind);
        optarg = argv[optind++];
    }
    if (index)
        *index = (int)(o - list);
    if (!o->flag)
        return o->val;
    *o->flag = o->val;
    return 0;
}

static int next_option(int argc, char **argv, const char *options, const struct option *list,
                       int *index)
{
    bool ordered = *options == '+' || *options == '-';
    options += ordered;
    bool quiet = *options == ':';
    if (optind == 0) {
        optind = 1;
        rest = NULL;
    }
    if (!rest && !next_argument(argc, argv, ordered))
        return -1;
    if (list && rest == argv[optind] + 1 && *rest == '-') {
        const char *given = rest + 1;
        rest = NULL;
        return long_option(argc, argv, given, list, index, quiet);
    }
    return short_option(argc, argv, options, quiet);
}

EXPORT int __hd_model_getopt(int argc, char **argv, const char *options)
{
    return __hd_model_on() ? next_option(argc, argv, options, NULL, NULL)
                           : getopt(argc, argv, options);
}

EXPORT int __hd_model_getopt_long(int argc, char **argv, const char *options,
                                  const struct option *list, int *index)
{
    return __hd_model_on() ? next_option(argc, argv, options, list, index)
                           : getopt_long(argc, argv, options, list, index);
}
