/* Two workers that enter a critical section by their own turn variable, which nothing protects. 3
 * threads. */
#include <pthread.h>
static int turn, inside, total;
static void enter(int me)
{
    if (turn == me)
        inside = me;
    total += inside == me;
    turn = 1 - me;
}
static void *first(void *p)
{
    enter(0);
    return p;
}
static void *second(void *p)
{
    enter(1);
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return total > 2;
}
