/* Programs without a lockset violation: `twice` does in two locked sections what belongs in one;
 * `lost` waits for a signal that may come before; `none` is right; `clock`, `file` and `rand` use
 * what all threads share outside of memory. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int balance = 10, waits, work[2];
static const char *kind;
static int file;

static int is(const char *name)
{
    return !strcmp(kind, name);
}

static int get(void)
{
    pthread_mutex_lock(&m);
    int v = balance;
    pthread_mutex_unlock(&m);
    return v;
}

static void take(int n)
{
    pthread_mutex_lock(&m);
    balance -= n;
    assert(balance >= 0);
    pthread_mutex_unlock(&m);
}

static void *taker(void *arg)
{
    if (get() >= 6)
        take(6);
    return arg;
}

/* Whether the other one waits already is not asked under the same lock as the wait. */
static void *waiter(void *arg)
{
    int v = get();
    pthread_mutex_lock(&m);
    waits = 1;
    if (v == 10)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *waker(void *arg)
{
    take(1);
    pthread_mutex_lock(&m);
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *locked(void *arg)
{
    pthread_mutex_lock(&m);
    if (balance >= 6)
        balance -= 6;
    assert(balance >= 0);
    pthread_mutex_unlock(&m);
    return arg;
}

static void *asks(void *arg)
{
    char text[8];
    if (is("clock"))
        work[arg != NULL] = time(NULL) == 0;
    if (is("rand"))
        work[arg != NULL] = rand();
    if (is("file"))
        work[arg != NULL] = (int)read(file, text, sizeof text);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    kind = argc > 1 ? argv[1] : "none";
    if (is("file"))
        file = open("/proc/self/stat", O_RDONLY);
    void *(*first)(void *) = is("lost") ? waiter : is("none") ? locked : is("twice") ? taker : asks;
    void *(*second)(void *) = is("lost") ? waker : first;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, &b);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d %d\n", balance, work[0], work[1]);
    return 0;
}
