/* Two threads that add to one variable, with a lock unless the program is the faulty one. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int total;

static void *add(void *p)
{
#ifndef FAULTY
    pthread_mutex_lock(&lock);
#endif
    total += (int)(long)p;
#ifndef FAULTY
    pthread_mutex_unlock(&lock);
#endif
    return NULL;
}

static void work(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, add, (void *)1);
    pthread_create(&b, NULL, add, (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    pthread_mutex_lock(&lock);
    printf("%d\n", total);
    pthread_mutex_unlock(&lock);
}
