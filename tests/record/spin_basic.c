/* Spinlocks. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>

static pthread_spinlock_t lock;
static int n, busy;

static void *add(void *arg)
{
    (void)arg;
    for (int i = 0; i < 3; i++) {
        pthread_spin_lock(&lock);
        n++;
        pthread_spin_unlock(&lock);
    }
    return NULL;
}

static void *look(void *arg)
{
    (void)arg;
    busy = pthread_spin_trylock(&lock) == EBUSY;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&t[0], NULL, add, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("try %d\n", pthread_spin_trylock(&lock));
    pthread_create(&t[0], NULL, look, NULL);
    pthread_join(t[0], NULL);
    pthread_spin_unlock(&lock);
    printf("n %d busy %d destroy %d\n", n, busy, pthread_spin_destroy(&lock));
    return 0;
}
