/* A block is freed by one thread while another uses it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *block;

static void *uses(void *arg)
{
    *block = 4; /* RACE a */
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(sizeof *block);
    pthread_create(&t, NULL, uses, NULL);
    pthread_t u;
    pthread_create(&u, NULL, uses, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    free(block);
    printf("done\n");
    return 0;
}
