/* The functions that ours stand before, found with dlsym at start. Before that they are NULL. */
#ifndef HD_RT_REAL_H
#define HD_RT_REAL_H

#include "heddle/rt_apis.h"

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

struct hd_real {
#define HD_REAL_FIELD(group, ret, name, params, text) ret(*name) params;
    HD_APIS(HD_REAL_FIELD)
#undef HD_REAL_FIELD
};
extern struct hd_real hd_real;

void hd_rt_real_find(void);

#endif
