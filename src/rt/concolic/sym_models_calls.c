/* Models of functions that call the program back or keep a state: qsort, bsearch, getopt; compiled
 * like sym_models.c. qsort and getopt take the place of the real ones in programs that are
 * searched, since it could not be known afterwards what the real ones moved or looked at. */
#include "rt/concolic/sym_models.h"

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

extern char *optarg;
extern int optind, opterr, optopt;
extern int getopt(int argc, char *const argv[], const char *options);

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
        __hd_model_getopt_error(argv[0], c, missing);
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

EXPORT int __hd_model_getopt(int argc, char **argv, const char *options)
{
    if (!__hd_model_on())
        return getopt(argc, argv, options);
    bool ordered = *options == '+' || *options == '-';
    options += ordered;
    bool quiet = *options == ':';
    if (optind == 0) {
        optind = 1;
        rest = NULL;
    }
    if (!rest && !next_argument(argc, argv, ordered))
        return -1;
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
