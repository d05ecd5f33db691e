#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Names come from the user's files: their control characters must not reach a terminal. */
static void tame(char *text)
{
    for (unsigned char *p = (unsigned char *)text; *p; p++)
        if (*p < 0x20 || *p == 0x7f)
            *p = '?';
}

/* Formats aside first, because an argument may be err->text itself. */
static void set_text(struct hd_err *err, enum hd_status code, const char *fmt, va_list args)
{
    char text[sizeof err->text];
    vsnprintf(text, sizeof text, fmt, args);
    tame(text);
    err->code = code;
    memcpy(err->text, text, sizeof text);
}

/* Of a long path the end tells more than the beginning. */
static void set_file(struct hd_err *err, const char *file)
{
    size_t len = file ? strlen(file) : 0;
    if (!len)
        err->file[0] = 0;
    else if (len < sizeof err->file)
        memmove(err->file, file, len + 1);
    else
        snprintf(err->file, sizeof err->file, "...%s", file + len - (sizeof err->file - 4));
    tame(err->file);
}

enum hd_status hd_err_set(struct hd_err *err, enum hd_status code, const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        set_text(err, code, fmt, args);
        va_end(args);
    }
    return code;
}

enum hd_status hd_err_at(struct hd_err *err, enum hd_status code, const char *file, uint64_t line,
                         const char *fmt, ...)
{
    if (err) {
        va_list args;
        va_start(args, fmt);
        set_text(err, code, fmt, args);
        va_end(args);
        set_file(err, file);
        err->line = line;
    }
    return code;
}

void hd_panic(const char *file, int line, const char *what)
{
    fprintf(stderr, "heddle: internal error at %s:%d: %s does not hold\n", file, line, what);
    exit(4);
}
