/* bank.c, corrected: the balance is changed and read under the lock. */
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100, report, entries, ready;

static void *teller(void *arg)
{
    report = 7; /* the auditor looks only after it has seen `ready` under the lock */
    pthread_mutex_lock(&lock);
    balance += 50;
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
    int seen_balance = balance;
    pthread_mutex_unlock(&lock);
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
