/* pthread_once from three threads, and an exception in C++ style: a routine that starts a thread.
 */
#include <pthread.h>
#include <stdio.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, inner;

static void *helper(void *arg)
{
    inner = 1;
    return arg;
}

static void make(void)
{
    pthread_t t;
    pthread_create(&t, NULL, helper, NULL);
    pthread_join(t, NULL);
    made++;
}

static void *work(void *arg)
{
    pthread_once(&once, make);
    return made == 1 && inner == 1 ? arg : NULL;
}

int main(void)
{
    pthread_t t[3];
    void *r[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, &made);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], &r[i]);
    printf("made %d seen %d\n", made, r[0] && r[1] && r[2]);
    return 0;
}
