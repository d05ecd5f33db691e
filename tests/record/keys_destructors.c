/* Thread-specific data: destructors run in the ending thread, again while they set values. */
#include <pthread.h>
#include <stdio.h>

static pthread_key_t key, other;
static int runs, last;

static void gone(void *p)
{
    runs++;
    last = *(int *)p;
    if (runs == 1)
        pthread_setspecific(key, p);
}

static void *work(void *arg)
{
    pthread_setspecific(key, arg);
    pthread_setspecific(other, arg);
    return pthread_getspecific(key) == arg ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    int value = 7;
    void *r;
    pthread_key_create(&key, gone);
    pthread_key_create(&other, NULL);
    pthread_create(&t, NULL, work, &value);
    pthread_join(t, &r);
    printf("runs %d last %d same %d\n", runs, last, r == &value);
    printf("main %d\n", pthread_getspecific(key) == NULL);
    pthread_key_delete(key);
    return 0;
}
