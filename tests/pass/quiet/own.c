/* What a modelled call read decides its result, and what its arguments were read from decides what
 * it touches: a branch on the result, or a second access of the same call, keeps `quiet` from
 * coming first. `loud0` and `loud1` follow calls that have nothing to do with the read before them.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdint.h>
#include <string.h>

int quiet[4], loud0, loud1, kept;
char shared[8] = "no", other[8] = "xy", copy[8];
static char *volatile where = other;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *first(void *arg)
{
    for (int i = 0; i < 4; i++)
        quiet[i] = 1;
    loud0 = 1;
    loud1 = 1;
    pthread_mutex_lock(&lock);
    strcpy(shared, "yes");
    where = shared;
    kept = 1;
    pthread_mutex_unlock(&lock);
    return arg;
}

static int says(intptr_t how)
{
    char text[8];
    switch (how) {
    case 0:
        return strcmp(shared, "yes") == 0;
    case 1:
        return strlen(shared) == 3;
    case 2:
        return strlen(strcpy(text, where)) == 3;
    default:
        return snprintf(text, sizeof text, "%s", shared) == 3;
    }
}

static void *second(void *arg)
{
    intptr_t how = (intptr_t)arg;
    pthread_mutex_lock(&lock);
    int r = says(how);
    pthread_mutex_unlock(&lock);
    if (r)
        quiet[how] = 2;
    return NULL;
}

static void *third(void *arg)
{
    char mine[8];
    pthread_mutex_lock(&lock);
    copy[7] = (char)kept;
    pthread_mutex_unlock(&lock);
    if (strlen(other) == 2)
        loud0 = 2;
    memcpy(mine, other, strnlen(other, 4));
    loud1 = mine[0];
    return arg;
}

int main(void)
{
    pthread_t t[6];
    pthread_create(&t[0], NULL, first, NULL);
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&t[i + 1], NULL, second, (void *)i);
    pthread_create(&t[5], NULL, third, NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    return 0;
}
