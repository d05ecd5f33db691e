/* File names for people: as seen from the folder they are in.
 *
 * Compilers are often given absolute names. Below `root` a name loses that part; in a neighbouring
 * folder it gets the "../" that lead there, when that is shorter. The same holds for names inside
 * sentences. The report keeps its own names: what is changed is put back.
 */
#ifndef HD_REPORT_FORMAT_PATHS_H
#define HD_REPORT_FORMAT_PATHS_H

#include "base/vec.h"
#include "report/data/report.h"

struct hd_paths {
    struct hd_vec changed; /* struct hd_paths_change */
};

/* root: an absolute name, or NULL: nothing is changed. New names live in the report's arena. */
void hd_paths_shorten(struct hd_paths *p, struct hd_report *r, const char *root);
void hd_paths_restore(struct hd_paths *p);

/* One name; NULL stays NULL. */
const char *hd_paths_of(struct hd_report *r, const char *root, const char *file);

#endif
