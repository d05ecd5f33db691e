#include "detect/detect_int.h"

#include <string.h>

const struct hd_detector hd_detectors[] = {
#define HD_DETECT_ROW(name, summary) {#name, summary, hd_detect_##name},
    HD_DETECTORS(HD_DETECT_ROW)
#undef HD_DETECT_ROW
};
const size_t hd_n_detectors = sizeof hd_detectors / sizeof *hd_detectors;

const struct hd_detector *hd_detector_find(const char *name)
{
    for (size_t i = 0; i < hd_n_detectors; i++)
        if (strcmp(hd_detectors[i].name, name) == 0)
            return &hd_detectors[i];
    return NULL;
}

void hd_detect_result_fini(struct hd_detect_result *r)
{
    hd_pairs_fini(&r->pairs);
    hd_pairs_fini(&r->places);
}
