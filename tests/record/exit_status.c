/* exit from a second thread, with handlers. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void bye(void)
{
    printf("bye\n");
}

static void *leave(void *arg)
{
    (void)arg;
    exit(42);
}

int main(void)
{
    pthread_t t;
    atexit(bye);
    pthread_create(&t, NULL, leave, NULL);
    pthread_join(t, NULL);
    return 0;
}
