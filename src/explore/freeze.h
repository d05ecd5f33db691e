/* A search in a file, so that it can go on later: one function for each struct writes and reads it.
 *
 * Numbers are written little-endian with a fixed width. A sum over all of them stands at the end.
 * After the first number that cannot be had, or does not fit, the freezer is bad and everything
 * that is read is 0; the caller asks once, in the end. Elements that are read are not checked here
 * for what they mean.
 */
#ifndef HD_EXPLORE_FREEZE_H
#define HD_EXPLORE_FREEZE_H

#include "base/err.h"
#include "base/outfile.h"
#include "base/vec.h"
#include "explore/exec.h"

struct hd_freezer {
    bool writes, bad;
    uint64_t sum;
    struct hd_outfile out; /* when it writes */
    FILE *file;
    const char *path;
};

/* kind: 8 letters for what is in the file. HD_ERR_INPUT: it is not such a file, or its sum is
 * not that of its numbers: nothing of a damaged file is looked at. path must outlive the freezer.
 */
enum hd_status hd_freeze_open(struct hd_freezer *z, const char *path, bool writes, const char *kind,
                              struct hd_err *err);
/* HD_ERR_INPUT: what was read is not what was written. The file is complete or not there. */
enum hd_status hd_freeze_close(struct hd_freezer *z, struct hd_err *err);

void hd_freeze_u64(struct hd_freezer *z, uint64_t *v);
void hd_freeze_u32(struct hd_freezer *z, uint32_t *v);
void hd_freeze_bool(struct hd_freezer *z, bool *v);
/* How many elements; when reading, they are there and zeroed afterwards. */
void hd_freeze_len(struct hd_freezer *z, struct hd_vec *v);
void hd_freeze_u64s(struct hd_freezer *z, struct hd_vec *v); /* of uint64_t */

void hd_freeze_map(struct hd_freezer *z, struct hd_map *m); /* read into an empty one */

void hd_freeze_steer_op(struct hd_freezer *z, struct hd_steer_op *o);
void hd_freeze_names(struct hd_freezer *z, struct hd_exec_names *n);

/* What the program is: differs when it was built anew or replaced. */
uint64_t hd_freeze_stamp(const char *program);

#endif
