/* What the system has to allow. */
#include "cli/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

bool hd_doctor_line(const char *what, enum hd_doctor_state state, const char *found,
                    const char *advice)
{
    static const char *const words[] = {"ok", "note", "FAIL"};
    bool ok = state == HD_DOCTOR_OK;
    printf("%-12s %-4s %s%s%s\n", what, words[state], found, ok ? "" : ": ", ok ? "" : advice);
    return state != HD_DOCTOR_FAIL;
}

static bool look_at_kernel(void)
{
    struct utsname u;
    char text[160] = "unknown";
    if (uname(&u) == 0)
        snprintf(text, sizeof text, "%.60s %.60s %.30s", u.sysname, u.release, u.machine);
    if (!strstr(text, "x86_64"))
        return hd_doctor_line("kernel", HD_DOCTOR_FAIL, text, "only Linux on x86_64 is supported");
    bool barrier = syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) == 0;
    return hd_doctor_line("kernel", barrier ? HD_DOCTOR_OK : HD_DOCTOR_NOTE, text,
                          "membarrier() is not allowed here: a thread that is stuck in a call that "
                          "heddle does not model may stop the others");
}

static bool look_at_addresses(void)
{
    int now = personality(0xffffffff);
    bool good = now >= 0 && personality((unsigned)now | ADDR_NO_RANDOMIZE) >= 0;
    if (good)
        personality((unsigned)now);
    return hd_doctor_line(
        "addresses", good ? HD_DOCTOR_OK : HD_DOCTOR_FAIL,
        good ? "randomisation can be switched off" : "randomisation stays on",
        "allow personality() in this container, or runs with the same seed may differ");
}

/* The raw log is a file that is mapped shared and grows by fallocate. */
static bool look_at_maps(void)
{
    char name[] = "heddle-doctor-XXXXXX";
    int fd = mkostemp(name, O_CLOEXEC), e = 0;
    if (fd < 0)
        return hd_doctor_line("mapped files", HD_DOCTOR_FAIL, "this folder cannot be written",
                              "change to another one, or name another folder with -o");
    unlink(name);
    if (fallocate(fd, 0, 0, 4096) && errno != EOPNOTSUPP)
        e = errno;
    else if (ftruncate(fd, 4096))
        e = errno;
    char *p = e ? MAP_FAILED : mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (!e && p == MAP_FAILED)
        e = errno;
    if (!e) {
        p[0] = 1;
        munmap(p, 4096);
    }
    close(fd);
    return hd_doctor_line("mapped files", e ? HD_DOCTOR_FAIL : HD_DOCTOR_OK,
                          e ? strerror(e) : "files here can be mapped and grown",
                          "use a folder on a file system that allows it");
}

static bool look_at_ptrace(void)
{
    int status = 1;
    pid_t pid = fork();
    if (pid == 0)
        _exit(ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0 ? 0 : 1);
    bool good = pid > 0 && waitpid(pid, &status, 0) == pid && status == 0;
    return hd_doctor_line("ptrace", good ? HD_DOCTOR_OK : HD_DOCTOR_NOTE,
                          good ? "allowed" : "not allowed",
                          "only a debugger needs it; recording and replay do not");
}

static bool look_at_disk(void)
{
    struct statvfs fs;
    char text[120];
    if (statvfs(".", &fs))
        return hd_doctor_line("disk", HD_DOCTOR_FAIL, strerror(errno),
                              "change to a folder that can be written");
    unsigned long long mb = (unsigned long long)fs.f_bavail * fs.f_frsize >> 20;
    snprintf(text, sizeof text, "%llu MB free in this folder", mb);
    return hd_doctor_line("disk", mb >= 1024 ? HD_DOCTOR_OK : HD_DOCTOR_FAIL, text,
                          "traces of long runs need more: at least 1024 MB");
}

static bool look_at_cores(void)
{
    struct rlimit lim = {0, 0};
    getrlimit(RLIMIT_CORE, &lim);
    return hd_doctor_line("core files", HD_DOCTOR_OK,
                          lim.rlim_cur ? "a crashing program leaves one"
                                       : "none (ulimit -c unlimited to get one)",
                          "");
}

bool hd_doctor_system(void)
{
    bool good = look_at_kernel();
    good &= look_at_addresses();
    good &= look_at_maps();
    good &= look_at_ptrace();
    good &= look_at_disk();
    good &= look_at_cores();
    return good;
}
