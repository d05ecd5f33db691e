#include "campaign/folder.h"

#include "base/log.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void hd_folder_unit(const char *dir, const char *name, const char *ending, char *path, size_t size)
{
    snprintf(path, size, "%s/units/%.2s/%s%s", dir, name, name, ending);
}

enum hd_unit_state hd_folder_state(const char *dir, const char *name)
{
    char path[PATH_MAX];
    hd_folder_unit(dir, name, "/report.json", path, sizeof path);
    if (access(path, F_OK) == 0)
        return HD_UNIT_DONE;
    hd_folder_unit(dir, name, ".failed", path, sizeof path);
    return access(path, F_OK) == 0 ? HD_UNIT_FAILED : HD_UNIT_OPEN;
}

static enum hd_status cannot(const char *what, const char *path, struct hd_err *err)
{
    return hd_err_set(err, HD_ERR_IO, "cannot %s %s: %s", what, path, strerror(errno));
}

enum hd_status hd_folder_make(const char *path, struct hd_err *err)
{
    char part[PATH_MAX];
    snprintf(part, sizeof part, "%s", path);
    for (char *p = part + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        if (mkdir(part, 0777) && errno != EEXIST)
            return cannot("make the folder", part, err);
        *p = '/';
    }
    return mkdir(part, 0777) && errno != EEXIST ? cannot("make the folder", part, err) : HD_OK;
}

static void remove_at(int at, const char *name)
{
    if (unlinkat(at, name, 0) == 0 || (errno != EISDIR && errno != EPERM))
        return;
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            remove_at(fd, e->d_name);
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    unlinkat(at, name, AT_REMOVEDIR);
}

void hd_folder_remove(const char *path)
{
    remove_at(AT_FDCWD, path);
}

/* ---- work/ ---- */

static void host_name(char name[65])
{
    if (gethostname(name, 64) != 0)
        strcpy(name, "host");
    name[64] = 0;
}

enum hd_status hd_folder_work(const char *dir, unsigned n, char *path, size_t size,
                              struct hd_err *err)
{
    char host[65];
    host_name(host);
    snprintf(path, size, "%s/work/%s-%ld-%u", dir, host, (long)getpid(), n);
    hd_folder_remove(path); /* of a process that had our number */
    return hd_folder_make(path, err);
}

/* HOST-PID-N of this machine, and PID does not run. */
static bool is_left_over(const char *name)
{
    char host[65], *end;
    host_name(host);
    size_t n = strlen(host);
    if (strncmp(name, host, n) != 0 || name[n] != '-')
        return false;
    long pid = strtol(name + n + 1, &end, 10);
    return end > name + n + 1 && *end == '-' && pid > 0 && kill((pid_t)pid, 0) != 0 &&
           errno == ESRCH;
}

/* Calls `see` for each entry of work/. */
static void each_work(const char *dir, void (*see)(void *ctx, const char *path, const char *name),
                      void *ctx)
{
    char path[PATH_MAX], one[PATH_MAX + 256];
    snprintf(path, sizeof path, "%s/work", dir);
    DIR *work = opendir(path);
    for (struct dirent *e; work && (e = readdir(work));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(one, sizeof one, "%s/%s", path, e->d_name);
        see(ctx, one, e->d_name);
    }
    if (work)
        closedir(work);
}

static void sweep_one(void *ctx, const char *path, const char *name)
{
    if (!*(bool *)ctx && !is_left_over(name))
        return;
    HD_DEBUG_LINE(CAMPAIGN, "%s was left over", path);
    hd_folder_remove(path);
}

void hd_folder_sweep(const char *dir, bool all)
{
    char path[PATH_MAX];
    each_work(dir, sweep_one, &all);
    snprintf(path, sizeof path, "%s/work", dir);
    rmdir(path); /* when it is empty */
}

static void count_one(void *ctx, const char *path, const char *name)
{
    (void)path;
    *(size_t *)ctx += !is_left_over(name);
}

size_t hd_folder_running(const char *dir)
{
    size_t n = 0;
    each_work(dir, count_one, &n);
    return n;
}

/* ---- units/ ---- */

enum hd_status hd_folder_keep(const char *work, const char *dir, const char *name,
                              struct hd_err *err)
{
    char path[PATH_MAX], parent[PATH_MAX];
    snprintf(parent, sizeof parent, "%s/units/%.2s", dir, name);
    enum hd_status s = hd_folder_make(parent, err);
    if (s != HD_OK)
        return s;
    hd_folder_unit(dir, name, "", path, sizeof path);
    if (rename(work, path) == 0)
        return HD_OK;
    if (errno != ENOTEMPTY && errno != EEXIST)
        return cannot("write", path, err);
    hd_folder_remove(work);
    return HD_OK;
}
