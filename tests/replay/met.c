/* One thread copies a structure while another one fills it field by field: each field is a race of
 * its own, all with the one copy. FIELDS of them at the lines of fill().
 *
 * The writer also makes accesses that do not race with the copy: it reads what the copy reads, and
 * writes beside it. Before it ends it waits for what comes after the copy, by a semaphore and by
 * asking again and again, so a replay that keeps the copy back must let it go in the end.
 * ROUNDS: both take a lock so often first, so that schedules are long. */
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <string.h>

#ifndef ROUNDS
#define ROUNDS 0
#endif

struct box {
    int beside;
    struct fields {
        int f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11;
    } in;
    int after;
};
static struct box box;
struct fields copy;
volatile size_t size = sizeof copy; /* so that it is one call */
static sem_t copied;
static atomic_int seen;
static const volatile struct fields *read_again = &box.in;
static int sum, rounds;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void turn(void)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        rounds++;
        pthread_mutex_unlock(&mutex);
    }
}

static void fill(void)
{
    box.beside = 1;
    box.in.f0 = 1;
    box.in.f1 = 2;
    box.in.f2 = 3;
    box.in.f3 = 4;
    box.in.f4 = 5;
    box.in.f5 = 6;
    box.in.f6 = 7;
    box.in.f7 = 8;
    box.in.f8 = 9;
    box.in.f9 = 10;
    box.in.f10 = 11;
    box.in.f11 = 12;
    box.after = 1;
    sum = read_again->f0 + read_again->f11;
}

static void *writer(void *arg)
{
    turn();
    fill();
    sem_wait(&copied);
    while (!atomic_load(&seen))
        sched_yield();
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&copied, 0, 0);
    pthread_create(&t, NULL, writer, NULL);
    turn();
    memcpy(&copy, &box.in, size);
    sem_post(&copied);
    atomic_store(&seen, 1);
    pthread_join(t, NULL);
    return copy.f3 < 0;
}
