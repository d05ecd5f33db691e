/* Readers under the read side of a rwlock count their lookups. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[4];
#ifdef GOOD
static atomic_int hits;
#else
static int hits;
#endif

static void *read_it(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_rdlock(&lock);
        if (table[i] >= 0)
            hits++;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

static void *write_it(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_wrlock(&lock);
        table[i] = i;
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    pthread_create(&t[0], NULL, read_it, NULL);
    pthread_create(&t[1], NULL, read_it, NULL);
    pthread_create(&t[2], NULL, write_it, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", hits);
    return 0;
}
