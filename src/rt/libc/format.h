/* What printf and scanf do with the memory that their arguments point to.
 *
 * Positions in formats (%1$d) are not followed: such a call reads and writes nothing as far as the
 * trace knows, and is named once.
 */
#ifndef HD_RT_LIBC_FORMAT_H
#define HD_RT_LIBC_FORMAT_H

#include "rt/core/rt.h"

#include <stdarg.h>

#define HD_FORMAT_OUTS 8

struct hd_format_out { /* %n: written by the call, so logged after it */
    const void *p;
    size_t n;
};

/* Logs the strings that the format reads; fills outs with what it writes. Returns their number. */
unsigned hd_rt_format_reads(const char *format, va_list args, uintptr_t pc,
                            struct hd_format_out outs[HD_FORMAT_OUTS]);
/* Logs what a scanf that answered `done` wrote. */
void hd_rt_format_wrote(const char *format, va_list args, int done, uintptr_t pc);

/* A read on the program's behalf. Constants of its modules are left out: they are never written. */
void hd_rt_reads(uintptr_t pc, const void *p, size_t n);
/* The same when what was read decides how far to read on. */
void hd_rt_reads_on(uintptr_t pc, const void *p, size_t n);

#endif
