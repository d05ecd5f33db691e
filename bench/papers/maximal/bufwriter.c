/* Writers append to a buffer under a lock until a plain flag stops them; a checker reads its
 * length. 5 threads. */
#include <pthread.h>
enum { WRITERS = 3, SPACE = 64, ROUNDS = 4 };
static char buffer[SPACE];
static int length, stop;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *writer(void *p)
{
    for (int i = 0; i < ROUNDS && !stop; i++) {
        pthread_mutex_lock(&lock);
        if (length < SPACE)
            buffer[length++] = (char)('a' + (int)(long)p);
        pthread_mutex_unlock(&lock);
    }
    return p;
}
static void *checker(void *p)
{
    stop = 1;
    pthread_mutex_lock(&lock);
    int seen = length;
    for (int i = 0; i < seen; i++)
        if (!buffer[i])
            p = 0;
    pthread_mutex_unlock(&lock);
    return p;
}
int main(void)
{
    pthread_t t[WRITERS + 1];
    for (long i = 0; i < WRITERS; i++)
        pthread_create(&t[i], 0, writer, (void *)i);
    pthread_create(&t[WRITERS], 0, checker, 0);
    for (int i = 0; i <= WRITERS; i++)
        pthread_join(t[i], 0);
    return length > SPACE;
}
