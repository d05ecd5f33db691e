/* Lists of variable arguments. What is in a list was decided by the call that made it, so a
 * function that takes one (vsnprintf) depends on what it is given, and not on all that the thread
 * has read. What is printed matters all the same: its length decides a branch. And a list that code
 * without hooks made can hold anything.
 */
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WAYS = 7, THREADS = 9 };
#define NOINLINE __attribute__((noinline))
#define UNSEEN   __attribute__((noinline, disable_sanitizer_instrumentation))
int shared[THREADS], copy, quiet[WAYS], loud0, loud1, loud2;
static char buffer[20];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

NOINLINE static int vtext(char *to, const char *format, va_list a)
{
    va_list again;
    va_copy(again, a);
    int n = vsnprintf(to, 20, format, again);
    va_end(again);
    return n;
}

NOINLINE static int text(char *to, const char *format, ...)
{
    va_list a;
    va_start(a, format);
    int n = vtext(to, format, a);
    va_end(a);
    return n;
}

/* Called by code without hooks, and nothing but the list comes from there. */
NOINLINE static void from_dots(int unused, ...)
{
    va_list a;
    va_start(a, unused);
    int n = vsnprintf(buffer, sizeof buffer, "%d", a);
    va_end(a);
    if (n == 3)
        quiet[2] = 2;
    if (buffer[0] == '1')
        quiet[3] = 2;
}

NOINLINE static void from_list(va_list a)
{
    if (vsnprintf(buffer, sizeof buffer, "%d", a) == 3)
        quiet[4] = 2;
}

NOINLINE static void from_list_too(va_list a)
{
    vsnprintf(buffer, sizeof buffer, "%d", a);
    if (buffer[0] == '1')
        quiet[6] = 2;
}

NOINLINE static void from_copy(va_list a)
{
    va_list again;
    va_copy(again, a);
    if (vsnprintf(buffer, sizeof buffer, "%d", again) == 3)
        quiet[5] = 2;
    va_end(again);
}

UNSEEN static void unseen_dots(const int *from)
{
    from_dots(0, *from);
}

UNSEEN static void unseen_list(void (*call)(va_list), ...)
{
    va_list a;
    va_start(a, call);
    call(a);
    va_end(a);
}

UNSEEN static void unseen_call(void (*call)(va_list), const int *from)
{
    unseen_list(call, *from);
}

static void *first(void *arg)
{
    for (int i = 0; i < WAYS; i++)
        quiet[i] = 1;
    loud0 = loud1 = loud2 = 1;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < THREADS; i++)
        shared[i] = 100;
    pthread_mutex_unlock(&lock);
    return arg;
}

NOINLINE static int take(int i)
{
    pthread_mutex_lock(&lock);
    int r = shared[i];
    pthread_mutex_unlock(&lock);
    return r;
}

static void *other(void *arg)
{
    char to[20];
    int way = *(int *)arg, r = take(way);
    switch (way) {
    case 0: /* how long it is */
        if (text(to, "%d", r) == 3)
            quiet[0] = 2;
        break;
    case 1: /* what it is */
        text(to, "%d", r);
        if (to[0] == '1')
            quiet[1] = 2;
        break;
    case 2:
        unseen_dots(&r);
        break;
    case 3:
        unseen_call(from_list, &r);
        break;
    case 4:
        unseen_call(from_copy, &r);
        break;
    case 5:
        unseen_call(from_list_too, &r);
        break;
    case 6: /* from here on it is only kept */
        copy += r;
        if (text(to, "%d and %s", 7, "more") > 5)
            loud0 = 2;
        break;
    case 7:
        copy += r;
        if (text(to, "%c", 'x') == 1 && to[0] == 'x')
            loud1 = 2;
        break;
    default:
        copy += r;
        loud2 = 2;
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS + 1];
    int ways[THREADS];
    pthread_create(&t[THREADS], NULL, first, NULL);
    for (int i = 0; i < THREADS; i++) {
        ways[i] = i;
        pthread_create(&t[i], NULL, other, &ways[i]);
    }
    for (int i = 0; i <= THREADS; i++)
        pthread_join(t[i], NULL);
    return copy == 300 ? 0 : 1;
}
