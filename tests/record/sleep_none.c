/* A thread that waits for another one in a loop with sleeps of no length. Another thread must get
 * its turn there. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int state;

static int look(void)
{
    pthread_mutex_lock(&lock);
    int now = state;
    pthread_mutex_unlock(&lock);
    return now;
}

static void set(int to)
{
    pthread_mutex_lock(&lock);
    state = to;
    pthread_mutex_unlock(&lock);
}

static void *other(void *arg)
{
    (void)arg;
    struct timespec none = {0, 0};
    for (int i = 1; i < 5; i += 2) {
        set(i);
        while (look() == i)
            nanosleep(&none, NULL);
    }
    return NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 1; i < 5; i += 2) {
        while (look() != i)
            usleep(0);
        set(i + 1);
    }
    pthread_join(t, NULL);
    printf("%d\n", state);
    return 0;
}
