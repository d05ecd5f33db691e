/* Programs that use an instrumented library and are not linked with heddle cc themselves (a test
 * driver, an interpreter): for them the loader finds the C library's locks and threads before those
 * of the runtime, which then sees none. LD_PRELOAD puts the runtime first. Where the program's own
 * libraries lead to the runtime this is known from the file; where one is loaded later it is not,
 * and the runtime refuses to record (`late` of log/rt_log.h). */
#ifndef HD_RECORD_PRELOAD_H
#define HD_RECORD_PRELOAD_H

#include "base/process.h"

#include <stdbool.h>

void hd_preload_is_at(const char *library); /* the runtime's file */
void hd_preload_always(void);               /* the user asks for it: --preload */

bool hd_preload_wanted(const char *program);
void hd_preload_into(struct hd_process_env *env);
/* What LD_PRELOAD is then; from: the environment it is for. */
void hd_preload_value(char *const *from, char *out, size_t size);

#endif
