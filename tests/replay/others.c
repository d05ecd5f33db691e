/* Code that is not instrumented (others_hidden.c) decides when the reader reads: not while the
 * writer stands before its last write, which is the one nearest to the read. */
#include <pthread.h>
void hidden_put(int v);
int hidden_get(void);
static int data, seen;
static void *writer(void *arg)
{
    for (int i = 0; i < 2; i++) {
        hidden_put(i == OPEN);
        data = i;
    }
    hidden_put(1);
    return arg;
}
static void *reader(void *arg)
{
    if (hidden_get())
        seen = data;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, writer, NULL);
    pthread_create(&b, NULL, reader, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return seen > 1;
}
