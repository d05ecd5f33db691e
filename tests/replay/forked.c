/* Races in other processes than the first: forked children, children of children, a child that a
 * thread forked, and a program that a child became. The first process has none, unless it asks for
 * the end of its child. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Whether the child has ended, by a call that does not wait. */
static int has_ended(const char *way, pid_t pid)
{
    siginfo_t info = {0};
    int status;
    if (!strcmp(way, "waitid"))
        return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG) != 0 || info.si_pid == pid;
    return (!strcmp(way, "wait4") ? wait4(pid, &status, WNOHANG, NULL)
                                  : waitpid(pid, &status, WNOHANG)) != 0;
}

/* Asks again and again whether a child has ended, under a lock that another thread wants. */
static void ask(const char *way)
{
    volatile unsigned work = 0;
    pthread_t t;
    pid_t pid = fork();
    if (pid == 0) {
        while (work < 3000000)
            work++;
        _exit(0);
    }
    pthread_create(&t, NULL, count, NULL);
    for (int ended = 0; !ended;) {
        pthread_mutex_lock(&lock);
        ended = has_ended(way, pid);
        pthread_mutex_unlock(&lock);
    }
    counter = 7; /* race with the thread */
    pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
    const char *mode = argc > 1 ? argv[1] : "";
    if (!strcmp(mode, "asks"))
        ask(argv[2]);
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
