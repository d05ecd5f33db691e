/* The check and the act hold the lock, the check in a function of its own. KIND 0: but not
 * together. KIND 1: together. KIND 2: not together, but the act checks again. */
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int balance = 100;

static int enough(int amount)
{
    if (KIND != 1)
        pthread_mutex_lock(&lock);
    int yes = balance >= amount;
    if (KIND != 1)
        pthread_mutex_unlock(&lock);
    return yes;
}

static void *withdraw(void *arg)
{
    int amount = (int)(long)arg;
    if (KIND == 1)
        pthread_mutex_lock(&lock);
    if (enough(amount)) {
        if (KIND != 1)
            pthread_mutex_lock(&lock);
        if (KIND != 2 || balance >= amount)
            balance -= amount;
        if (KIND != 1)
            pthread_mutex_unlock(&lock);
    }
    if (KIND == 1)
        pthread_mutex_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, withdraw, (void *)70);
    pthread_create(&b, 0, withdraw, (void *)20);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
