/* A trace that is there already as a session: predicted on and reported, not replayed. */
#include "session/session_int.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum hd_status hd_session_trace(const struct hd_session_options *options, const char *trace,
                                struct hd_session_result *result, struct hd_err *err)
{
    char full[PATH_MAX], path[PATH_MAX], name[32];
    *result = (struct hd_session_result){0};
    struct hd_session *s = hd_session_new(options, NULL);
    s->err = err;
    hd_session_name(1, name, sizeof name);
    enum hd_status status = hd_session_path(s, name, path, sizeof path);
    if (status == HD_OK && !realpath(trace, full))
        status = hd_err_at(err, HD_ERR_INPUT, trace, 0, "%s", strerror(errno));
    else if (status == HD_OK && symlink(full, path) != 0)
        status = hd_err_set(err, HD_ERR_IO, "cannot write %s: %s", path, strerror(errno));
    if (status == HD_OK)
        status = hd_session_take(s, name, NULL, err);
    if (status == HD_OK)
        status = hd_session_finish(s, result, err);
    hd_session_free(s);
    return status;
}
