/* C++ exceptions that several threads hold. Runs in the user's process; see the rules in rt.h.
 *
 * libstdc++ counts who holds an exception object, and the last one destroys it; the counting itself
 * is inside the library, where no hook sees it. Each place where a thread lets go of an object (the
 * end of a handler, an exception_ptr that goes) is a `post`, and the last one as many `sem`: so
 * the thread that destroys the object does so after all who let go before, and these are in no
 * order.
 *
 * The header lies before the object, as the C++ ABI for x86-64 has it: 16 bytes with the count of
 * libstdc++ and space that is not used, then 112 bytes that end with the unwinder's part. How often
 * it was let go is counted in that space; it starts with 0. */
#include "rt/core/real.h"
#include "rt/core/rt.h"
#include "rt/libc/cxx.h"

#include <string.h>

enum { HEADER = 112, PREFIX = 16, NUMBER = 8, CLASS = 80 };

struct globals { /* of the ABI */
    char *caught;
};
struct globals *__cxa_get_globals(void) __attribute__((weak));
void __cxa_end_catch(void);
void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self);

static void let_go(char *object, uintptr_t pc)
{
    struct hd_thread *me = hd_rt_enter_at(NULL, 0, pc);
    if (!me)
        return;
    const int *holders = (void *)(object - HEADER - PREFIX);
    uint32_t *number = (void *)(object - HEADER - PREFIX + NUMBER);
    uint64_t w = (uintptr_t)number;
    if (*holders > 1) {
        *number += 1;
        hd_rt_log1(HD_LOG_POST, pc, w);
    } else {
        for (; *number; *number -= 1)
            hd_rt_log_words(HD_LOG_SEM, hd_rt_joined(), pc, 1, &w);
    }
    hd_rt_leave(me);
}

/* The object of the exception whose handler runs; NULL: none, or not one of libstdc++. */
static char *caught(void)
{
    const struct globals *g = __cxa_get_globals ? __cxa_get_globals() : NULL;
    char *header = g ? g->caught : NULL;
    if (!header || memcmp(header + CLASS + 1, "++CCUNG", 7) != 0)
        return NULL;
    if (header[CLASS] == 1) /* thrown again: its first word tells which object it stands for */
        return *(char **)header;
    return header[CLASS] == 0 ? header + HEADER : NULL;
}

HD_EXPORT void __cxa_end_catch(void)
{
    if (!hd_real.__cxa_end_catch)
        *(void **)&hd_real.__cxa_end_catch = hd_rt_cxx_find("__cxa_end_catch", HD_PC);
    char *object = rt.on && hd_rt_me && !hd_rt_me->in_rt ? caught() : NULL;
    if (object)
        let_go(object, HD_PC);
    hd_real.__cxa_end_catch();
}

/* std::exception_ptr: one pointer to the object, or NULL. */
HD_EXPORT void _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv(void **self)
{
    void (**real)(void **) = &hd_real._ZNSt15__exception_ptr13exception_ptr10_M_releaseEv;
    if (!*real)
        *(void **)real =
            hd_rt_cxx_find("_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv", HD_PC);
    if (rt.on && *self)
        let_go(*self, HD_PC);
    (*real)(self);
}
