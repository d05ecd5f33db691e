/* A teller and an auditor. The teller changes the balance without the lock; the auditor reads it
 * without the lock. In nearly every run the teller's critical section comes first, and a detector
 * that orders threads by the locks they happened to take in that run sees nothing wrong. bank.trace
 * is such a run. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, report, entries, ready;

static void *teller(void *arg)
{
    balance += 50; /* races with the auditor's read */
    report = 7;    /* does not: the auditor looks only after it has seen `ready` under the lock */
    pthread_mutex_lock(&lock);
    entries++;
    ready = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static void *auditor(void *arg)
{
    pthread_mutex_lock(&lock);
    int seen_entries = entries;
    int seen_ready = ready;
    pthread_mutex_unlock(&lock);
    int seen_balance = balance;
    if (seen_ready)
        printf("report %d: ", report);
    printf("%d entries, balance %d\n", seen_entries, seen_balance);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, teller, NULL);
    pthread_create(&b, NULL, auditor, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
