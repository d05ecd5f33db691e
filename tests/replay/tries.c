/* Two threads try for a lock; the one that does not get it writes as well. KIND: which lock. */
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

static int total;

#if KIND == 0
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
#define TRY()  pthread_mutex_trylock(&lock)
#define GIVE() pthread_mutex_unlock(&lock)
#elif KIND == 1
static pthread_spinlock_t lock;
#define TRY()  pthread_spin_trylock(&lock)
#define GIVE() pthread_spin_unlock(&lock)
#elif KIND == 2
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define TRY()  pthread_rwlock_trywrlock(&lock)
#define GIVE() pthread_rwlock_unlock(&lock)
#elif KIND == 3
static sem_t lock;
#define TRY()  sem_trywait(&lock)
#define GIVE() sem_post(&lock)
#elif KIND == 4
static mtx_t lock;
#define TRY()  (mtx_trylock(&lock) != thrd_success)
#define GIVE() mtx_unlock(&lock)
#elif KIND == 5 /* readers: the writer is the one that does not get it */
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
#define TRY()  (arg ? pthread_rwlock_trywrlock(&lock) : pthread_rwlock_tryrdlock(&lock))
#define GIVE() pthread_rwlock_unlock(&lock)
#endif

static void *work(void *arg)
{
    int taken = TRY();
    total++;
    if (!taken)
        GIVE();
    return arg;
}

int main(void)
{
    pthread_t t, u;
#if KIND == 1
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
#elif KIND == 3
    sem_init(&lock, 0, 1);
#elif KIND == 4
    mtx_init(&lock, mtx_plain);
#endif
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, &total);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return total > 2;
}
