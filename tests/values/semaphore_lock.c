/* One token is a lock: a semaphore with 1 (KIND 0), one that starts with 0 and to which main adds
 * one (1), a pipe with one byte (2). The buffer beside it is counted by two more semaphores. FAULT:
 * a consumer counts after it has given the token back. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

enum { SLOTS = 3 };
static sem_t token, empty, full;
static int ends[2], buffer[SLOTS], in, out, sum;

static void take(void)
{
    char c;
    if (KIND < 2)
        sem_wait(&token);
    else if (read(ends[0], &c, 1) != 1)
        _exit(1);
}

static void give(void)
{
    if (KIND < 2)
        sem_post(&token);
    else if (write(ends[1], "t", 1) != 1)
        _exit(1);
}

static void *produce(void *arg)
{
    for (int i = 0; i < N; i++) {
        sem_wait(&empty);
        take();
        buffer[in] = i;
        in = (in + 1) % SLOTS;
        give();
        sem_post(&full);
    }
    return arg;
}

static void *consume(void *arg)
{
    for (int i = 0; i < N; i++) {
        sem_wait(&full);
        take();
        sum += buffer[out];
        out = (out + 1) % SLOTS;
        give();
#ifdef FAULT
        sum++;
#endif
        sem_post(&empty);
    }
    return arg;
}

int main(void)
{
    pthread_t t[4];
    sem_init(&token, 0, KIND == 0);
    sem_init(&empty, 0, SLOTS);
    sem_init(&full, 0, 0);
    if (pipe(ends))
        return 1;
    if (KIND > 0)
        give();
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], 0, i < 2 ? produce : consume, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], 0);
    return 0;
}
