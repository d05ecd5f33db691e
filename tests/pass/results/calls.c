/* On what the result of a modelled function depends. T1.1 runs whole before T1.2, which reads what
 * it wrote, keeps it in `sink`, and then does y = 2 if the result of a call says so. That read has
 * nothing to do with the call, so y = 2 may come first: a race with y = 1, in every case.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

int x, y, sink;
char text[8] = "12";
static const struct timespec far = {4000000000, 0};
static pthread_mutex_t order = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t sem;
static mtx_t c11;

static int is_now(void)
{
    struct timespec ts;
    return clock_gettime(CLOCK_MONOTONIC, &ts) == 0 && ts.tv_sec >= 0;
}

static int is_random(void)
{
    unsigned char bytes[4];
    return getentropy(bytes, sizeof bytes) == 0;
}

static int is_copied(void)
{
    char copy[8];
    return strcmp(strcpy(copy, text), "12") == 0;
}

static int is_printed(void)
{
    char copy[8];
    return snprintf(copy, sizeof copy, "%s-", text) == 3;
}

/* One case a line, numbered from 0. */
static int holds(int n)
{
    switch (n) {
        /* clang-format off */
    case 0: return pthread_mutex_trylock(&mutex) == 0;
    case 1: return pthread_mutex_timedlock(&mutex, &far) == 0;
    case 2: return pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &far) == 0;
    case 3: return sem_trywait(&sem) == 0;
    case 4: return sem_timedwait(&sem, &far) == 0;
    case 5: return sem_clockwait(&sem, CLOCK_REALTIME, &far) == 0;
    case 6: return mtx_trylock(&c11) == thrd_success;
    case 7: return mtx_timedlock(&c11, &far) == thrd_success;
    case 8: return mtx_lock(&c11) == thrd_success;
    case 9: return pthread_rwlock_tryrdlock(&rwlock) == 0;
    case 10: return pthread_rwlock_trywrlock(&rwlock) == 0;
    case 11: return pthread_rwlock_timedrdlock(&rwlock, &far) == 0;
    case 12: return pthread_rwlock_timedwrlock(&rwlock, &far) == 0;
    case 13: return pthread_rwlock_clockrdlock(&rwlock, CLOCK_REALTIME, &far) == 0;
    case 14: return pthread_rwlock_clockwrlock(&rwlock, CLOCK_REALTIME, &far) == 0;
    case 15: return pthread_spin_trylock(&spin) == 0;
    case 16: return is_now();
    case 17: return time(NULL) > 0;
    case 18: return is_random();
    case 19: return strlen(text) == 2;
    case 20: return strtol(text, NULL, 10) == 12;
    case 21: return is_copied();
    case 22: return is_printed();
    case 23: return sqrt((double)(sem_trywait(&sem) == 0)) > 0.5;
    case 24: return isdigit('0' + (mtx_trylock(&c11) == thrd_success)) != 0;
    case 25: return memcmp(text, "12", 3) == 0;
    default: return -1;
        /* clang-format on */
    }
}

static void *first(void *arg)
{
    y = 1;
    pthread_mutex_lock(&order);
    x = 1;
    pthread_mutex_unlock(&order);
    return arg;
}

static void *second(void *arg)
{
    pthread_mutex_lock(&order);
    sink = x;
    pthread_mutex_unlock(&order);
    if (holds(CASE) == 1)
        y = 2;
    return arg;
}

int main(void)
{
    pthread_t a, b;
    sem_init(&sem, 0, 1);
    mtx_init(&c11, mtx_timed);
    pthread_spin_init(&spin, 0);
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return y != 2;
}
