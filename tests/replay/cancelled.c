/* Two threads count in their cleanup handlers under a lock, the first thread counts without it. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int waiting, cleaned;

static void clean(void *arg)
{
    (void)arg;
    cleaned++;
    pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    pthread_cleanup_push(clean, NULL);
    waiting++;
    for (;;)
        pthread_cond_wait(&never, &lock);
    pthread_cleanup_pop(1);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int all = 0; all < 2; usleep(100)) {
        pthread_mutex_lock(&lock);
        all = waiting;
        pthread_mutex_unlock(&lock);
    }
    for (int i = 0; i < 2; i++)
        pthread_cancel(t[i]);
    cleaned++;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", cleaned);
    return 0;
}
