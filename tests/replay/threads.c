/* Many threads in the life of a process, few at once: threads N FROM. The first two of each round
 * are joined, the third is detached. From thread FROM on, `racy` is a race. With one argument: so
 * many at once; with a third: N detached ones that nobody waits for. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static long from, racy, fine;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;

static void *work(void *arg)
{
    if ((long)arg >= from)
        racy++;
    pthread_mutex_lock(&lock);
    fine++;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *stand(void *arg)
{
    pthread_barrier_wait(&barrier);
    return arg;
}

static int at_once(long n)
{
    pthread_t *t = calloc((size_t)n, sizeof *t);
    long made = 0;
    int r = 0;
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 65536);
    pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
    while (made < n && (r = pthread_create(&t[made], &small, stand, NULL)) == 0)
        made++;
    printf("%ld threads, %s\n", made, r == EAGAIN ? "no more" : r ? "failed" : "all");
    if (made == n)
        pthread_barrier_wait(&barrier);
    for (long i = 0; made == n && i < n; i++)
        pthread_join(t[i], NULL);
    free(t);
    return 0;
}

static int alone(long n)
{
    long failed = 0;
    pthread_t t;
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setstacksize(&detached, 65536);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < n; i++)
        failed += pthread_create(&t, &detached, work, (void *)i) != 0;
    printf("%ld failed\n", failed);
    return 0;
}

/* What the process has for itself: the log is shared memory, and how full it is depends on the
 * reader. */
static void say_memory(void)
{
    char line[200];
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (!strncmp(line, "RssAnon:", 8))
            fputs(line, stderr);
    if (f)
        fclose(f);
}

int main(int argc, char **argv)
{
    pthread_attr_t detached;
    pthread_t t[3];
    long failed = 0;
    if (argc == 2)
        return at_once(atol(argv[1]));
    if (argc < 3)
        return 2;
    from = atol(argv[2]);
    if (argc == 4)
        return alone(atol(argv[1]));
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    for (long i = 0; i < atol(argv[1]); i += 3) {
        for (int k = 0; k < 3; k++)
            failed += pthread_create(&t[k], k == 2 ? &detached : NULL, work, (void *)(i + k)) != 0;
        pthread_join(t[0], NULL);
        pthread_join(t[1], NULL);
    }
    say_memory();
    printf("%ld failed\n", failed);
    return 0;
}
