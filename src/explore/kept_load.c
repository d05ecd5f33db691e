#include "build/load.h"
#include "explore/kept.h"

enum hd_status hd_kept_load(const char *path, struct hd_trace **trace, struct hd_err *err)
{
    struct hd_load_info info = {0};
    struct hd_build_info built = {0};
    enum hd_status s = hd_load_trace(path, trace, &info, &built, err);
    hd_build_info_fini(&built);
    return s;
}
