#include "base/pool.h"

#include "base/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

struct loop {
    hd_parallel_fn fn;
    void *ctx;
    size_t n_items;
    atomic_size_t next; /* partner of itself: work() takes items, none is given back */
};

struct worker {
    struct loop *loop;
    unsigned number;
    pthread_t thread;
};

static void work(struct loop *loop, unsigned number)
{
    for (;;) {
        size_t item = atomic_fetch_add_explicit(&loop->next, 1, memory_order_relaxed);
        if (item >= loop->n_items)
            return;
        loop->fn(loop->ctx, item, number);
    }
}

static void *worker_main(void *arg)
{
    struct worker *w = arg;
    work(w->loop, w->number);
    return NULL;
}

/* Starts workers 1 .. n - 1 and returns how many run. A new thread inherits the blocked signals. */
static unsigned start_workers(struct loop *loop, struct worker *workers, unsigned n)
{
    sigset_t all, before;
    unsigned started = 0;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (unsigned i = 1; i < n; i++) {
        struct worker *w = &workers[started];
        *w = (struct worker){.loop = loop, .number = i};
        if (pthread_create(&w->thread, NULL, worker_main, w))
            break;
        started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

void hd_pool_for(size_t n_items, unsigned n_threads, hd_parallel_fn fn, void *ctx)
{
    struct loop loop = {.fn = fn, .ctx = ctx, .n_items = n_items};
    if (n_threads > n_items)
        n_threads = (unsigned)n_items;
    if (n_threads <= 1) {
        work(&loop, 0);
        return;
    }
    struct worker *workers = hd_calloc(n_threads, sizeof *workers);
    unsigned started = start_workers(&loop, workers, n_threads);
    work(&loop, 0);
    for (unsigned i = 0; i < started; i++)
        pthread_join(workers[i].thread, NULL);
    hd_free(workers, n_threads * sizeof *workers);
}

unsigned hd_pool_cpus(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int n = CPU_COUNT(&set);
    return n > 0 ? (unsigned)n : 1;
}
