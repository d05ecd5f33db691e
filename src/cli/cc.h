/* What the compiler wrapper knows about a compiler command line: enough to see what kind of work it
 * asks for, and no more. Everything else is the compiler's business.
 */
#ifndef HD_CLI_CC_H
#define HD_CLI_CC_H

#include <stdbool.h>
#include <stddef.h>

struct hd_cc_line {
    bool links;        /* the command ends with a link: inputs, and nothing that stops earlier */
    bool is_static;    /* -static or -static-pie */
    bool openmp;       /* -fopenmp: ours, see src/openmp */
    const char *clash; /* an option that cannot be combined with the instrumentation, or NULL */
};

struct hd_cc_line hd_cc_classify(int argc, char **argv);

/* An object file or archive among the words that was compiled for a sanitizer which cannot be
 * combined with the instrumentation, and the option that asks for it; or NULL. */
const char *hd_cc_objects_clash(int argc, char **argv, const char **option);

/* What becomes of one word of the user's command line. `text` is a buffer for REPLACE. */
enum hd_cc_action { HD_CC_KEEP, HD_CC_DROP, HD_CC_REPLACE, HD_CC_TO_FRONTEND };
enum hd_cc_action hd_cc_filter(const char *word, char *text, unsigned size);

/* Where the plugins and the runtime are, and where heddle/annotate.h is: from the folder of this
 * program, as CMake installs them (HEDDLE_LIBDIR, CMAKE_INSTALL_INCLUDEDIR), or lib/heddle and
 * include in the build folder. False when neither exists. */
bool hd_cc_find_lib_dir(char *dir, unsigned size);
bool hd_cc_find_include_dir(char *dir, unsigned size);

/* Looks a program up as a shell would. */
bool hd_cc_find_program(const char *name, char *path, size_t size);

/* The compiler and the major version of LLVM whose plugin goes with it. */
struct hd_cc_clang {
    char path[4096]; /* what to execute */
    int version;
};
/* False: *reason is what is missing (static text or the buffer in clang->path). */
bool hd_cc_find_clang(const char *lib_dir, bool cplusplus, struct hd_cc_clang *clang,
                      const char **reason);

#endif
