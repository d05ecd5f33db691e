/* Walking the stack of a thread by its frame pointers.
 *
 * Works for code compiled with -fno-omit-frame-pointer (heddle cc adds it) and stops at the first
 * frame that does not look like one, so code without frame pointers cuts the walk short and never
 * makes it wrong by more than the frames it hides. Nothing outside the thread's stack is read.
 */
#ifndef HD_RT_CORE_FRAME_WALK_H
#define HD_RT_CORE_FRAME_WALK_H

#include "rt/core/rt.h"

#define HD_RT_FRAMES 32

void hd_rt_stack_init(void); /* once, at the start */

/* Logs the frames of a thread that waits for the token (HD_LOG_FRAMES). Token or lock held. */
void hd_rt_stack_log(const struct hd_thread *t);

#endif
