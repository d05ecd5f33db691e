/* qsort and bsearch call back into instrumented code. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int list[8] = {5, 3, 8, 1, 9, 2, 7, 4}, calls;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a, y = *(const int *)b;
    calls++;
    return (x > y) - (x < y);
}

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    qsort(list, 8, sizeof *list, compare);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int key = 7;
    pthread_create(&t, NULL, work, NULL);
    pthread_mutex_lock(&lock);
    int before = list[0];
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    const int *p = bsearch(&key, list, 8, sizeof *list, compare);
    printf("%d..%d at %d calls %d before %d\n", list[0], list[7], p ? (int)(p - list) : -1,
           calls > 8, before == 5 || before == 1);
    return 0;
}
