/* getenv takes no lock: it races with setenv in another thread; two setenv do not. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static void *work(void *arg)
{
    setenv("HD_ONE", "1", 1); /* RACE a */
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    setenv("HD_TWO", "2", 1);
    char *p = getenv("HD_TWO"); /* RACE a */
    printf("two %s\n", p);
    pthread_join(t, NULL);
    printf("one %s\n", getenv("HD_ONE"));
    unsetenv("HD_ONE");
    printf("gone %d\n", getenv("HD_ONE") == NULL);
    return 0;
}
