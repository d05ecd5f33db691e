/* Workers take numbered jobs that a semaphore counts; each remembers the last one it saw. */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>

static sem_t jobs;
static atomic_int next;
#ifdef GOOD
static atomic_int last;
#else
static int last;
#endif

static void *work(void *arg)
{
    for (;;) {
        sem_wait(&jobs);
        int job = atomic_fetch_add(&next, 1);
        if (job >= 6)
            return arg;
        last = job;
    }
}

int main(void)
{
    pthread_t t[2];
    sem_init(&jobs, 0, 0);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 8; i++)
        sem_post(&jobs);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", last);
    return 0;
}
