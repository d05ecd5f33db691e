#include "base/err.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void set_text(struct hd_err *err, enum hd_status code, const char *fmt, va_list args)
{
    err->code = code;
    vsnprintf(err->text, sizeof err->text, fmt, args);
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
        snprintf(err->file, sizeof err->file, "%s", file ? file : "");
        err->line = line;
    }
    return code;
}

void hd_panic(const char *file, int line, const char *what)
{
    fprintf(stderr, "heddle: internal error at %s:%d: %s does not hold\n", file, line, what);
    exit(4);
}
