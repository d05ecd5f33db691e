#include "base/memory.h"

#include "base/log.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* The number in the first line of a file that begins with `key`; 0: there is none. */
static uint64_t number_in(const char *path, const char *key)
{
    char line[256];
    unsigned long long number = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return 0;
    while (!number && fgets(line, sizeof line, file))
        if (!strncmp(line, key, strlen(key)))
            (void)!sscanf(line + strlen(key), "%llu", &number);
    fclose(file);
    return number;
}

static void lower(uint64_t *least, uint64_t to)
{
    if (!*least || to < *least)
        *least = to;
}

/* What is left below `limit` when `used` are in use; at least one byte, since 0 is "not known". */
static uint64_t rest(uint64_t limit, uint64_t used)
{
    return limit > used ? limit - used : 1;
}

/* The group itself; the ones around it are seldom smaller. "max" reads as 0. */
static void look_at_group(uint64_t *least)
{
    char line[400] = "", path[500];
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (!file)
        return;
    while (fgets(line, sizeof line, file) && strncmp(line, "0::", 3) != 0) {
    }
    fclose(file);
    line[strcspn(line, "\n")] = 0;
    if (strncmp(line, "0::", 3) != 0)
        return;
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", line + 3);
    uint64_t most = number_in(path, "");
    snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", line + 3);
    if (most)
        lower(least, rest(most, number_in(path, "")));
}

size_t hd_memory_available(void)
{
    uint64_t least = number_in("/proc/meminfo", "MemAvailable:") * 1024;
    struct rlimit own;
    look_at_group(&least);
    if (getrlimit(RLIMIT_AS, &own) == 0 && own.rlim_cur != RLIM_INFINITY)
        lower(&least, rest(own.rlim_cur,
                           number_in("/proc/self/statm", "") * (uint64_t)sysconf(_SC_PAGESIZE)));
    HD_DEBUG_LINE(BASE, "%llu bytes of memory are free", (unsigned long long)least);
    return least;
}
