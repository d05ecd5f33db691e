#include "solve/watch.h"

#include "base/interrupt.h"

#include <time.h>

/* Partner of hd_watch_busy. */
static void *watch(void *arg)
{
    struct hd_watch *w = arg;
    pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        if (!w->busy) {
            pthread_cond_wait(&w->change, &w->lock);
            continue;
        }
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 50000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&w->change, &w->lock, &until);
        if (w->busy && hd_interrupt_requested())
            Z3_interrupt(w->ctx);
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

void hd_watch_init(struct hd_watch *w, Z3_context ctx)
{
    *w = (struct hd_watch){.ctx = ctx};
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->change, NULL);
    w->started = pthread_create(&w->thread, NULL, watch, w) == 0;
}

void hd_watch_busy(struct hd_watch *w, bool busy)
{
    pthread_mutex_lock(&w->lock);
    w->busy = busy;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
}

void hd_watch_fini(struct hd_watch *w)
{
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    pthread_cond_signal(&w->change);
    pthread_mutex_unlock(&w->lock);
    if (w->started)
        pthread_join(w->thread, NULL);
    pthread_mutex_destroy(&w->lock);
    pthread_cond_destroy(&w->change);
}
