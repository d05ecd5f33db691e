/* random SEED: two or three threads of few random operations, drawn from the seed. What is held is
 * given back in the end. Only operations that others may notice are instrumented, so that trying
 * all orders of them comes to an end. */
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#define QUIET __attribute__((no_sanitize("thread"), noinline)) static
#define LOUD  __attribute__((noinline)) static

static uint64_t seed;
static atomic_int cells[2];
static int plain[2];
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t bar;
static sem_t sem;

struct held {
    bool locks[2], read, write;
};

LOUD void put_cell(unsigned i, int v)
{
    atomic_store(&cells[i], v);
}

LOUD int get_cell(unsigned i)
{
    return atomic_load(&cells[i]);
}

LOUD void add_cell(unsigned i)
{
    atomic_fetch_add(&cells[i], 1);
}

LOUD bool swap_cell(unsigned i, int from, int to)
{
    return atomic_compare_exchange_strong(&cells[i], &from, to);
}

LOUD void put_plain(unsigned i, int v)
{
    plain[i] = v;
}

LOUD int get_plain(unsigned i)
{
    return plain[i];
}

QUIET unsigned draw(uint64_t *state, unsigned n)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (unsigned)((z ^ z >> 31) % n);
}

QUIET void wait_once(bool timed)
{
    struct timespec soon = {5, 0};
    pthread_mutex_lock(&gate);
    if (timed)
        pthread_cond_timedwait(&cond, &gate, &soon);
    else
        pthread_cond_wait(&cond, &gate);
    pthread_mutex_unlock(&gate);
}

QUIET void notify(bool everybody, bool under_lock)
{
    if (under_lock)
        pthread_mutex_lock(&gate);
    if (everybody)
        pthread_cond_broadcast(&cond);
    else
        pthread_cond_signal(&cond);
    if (under_lock)
        pthread_mutex_unlock(&gate);
}

QUIET void *child(void *arg)
{
    put_cell((unsigned)(uintptr_t)arg, 9);
    return NULL;
}

QUIET void create(unsigned which, bool joins)
{
    pthread_t t;
    pthread_create(&t, NULL, child, (void *)(uintptr_t)which);
    if (joins)
        pthread_join(t, NULL);
}

QUIET void first_time(void)
{
    put_cell(0, 5);
}

QUIET void use_mutex(unsigned kind, unsigned which, struct held *h)
{
    struct timespec soon = {5, 0};
    pthread_mutex_t *m = &locks[which];
    if (h->locks[which] && kind < 2)
        h->locks[which] = pthread_mutex_unlock(m);
    else if (h->locks[which])
        return;
    else if (kind < 2)
        h->locks[which] = !pthread_mutex_lock(m);
    else if (kind == 2)
        h->locks[which] = !pthread_mutex_trylock(m);
    else
        h->locks[which] = !pthread_mutex_timedlock(m, &soon);
}

QUIET void give_rwlock(struct held *h)
{
    if (h->read || h->write)
        pthread_rwlock_unlock(&rw);
    h->read = h->write = false;
}

QUIET void use_rwlock(unsigned kind, struct held *h)
{
    struct timespec soon = {5, 0};
    if (h->read || h->write)
        give_rwlock(h);
    else if (kind == 0)
        h->read = !pthread_rwlock_rdlock(&rw);
    else if (kind == 1)
        h->write = !pthread_rwlock_wrlock(&rw);
    else if (kind == 2)
        h->read = !pthread_rwlock_tryrdlock(&rw);
    else if (kind == 3)
        h->write = !pthread_rwlock_trywrlock(&rw);
    else
        h->write = !pthread_rwlock_timedwrlock(&rw, &soon);
}

QUIET void use_sem(unsigned kind, unsigned which)
{
    struct timespec soon = {5, 0};
    int value = 0;
    if (kind < 2)
        sem_post(&sem);
    else if (kind == 2)
        sem_wait(&sem);
    else if (kind == 3 && sem_trywait(&sem))
        put_cell(which, 7);
    else if (kind == 4 && sem_timedwait(&sem, &soon))
        put_cell(which, 8);
    else if (kind == 5 && !sem_getvalue(&sem, &value) && value)
        put_cell(which, 6);
}

QUIET void use_memory(unsigned kind, unsigned which)
{
    if (kind < 2)
        put_cell(which, (int)kind + 1);
    else if (kind == 2 && get_cell(which))
        (void)get_cell(!which);
    else if (kind == 3)
        add_cell(which);
    else if (kind == 4 && swap_cell(which, 0, 3))
        put_cell(!which, 4);
    else if (kind == 5)
        put_plain(which, 1);
    else if (kind == 6 && get_plain(which))
        put_cell(which, 3);
    else if (kind == 7)
        assert(get_cell(which) != 2);
}

/* Each program has few kinds of operations, so that those of its threads meet. */
enum { MEMORY, MUTEX, RWLOCK, SEM, COND, CREATE, BARRIER, GROUPS };

QUIET unsigned draw_group(uint64_t *state)
{
    static const unsigned char often[] = {MEMORY, MUTEX, MUTEX, RWLOCK, SEM, COND, CREATE, BARRIER};
    uint64_t mine = seed;
    unsigned first = often[draw(&mine, 8)], second = often[draw(&mine, 8)];
    unsigned k = draw(state, 3);
    return k == 0 ? MEMORY : k == 1 ? first : second;
}

QUIET void one_random(uint64_t *state, struct held *h)
{
    unsigned group = draw_group(state), which = !draw(state, 4), kind = draw(state, 120);
    if (group == MEMORY)
        use_memory(kind % 8, which);
    else if (group == MUTEX)
        use_mutex(kind % 4, which, h);
    else if (group == RWLOCK)
        use_rwlock(kind % 5, h);
    else if (group == SEM)
        use_sem(kind % 6, which);
    else if (group == COND && kind % 2)
        wait_once(which);
    else if (group == COND)
        notify(which, kind & 2);
    else if (group == CREATE)
        create(which, kind & 2);
    else if (kind % 3)
        pthread_barrier_wait(&bar);
    else
        pthread_once(&once, first_time);
}

QUIET void *random_thread(void *arg)
{
    uint64_t number = (uintptr_t)arg, state = seed * 1000 + number % 10;
    struct held h = {0};
    unsigned len = 1 + draw(&state, (unsigned)(number / 10));
    for (unsigned i = 0; i < len; i++)
        one_random(&state, &h);
    give_rwlock(&h);
    for (int i = 0; i < 2; i++)
        if (h.locks[i])
            pthread_mutex_unlock(&locks[i]);
    return NULL;
}

QUIET void run(void)
{
    pthread_t t[3];
    uintptr_t n = seed % 3 ? 2 : 3, most = n == 2 ? 5 : 3;
    sem_init(&sem, 0, seed / 3 % 2);
    pthread_barrier_init(&bar, NULL, 2);
    for (uintptr_t i = 0; i < n; i++)
        pthread_create(&t[i], NULL, random_thread, (void *)(most * 10 + i));
    for (uintptr_t i = 0; i < n; i++)
        pthread_join(t[i], NULL);
}

int main(int argc, char **argv)
{
    seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    run();
    return 0;
}
