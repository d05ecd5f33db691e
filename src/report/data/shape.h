/* How the structs of report.h look in JSON: one table for the writer and the reader, so that they
 * cannot disagree. A field's kind gives what stands at its offset:
 *
 *   TEXT    const char *; null when NULL; `need` refuses null and absence
 *   U32, U64, INT, DOUBLE, BOOL
 *   CHOICE  an enum whose names are in `choices` (`n_choices` of them)
 *   TEXTS   struct hd_texts; entries may be null unless `need`
 *   U32S    uint32_t *, with the number of elements at `count` (size_t), which another field sets
 *   LIST    pointer to structs of `shape`, their number at `count` (size_t)
 *   SUB     a struct of `shape`, as an object
 *   GROUP   an object whose fields (`shape`) lie in the same struct
 *   SAME    fields of `shape` at this offset, without an object of their own
 *   LOCKS   the names of the struct hd_held list at this offset: written for readers that want no
 *           more than names; read only when the list is empty
 */
#ifndef HD_REPORT_DATA_SHAPE_H
#define HD_REPORT_DATA_SHAPE_H

#include "report/data/report.h"

enum hd_shape_kind {
    HD_SHAPE_TEXT,
    HD_SHAPE_U32,
    HD_SHAPE_U64,
    HD_SHAPE_INT,
    HD_SHAPE_DOUBLE,
    HD_SHAPE_BOOL,
    HD_SHAPE_CHOICE,
    HD_SHAPE_TEXTS,
    HD_SHAPE_U32S,
    HD_SHAPE_LIST,
    HD_SHAPE_SUB,
    HD_SHAPE_GROUP,
    HD_SHAPE_SAME,
    HD_SHAPE_LOCKS,
};

struct hd_shape;
struct hd_shape_field {
    const char *key; /* NULL for SAME */
    enum hd_shape_kind kind;
    size_t offset, count;
    const struct hd_shape *shape;
    const char *const *choices;
    int n_choices;
    bool need;
};

struct hd_shape {
    const struct hd_shape_field *fields;
    size_t n, size; /* size of the struct; 0 for a group */
};

#define HD_REPORT_SCHEMA "heddle-report-1"
extern const struct hd_shape hd_shape_finding;
extern const struct hd_shape hd_shape_report; /* without "schema", which comes first */

#endif
