#include "drive/load.h"

static enum hd_status read_recording(void *ctx, const char *name, const char *data, size_t len,
                                     struct hd_trace **trace, struct hd_err *err)
{
    return hd_drive_build(name, data, len, trace, ctx, err);
}

enum hd_status hd_drive_load(const char *path, struct hd_trace **trace, struct hd_load_info *info,
                             struct hd_build_info *built, struct hd_err *err)
{
    struct hd_build_info own = {0};
    struct hd_form recording = {hd_drive_is_recording, read_recording, &own};
    enum hd_status s = hd_trace_load_form(path, &recording, trace, info, err);
    if (built)
        *built = own;
    else
        hd_build_info_fini(&own);
    return s;
}
