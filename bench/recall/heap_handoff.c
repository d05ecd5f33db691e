/* A producer hands blocks over a list, and touches them afterwards. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct item {
    int value;
    struct item *next;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct item *list;

static void push(struct item *i)
{
    pthread_mutex_lock(&lock);
    i->next = list;
    list = i;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static void *consume(void *arg)
{
    int sum = 0;
    for (int n = 0; n < 3; n++) {
        pthread_mutex_lock(&lock);
        while (!list)
            pthread_cond_wait(&more, &lock);
        struct item *i = list;
        list = i->next;
        pthread_mutex_unlock(&lock);
        sum += i->value;
        free(i);
    }
    return sum ? arg : NULL;
}

int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, consume, NULL);
    for (int n = 0; n < 3; n++) {
        struct item *i = malloc(sizeof *i);
        if (!i)
            return 1;
        i->value = n;
#ifdef GOOD
        i->value = n + 1;
        push(i);
#else
        push(i);
        i->value = n + 1;
#endif
    }
    pthread_join(t, NULL);
    puts("over");
    return 0;
}
