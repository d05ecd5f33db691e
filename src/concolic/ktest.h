/* Inputs as files that other tools read: KLEE's .ktest, and plain bytes.
 *
 * A .ktest file is the bytes "KTEST", then big-endian 32-bit numbers and counted texts: version
 * (3), number of words of the command line, each with its length, two numbers about symbolic
 * arguments that KLEE's own runtime uses (0 here), number of objects, each with length and bytes of
 * its name and of its contents. What is input (struct hd_input's places) has no part there, so
 * `--rerun` takes .input files only.
 */
#ifndef HD_CONCOLIC_KTEST_H
#define HD_CONCOLIC_KTEST_H

#include "concolic/input.h"

/* HD_ERR_IO when the system refuses. */
enum hd_status hd_ktest_save(const char *path, const struct hd_input *in, struct hd_err *err);
/* One file for each object, "PREFIX.NAME"; a slash in a name becomes an underscore. */
enum hd_status hd_ktest_plain(const char *prefix, const struct hd_input *in, struct hd_err *err);

#endif
