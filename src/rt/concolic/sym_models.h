/* Models that instrumented code or the runtime calls; see sym_models.c and sym_stream.c. The first
 * argument is the result of the real function. */
#ifndef HD_RT_CONCOLIC_SYM_MODELS_H
#define HD_RT_CONCOLIC_SYM_MODELS_H

#include <stdbool.h>
#include <stdint.h>

/* The text that a model is about to read: in memory, or (hd_rt_sym_read_from) of a stream. */
void __hd_model_text(uint64_t text, uint64_t size);
/* Is there a byte of that text at p? Of a stream that is a choice, made when a model first comes to
 * the byte: so runs that differ in a later byte have the choices before it in common. */
bool __hd_model_more(uint64_t p);
/* scanf on that text, from s on; outs are the pointers after the format. Answers the conversions.
 */
uint64_t __hd_model_scan(uint64_t result, uint64_t s, uint64_t format, const uint64_t *outs);

/* Bytes of that text from s on that are spaces, or that are not; at most max. */
uint64_t __hd_model_stream_span(uint64_t s, uint64_t max, bool space);
/* Gives the number that a stream of C++ read from the text at s and stored at `out` its expression.
 * how: its bytes | signed << 8 | base << 16 | spaces may come before << 24. Returns the bytes used.
 */
uint64_t __hd_model_stream_number(uint64_t s, uint64_t out, uint64_t how);

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
    X(4, getdelim)                                                                                 \
    X(2, istream_i2)                                                                               \
    X(2, istream_u2)                                                                               \
    X(2, istream_i4)                                                                               \
    X(2, istream_u4)                                                                               \
    X(2, istream_i8)                                                                               \
    X(2, istream_u8)                                                                               \
    X(2, istream_char)                                                                             \
    X(2, istream_word)                                                                             \
    X(2, istream_line)                                                                             \
    X(3, istream_line_to)                                                                          \
    X(1, istream_get)                                                                              \
    X(2, istream_get_char)                                                                         \
    X(1, istream_peek)                                                                             \
    X(3, istream_getline)                                                                          \
    X(4, istream_getline_to)                                                                       \
    X(3, istream_read)                                                                             \
    X(1, istream_ignore_one)                                                                       \
    X(2, istream_ignore)                                                                           \
    X(3, istream_ignore_to)                                                                        \
    X(1, istream_ws)                                                                               \
    X(2, istream_manipulator)                                                                      \
    X(2, filebuf_open)                                                                             \
    X(2, ifstream_open)                                                                            \
    X(2, ifstream_open_string)                                                                     \
    X(2, fstream_open)                                                                             \
    X(2, fstream_open_string)                                                                      \
    X(2, istringstream_of)                                                                         \
    X(2, stringstream_of)

#define HD_MODEL_PROTOTYPE(n, name) HD_MODEL##n(name)
HD_MODELS(HD_MODEL_PROTOTYPE)
uint64_t __hd_model_getchar(uint64_t result);
uint64_t __hd_model_scanf(uint64_t result, uint64_t format, uint64_t a, uint64_t b, uint64_t c,
                          uint64_t d, uint64_t e, uint64_t f);

#endif
