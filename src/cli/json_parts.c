#include "cli/json_parts.h"

void hd_json_parts_events(struct hd_json *j, const hd_eid *events, size_t n)
{
    hd_json_begin_array(j);
    for (size_t i = 0; i < n; i++)
        hd_json_uint(j, (uint64_t)events[i] + 1);
    hd_json_end_array(j);
}

void hd_json_parts_steps(struct hd_json *j, const char *key, const uint64_t counts[HD_STEPS])
{
    hd_json_key(j, key);
    hd_json_begin_object(j);
    for (int s = 0; s < HD_STEPS; s++) {
        hd_json_key(j, hd_step_names[s]);
        hd_json_uint(j, counts[s]);
    }
    hd_json_end_object(j);
}
