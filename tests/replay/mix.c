/* Many kinds of races at once, each on a variable of its own, so that the schedules of the
 * witnesses go through every kind of synchronisation: the test replays them all. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct record {
    char text[40];
    int number;
    long value;
};

static struct record source, copy;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t sem;
static int ready, woken, after_wake, after_barrier, children, under_read_lock, counted, plain;
static atomic_int mixed;
static char *block, text[64], other_text[64];

static void *child(void *arg)
{
    children++;
    return arg;
}

static void start_child(void)
{
    pthread_t t;
    pthread_create(&t, NULL, child, NULL);
    pthread_join(t, NULL);
}

static void common_part(void)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&changed, &lock);
    woken++;
    pthread_mutex_unlock(&lock);
    after_wake++;
    pthread_barrier_wait(&barrier);
    after_barrier++;
    start_child();
    sem_wait(&sem);
    counted++;
    sem_post(&sem);
    pthread_rwlock_rdlock(&rwlock);
    under_read_lock++;
    pthread_rwlock_unlock(&rwlock);
}

static void *first(void *arg)
{
    memcpy(&copy, &source, sizeof copy);
    strcpy(text, "hello");
    plain = 5;
    atomic_store(&mixed, 1);
    common_part();
    block[3] = 1;
    return arg;
}

static void *second(void *arg)
{
    source.number = 4;
    source.value = 9;
    text[2] = 'x';
    plain = 6;
    common_part();
    return arg;
}

static void *third(void *arg)
{
    block[0] = 2;
    strncpy(other_text, text, 10);
    *(volatile int *)&mixed = 3;
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_signal(&changed);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *fourth(void *arg)
{
    usleep(1000);
    block[3] = 7;
    return arg;
}

int main(void)
{
    void *(*const starts[4])(void *) = {first, second, third, fourth};
    pthread_t threads[4];
    block = malloc(10);
    pthread_barrier_init(&barrier, NULL, 2);
    sem_init(&sem, 0, 1);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, starts[i], NULL);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
        if (i == 1)
            free(block);
    }
    printf("%d %d\n", children, counted);
    return 0;
}
