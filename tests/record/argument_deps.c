/* The new thread works on what the creator read: the creation depends on that read. */
#include <pthread.h>
#include <stdio.h>

static int one, two, *chosen = &one;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *uses(void *arg)
{
    *(int *)arg += 1;
    return arg;
}

static void *chooses(void *arg)
{
    pthread_mutex_lock(&lock);
    chosen = &two;
    one = 5; /* only after nobody can choose it any more */
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, chooses, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&lock);
    int *mine = chosen;
    pthread_mutex_unlock(&lock);
    pthread_create(&u, NULL, uses, mine);
    pthread_join(u, NULL);
    printf("%d %d\n", one, two);
    return 0;
}
