/* Compiling source files with our own `heddle cc`, for commands that take them in place of a
 * program. */
#ifndef HD_CLI_COMPILE_H
#define HD_CLI_COMPILE_H

#include "cli/cli.h"

/* Whether the name ends like a C or C++ source file. */
bool hd_compile_is_source(const char *name);

/* Compiles the n files into DIR/<name of the first without suffix>, whose path goes to `program`.
 * flags: words between spaces, after ours; may be NULL.
 * The compiler speaks for itself; HD_EXIT_INPUT when it refuses. */
enum hd_exit hd_compile_sources(const struct hd_cli *cli, const char *dir, int n, char **files,
                                const char *flags, char *program, size_t size);

#endif
