/* A plain flag: a race, and the data behind it follows. */
#include "order.h"
static int data, flag;
static void *producer(void *arg)
{
    data = 42;
    flag = 1;
    return arg;
}
static void *consumer(void *arg)
{
    if (flag)
        printf("%d\n", data);
    return arg;
}
RUN(producer, consumer)
