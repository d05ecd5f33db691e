/* A stop flag that is a plain int.
 *
 * The worker looks at it now and then; main sets it. A compiler may read it once and never again.
 */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int stop, rounds;

static void *worker(void *arg)
{
    while (!stop) { /* races with the store in main */
        rounds++;
        usleep(1000);
    }
    return arg;
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, worker, NULL);
    usleep(2500);
    stop = 1;
    pthread_join(a, NULL);
    printf("%s\n", rounds ? "stopped" : "never ran");
    return 0;
}
