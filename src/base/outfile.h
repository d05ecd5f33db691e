/* Output files that appear whole or not at all.
 *
 * A regular file is written under a temporary name beside its target and renamed by commit. Until
 * then the target keeps its old content. The temporary is removed by discard, by any exit() of this
 * process (so also when memory runs out), and by hd_outfile_discard_all, which a signal handler may
 * call. Only SIGKILL and a crash of the machine can leave one behind.
 * A target that exists and is not a regular file (a pipe, a terminal, /dev/null) is written
 * directly. A symbolic link is followed: the file that it names is replaced, not the link.
 */
#ifndef HD_BASE_OUTFILE_H
#define HD_BASE_OUTFILE_H

#include "base/err.h"

#include <stdio.h>

struct hd_outfile {
    FILE *file; /* write here; errors may be left to commit */
    int slot;   /* place in the table of live temporaries; 0: written directly */
};

/* Opens path for writing. HD_ERR_IO with the reason when that cannot be; then out->file is NULL and
 * out needs no discard. At most 16 temporaries may be open at once (HD_ERR_LIMIT). */
enum hd_status hd_outfile_open(const char *path, struct hd_outfile *out, struct hd_err *err);

/* Flushes, closes and renames. HD_ERR_IO when any write since open failed; the temporary is then
 * gone and the target as it was. Ends the use of out in both cases. */
enum hd_status hd_outfile_commit(struct hd_outfile *out, struct hd_err *err);

/* Closes and removes the temporary. Fine after commit, and on a zeroed struct. */
void hd_outfile_discard(struct hd_outfile *out);

/* Removes all temporaries of this process from the disk. Async-signal-safe. */
void hd_outfile_discard_all(void);

#endif
