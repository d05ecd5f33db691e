/* Small programs whose schedules can be counted by hand: programs NAME N. The main thread takes
 * part where it keeps the number of steps small; nobody is joined, because the end of the process
 * waits for everybody in a search. */
#include <assert.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MAX 32

static atomic_int ax, ay, cells[MAX];
static int x, y, z;
static int n;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, m2 = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static sem_t sem;
static pthread_barrier_t bar;
static int ends[2];

static void start(void *(*f)(void *), long arg)
{
    pthread_t t; /* not shared, so that no step is spent on it */
    if (pthread_create(&t, NULL, f, (void *)arg))
        exit(2);
}

/* n - 1 threads and this one. */
static void all(void *(*f)(void *))
{
    for (long i = 1; i < n; i++)
        start(f, i);
    f((void *)0);
}

static void *write_one(void *arg)
{
    atomic_store(&ax, (int)(long)arg + 1);
    return NULL;
}

static void *write_own(void *arg)
{
    atomic_store(&cells[(long)arg], 1);
    return NULL;
}

static void *read_or_write(void *arg)
{
    if (arg)
        (void)atomic_load(&ax);
    else
        atomic_store(&ax, 1);
    return NULL;
}

static void *section(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}

static void *two_sections(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m2);
    pthread_mutex_unlock(&m2);
    return arg;
}

static void *crossed(void *arg)
{
    pthread_mutex_lock(arg ? &m : &m2);
    pthread_mutex_lock(arg ? &m2 : &m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&m2);
    return NULL;
}

static void *store_buffer(void *arg)
{
    atomic_store(arg ? &ax : &ay, 1);
    (void)atomic_load(arg ? &ay : &ax);
    return NULL;
}

static void *increment(void *arg)
{
    x++;
    return arg;
}

