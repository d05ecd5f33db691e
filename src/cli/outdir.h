/* Folders of runs. All files of one `heddle run` lie in one folder: heddle-out/N, where N counts
 * up, or the one that was asked for. heddle-out/latest points to the newest. No folder that holds
 * anything is ever written to.
 */
#ifndef HD_CLI_OUTDIR_H
#define HD_CLI_OUTDIR_H

#include "base/err.h"
#include "report/data/report.h"

#include <stddef.h>

#define HD_OUTDIR        "heddle-out"
#define HD_OUTDIR_LINK   "latest"
#define HD_OUTDIR_LATEST HD_OUTDIR "/" HD_OUTDIR_LINK

/* Makes a folder: `wanted`, which must be empty or not there, or heddle-out/N when wanted is NULL.
 * Its path goes to `path`. HD_ERR_IO: it cannot be made; HD_ERR_INPUT: it is not empty. */
enum hd_status hd_outdir_make(const char *wanted, char *path, size_t size, struct hd_err *err);

/* Points heddle-out/latest to the folder. Does nothing for a folder elsewhere. */
void hd_outdir_link(const char *path);

/* The same for the folder `name` of the heddle-out that is open as fd. */
void hd_outdir_point(int fd, const char *name);

/* The folder that heddle-out/latest points to; the link itself when it cannot be read. */
void hd_outdir_latest(char *path, size_t size);

/* Removes the folder if it is empty (nothing was recorded). */
void hd_outdir_drop(const char *path);

/* The report.json that a word on the command line stands for: NULL is that of the latest run, a
 * folder the one in it, anything else a file. */
enum hd_status hd_outdir_report(const char *word, char *path, size_t size, struct hd_err *err);

/* R- and hexadecimal digits. */
bool hd_outdir_is_id(const char *word);
/* The finding of a report with this id, or beginning of one; the first when id is NULL. `report` is
 * its name for messages; witness: only such that can be replayed. */
enum hd_status hd_outdir_find(const struct hd_report *r, const char *id, const char *report,
                              bool witness, const struct hd_finding **found, struct hd_err *err);

/* The witness that a word stands for: NULL is the first race of the latest run, an id such as
 * R-7f3a9c (or the beginning of one) a race of it, anything else a file. `run` is the folder (or
 * report.json) to look in instead of the latest, or NULL. *others: how many more races the run has
 * when word is NULL. */
enum hd_status hd_outdir_witness(const char *word, const char *run, char *path, size_t size,
                                 size_t *others, struct hd_err *err);

#endif
