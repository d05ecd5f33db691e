/* One thread copies a structure while another changes a field of it. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct state {
    int a, b, c[6];
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct state current;

static void *change(void *arg)
{
    pthread_mutex_lock(&lock);
    current.b = 5;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    struct state copy;
    pthread_create(&t, NULL, change, NULL);
#ifdef GOOD
    pthread_mutex_lock(&lock);
    memcpy(&copy, &current, sizeof copy);
    pthread_mutex_unlock(&lock);
#else
    memcpy(&copy, &current, sizeof copy);
#endif
    pthread_join(t, NULL);
    printf("%d\n", copy.b);
    return 0;
}
