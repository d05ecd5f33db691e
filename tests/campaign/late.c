/* Two threads and a lock. One looks at `count` without the lock when the other was first: which
 * races there are depends on the schedule. An argument or a line of input changes nothing but the
 * output. */
#include <pthread.h>
#include <stdio.h>

static int count, late;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    int before = count++;
    pthread_mutex_unlock(&lock);
    if (before > 0 && arg)
        late++;
    return arg;
}

int main(int argc, char **argv)
{
    char line[64] = "";
    pthread_t a, b;
    if (argc > 1 && argv[1][0] == '-' && !fgets(line, sizeof line, stdin))
        return 9;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, &a);
    for (volatile int i = 0; i < 20; i++)
        ;
    printf("%s%d\n", line, late);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
