/* Which files of the program a run is about, for the driver, which reads names for those alone: by
 * the addresses of what such a file defines. These are the tables of sites that were logged, and
 * synchronisation objects that are, or are in, variables.
 */
#ifndef HEDDLE_RT_USES_H
#define HEDDLE_RT_USES_H

#include <stdint.h>

#define HD_USES 128

struct hd_uses {
    uint32_t n; /* more than HD_USES: not all are here */
    uint64_t at[HD_USES];
};

#endif
