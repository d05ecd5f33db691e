/* Main uses a worker's result before it joins it. */
#include <pthread.h>
#include <stdio.h>

static int half[2];

static void *sum(void *arg)
{
    int *to = arg;
    for (int i = 0; i < 10; i++)
        *to += i;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int total = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, sum, &half[i]);
    pthread_join(t[0], NULL);
#ifdef GOOD
    pthread_join(t[1], NULL);
    total = half[0] + half[1];
#else
    total = half[0] + half[1];
    pthread_join(t[1], NULL);
#endif
    printf("%d\n", total);
    return 0;
}
