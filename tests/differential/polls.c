/* Threads that poll each other's flags; test_polls.sh has what the macros mean. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

enum { WORKERS = 3, TIMES = 4 };
#if defined PLAIN
typedef volatile int flag;
#define GET(f)    (*(f))
#define PUT(f, v) (*(f) = (v))
#elif defined RELAXED
typedef atomic_int flag;
#define GET(f)    atomic_load_explicit(f, memory_order_relaxed)
#define PUT(f, v) atomic_store_explicit(f, v, memory_order_relaxed)
#else
typedef atomic_int flag;
#define GET(f)    atomic_load_explicit(f, memory_order_acquire)
#define PUT(f, v) atomic_store_explicit(f, v, memory_order_release)
#endif
static flag pending[WORKERS];
static int data[WORKERS], late, kept[64], seen;
static _Alignas(64) int given[WORKERS][16]; /* handed over, there and back */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
void unseen_put(void *to, int value); /* plain code without hooks */

static void work(int i)
{
    data[i] += i;
    for (int k = 0; k < 16; k++)
        given[i][k]++;
#ifdef LOCKED
    pthread_mutex_lock(&lock);
    late++;
    pthread_mutex_unlock(&lock);
#endif
#ifdef BACK
    if (i == 1) {
        PUT(&pending[i], 0);
        PUT(&pending[i], 1);
    }
#endif
#ifdef UNSEEN
    if (i == 1)
        unseen_put((void *)&pending[i], 0);
    else
#endif
        PUT(&pending[i], 0);
#ifdef EARLY
    given[i][3]++;
#endif
#ifdef LATE
    late = i;
#endif
}

static void *worker(void *arg)
{
    int i = (int)(long)arg;
    for (int n = 0; n < TIMES; n++) {
        while (GET(&pending[i]) == 0)
            ;
        work(i);
    }
    return NULL;
}

static void wait_for_all(void)
{
    int last = 0, n = 0;
    for (;;) {
        int sum = 0;
        for (int i = 0; i < WORKERS; i++) {
            int now = GET(&pending[i]);
#ifdef BRANCHES
            if (now == 7)
                return;
#endif
#ifdef KEEPS /* what was read lives on in memory of the thread alone */
            kept[n++ % 64] = now;
            last = now;
#endif
#ifdef LOOKS
            if (now == 0)
                seen += given[i][n % 16];
#endif
            sum += now;
        }
        if (sum == 0)
            break;
    }
#ifdef KEEPS
    data[0] += last + kept[5];
#endif
    (void)last;
    (void)n;
}

int main(void)
{
    pthread_t t[WORKERS];
    for (long i = 0; i < WORKERS; i++)
        pthread_create(&t[i], NULL, worker, (void *)i);
    for (int n = 0; n < TIMES; n++) {
        for (int i = 0; i < WORKERS; i++) {
            data[i] = n;
            for (int k = 0; k < 16; k++)
                given[i][k] = n;
            PUT(&pending[i], 1 + n % 2);
        }
        wait_for_all();
    }
    for (int i = 0; i < WORKERS; i++)
        pthread_join(t[i], NULL);
    pthread_mutex_lock(&lock);
    printf("%d %d %d\n", data[0], data[1], data[2]);
    pthread_mutex_unlock(&lock);
    return 0;
}
