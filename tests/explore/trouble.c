/* Small programs that go wrong under one of their schedules: race, crash, assert, abort, killed,
 * memory, deadlock, hang; `exit` and `fork` do something unusual then; `none` does not. `crowd` has
 * more threads than a search can steer, and an assertion that most orders break. */
#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* Takes all the memory that it may have, and uses what it did not get. */
static void use_up(void)
{
    struct rlimit little = {1 << 28, 1 << 28};
    char *block;
    setrlimit(RLIMIT_AS, &little);
    do
        block = malloc(1 << 24);
    while (block);
    *nowhere = 1;
}

static void be_strange(void)
{
    if (is("abort"))
        abort();
    if (is("killed"))
        kill(getpid(), SIGKILL);
    if (is("memory"))
        use_up();
    if (is("exit"))
        exit(3);
    if (is("fork")) {
        pid_t child = fork();
        if (child == 0)
            _exit(plain);
        waitpid(child, NULL, 0);
    }
}

static void *one_of_many(void *arg)
{
    int mine = (int)(long)arg;
    pthread_mutex_lock(&one);
    assert(plain <= mine);
    plain = mine;
    pthread_mutex_unlock(&one);
    return NULL;
}

static int crowd(void)
{
    pthread_t t[100];
    for (long i = 0; i < 100; i++)
        pthread_create(&t[i], NULL, one_of_many, (void *)i);
    for (int i = 0; i < 100; i++)
        pthread_join(t[i], NULL);
    return 0;
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
    if (between)
        be_strange();
    while (is("hang") && between)
        between = plain == 0;
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    kind = argc > 1 ? argv[1] : "none";
    if (is("crowd"))
        return crowd();
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", plain);
    return 0;
}
