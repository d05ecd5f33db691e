/* Four players hit a ball that is passed on by a plain variable; one of them counts under a lock. 5
 * threads. */
#include <pthread.h>
enum { PLAYERS = 4 };
static int ball, hits;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counted;
static void *player(void *p)
{
    int me = (int)(long)p;
    if (ball == me % 2) {
        hits++;
        ball = 1 - ball;
    }
    pthread_mutex_lock(&lock);
    counted += hits;
    pthread_mutex_unlock(&lock);
    return p;
}
int main(void)
{
    pthread_t t[PLAYERS];
    for (long i = 0; i < PLAYERS; i++)
        pthread_create(&t[i], 0, player, (void *)i);
    for (int i = 0; i < PLAYERS; i++)
        pthread_join(t[i], 0);
    return counted < 0;
}
