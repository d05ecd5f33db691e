/* stop_flag.c, corrected: the flag is atomic. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int stop;
static int rounds;

static void *worker(void *arg)
{
    while (!atomic_load(&stop)) {
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
    atomic_store(&stop, 1);
    pthread_join(a, NULL);
    printf("%s\n", rounds ? "stopped" : "never ran");
    return 0;
}
