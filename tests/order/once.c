/* Double-checked initialisation. FAST, SLOW and STORE are memory orders. */
#include "order.h"
static int value;
static atomic_int ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *use(void *arg)
{
    if (!atomic_load_explicit(&ready, FAST)) {
        pthread_mutex_lock(&lock);
        if (!atomic_load_explicit(&ready, SLOW)) {
            value = 42;
            atomic_store_explicit(&ready, 1, STORE);
        }
        pthread_mutex_unlock(&lock);
    }
    printf("%d\n", value);
    return arg;
}
RUN(use, use)
