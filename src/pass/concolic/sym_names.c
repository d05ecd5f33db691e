/* Functions of libc by what the search over inputs knows of them; see the header. */
#include "pass/concolic/sym_names.h"

#include <stddef.h>
#include <string.h>

/* Functions with a model (src/rt/concolic/sym_models.c), which the program calls after the real
 * one. They are run only when an argument, or memory near a pointer argument, is symbolic. */
static const char *const models[] = {
    "strcmp",
    "strncmp",
    "strcasecmp",
    "strncasecmp",
    "memcmp",
    "bcmp",
    "strlen",
    "strnlen",
    "strcpy",
    "strncpy",
    "stpcpy",
    "strcat",
    "strncat",
    "strdup",
    "strndup",
    "strchr",
    "strrchr",
    "memchr",
    "strstr",
    "strspn",
    "strcspn",
    "strpbrk",
    "atoi",
    "atol",
    "atoll",
    "strtol",
    "strtoul",
    "strtoll",
    "strtoull",
    "isalpha",
    "isdigit",
    "isalnum",
    "isspace",
    "isupper",
    "islower",
    "isxdigit",
    "ispunct",
    "isprint",
    "tolower",
    "toupper",
    "sscanf",
    "__isoc99_sscanf",
    "__isoc23_strtol",
    "__isoc23_strtoul",
    "__isoc23_strtoll",
    "__isoc23_strtoull",
    "__isoc23_sscanf",
    "mempcpy",
    "abs",
    "labs",
    "memmem",
    "memrchr",
    "strchrnul",
    "strcasestr",
    "div",
    "sprintf",
    "snprintf",
};

/* The same, but they bring input in, or what they look at is not seen from their arguments: the
 * model runs after every call. */
static const char *const inputs[] = {
    "strsep",  "strtok",   "strtok_r",   "__strtok_r",     "bsearch",         "pread",  "readv",
    "mmap",    "getdelim", "__getdelim", "__isoc23_scanf", "__isoc23_fscanf", "read",   "fgets",
    "fgetc",   "getc",     "getchar",    "fread",          "getline",         "open",   "fopen",
    "fopen64", "scanf",    "fscanf",     "__isoc99_scanf", "__isoc99_fscanf", "open64", "getenv",
};

/* Of these the failure may be input (--symbolic-call). */
static const char *const can_fail[] = {"open", "open64", "fopen", "fopen64"};

/* With a model for each of the two numbers that they answer. */
static const char *const pairs[] = {"ldiv", "lldiv"};

/* What these change, no later code of the program looks at. */
static const char *const outputs[] = {
    "printf", "puts",  "putchar", "fprintf", "fputs",   "fputc",   "putc",
    "fwrite", "write", "perror",  "fflush",  "dprintf", "vprintf", "vfprintf",
};

/* These compute nothing from the memory that they are given, or their result is not looked at. A
 * name that ends in _ stands for all that start so. */
static const char *const harmless[] = {
    "pthread_",
    "sem_",
    "mtx_",
    "cnd_",
    "thrd_",
    "heddle_",
    "__hd_",
    "__assert_fail",
    "free",
    "malloc",
    "calloc",
    "close",
    "fclose",
    "exit",
    "_exit",
    "abort",
    "realloc",
    "fseek",
    "rewind",
    "lseek",
    "feof",
    "ferror",
    "setvbuf",
    "setbuf",
    "fileno",
    "ungetc",
    "clearerr",
    "ftell",
    "signal",
    "perror",
    "remove",
    "unlink",
    "atexit",
    "__cxa_",
    "_ZdlPv",
    "_ZdaPv",
    "_ZdlPvm",
    "rand_r",
    "nanosleep",
    "qsort",
    "_ZNSaIcEC1Ev",
    "_ZNSaIcEC2Ev",
    "_ZNSaIcED1Ev",
    "_ZNSaIcED2Ev",
    "_ZNSaIcEC2ERKS_",
    "_ZNSt6thread4joinEv",
    "_ZNSt6thread6detachEv",
};

static bool is_in(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return true;
    return false;
}
#define IS_IN(name, list) is_in(name, list, sizeof(list) / sizeof((list)[0]))

bool hd_sym_is_modelled(const char *name)
{
    return IS_IN(name, models);
}

bool hd_sym_is_input(const char *name)
{
    return IS_IN(name, inputs);
}

bool hd_sym_is_failing(const char *name)
{
    return IS_IN(name, can_fail);
}

bool hd_sym_is_pair(const char *name)
{
    return IS_IN(name, pairs);
}

bool hd_sym_is_output(const char *name)
{
    return IS_IN(name, outputs);
}

bool hd_sym_is_harmless(const char *name)
{
    for (size_t i = 0; i < sizeof harmless / sizeof *harmless; i++) {
        size_t n = strlen(harmless[i]);
        if (harmless[i][n - 1] == '_' ? !strncmp(name, harmless[i], n) : !strcmp(name, harmless[i]))
            return true;
    }
    return false;
}
