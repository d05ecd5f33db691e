/* A thread writes its own stack without a trace of it (here by assembly; compilers do it where
 * nothing is named, as in padding), while another one, which uses the memory beside it, is in code
 * without hooks. That one did not make the write. No race. */
#include <pthread.h>
#include <unistd.h>

void poke(int *p, int v);

struct both {
    _Alignas(8) int own;
    int lent;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int elsewhere;

static void *work(void *arg)
{
    struct both *b = arg;
    pthread_mutex_lock(&lock);
    b->lent = 1;
    poke(&elsewhere, 2);
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    struct both b;
    pthread_t t;
    int sum = 0;
    b.own = 1;
    b.lent = 0;
    pthread_create(&t, NULL, work, &b);
    usleep(1000);
    int *p = &b.own;
    __asm__ volatile("movl $5, (%0)" : : "r"(p));
    sum = b.own;
    pthread_mutex_lock(&lock);
    sum += b.lent;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return sum == 6 ? 0 : 1;
}
