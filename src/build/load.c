#include "build/load.h"

struct load {
    const struct hd_build_watch *watch;
    struct hd_build_info built;
};

static enum hd_status read_recording(void *ctx, const char *name, const char *data, size_t len,
                                     bool mapped, struct hd_trace **trace, struct hd_err *err)
{
    struct load *l = ctx;
    struct hd_build_watch watch = l->watch ? *l->watch : (struct hd_build_watch){0};
    watch.mapped = mapped;
    return hd_build_trace(name, data, len, &watch, trace, &l->built, err);
}

enum hd_status hd_load_watched(const char *path, const struct hd_build_watch *watch,
                               struct hd_trace **trace, struct hd_load_info *info,
                               struct hd_build_info *built, struct hd_err *err)
{
    struct load l = {.watch = watch};
    struct hd_form recording = {hd_build_is_recording, read_recording, &l};
    enum hd_status s = hd_trace_io_load_form(path, &recording, trace, info, err);
    if (built)
        *built = l.built;
    else
        hd_build_info_fini(&l.built);
    return s;
}

enum hd_status hd_load_trace(const char *path, struct hd_trace **trace, struct hd_load_info *info,
                             struct hd_build_info *built, struct hd_err *err)
{
    return hd_load_watched(path, NULL, trace, info, built, err);
}
