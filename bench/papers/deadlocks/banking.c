/* Transfers between accounts, each under its own lock. Two tellers take the locks in opposite
 * orders: a deadlock. Two others do so as well, but under a gate: none. The auditor takes them in
 * the order against the first teller, when all tellers have been joined: none. */
#include <pthread.h>
#include <stdio.h>

struct account {
    pthread_mutex_t lock;
    int balance;
};

static struct account savings = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account checking = {PTHREAD_MUTEX_INITIALIZER, 100};
static struct account bonds = {PTHREAD_MUTEX_INITIALIZER, 100};
static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;

static void transfer(struct account *from, struct account *to, int amount)
{
    pthread_mutex_lock(&from->lock);
    from->balance -= amount;
    pthread_mutex_lock(&to->lock);
    to->balance += amount;
    pthread_mutex_unlock(&to->lock);
    pthread_mutex_unlock(&from->lock);
}

static void *save(void *arg)
{
    transfer(&checking, &savings, 10);
    return arg;
}

static void *spend(void *arg)
{
    transfer(&savings, &checking, 20);
    return arg;
}

static void *invest(void *arg)
{
    pthread_mutex_lock(&gate);
    transfer(&savings, &bonds, 5);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *sell(void *arg)
{
    pthread_mutex_lock(&gate);
    transfer(&bonds, &savings, 5);
    pthread_mutex_unlock(&gate);
    return arg;
}

static void *audit(void *arg)
{
    transfer(&bonds, &checking, 1);
    transfer(&checking, &bonds, 1);
    return arg;
}

int main(void)
{
    void *(*const tellers[])(void *) = {save, spend, invest, sell};
    pthread_t threads[4], auditor;
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, tellers[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    transfer(&bonds, &checking, 1);
    pthread_create(&auditor, NULL, audit, NULL);
    pthread_join(auditor, NULL);
    printf("%d\n", savings.balance + checking.balance + bonds.balance);
    return 0;
}
