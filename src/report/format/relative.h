/* File names that are relative to one folder, as seen from another. */
#ifndef HD_REPORT_FORMAT_RELATIVE_H
#define HD_REPORT_FORMAT_RELATIVE_H

#include "base/arena.h"
#include "base/err.h"

struct hd_relative {
    const char *way; /* from the new folder to the old one: "", "../run1" */
};

/* NULL is the current folder. HD_ERR_IO when one of them cannot be found. */
enum hd_status hd_relative_init(struct hd_relative *r, const char *old_folder,
                                const char *new_folder, struct hd_arena *a, struct hd_err *err);

/* The name as seen from the new folder; absolute names and NULL stay as they are. */
const char *hd_relative_path(const struct hd_relative *r, struct hd_arena *a, const char *path);

#endif
