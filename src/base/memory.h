/* How much memory this process may still take before the machine, its control group or its own
 * limits are at their end. */
#ifndef HD_BASE_MEMORY_H
#define HD_BASE_MEMORY_H

#include <stddef.h>

size_t hd_memory_available(void); /* bytes; 0: not known */

#endif
