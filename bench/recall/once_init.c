/* Two threads set up what both use. */
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int is_set, value;

static void set_up(void)
{
    value = 7;
    is_set = 1;
}

static void *work(void *arg)
{
#ifdef GOOD
    pthread_once(&once, set_up);
#else
    if (!is_set)
        set_up();
#endif
    return value ? arg : NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %p\n", value, (void *)&once);
    return 0;
}
