/* Parts of JSON results that all properties share. */
#ifndef HD_CLI_JSON_PARTS_H
#define HD_CLI_JSON_PARTS_H

#include "base/json.h"
#include "predict/run/predict.h"

/* [3, 9]: event numbers, 1-based. */
void hd_json_parts_events(struct hd_json *j, const hd_eid *events, size_t n);
/* "key": {"lockset": 3, ...} */
void hd_json_parts_steps(struct hd_json *j, const char *key, const uint64_t counts[HD_STEPS]);

#endif
