/* Prototypes of the checked functions, which glibc's headers give only to fortified code, and the
 * bodies they share with the plain ones. */
#ifndef HD_RT_LIBC_FORTIFY_H
#define HD_RT_LIBC_FORTIFY_H

#include "rt/hooks/caller.h"
#include "rt/core/rt.h"

#include "abi/rt_apis.h"

#include <poll.h>
#include <stdarg.h>
#include <signal.h>
#include <stdio.h>
#include <sys/socket.h>
#include <wchar.h>

#define HD_FORTIFY_PROTOTYPE(group, ret, name, params, dep, text) ret name params;
HD_APIS_FORTIFY(HD_FORTIFY_PROTOTYPE)
#undef HD_FORTIFY_PROTOTYPE

char *hd_rt_fgets(char *p, int n, FILE *f, struct hd_caller by);
size_t hd_rt_fread(void *p, size_t size, size_t n, FILE *f, struct hd_caller by);
ssize_t hd_rt_read_fd(int fd, void *p, size_t n, uintptr_t pc);
ssize_t hd_rt_write_fd(int fd, const void *p, size_t n, uintptr_t pc);

#endif
