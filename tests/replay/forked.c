/* Races in other processes than the first: forked children, children of children, a child that a
 * thread forked, and a program that a child became. The first process has none. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int safe, counter;
int *place;

static void *count(void *arg)
{
    if (safe)
        pthread_mutex_lock(&lock);
    counter++; /* race */
    if (safe)
        pthread_mutex_unlock(&lock);
    return arg;
}

static void two(void *(*first)(void *), void *(*second)(void *))
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}

static void *set(void *arg)
{
    static int value;
    place = &value;
    return arg;
}

static void *use(void *arg)
{
    *place = 1; /* crashes when it comes first */
    return arg;
}

static int in_child(void (*work)(const char *), const char *arg)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        work(arg);
        _exit(3);
    }
    waitpid(pid, &status, 0);
    return status;
}

static void race(const char *arg)
{
    (void)arg;
    two(count, count);
}

/* The thread that forked races, too; it had events before. */
static void race_self(const char *arg)
{
    pthread_t t;
    pthread_create(&t, NULL, count, NULL);
    count((void *)(uintptr_t)arg);
    pthread_join(t, NULL);
}

static void nest(const char *arg)
{
    in_child(race, arg);
}

static void crash(const char *arg)
{
    (void)arg;
    two(set, use);
}

static void become(const char *self)
{
    execl(self, self, "work", (char *)NULL);
}

static void *fork_it(void *arg)
{
    in_child(race, NULL);
    return arg;
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    safe = argc > 2;
    if (!strcmp(mode, "twice"))
        in_child(race, NULL);
    if (!strcmp(mode, "twice"))
        in_child(race, NULL);
    if (!strcmp(mode, "nested"))
        in_child(nest, NULL);
    if (!strcmp(mode, "self")) {
        two(set, set);
        in_child(race_self, NULL);
    }
    if (!strcmp(mode, "crash"))
        in_child(crash, NULL);
    if (!strcmp(mode, "exec"))
        in_child(become, argv[0]);
    if (!strcmp(mode, "work"))
        race(NULL);
    if (!strcmp(mode, "thread")) {
        pthread_t t;
        pthread_create(&t, NULL, fork_it, NULL);
        pthread_join(t, NULL);
    }
    return 0;
}
