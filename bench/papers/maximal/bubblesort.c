/* Each of 25 threads swaps its pair of neighbours under the lock of one of them only. 26 threads.
 */
#include <pthread.h>
enum { N = 26 };
static int data[N];
static pthread_mutex_t locks[N];
static int swaps, finished;
static void *sort_pair(void *p)
{
    int i = (int)(long)p;
    pthread_mutex_lock(&locks[i]);
    if (data[i] > data[i + 1]) {
        int keep = data[i];
        data[i] = data[i + 1];
        data[i + 1] = keep;
        swaps++;
    }
    pthread_mutex_unlock(&locks[i]);
    if (i == N - 2)
        finished = 1;
    return p;
}
int main(void)
{
    pthread_t t[N - 1];
    for (int i = 0; i < N; i++) {
        pthread_mutex_init(&locks[i], 0);
        data[i] = (i * 7 + 3) % N;
    }
    for (long i = 0; i < N - 1; i++)
        pthread_create(&t[i], 0, sort_pair, (void *)i);
    for (int i = 0; i < N - 1; i++)
        pthread_join(t[i], 0);
    return swaps < 0 || !finished;
}
