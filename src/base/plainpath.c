#include "base/plainpath.h"

#include <string.h>

void hd_plainpath(char *path)
{
    char *out = path;
    const char *in = path;
    if (*path != '/')
        return;
    while (*in) {
        while (*in == '/')
            in++;
        size_t len = strcspn(in, "/");
        if (len == 2 && in[0] == '.' && in[1] == '.') {
            while (out > path && *--out != '/')
                continue;
        } else if (len && !(len == 1 && *in == '.')) {
            *out++ = '/';
            memmove(out, in, len);
            out += len;
        }
        in += len;
    }
    if (out == path)
        *out++ = '/';
    *out = 0;
}
