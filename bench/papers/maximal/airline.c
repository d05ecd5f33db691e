/* Ten clerks sell seats. The check whether one is left and the sale are two steps without a lock.
 * 11 threads. */
#include <pthread.h>
enum { CLERKS = 10, SEATS = 7 };
static int sold, stop_sales;
static pthread_mutex_t count_lock = PTHREAD_MUTEX_INITIALIZER;
static int counted;
static void *clerk(void *p)
{
    if (!stop_sales && sold < SEATS) {
        sold++;
        if (sold >= SEATS)
            stop_sales = 1;
        pthread_mutex_lock(&count_lock);
        counted++;
        pthread_mutex_unlock(&count_lock);
    }
    return p;
}
int main(void)
{
    pthread_t t[CLERKS];
    for (int i = 0; i < CLERKS; i++)
        pthread_create(&t[i], 0, clerk, 0);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(t[i], 0);
    return sold < SEATS || counted < 1;
}
