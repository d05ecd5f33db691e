#include "base/stop.h"

#include "base/alloc.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "base/progress.h"

static _Thread_local struct hd_stop_scope scope;

static const char *const reasons[] = {[HD_STOP_NO] = "no",
                                      [HD_STOP_ASKED] = "interrupted",
                                      [HD_STOP_TIME] = "the time is up",
                                      [HD_STOP_MEMORY] = "too much memory is in use"};

struct hd_stop_scope hd_stop_begin(double deadline, size_t memory)
{
    struct hd_stop_scope around = scope;
    bool earlier = around.deadline != 0 && (deadline == 0 || around.deadline < deadline);
    bool smaller = around.memory && (!memory || around.memory < memory);
    scope = (struct hd_stop_scope){earlier ? around.deadline : deadline,
                                   smaller ? around.memory : memory, true, HD_STOP_NO};
    return around;
}

enum hd_stop hd_stop_end(struct hd_stop_scope around)
{
    enum hd_stop why = scope.why;
    scope = around;
    return why;
}

double hd_stop_left(void)
{
    double left = scope.deadline - hd_progress_now();
    return scope.deadline == 0 ? 0 : left > 0.001 ? left : 0.001;
}

enum hd_stop hd_stop_now(void)
{
    if (scope.why != HD_STOP_NO || !scope.open)
        return scope.why;
    if (hd_interrupt_requested())
        scope.why = HD_STOP_ASKED;
    else if (scope.memory && hd_alloc_in_use() > scope.memory)
        scope.why = HD_STOP_MEMORY;
    else if (scope.deadline != 0 && hd_progress_now() >= scope.deadline)
        scope.why = HD_STOP_TIME;
    if (scope.why != HD_STOP_NO)
        HD_DEBUG_LINE(BASE, "stopped: %s", reasons[scope.why]);
    return scope.why;
}

size_t hd_stop_memory(void)
{
    size_t used = hd_alloc_in_use();
    if (!scope.memory)
        return SIZE_MAX;
    return scope.memory > used ? scope.memory - used : 0;
}

bool hd_stop_room(size_t bytes)
{
    size_t used = hd_alloc_in_use();
    if (hd_stop_now() == HD_STOP_NO && scope.memory &&
        (used > scope.memory || bytes > scope.memory - used))
        scope.why = HD_STOP_MEMORY;
    if (scope.why == HD_STOP_MEMORY)
        HD_DEBUG_LINE(BASE, "no room for %zu bytes beside %zu", bytes, used);
    return scope.why == HD_STOP_NO;
}
