/* pthread_once: the routine runs once, the others see what it did. */
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, seen[2];

static void make(void)
{
    made++;
}

static void *use(void *arg)
{
    pthread_once(&once, make);
    *(int *)arg = made;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, use, &seen[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("made %d seen %d %d\n", made, seen[0], seen[1]);
    return 0;
}
