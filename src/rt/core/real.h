/* The functions that ours stand before, found with dlsym at start. Before that they are NULL. */
#ifndef HD_RT_CORE_REAL_H
#define HD_RT_CORE_REAL_H

#include "abi/rt_apis.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

struct hd_real {
#define HD_REAL_FIELD(group, ret, name, params, dep, text) ret(*name) params;
    HD_APIS(HD_REAL_FIELD)
#undef HD_REAL_FIELD
};
extern struct hd_real hd_real;

void hd_rt_real_find(void);

#endif
