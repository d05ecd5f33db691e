/* Preloaded: memory files cannot be made from the FAIL_AT-th on. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int memfd_create(const char *name, unsigned flags)
{
    static int made;
    const char *at = getenv("FAIL_AT");
    if (at && ++made >= atoi(at)) {
        errno = ENFILE;
        return -1;
    }
    return (int)syscall(SYS_memfd_create, name, flags);
}
