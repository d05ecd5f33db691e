/* Results that libc puts into memory: V says which. With BAD nothing guards that memory. The two
 * that use the calendar also meet at a lock inside libc, and at blocks that libc asks for there. */
#include <arpa/inet.h>
#include <netdb.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <wchar.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct tm day;
static struct stat status;
static char text[64];
static unsigned seed;

/* What calls become with _FORTIFY_SOURCE. */
char *__getcwd_chk(char *out, size_t n, size_t room);
ssize_t __readlink_chk(const char *path, char *out, size_t n, size_t room);
int __gethostname_chk(char *out, size_t n, size_t room);
char *__realpath_chk(const char *path, char *out, size_t room);
char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room);
void __explicit_bzero_chk(void *to, size_t n, size_t room);
wchar_t *__wcscpy_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wcscat_chk(wchar_t *to, const wchar_t *from, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *to, const wchar_t *from, size_t n, size_t room);
wchar_t *__wmemset_chk(wchar_t *to, wchar_t c, size_t n, size_t room);
static char path[4096];
static wchar_t wide[64];

static void call_checked(const char *which)
{
    switch (V) {
    case 8:
        __readlink_chk("/proc/self/exe", path, sizeof path - 1, sizeof path);
        break;
    case 9:
        __getcwd_chk(path, sizeof path, sizeof path);
        break;
    case 10:
        __gethostname_chk(path, sizeof path, sizeof path);
        break;
    case 11:
        __realpath_chk("/usr/..", path, sizeof path);
        break;
    case 12:
        __stpncpy_chk(path, which, 8, sizeof path);
        break;
    case 13:
        __explicit_bzero_chk(path, 8, sizeof path);
        break;
    case 14:
        __wcscpy_chk(wide, L"word", 64);
        break;
    case 15:
        __wcsncpy_chk(wide, L"word", 8, 64);
        break;
    case 16:
        __wcscat_chk(wide, L"word", 64);
        break;
    case 17:
        __wmemcpy_chk(wide, L"word", 4, 64);
        break;
    case 18:
        __wmemmove_chk(wide, L"word", 4, 64);
        break;
    case 19:
        __wmemset_chk(wide, L'w', 4, 64);
        break;
    }
}

static void call(char *which)
{
    time_t now = *which;
    switch (V) {
    case 1:
        localtime_r(&now, &day);
        break;
    case 2:
        text[0] = (char)gmtime(&now)->tm_sec;
        break;
    case 3:
        strftime(text, sizeof text, "%H", &day);
        break;
    case 4:
        stat("/", &status);
        break;
    case 5: {
        struct in_addr in = {(in_addr_t)now};
        inet_ntop(AF_INET, &in, text, sizeof text);
        break;
    }
    case 6:
        rand_r(&seed);
        break;
    case 7: {
        static struct addrinfo *list;
        struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
        if (getaddrinfo("127.0.0.1", NULL, &hints, &list) == 0)
            freeaddrinfo(list);
        break;
    }
    default:
        call_checked(which);
        break;
    }
}

static void *worker(void *arg)
{
#ifndef BAD
    pthread_mutex_lock(&lock);
#endif
    call(arg);
#ifndef BAD
    pthread_mutex_unlock(&lock);
#endif
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, worker, "a");
    pthread_create(&b, NULL, worker, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
