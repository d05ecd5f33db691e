/* One program for each condition of "Memory that is lent" (docs/algorithms/building.md), -DRULE=N:
 * a stretch that would change an answer if the condition were not asked for. 2 and 3: those of this
 * number; 4, 8, 9 and 10: blocks of the owner, which hold the stretch, begin before it, are two
 * sections, or go on behind it; 5 and 6: one block, and two sections, of another thread; 7: the end
 * of a stretch is where all is written again. */
#include <pthread.h>
#include <semaphore.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static sem_t first, second, third;
int given, common;
struct lent {
    int low, high;
};

static void *set(void *arg)
{
    common = 1;
    pthread_mutex_lock(&lock);
    given = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static int take(void)
{
    pthread_mutex_lock(&lock);
    int value = given;
    pthread_mutex_unlock(&lock);
    return value;
}

static void work(volatile struct lent *x)
{
    for (int i = 0; i < 8; i++)
        x->low = x->low + i;
}

static void work_both(volatile struct lent *x)
{
    *(volatile long *)x = 0;
    for (int i = 0; i < 8; i++) {
        x->low = i;
        x->high = 5;
    }
}

#if RULE == 2 /* what it reads was written before the stretch, by the other thread */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    pthread_mutex_lock(&other);
    x->low = 1;
    x->high = take();
    pthread_mutex_unlock(&other);
    sem_post(&first);
    return NULL;
}

static void owner(volatile struct lent *x)
{
    pthread_mutex_lock(&other);
    x->low = x->low + 1;
    pthread_mutex_unlock(&other);
    sem_wait(&first);
    x->low = 0;
    work(x);
    if (x->high == 1)
        common = 2;
}
#elif RULE == 3  /* what it reads behind the stretch was written in it */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    pthread_mutex_lock(&other);
    x->low = 1;
    pthread_mutex_unlock(&other);
    sem_post(&first);
    sem_wait(&second);
    return x->high ? NULL : arg;
}

static void owner(volatile struct lent *x)
{
    pthread_mutex_lock(&other);
    x->low = x->low + 1;
    pthread_mutex_unlock(&other);
    sem_wait(&first);
    work_both(x);
    x->low = 1;
    x->high = take();
    x->low = 3;
    if (x->high == 1)
        common = 2;
    x->high = 4;
    sem_post(&second);
}
#elif RULE == 4  /* the stretch is in a block that goes on behind the other thread's use */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    x->low = 1;
    sem_post(&first);
    sem_wait(&second);
    x->low = x->low + 1;
    x->high = 2;
    sem_post(&third);
    return arg;
}

static void owner(volatile struct lent *x)
{
    sem_wait(&first);
    pthread_mutex_lock(&other);
    x->low = 0;
    work(x);
    x->low = 3;
    sem_post(&second);
    sem_wait(&third);
    given = x->low;
    pthread_mutex_unlock(&other);
}
#elif RULE == 8  /* the stretch is in a block that the other thread's use cuts before it */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    sem_wait(&first);
    given = x->low;
    sem_post(&second);
    return arg;
}

static void owner(volatile struct lent *x)
{
    pthread_mutex_lock(&other);
    x->low = 1;
    sem_post(&first);
    sem_wait(&second);
    x->low = 0;
    work(x);
    pthread_mutex_unlock(&other);
    x->low = 3;
    work(x);
}
#elif RULE == 9  /* one section checks in the stretch, the next acts behind it */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    given = x->low;
    sem_post(&first);
    sem_wait(&second);
    x->low = 5;
    sem_post(&third);
    return arg;
}

static void owner(volatile struct lent *x)
{
    sem_wait(&first);
    x->low = 0;
    work(x);
    pthread_mutex_lock(&other);
    int value = x->low;
    pthread_mutex_unlock(&other);
    x->low = 3;
    sem_post(&second);
    sem_wait(&third);
    pthread_mutex_lock(&other);
    x->low = value + 1;
    pthread_mutex_unlock(&other);
}
#elif RULE == 10 /* a block begins in the stretch and goes on behind it */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    given = x->low;
    sem_post(&first);
    sem_wait(&second);
    given = x->low;
    sem_post(&third);
    return arg;
}

static void owner(volatile struct lent *x)
{
    sem_wait(&first);
    x->low = 0;
    pthread_mutex_lock(&other);
    work(x);
    x->low = 3;
    sem_post(&second);
    sem_wait(&third);
    x->low = 7;
    pthread_mutex_unlock(&other);
}
#elif RULE == 5 || RULE == 6
static void owner(volatile struct lent *x)
{
    sem_wait(&first);
    x->low = 0;
    work(x);
    x->low = 3;
    sem_post(&second);
}
#if RULE == 5 /* it lies between two uses in one block of the other thread */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    pthread_mutex_lock(&other);
    x->low = 5;
    sem_post(&first);
    sem_wait(&second);
    given = x->low;
    pthread_mutex_unlock(&other);
    return arg;
}

#else /* it lies between two sections of it, of which the second acts on the first's check */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    pthread_mutex_lock(&other);
    int value = x->low;
    pthread_mutex_unlock(&other);
    sem_post(&first);
    sem_wait(&second);
    pthread_mutex_lock(&other);
    x->low = value + 1;
    pthread_mutex_unlock(&other);
    return arg;
}

#endif
#else /* the other thread may come before all is written again */
static void *use(void *arg)
{
    volatile struct lent *x = arg;
    pthread_mutex_lock(&other);
    x->low = 1;
    x->high = 7;
    pthread_mutex_unlock(&other);
    sem_post(&first);
    sem_wait(&second);
    if (x->high == 7)
        common = 3;
    return arg;
}

static void owner(volatile struct lent *x)
{
    pthread_mutex_lock(&other);
    x->low = x->low + 1;
    pthread_mutex_unlock(&other);
    sem_wait(&first);
    work_both(x);
    x->low = 3;
    sem_post(&second);
    common = 2;
    x->high = 7;
}
#endif

int main(void)
{
    pthread_t t[2];
    struct lent x __attribute__((aligned(8))) = {0, 0};
    sem_init(&first, 0, 0);
    sem_init(&second, 0, 0);
    sem_init(&third, 0, 0);
    pthread_create(&t[0], NULL, set, NULL);
    pthread_create(&t[1], NULL, use, &x);
    owner(&x);
    pthread_join(t[1], NULL);
    pthread_join(t[0], NULL);
    return 0;
}
