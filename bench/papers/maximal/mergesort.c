/* Two levels of threads sort halves and merge; the number of threads in use is asked without the
 * lock that guards it. 4 threads. */
#include <pthread.h>
enum { N = 32 };
static int data[N], spare[N];
static int threads, merges;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
struct part {
    int from, to, depth;
};
static void *sort(void *p);
static void merge(int from, int mid, int to)
{
    int a = from, b = mid;
    for (int i = from; i < to; i++)
        spare[i] = a < mid && (b == to || data[a] <= data[b]) ? data[a++] : data[b++];
    for (int i = from; i < to; i++)
        data[i] = spare[i];
    merges++;
}
static int may_start(void)
{
    if (threads >= 4)
        return 0;
    pthread_mutex_lock(&lock);
    threads++;
    pthread_mutex_unlock(&lock);
    return 1;
}
static void *sort(void *p)
{
    struct part *x = p;
    if (x->to - x->from < 2)
        return p;
    int mid = (x->from + x->to) / 2;
    struct part left = {x->from, mid, x->depth + 1}, right = {mid, x->to, x->depth + 1};
    pthread_t t;
    int split = x->depth < 2 && may_start();
    if (split)
        pthread_create(&t, 0, sort, &left);
    else
        sort(&left);
    sort(&right);
    if (split)
        pthread_join(t, 0);
    merge(x->from, mid, x->to);
    return p;
}
int main(void)
{
    for (int i = 0; i < N; i++)
        data[i] = (i * 37 + 11) % N;
    struct part all = {0, N, 0};
    sort(&all);
    return data[0] != 0 || merges < 0;
}
