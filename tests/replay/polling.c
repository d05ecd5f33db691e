/* A thread polls for what another one does after a wait. Both in every way that there is:
 * polling SPIN WAIT. Natively all of them end; `seen` is a race in each. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static atomic_int ready, taken = 1;
static int done; /* guarded by lock, or by rwlock */
static volatile int seen;
static long tries;
static int ends[2];
static pthread_t waker;

static struct timespec in_ms(clockid_t clock, long ms)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    ts.tv_nsec += ms % 1000 * 1000000;
    ts.tv_sec += ms / 1000 + ts.tv_nsec / 1000000000;
    ts.tv_nsec %= 1000000000;
    return ts;
}

static void wait_sleep(void)
{
    usleep(100000);
}

static void wait_long(void)
{
    sleep(3600);
}

static void wait_cond(void)
{
    pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t never = PTHREAD_COND_INITIALIZER;
    struct timespec end = in_ms(CLOCK_REALTIME, 100);
    pthread_mutex_lock(&own);
    while (pthread_cond_timedwait(&never, &own, &end) == 0)
        continue;
    pthread_mutex_unlock(&own);
}

static void wait_sem(void)
{
    sem_t never;
    struct timespec end = in_ms(CLOCK_REALTIME, 100);
    sem_init(&never, 0, 0);
    sem_timedwait(&never, &end);
}

static void wait_often(void)
{
    for (int i = 0; i < 20; i++)
        usleep(1000);
}

static void wait_poll(void)
{
    poll(NULL, 0, 50);
}

static void wait_clock(void)
{
    struct timespec end = in_ms(CLOCK_MONOTONIC, 20), now;
    do
        clock_gettime(CLOCK_MONOTONIC, &now);
    while (now.tv_sec < end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec < end.tv_nsec));
}

static void spin_load(void)
{
    while (!atomic_load(&ready))
        continue;
}

static void spin_pause(void)
{
    while (!atomic_load_explicit(&ready, memory_order_acquire))
        __builtin_ia32_pause();
}

static void spin_yield(void)
{
    while (!atomic_load(&ready))
        sched_yield();
}

static void spin_count(void)
{
    while (!atomic_load(&ready)) {
        tries++;
        sched_yield();
    }
}

static void spin_sleep(void)
{
    struct timespec nothing = {0, 0};
    while (!atomic_load(&ready))
        nanosleep(&nothing, NULL);
}

static void spin_poll(void)
{
    while (!atomic_load(&ready))
        poll(NULL, 0, 0);
}

static void spin_select(void)
{
    while (!atomic_load(&ready))
        select(0, NULL, NULL, NULL, &(struct timeval){0, 0});
}

/* The set is made anew each time: memory changes. */
static void spin_set(void)
{
    while (!atomic_load(&ready)) {
        fd_set set;
        FD_ZERO(&set);
        FD_SET(ends[0], &set);
        select(ends[0] + 1, &set, NULL, NULL, &(struct timeval){0, 0});
    }
}

static void spin_futex(void)
{
    static int word;
    while (!atomic_load(&ready)) {
        struct timespec now = in_ms(CLOCK_REALTIME, 0);
        syscall(SYS_futex, &word, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 0, &now, NULL, ~0u);
    }
}

static void spin_past(void)
{
    struct timespec past = {2, 0};
    pthread_mutex_lock(&lock);
    while (!done)
        pthread_cond_timedwait(&cond, &lock, &past);
    pthread_mutex_unlock(&lock);
}

static void spin_lock(void)
{
    for (int d = 0; !d;) {
        pthread_mutex_lock(&lock);
        d = done;
        pthread_mutex_unlock(&lock);
    }
}

static void spin_trylock(void)
{
    for (int d = 0; !d;) {
        if (pthread_mutex_trylock(&lock))
            continue;
        d = done;
        pthread_mutex_unlock(&lock);
    }
}

static void spin_rwlock(void)
{
    for (int d = 0; !d;) {
        pthread_rwlock_rdlock(&rwlock);
        d = done;
        pthread_rwlock_unlock(&rwlock);
    }
}

static void spin_sem(void)
{
    while (sem_trywait(&sem))
        continue;
}

static void spin_join(void)
{
    while (pthread_tryjoin_np(waker, NULL) == EBUSY)
        continue;
}

static void spin_clock(void)
{
    struct timespec now;
    while (!atomic_load(&ready))
        clock_gettime(CLOCK_MONOTONIC, &now);
}

static void spin_pipe(void)
{
    char c;
    while (read(ends[0], &c, 1) < 0 && errno == EAGAIN)
        continue;
}

static void spin_exchange(void)
{
    while (atomic_exchange(&taken, 1))
        continue;
}

static void spin_cas(void)
{
    for (int expected = 0; !atomic_compare_exchange_weak(&taken, &expected, 1); expected = 0)
        continue;
}

#define WAY(f)                                                                                     \
    {                                                                                              \
#f, f                                                                                      \
    }
static const struct {
    const char *name;
    void (*f)(void);
} ways[] = {WAY(wait_sleep),   WAY(wait_long),   WAY(wait_cond),     WAY(wait_sem),
            WAY(wait_often),   WAY(wait_poll),   WAY(wait_clock),    WAY(spin_load),
            WAY(spin_pause),   WAY(spin_yield),  WAY(spin_count),    WAY(spin_sleep),
            WAY(spin_poll),    WAY(spin_select), WAY(spin_past),     WAY(spin_lock),
            WAY(spin_trylock), WAY(spin_rwlock), WAY(spin_sem),      WAY(spin_join),
            WAY(spin_clock),   WAY(spin_pipe),   WAY(spin_exchange), WAY(spin_cas),
            WAY(spin_set),     WAY(spin_futex)};
#define N_WAYS (sizeof ways / sizeof *ways)

static void (*way(const char *name))(void)
{
    for (size_t i = 0; i < N_WAYS; i++)
        if (!strcmp(ways[i].name, name))
            return ways[i].f;
    exit(2);
}

static void *wake(void *arg)
{
    way(arg)();
    seen = 1;
    pthread_rwlock_wrlock(&rwlock);
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&cond);
    pthread_mutex_unlock(&lock);
    pthread_rwlock_unlock(&rwlock);
    atomic_store(&ready, 1);
    atomic_store(&taken, 0);
    sem_post(&sem);
    return write(ends[1], "x", 1) == 1 ? arg : NULL;
}

static void *also(void *arg)
{
    (void)arg;
    spin_yield();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t second;
    if (argc == 1)
        for (size_t i = 0; i < N_WAYS; i++)
            puts(ways[i].name);
    if (argc < 3)
        return 0;
    sem_init(&sem, 0, 0);
    if (pipe2(ends, O_NONBLOCK))
        return 2;
    pthread_create(&waker, NULL, wake, argv[2]);
    if (argc > 3)
        pthread_create(&second, NULL, also, NULL);
    seen = 2;
    way(argv[1])();
    if (strcmp(argv[1], "spin_join"))
        pthread_join(waker, NULL);
    if (argc > 3)
        pthread_join(second, NULL);
    puts("over");
    return 0;
}
