#include "base/term.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool hd_term_is_live(int fd)
{
    const char *term = getenv("TERM");
    return isatty(fd) && term && *term && strcmp(term, "dumb") != 0;
}

bool hd_term_use_color(enum hd_color mode, int fd)
{
    if (mode != HD_COLOR_AUTO)
        return mode == HD_COLOR_ALWAYS;
    const char *no = getenv("NO_COLOR");
    if (no && *no)
        return false;
    const char *force = getenv("CLICOLOR_FORCE");
    if (force && *force && strcmp(force, "0") != 0)
        return true;
    return hd_term_is_live(fd);
}

const char *hd_term_style(bool color, enum hd_style style)
{
    static const char *const codes[] = {
        [HD_STYLE_PLAIN] = "\033[0m", [HD_STYLE_BOLD] = "\033[1m",   [HD_STYLE_DIM] = "\033[2m",
        [HD_STYLE_RED] = "\033[31m",  [HD_STYLE_GREEN] = "\033[32m",
    };
    return color ? codes[style] : "";
}
