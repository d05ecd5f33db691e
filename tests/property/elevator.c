/* Lifts that answer calls on floors, where somebody new calls when a lift has come. The controls
 * are guarded by one lock; a lift claims a call under it. With -DPEEK a lift looks for a call in
 * one section and claims it in the next, so two lifts can go for one call. With -DUNLOCKED it looks
 * without the lock. */
// expect: race=- atomicity=- deadlock=-
// expect -DPEEK: race=- atomicity=calls deadlock=-
// expect -DUNLOCKED: race=calls atomicity=- deadlock=-
#include <pthread.h>
#include <stdio.h>

enum { LIFTS = 2, FLOORS = 3 };

static pthread_mutex_t controls = PTHREAD_MUTEX_INITIALIZER;
static int calls[FLOORS], served;

/* A floor on which somebody waits, now claimed; or -1. */
static int claim(void)
{
    int floor = -1;
#if defined(PEEK) || defined(UNLOCKED)
    for (int i = 0; i < FLOORS; i++) {
#ifdef PEEK
        pthread_mutex_lock(&controls);
#endif
        int waiting = calls[i];
#ifdef PEEK
        pthread_mutex_unlock(&controls);
#endif
        if (waiting) {
            pthread_mutex_lock(&controls);
            calls[i] = 0;
            pthread_mutex_unlock(&controls);
            return i;
        }
    }
#else
    pthread_mutex_lock(&controls);
    for (int i = 0; i < FLOORS && floor < 0; i++)
        if (calls[i]) {
            calls[i] = 0;
            floor = i;
        }
    pthread_mutex_unlock(&controls);
#endif
    return floor;
}

static void *lift(void *arg)
{
    int floor = claim();
    if (floor >= 0) {
        pthread_mutex_lock(&controls);
        served++;
        calls[floor] = 1;
        pthread_mutex_unlock(&controls);
    }
    return arg;
}

int main(void)
{
    pthread_t threads[LIFTS];
    for (int i = 0; i < FLOORS; i++)
        calls[i] = 1;
    for (int i = 0; i < LIFTS; i++)
        pthread_create(&threads[i], NULL, lift, NULL);
    for (int i = 0; i < LIFTS; i++)
        pthread_join(threads[i], NULL);
    printf("%d served\n", served);
    return 0;
}
