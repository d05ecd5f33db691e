/* Two threads come to pthread_once, the second while the routine runs; then they race. */
#include <pthread.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int made, counter;

static void make(void)
{
    usleep(1000);
    made = 1;
}

static void *work(void *arg)
{
    pthread_once(&once, make);
    counter += made; /* race */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
