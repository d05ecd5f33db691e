/* Appending one guarded buffer to another: the length of the source is read first, its characters
 * are copied later, and somebody may shorten it between. The length is read without the lock; with
 * -DLOCKED under it, in a section of its own; with -DWHOLE the source stays locked throughout. */
// expect: race=source atomicity=source deadlock=-
// expect -DLOCKED: race=- atomicity=source deadlock=-
// expect -DWHOLE: race=- atomicity=- deadlock=-
#include "heddle/annotate.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

struct buffer {
    pthread_mutex_t lock;
    int length;
    char text[16];
};

static struct buffer source = {PTHREAD_MUTEX_INITIALIZER, 4, "abcd"};
static struct buffer target = {PTHREAD_MUTEX_INITIALIZER, 0, ""};

static int length_of(struct buffer *b)
{
#ifdef LOCKED
    pthread_mutex_lock(&b->lock);
#endif
    int length = b->length;
#ifdef LOCKED
    pthread_mutex_unlock(&b->lock);
#endif
    return length;
}

static void append(struct buffer *to, struct buffer *from)
{
    heddle_atomic_begin();
    pthread_mutex_lock(&to->lock);
#ifdef WHOLE
    pthread_mutex_lock(&from->lock);
#endif
    int length = length_of(from);
#ifndef WHOLE
    pthread_mutex_lock(&from->lock);
#endif
    if (length <= from->length)
        memcpy(to->text + to->length, from->text, (size_t)length);
    to->length += length;
    pthread_mutex_unlock(&from->lock);
    pthread_mutex_unlock(&to->lock);
    heddle_atomic_end();
}

static void *shorten(void *arg)
{
    pthread_mutex_lock(&source.lock);
    source.length = 2;
    pthread_mutex_unlock(&source.lock);
    return arg;
}

static void *copy(void *arg)
{
    append(&target, &source);
    return arg;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, copy, NULL);
    pthread_create(&threads[1], NULL, shorten, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%d\n", target.length > 0);
    return 0;
}
