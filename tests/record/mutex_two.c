/* Two threads, one lock, one race on y. */
#include <pthread.h>
#include <stdio.h>
static int x, y;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&m);
        x++;
        pthread_mutex_unlock(&m);
    }
    y = *(int *)arg; /* RACE a */
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    int a[2] = {1, 2};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, w, &a[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d\n", x, y > 0);
    return x == 6 ? 0 : 1;
}
