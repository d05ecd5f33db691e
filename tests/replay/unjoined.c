/* A process that ends while threads can still run: unjoined END THREADS. `total` is a race of two
 * threads that nobody waits for. The process ends with 7. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int total;
static long own[2];
atomic_int stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int tasks;

static void *add(void *arg)
{
    (void)arg;
    total++;
    return NULL;
}

static void *nap(void *arg)
{
    usleep(300000);
    return add(arg);
}

static void *hour(void *arg)
{
    add(arg);
    sleep(3600);
    abort(); /* natively nobody is there any more */
}

static void *spin(void *arg)
{
    add(arg);
    while (!atomic_load(&stop))
        continue;
    return NULL;
}

static void *yield(void *arg)
{
    add(arg);
    while (!atomic_load(&stop))
        sched_yield();
    return NULL;
}

static void *busy(void *arg)
{
    long *mine = arg;
    add(arg);
    for (;;)
        *(volatile long *)mine += 1;
    return NULL;
}

static void *locked(void *arg)
{
    add(arg);
    pthread_mutex_lock(&lock);
    abort(); /* main keeps the lock */
}

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        while (!tasks)
            pthread_cond_wait(&cond, &lock);
        tasks--;
        pthread_mutex_unlock(&lock);
        add(arg);
    }
}

static const struct {
    const char *name;
    void *(*f)(void *);
} kinds[] = {{"run", add},   {"detached", add},  {"nap", nap},
             {"hour", hour}, {"spin", spin},     {"yield", yield},
             {"busy", busy}, {"locked", locked}, {"pool", work}};

static void late(void)
{
    printf(" handler");
}

static void again(void)
{
    printf(" again");
    exit(7);
}

static void *ends(void *arg)
{
    (void)arg;
    exit(7);
}

int main(int argc, char **argv)
{
    pthread_t t[2], last;
    const char *end = argc > 2 ? argv[1] : "";
    if (argc < 3)
        return 2;
    printf("main");
    atexit(strcmp(end, "again") ? late : again);
    pthread_mutex_lock(&lock);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (int i = 0; !strcmp(argv[2], kinds[k].name) && i < 2; i++) {
            pthread_create(&t[i], NULL, kinds[k].f, &own[i]);
            if (!strcmp(argv[2], "detached"))
                pthread_detach(t[i]);
        }
    tasks = 2;
    pthread_cond_broadcast(&cond);
    if (strcmp(argv[2], "locked"))
        pthread_mutex_unlock(&lock);
    if (!strcmp(end, "quick"))
        quick_exit(7);
    if (!strcmp(end, "at once"))
        _exit(7);
    if (!strcmp(end, "thread")) {
        pthread_create(&last, NULL, ends, NULL);
        pthread_join(last, NULL);
    }
    if (!strcmp(end, "two")) {
        pthread_create(&last, NULL, ends, NULL);
        exit(7);
    }
    if (!strcmp(end, "return"))
        return 7;
    exit(7);
}
