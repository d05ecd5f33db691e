/* What `heddle compare` found, as data and as JSON: one object for each trace. */
#ifndef HD_CLI_COMPARE_JSON_H
#define HD_CLI_COMPARE_JSON_H

#include "base/json.h"
#include "detect/pairs.h"
#include "model/property.h"

enum { HD_COMPARE_MOST = 32 }; /* detectors */

/* What is known of one trace. */
struct hd_compare_row {
    const char *trace;
    uint64_t threads, events, accesses, sync, branches, candidates;
    struct {
        const char *name;
        bool done; /* it ended; otherwise it gave up */
        uint64_t places, undecided;
        struct hd_pairs pairs; /* of places */
        double seconds;
    } cells[HD_COMPARE_MOST];
    size_t n_cells;
    struct hd_compare_stage { /* what is left of the candidates of a property, stage by stage */
        uint64_t candidates, lockset, mhb, both, ucg, witnesses, undecided;
        double filter_seconds; /* of the causality graphs, and the filters in them */
        double seconds;        /* of the exact decision, with all its filters */
    } stages[HD_PREDICTED_PROPERTIES];
};

void hd_compare_json_begin(struct hd_json *j, FILE *out);
void hd_compare_json_row(struct hd_json *j, const struct hd_trace *t,
                         const struct hd_compare_row *row);
void hd_compare_json_end(struct hd_json *j);

#endif