static void *wait_for_flag(void *arg)
{
    pthread_mutex_lock(&m);
    if (arg) {
        while (!x)
            pthread_cond_wait(&c, &m);
    } else {
        x = 1;
        pthread_cond_signal(&c);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

/* Threads 1 .. n-1 wait once, whatever comes; this one notifies one of them. */
static void *notify_one(void *arg)
{
    pthread_mutex_lock(&m);
    if (arg)
        pthread_cond_wait(&c, &m);
    else
        pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *notify_all(void *arg)
{
    if (!arg)
        pthread_cond_broadcast(&c);
    else
        notify_one(arg);
    return NULL;
}

static void *wait_a_while(void *arg)
{
    struct timespec soon = {0, 0};
    soon.tv_sec = 5;
    pthread_mutex_lock(&m);
    if (arg)
        pthread_cond_timedwait(&c, &m, &soon);
    else
        pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *take_token(void *arg)
{
    sem_wait(&sem);
    sem_post(&sem);
    return arg;
}

static void nothing(void)
{
}

/* The second one finds the lock of the first taken, or the work done. */
static void *do_once(void *arg)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, nothing);
    return arg;
}

/* The order of the bytes is for whoever reads them. */
static void *write_pipe(void *arg)
{
    return write(ends[1], "x", 1) == 1 ? arg : NULL;
}

static void *hand_over(void *arg)
{
    if (arg)
        sem_post(&sem);
    else
        sem_wait(&sem);
    return NULL;
}

static void *meet(void *arg)
{
    pthread_barrier_wait(&bar);
    return arg;
}

static void *try_lock(void *arg)
{
    if (arg) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    } else if (!pthread_mutex_trylock(&m)) {
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *timed_lock(void *arg)
{
    struct timespec soon = {5, 0};
    if (arg) {
        pthread_mutex_lock(&m);
        pthread_mutex_unlock(&m);
    } else if (!pthread_mutex_timedlock(&m, &soon)) {
        pthread_mutex_unlock(&m);
    }
    return NULL;
}

static void *read_write_lock(void *arg)
{
    if (arg)
        pthread_rwlock_rdlock(&rw);
    else
        pthread_rwlock_wrlock(&rw);
    pthread_rwlock_unlock(&rw);
    return NULL;
}

static void *use_heap(void *arg)
{
    int *p = malloc(sizeof *p);
    *p = 1;
    free(p);
    return arg;
}

static void *branch_on_value(void *arg)
{
    if (arg)
        atomic_store(&ax, 1);
    else if (atomic_load(&ax))
        atomic_store(&ay, 1);
    else
        (void)atomic_load(&cells[0]);
    return NULL;
}

static void *create_writer(void *arg)
{
    if (arg)
        start(write_one, 5);
    else
        atomic_store(&ax, 1);
    return NULL;
}

static void *grow_and_join(void *arg)
{
    pthread_t t;
    if (!arg) {
        pthread_create(&t, NULL, write_one, (void *)1);
        pthread_join(t, NULL);
        (void)atomic_load(&ax);
    } else {
        atomic_store(&ax, 9);
    }
    return NULL;
}

/* Reader of the array from its end; writers that each read their neighbour's entry. */
static void *last_zero(void *arg)
{
    long i = (long)arg;
    if (i) {
        atomic_store(&cells[i], atomic_load(&cells[i - 1]) + 1);
    } else {
        for (i = n - 1; i > 0 && atomic_load(&cells[i]); i--)
            continue;
    }
    return NULL;
}

#define TABLE   128
#define ENTRIES 4
static atomic_int table[TABLE];

static void *indexer(void *arg)
{
    for (int k = 1; k <= ENTRIES; k++) {
        int w = k * 11 + (int)(long)arg, h = w * 7 % TABLE, zero = 0;
        while (!atomic_compare_exchange_strong(&table[h], &zero, w)) {
            h = (h + 1) % TABLE;
            zero = 0;
        }
    }
    return NULL;
}

#define INODES 32
#define BLOCKS 26
static pthread_mutex_t locki[INODES], lockb[BLOCKS];
static int inode[INODES], busy[BLOCKS];

static void *file_system(void *arg)
{
    int i = (int)(long)arg % INODES;
    pthread_mutex_lock(&locki[i]);
    if (!inode[i]) {
        for (int b = i * 2 % BLOCKS;; b = (b + 1) % BLOCKS) {
            pthread_mutex_lock(&lockb[b]);
            if (!busy[b]) {
                busy[b] = 1;
                inode[i] = b + 1;
                pthread_mutex_unlock(&lockb[b]);
                break;
            }
            pthread_mutex_unlock(&lockb[b]);
        }
    }
    pthread_mutex_unlock(&locki[i]);
    return NULL;
}

static void *check_value(void *arg)
{
    if (arg)
        atomic_store(&ax, 1);
    else
        assert(atomic_load(&ax) == 0);
    return NULL;
}

/* Both end the process; each is seen, because the other goes on. */
static void *crash_twice(void *arg)
{
    volatile int *nowhere = NULL;
    if (arg)
        *nowhere = 1;
    atomic_store(&ax, 1);
    atomic_store(&ay, 1);
    return NULL;
}

/* Only if the signal wakes thread 2, who came last, and not the one who waits longest. */
static void *wrong_one(void *arg)
{
    pthread_mutex_lock(&m);
    if (arg) {
        int before = x++;
        pthread_cond_wait(&c, &m);
        assert(before == 0);
    } else if (x == 2) {
        pthread_cond_signal(&c);
    }
    pthread_mutex_unlock(&m);
    return NULL;
}

static void *spin(void *arg)
{
    if (arg)
        while (!atomic_load(&ax))
            continue;
    return NULL;
}

/* main has taken the lock. */
static void *release_foreign(void *arg)
{
    if (arg)
        pthread_mutex_unlock(&m);
    return NULL;
}

static char *page;

static void *unmap_page(void *arg)
{
    if (arg)
        munmap(page, 4096);
    return NULL;
}

static void *protect_page(void *arg)
{
    if (arg)
        mprotect(page, 4096, PROT_NONE);
    return NULL;
}

static void *wake_nobody(void *arg)
{
    if (arg)
        syscall(SYS_futex, &ax, FUTEX_WAKE, 1, NULL, NULL, 0);
    return NULL;
}

static void *use_assembly(void *arg)
{
    if (arg)
        __asm__ volatile("nop" : "+m"(x) : : "memory");
    return NULL;
}

/* Threads of few random operations, drawn from the seed in argv[3]; a lock that is held is given
 * back in the end. Only operations that others may notice are instrumented, so that trying all
 * orders of them comes to an end. */
#define QUIET __attribute__((no_sanitize("thread"), noinline)) static
#define KINDS 14
static unsigned seed;
static pthread_mutex_t locks[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static __attribute__((noinline)) void put_cell(unsigned i, int v)
{
    atomic_store(&cells[i], v);
}

static __attribute__((noinline)) int get_cell(unsigned i)
{
    return atomic_load(&cells[i]);
}

static __attribute__((noinline)) void add_cell(unsigned i)
{
    atomic_fetch_add(&cells[i], 1);
}

QUIET unsigned draw(unsigned *state)
{
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

QUIET void wait_once(bool timed)
{
    struct timespec soon = {5, 0};
    pthread_mutex_lock(&gate);
    if (timed)
        pthread_cond_timedwait(&c, &gate, &soon);
    else
        pthread_cond_wait(&c, &gate);
    pthread_mutex_unlock(&gate);
}

QUIET void notify(bool all_of_them)
{
    pthread_mutex_lock(&gate);
    if (all_of_them)
        pthread_cond_broadcast(&c);
    else
        pthread_cond_signal(&c);
    pthread_mutex_unlock(&gate);
}

QUIET void one_random(unsigned kind, unsigned which, bool *held)
{
    struct timespec soon = {5, 0};
    switch (kind) {
    case 0:
    case 1:
        put_cell(which, (int)kind + 1);
        break;
    case 2:
        if (get_cell(which))
            (void)get_cell(!which);
        break;
    case 3:
        add_cell(which);
        break;
    case 4:
    case 5:
        if (!held[which])
            held[which] = !pthread_mutex_lock(&locks[which]);
        else
            held[which] = pthread_mutex_unlock(&locks[which]);
        break;
    case 6:
        if (!held[which])
            held[which] = !pthread_mutex_trylock(&locks[which]);
        break;
    case 7:
        if (!held[which])
            held[which] = !pthread_mutex_timedlock(&locks[which], &soon);
        break;
    case 8:
        sem_post(&sem);
        break;
    case 9:
        sem_wait(&sem);
        break;
    case 10:
        if (sem_trywait(&sem))
            put_cell(which, 7);
        break;
    case 11:
        wait_once(which);
        break;
    case 12:
        notify(which);
        break;
    default:
        if (pthread_rwlock_tryrdlock(&rw) == 0)
            pthread_rwlock_unlock(&rw);
        if (which && pthread_rwlock_trywrlock(&rw) == 0)
            pthread_rwlock_unlock(&rw);
    }
}

QUIET void *random_thread(void *arg)
{
    unsigned state = seed * 31 + (unsigned)(long)arg * 977 + 7;
    bool held[2] = {false, false};
    unsigned len = 1 + draw(&state) % (n > 2 ? 2 : 3);
    for (unsigned i = 0; i < len; i++) {
        unsigned kind = draw(&state) % KINDS, which = draw(&state) % 2;
        one_random(kind, which, held);
    }
    for (int i = 0; i < 2; i++)
        if (held[i])
            pthread_mutex_unlock(&locks[i]);
    return NULL;
}

static const struct {
    const char *name;
    void *(*f)(void *);
} programs[] = {
    {"writers", write_one},
    {"independent", write_own},
    {"readers", read_or_write},
    {"sections", section},
    {"two", two_sections},
    {"crossed", crossed},
    {"buffer", store_buffer},
    {"increment", increment},
    {"flag", wait_for_flag},
    {"notify", notify_one},
    {"broadcast", notify_all},
    {"while", wait_a_while},
    {"token", take_token},
    {"hand", hand_over},
    {"barrier", meet},
    {"try", try_lock},
    {"timed", timed_lock},
    {"rwlock", read_write_lock},
    {"heap", use_heap},
    {"branch", branch_on_value},
    {"creator", create_writer},
    {"join", grow_and_join},
    {"lastzero", last_zero},
    {"indexer", indexer},
    {"files", file_system},
    {"assert", check_value},
    {"crash", crash_twice},
    {"spin", spin},
    {"woken", wrong_one},
    {"random", random_thread},
    {"foreign", release_foreign},
    {"unmap", unmap_page},
    {"protect", protect_page},
    {"futex", wake_nobody},
    {"assembly", use_assembly},
    {"once", do_once},
    {"pipe", write_pipe},
};

int main(int argc, char **argv)
{
    n = argc > 2 ? atoi(argv[2]) : 2;
    seed = argc > 3 ? (unsigned)atoi(argv[3]) : 0;
    if (argc > 1 && !strcmp(argv[1], "random"))
        sem_init(&sem, 0, seed % 2);
    if (argc > 1 && !strcmp(argv[1], "token"))
        sem_init(&sem, 0, 1);
    if (argc > 1 && !strcmp(argv[1], "barrier"))
        pthread_barrier_init(&bar, NULL, (unsigned)n);
    if (argc > 1 && !strcmp(argv[1], "pipe") && pipe(ends))
        return 2;
    if (argc > 1 && !strcmp(argv[1], "foreign"))
        pthread_mutex_lock(&m);
    if (argc > 1 && (!strcmp(argv[1], "unmap") || !strcmp(argv[1], "protect")))
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (size_t i = 0; argc > 1 && i < sizeof programs / sizeof *programs; i++)
        if (!strcmp(argv[1], programs[i].name)) {
            all(programs[i].f);
            (void)y;
            (void)z;
            return 0;
        }
    return 2;
}
