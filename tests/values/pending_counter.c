/* Workers take jobs from a list; the maker waits until none is pending and reads the results. Race
 * free; with -DFAULT it waits only until the list is empty. */
#include <pthread.h>
#include <stdio.h>

#ifndef N
#define N 20
#endif
enum { THREADS = 3 };

struct job {
    struct job *next;
    int in, out;
};

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER, idle = PTHREAD_COND_INITIALIZER;
static struct job jobs[N], *head, *tail;
static int pending, quit;

static struct job *take(void)
{
    pthread_mutex_lock(&m);
    while (!head && !quit)
        pthread_cond_wait(&more, &m);
    struct job *j = head;
    if (j) {
        head = j->next;
        if (!head)
            tail = NULL;
    }
#ifdef FAULT
    if (j && --pending == 0)
        pthread_cond_signal(&idle);
#endif
    pthread_mutex_unlock(&m);
    return j;
}

static void *work(void *arg)
{
    for (struct job *j = take(); j; j = take()) {
        j->out = j->in * 2;
#ifndef FAULT
        pthread_mutex_lock(&m);
        if (--pending == 0)
            pthread_cond_signal(&idle);
        pthread_mutex_unlock(&m);
#endif
    }
    return arg;
}

static void give(struct job *j)
{
    pthread_mutex_lock(&m);
    if (tail)
        tail->next = j;
    else
        head = j;
    tail = j;
    pending++;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&m);
}

int main(void)
{
    pthread_t t[THREADS];
    long sum = 0;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < N; i++) {
        jobs[i].in = i;
        give(&jobs[i]);
    }
    pthread_mutex_lock(&m);
    while (pending)
        pthread_cond_wait(&idle, &m);
    quit = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&m);
    for (int i = 0; i < N; i++)
        sum += jobs[i].out;
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", sum);
    return 0;
}
