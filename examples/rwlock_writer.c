/* A reader of a rwlock that writes.
 *
 * Looking something up counts the look-up, under the read side of the lock, which any number of
 * threads may hold at once. */
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int table[] = {3, 1, 4, 1, 5}, lookups;

static int look_up(int i)
{
    pthread_rwlock_rdlock(&lock);
    lookups++; /* a write, but only the read side is held */
    int value = table[i];
    pthread_rwlock_unlock(&lock);
    return value;
}

static void *reader(void *arg)
{
    *(int *)arg = look_up(2) + look_up(4);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 0, y = 0;
    pthread_create(&a, NULL, reader, &x);
    pthread_create(&b, NULL, reader, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d, %d lookups\n", x, y, lookups);
    return 0;
}
