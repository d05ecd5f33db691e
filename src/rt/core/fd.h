/* What a descriptor is, asked of the kernel once for all that want to know it during a call of the
 * program. It holds as long as the thread keeps the token: who waits asks again. */
#ifndef HD_RT_CORE_FD_H
#define HD_RT_CORE_FD_H

#include "rt/core/sys.h"

#include <sys/stat.h>
#include <sys/syscall.h>

struct hd_fd {
    int fd;
    mode_t mode;  /* 0 as type of file: an event descriptor, a timer, or nothing */
    ino_t self;   /* 0: not open */
    dev_t device; /* of a special file */
};

static inline struct hd_fd hd_rt_fd(int fd)
{
    struct stat st;
    if (fd < 0 || hd_rt_syscall(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0)
        return (struct hd_fd){.fd = fd};
    return (struct hd_fd){fd, st.st_mode, st.st_ino, st.st_rdev};
}

#endif
