/* What strcmp has read decides whether it reads on. The other thread is past its lock only when it
 * has changed the first byte: then the second one is not read, and its write cannot race. */
#include <pthread.h>
#include <string.h>

static char key[4] = "ab";
static const char *volatile other = "ab";
static volatile int same;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *change(void *arg)
{
    pthread_mutex_lock(&lock);
    key[0] = 'x';
    pthread_mutex_unlock(&lock);
    key[1] = 'c';
    key[2] = 'd';
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, change, NULL);
    pthread_mutex_lock(&lock);
    same = strcmp(key, other) == 0;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
