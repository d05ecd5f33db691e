/* What is known about a program from its file, before it runs. */
#ifndef HD_RECORD_PROGRAM_H
#define HD_RECORD_PROGRAM_H

#include "base/err.h"
#include "recording/remarks.h"

#include <stdbool.h>
#include <stddef.h>

/* The file that a program name stands for, found as execvp would. HD_ERR_INPUT when there is none,
 * it may not be executed, or it is an ELF file for another machine. */
enum hd_status hd_program_find(const char *name, char *path, size_t size, struct hd_err *err);

/* What the file's dynamic section shows. NOT: neither the program nor anything that it loads or
 * starts can be instrumented. TSAN: linked with ThreadSanitizer's own runtime. */
enum hd_program_kind {
    HD_PROGRAM_UNKNOWN,
    HD_PROGRAM_INSTRUMENTED,
    HD_PROGRAM_NOT,
    HD_PROGRAM_TSAN,
};
enum hd_program_kind hd_program_kind(const char *path);

/* Whether a file could have been built with heddle cc --concolic: false only for an instrumented
 * program that uses none of the hooks. */
bool hd_program_may_be_concolic(const char *path);

/* Whether glibc's loader may put the C library before our runtime: the program names it first, or
 * is not linked with heddle cc and needs libraries that may be. */
bool hd_program_may_be_behind(const char *path);

/* Whether code built with heddle cc --concolic could call a function of this name: false only for a
 * program that loads no library of its own, starts no other program, and has the name nowhere (the
 * pass leaves the name of each call in the program, and stripping keeps it). */
bool hd_program_may_call(const char *path, const char *name);

/* Notes each synchronisation function that the ELF file imports and the runtime does not model. A
 * file that is not ELF (a script) has none. */
void hd_program_unmodelled(const char *path, struct hd_remarks *remarks);

/* The entry points of OpenMP (__kmpc_*, omp_*) that the library at `path` defines. */
void hd_program_openmp(const char *path, struct hd_names *names);

#endif
