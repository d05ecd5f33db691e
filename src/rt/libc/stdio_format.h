/* The bodies of printf, for the plain functions and those of _FORTIFY_SOURCE. flag: -1, or the
 * checking flag of the latter. */
#ifndef HD_RT_LIBC_STDIO_FORMAT_H
#define HD_RT_LIBC_STDIO_FORMAT_H

#include "rt/hooks/caller.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

int hd_rt_vfprintf(FILE *f, int flag, const char *format, va_list a, struct hd_caller by);
int hd_rt_vsnprintf(char *to, size_t size, int flag, const char *format, va_list a,
                    struct hd_caller by);
int hd_rt_vsprintf(char *to, const char *format, va_list a, struct hd_caller by);
int hd_rt_vasprintf(char **to, const char *format, va_list a, struct hd_caller by);

/* glibc's names, which its headers declare under other ones only: scanf of C89 is `scanf`, but the
 * headers make that name mean the one of C99. */
#define HD_SCANS(prefix, symbol)                                                                   \
    int prefix##vfscanf(FILE *f, const char *format, va_list a) __asm__(symbol "vfscanf");         \
    int prefix##vscanf(const char *format, va_list a) __asm__(symbol "vscanf");                    \
    int prefix##vsscanf(const char *text, const char *format,                                      \
                        va_list a) __asm__(symbol "vsscanf");                                      \
    int prefix##fscanf(FILE *f, const char *format, ...) __asm__(symbol "fscanf");                 \
    int prefix##scanf(const char *format, ...) __asm__(symbol "scanf");                            \
    int prefix##sscanf(const char *text, const char *format, ...) __asm__(symbol "sscanf");
HD_SCANS(hd_c89_, "")
HD_SCANS(__isoc99_, "__isoc99_")
HD_SCANS(__isoc23_, "__isoc23_")
#undef HD_SCANS

#endif
