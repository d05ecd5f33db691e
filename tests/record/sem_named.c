/* A named semaphore, with the value that libc has for it. */
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <unistd.h>

static sem_t *sem;
static int data;

static void *work(void *arg)
{
    data = 1;
    sem_post(sem);
    return arg;
}

int main(void)
{
    pthread_t t;
    char name[64];
    snprintf(name, sizeof name, "/heddle-test-%d", (int)getpid());
    sem = sem_open(name, O_CREAT | O_EXCL, 0600, 1);
    if (sem == SEM_FAILED)
        return 1;
    sem_wait(sem);
    pthread_create(&t, NULL, work, NULL);
    sem_wait(sem);
    printf("data %d\n", data);
    pthread_join(t, NULL);
    sem_close(sem);
    sem_unlink(name);
    return 0;
}
