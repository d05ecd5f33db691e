/* Models that instrumented code or the runtime calls; see sym_models.c and sym_stream.c. The first
 * argument is the result of the real function. */
#ifndef HD_RT_CONCOLIC_SYM_MODELS_H
#define HD_RT_CONCOLIC_SYM_MODELS_H

#include <stdbool.h>
#include <stdint.h>

/* A line of n bytes at s was read: which byte ended it is a choice of the input. */
/* scanf on `size` bytes at s; outs are the pointers after the format. Answers the conversions. */
uint64_t __hd_model_scan(uint64_t result, uint64_t s, uint64_t size, uint64_t format,
                         const uint64_t *outs);

/* A model cannot follow something: its function counts as one that is not modelled. */
void __hd_model_lost(const char *name);
/* The real function wrote something that the choices of the model made what it is. */
void __hd_model_past(uint64_t what);
/* Sorts with expressions; tmp has room for all. In place of the real function. */
void __hd_model_qsort(void *base, uint64_t n, uint64_t size,
                      int (*compare)(const void *, const void *), void *tmp);
struct option;
int __hd_model_getopt(int argc, char **argv, const char *options);
int __hd_model_getopt_long(int argc, char **argv, const char *options, const struct option *list,
                           int *index);
bool __hd_model_on(void);
/* What getopt and getopt_long write to the standard error; what NULL: there is no such option. */
void __hd_model_getopt_error(const char *program, int option, const char *what);
void __hd_model_getopt_long_error(const char *program, const char *name, const char *what);

#define HD_MODEL5(name)                                                                            \
    uint64_t __hd_model_##name(uint64_t result, uint64_t a, uint64_t b, uint64_t c, uint64_t d,    \
                               uint64_t e);
#define HD_MODEL1(name) uint64_t __hd_model_##name(uint64_t result, uint64_t a);
#define HD_MODEL2(name) uint64_t __hd_model_##name(uint64_t result, uint64_t a, uint64_t b);
#define HD_MODEL3(name)                                                                            \
    uint64_t __hd_model_##name(uint64_t result, uint64_t a, uint64_t b, uint64_t c);
#define HD_MODEL4(name)                                                                            \
    uint64_t __hd_model_##name(uint64_t result, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
#define HD_MODEL8(name)                                                                            \
    uint64_t __hd_model_##name(uint64_t result, uint64_t a, uint64_t b, uint64_t c, uint64_t d,    \
                               uint64_t e, uint64_t f, uint64_t g, uint64_t h);

/* X(arguments, name) */
#define HD_MODELS(X)                                                                               \
    X(2, strcmp)                                                                                   \
    X(3, strncmp)                                                                                  \
    X(2, strcasecmp)                                                                               \
    X(3, strncasecmp)                                                                              \
    X(3, memcmp)                                                                                   \
    X(3, bcmp)                                                                                     \
    X(1, strlen)                                                                                   \
    X(2, strnlen)                                                                                  \
    X(2, strcpy)                                                                                   \
    X(3, strncpy)                                                                                  \
    X(2, stpcpy)                                                                                   \
    X(2, strcat)                                                                                   \
    X(3, strncat)                                                                                  \
    X(1, strdup)                                                                                   \
    X(2, strndup)                                                                                  \
    X(2, strchr)                                                                                   \
    X(2, strrchr)                                                                                  \
    X(3, memchr)                                                                                   \
    X(3, mempcpy)                                                                                  \
    X(2, strstr)                                                                                   \
    X(2, strspn)                                                                                   \
    X(2, strcspn)                                                                                  \
    X(2, strpbrk)                                                                                  \
    X(1, atoi)                                                                                     \
    X(1, atol)                                                                                     \
    X(1, atoll)                                                                                    \
    X(3, strtol)                                                                                   \
    X(3, strtoul)                                                                                  \
    X(3, strtoll)                                                                                  \
    X(3, strtoull)                                                                                 \
    X(1, isalpha)                                                                                  \
    X(1, isdigit)                                                                                  \
    X(1, isalnum)                                                                                  \
    X(1, isspace)                                                                                  \
    X(1, isupper)                                                                                  \
    X(1, islower)                                                                                  \
    X(1, isxdigit)                                                                                 \
    X(1, ispunct)                                                                                  \
    X(1, isprint)                                                                                  \
    X(1, tolower)                                                                                  \
    X(1, toupper)                                                                                  \
    X(1, abs)                                                                                      \
    X(1, labs)                                                                                     \
    X(1, open)                                                                                     \
    X(1, open64)                                                                                   \
    X(1, fopen)                                                                                    \
    X(1, fopen64)                                                                                  \
    X(3, read)                                                                                     \
    X(3, fgets)                                                                                    \
    X(3, getline)                                                                                  \
    X(4, fread)                                                                                    \
    X(1, fgetc)                                                                                    \
    X(1, getc)                                                                                     \
    X(1, getenv)                                                                                   \
    X(8, fscanf)                                                                                   \
    X(8, sscanf)                                                                                   \
    X(4, memmem)                                                                                   \
    X(2, strcasestr)                                                                               \
    X(2, strchrnul)                                                                                \
    X(3, memrchr)                                                                                  \
    X(2, div)                                                                                      \
    X(2, ldiv_quot)                                                                                \
    X(2, ldiv_rem)                                                                                 \
    X(2, strsep)                                                                                   \
    X(2, strtok)                                                                                   \
    X(3, strtok_r)                                                                                 \
    X(5, bsearch)                                                                                  \
    X(8, sprintf)                                                                                  \
    X(8, snprintf)                                                                                 \
    X(1, pread)                                                                                    \
    X(1, readv)                                                                                    \
    X(5, mmap)                                                                                     \
    X(4, getdelim)

#define HD_MODEL_PROTOTYPE(n, name) HD_MODEL##n(name)
HD_MODELS(HD_MODEL_PROTOTYPE)
uint64_t __hd_model_getchar(uint64_t result);
uint64_t __hd_model_scanf(uint64_t result, uint64_t format, uint64_t a, uint64_t b, uint64_t c,
                          uint64_t d, uint64_t e, uint64_t f);

#endif
