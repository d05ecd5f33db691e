/* One numbered folder below heddle-out: what is in it, and its removal.
 *
 * Files are looked at and removed through the folder that is open; symbolic links are never
 * followed. A file is ours when it is a regular one with a name that our commands give, or the
 * program that the run compiled into its own folder.
 */
#ifndef HD_CLI_RUNFOLDER_H
#define HD_CLI_RUNFOLDER_H

#include "base/err.h"
#include "base/names.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

struct hd_runfolder {
    unsigned long number;
    char path[PATH_MAX]; /* for messages */
    bool report, trace;  /* it has one that is ours */
    struct hd_names files;
    uint64_t bytes;             /* of these files */
    char foreign[NAME_MAX + 1]; /* the first file by name that is not ours; "": none */
    time_t changed;             /* the newest change in it */
    dev_t device;
    ino_t inode;
    dev_t program_device; /* of the folder that the program of the run lies in; 0: not known */
    ino_t program_inode;
    bool kept;
};

/* Looks at the folder `number` of `dir`, which is open as `fd`. HD_ERR_INPUT: it is no folder;
 * HD_ERR_IO: it cannot be read. To be ended in all cases. */
enum hd_status hd_runfolder_look(int fd, const char *dir, unsigned long number,
                                 struct hd_runfolder *f, struct hd_err *err);
void hd_runfolder_fini(struct hd_runfolder *f);

/* Removes its files, the report last, and the folder. HD_ERR_IO: something could not be removed. */
enum hd_status hd_runfolder_remove(int fd, const struct hd_runfolder *f, struct hd_err *err);

#endif
