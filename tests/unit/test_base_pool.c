/* Parallel loops: every item once, worker numbers in range and exclusive, signals kept away. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/pool.h"

enum { MAX_ITEMS = 100000, MAX_WORKERS = 16 };

struct log {
    atomic_uint runs[MAX_ITEMS];
    atomic_uint busy[MAX_WORKERS];
    atomic_uint wrong;
    unsigned n_threads;
};

static struct log shared_log;

static void run_item(void *ctx, size_t item, unsigned worker)
{
    struct log *log = ctx;
    if (worker >= log->n_threads || atomic_fetch_add(&log->busy[worker], 1) != 0)
        atomic_fetch_add(&log->wrong, 1);
    atomic_fetch_add(&log->runs[item], 1);
    atomic_fetch_sub(&log->busy[worker], 1);
}

static void every_item_runs_once(void **state)
{
    (void)state;
    static const size_t items[] = {0, 1, 2, 3, 7, 1000, MAX_ITEMS};
    static const unsigned threads[] = {0, 1, 2, 3, 8, MAX_WORKERS};
    size_t before = hd_alloc_in_use();
    for (size_t i = 0; i < sizeof items / sizeof *items; i++)
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            memset(&shared_log, 0, sizeof shared_log);
            shared_log.n_threads = threads[k] ? threads[k] : 1;
            hd_pool_for(items[i], threads[k], run_item, &shared_log);
            for (size_t item = 0; item < MAX_ITEMS; item++)
                assert_int_equal(atomic_load(&shared_log.runs[item]), item < items[i]);
            assert_int_equal(atomic_load(&shared_log.wrong), 0);
        }
    assert_int_equal(hd_alloc_in_use(), before);
}

struct order {
    size_t next;
    pthread_t caller;
};

static void expect_in_order(void *ctx, size_t item, unsigned worker)
{
    struct order *order = ctx;
    assert_int_equal(item, order->next++);
    assert_int_equal(worker, 0);
    assert_true(pthread_equal(pthread_self(), order->caller));
}

static void one_thread_runs_inline_in_order(void **state)
{
    (void)state;
    struct order order = {0, pthread_self()};
    hd_pool_for(1000, 1, expect_in_order, &order);
    assert_int_equal(order.next, 1000);
}

/* Both items wait for each other: with fewer than two threads at work this would never end. */
static void meet(void *ctx, size_t item, unsigned worker)
{
    (void)item;
    (void)worker;
    pthread_barrier_wait(ctx);
}

static void items_really_run_at_once(void **state)
{
    (void)state;
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 2);
    alarm(60);
    hd_pool_for(2, 2, meet, &barrier);
    alarm(0);
    pthread_barrier_destroy(&barrier);
    assert_true(hd_pool_cpus() >= 1);
}

struct mask_log {
    pthread_barrier_t both_run;
    atomic_uint blocked[2];
};

static void look_at_mask(void *ctx, size_t item, unsigned worker)
{
    (void)item;
    struct mask_log *log = ctx;
    sigset_t now;
    pthread_sigmask(SIG_SETMASK, NULL, &now);
    atomic_store(&log->blocked[worker], sigismember(&now, SIGINT) == 1);
    pthread_barrier_wait(&log->both_run);
}

static void workers_block_signals_and_caller_does_not(void **state)
{
    (void)state;
    struct mask_log log = {0};
    pthread_barrier_init(&log.both_run, NULL, 2);
    alarm(60);
    hd_pool_for(2, 2, look_at_mask, &log);
    alarm(0);
    pthread_barrier_destroy(&log.both_run);
    assert_int_equal(atomic_load(&log.blocked[0]), 0);
    assert_int_equal(atomic_load(&log.blocked[1]), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_runs_once),
        cmocka_unit_test(one_thread_runs_inline_in_order),
        cmocka_unit_test(items_really_run_at_once),
        cmocka_unit_test(workers_block_signals_and_caller_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
