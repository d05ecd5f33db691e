#include "report/format/relative.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum hd_status resolve(const char *folder, char out[PATH_MAX], struct hd_err *err)
{
    if (realpath(folder ? folder : ".", out))
        return HD_OK;
    return hd_err_at(err, HD_ERR_IO, folder ? folder : ".", 0, "%s", strerror(errno));
}

/* Length of the part that both begin with, up to a whole name. */
static size_t common(const char *a, const char *b)
{
    size_t n = 0, end = 0;
    while (a[n] && a[n] == b[n]) {
        n++;
        if ((a[n] == '/' || !a[n]) && (b[n] == '/' || !b[n]))
            end = n;
    }
    return end;
}

enum hd_status hd_relative_init(struct hd_relative *r, const char *old_folder,
                                const char *new_folder, struct hd_arena *a, struct hd_err *err)
{
    char from[PATH_MAX], to[PATH_MAX];
    enum hd_status s = resolve(new_folder, from, err);
    if (s == HD_OK)
        s = resolve(old_folder, to, err);
    if (s != HD_OK)
        return s;
    size_t same = common(from, to), ups = 0;
    /* "/" itself ends with the separator that all other names lack. */
    for (const char *p = from + same; *p; p++)
        ups += *p == '/' && p[1];
    const char *down = to + same;
    while (*down == '/')
        down++;
    char *way = hd_arena_alloc(a, 3 * ups + strlen(down) + 1), *w = way;
    *w = 0;
    for (size_t i = 0; i < ups; i++)
        w += sprintf(w, i + 1 < ups || *down ? "../" : "..");
    strcpy(w, down);
    r->way = way;
    return HD_OK;
}

/* Drops "name/.." pairs and "." parts, so that a file has one name however it was reached. */
static void tidy(char *path)
{
    char *parts[PATH_MAX / 2];
    size_t n = 0;
    bool absolute = *path == '/';
    for (char *rest = path, *part; (part = strsep(&rest, "/"));) {
        if (!*part || !strcmp(part, "."))
            continue;
        if (!strcmp(part, "..") && n && strcmp(parts[n - 1], ".."))
            n--;
        else if (n < sizeof parts / sizeof *parts)
            parts[n++] = part;
    }
    char copy[PATH_MAX + 1], *c = copy;
    *c = 0;
    for (size_t i = 0; i < n; i++)
        c += sprintf(c, "%s%s", i || absolute ? "/" : "", parts[i]);
    strcpy(path, n ? copy : ".");
}

const char *hd_relative_path(const struct hd_relative *r, struct hd_arena *a, const char *path)
{
    if (!path || *path == '/')
        return path;
    size_t way = strlen(r->way), len = strlen(path);
    if (way + len + 2 > PATH_MAX) /* no file has such a name */
        return path;
    char *joined = hd_arena_alloc(a, way + len + 2);
    sprintf(joined, "%s%s%s", r->way, way ? "/" : "", path);
    tidy(joined);
    return joined;
}
