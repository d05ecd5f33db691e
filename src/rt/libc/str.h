/* The work of memory and string functions, with their accesses logged when instrumented code (pc)
 * asked for it. */
#ifndef HD_RT_LIBC_STR_H
#define HD_RT_LIBC_STR_H

#include "rt/hooks/caller.h"
#include "rt/core/modules.h"
#include "rt/core/rt.h"

/* Only calls of instrumented code are logged: the libraries' own belong to no place of the program.
 */
static inline struct hd_thread *hd_rt_str_enter(struct hd_caller by)
{
    struct hd_thread *me = rt.on && hd_rt_module_has(by.pc) ? hd_rt_enter_at(NULL, 0, by.pc) : NULL;
    if (me)
        hd_rt_depend(me, by);
    return me;
}

void hd_rt_copy(void *to, const void *from, size_t n, struct hd_caller by); /* may overlap */
void hd_rt_fill(void *to, int byte, size_t n, struct hd_caller by);
char *hd_rt_copy_padded(char *to, const char *from, size_t n, struct hd_caller by); /* strncpy */
char *hd_rt_append(char *to, const char *from, size_t max, struct hd_caller by);    /* strncat */

#endif
