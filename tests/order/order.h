/* Two or three threads that run one after the other under policy fifo, in the order of creation. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define relaxed memory_order_relaxed
#define consume memory_order_consume
#define acquire memory_order_acquire
#define release memory_order_release
#define acq_rel memory_order_acq_rel
#define seq_cst memory_order_seq_cst

static void run(int n, void *(*const *start)(void *))
{
    pthread_t t[4];
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, start[i], NULL);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}
#define RUN(...)                                                                                   \
    int main(void)                                                                                 \
    {                                                                                              \
        void *(*const start[])(void *) = {__VA_ARGS__};                                            \
        run(sizeof start / sizeof *start, start);                                                  \
        return 0;                                                                                  \
    }
