/* Code without hooks writes x. CASE 0: after the only other thread was joined. CASE 1: under a
 * lock; the writer reads it later without one, which nobody can mind. CASE 2: two threads write
 * under the lock, so that nobody knows who it was. CASE 3: without a lock, and the other thread
 * reads it: a race. `loud` has a race in cases 1 to 3. */
#include <pthread.h>

void poke(int *p, int v);

int x = 1, seen, loud;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void write_x(int v)
{
    if (CASE == 1 || CASE == 2)
        pthread_mutex_lock(&lock);
    poke(&x, v);
    if (CASE == 1 || CASE == 2)
        pthread_mutex_unlock(&lock);
}

static void *other(void *arg)
{
    if (CASE == 2)
        write_x(5);
    if (CASE == 1 || CASE == 2)
        pthread_mutex_lock(&lock);
    seen = x;
    if (CASE == 1 || CASE == 2)
        pthread_mutex_unlock(&lock);
    if (CASE != 0)
        loud = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    int r = CASE == 0 ? 0 : x;
    pthread_create(&t, NULL, other, NULL);
    if (CASE == 0)
        r = x;
    if (CASE == 0)
        pthread_join(t, NULL);
    if (CASE != 0)
        loud = 1;
    write_x(3);
    if (CASE == 2)
        pthread_mutex_lock(&lock);
    r += x;
    if (CASE == 2)
        pthread_mutex_unlock(&lock);
    if (CASE != 0)
        pthread_join(t, NULL);
    return r == 0;
}
