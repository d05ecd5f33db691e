/* Deposits and withdrawals with a lock in each operation, and a transfer that reads both balances
 * without one. 3 threads. */
#include <pthread.h>
struct account {
    pthread_mutex_t lock;
    int balance, operations;
};
static struct account accounts[2] = {{PTHREAD_MUTEX_INITIALIZER, 100, 0},
                                     {PTHREAD_MUTEX_INITIALIZER, 100, 0}};
static int last_amount;
static void change(struct account *a, int by)
{
    pthread_mutex_lock(&a->lock);
    a->balance += by;
    pthread_mutex_unlock(&a->lock);
    a->operations++;
}
static void transfer(int from, int to, int amount)
{
    if (accounts[from].balance < amount)
        return;
    change(&accounts[from], -amount);
    change(&accounts[to], amount);
    last_amount = amount;
}
static void *to_right(void *p)
{
    transfer(0, 1, 30);
    return p;
}
static void *to_left(void *p)
{
    transfer(1, 0, 20);
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, to_right, 0);
    pthread_create(&b, 0, to_left, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return accounts[0].balance + accounts[1].balance == 0;
}
