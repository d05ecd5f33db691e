/* Small programs that go wrong under one of their schedules: race, crash, assert, deadlock, hang;
 * `none` does not. */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER, two = PTHREAD_MUTEX_INITIALIZER;
static atomic_int first, second;
static int plain;
static int *volatile nowhere;
static const char *kind;

static int is(const char *name)
{
    return !strcmp(kind, name);
}

/* Whether the other thread was between its two stores. */
static int met(void)
{
    return atomic_load(&first) && !atomic_load(&second);
}

static void *writer(void *arg)
{
    if (is("deadlock")) {
        pthread_mutex_lock(&one);
        pthread_mutex_lock(&two);
        pthread_mutex_unlock(&two);
        pthread_mutex_unlock(&one);
        return arg;
    }
    atomic_store(&first, 1);
    if (is("race"))
        plain = 1;
    atomic_store(&second, 1);
    return arg;
}

static void *reader(void *arg)
{
    if (is("deadlock")) {
        pthread_mutex_lock(&two);
        pthread_mutex_lock(&one);
        pthread_mutex_unlock(&one);
        pthread_mutex_unlock(&two);
        return arg;
    }
    int between = met();
    if (is("race") && between)
        plain = 2;
    if (is("crash") && between)
        *nowhere = 1;
    if (is("assert"))
        assert(!between);
    while (is("hang") && between)
        between = plain == 0;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    kind = argc > 1 ? argv[1] : "none";
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", plain);
    return 0;
}
