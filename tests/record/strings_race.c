/* String functions are accesses: a copy races with a comparison, a guarded one does not. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static char name[16] = "start", safe[16];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    strcpy(name, "other"); /* RACE a */
    pthread_mutex_lock(&lock);
    strncpy(safe, "one", sizeof safe);
    strcat(safe, "+");
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    char copy[16];
    pthread_create(&t, NULL, work, NULL);
    int r = strcmp(name, "start"); /* RACE a */
    pthread_mutex_lock(&lock);
    memcpy(copy, safe, sizeof copy);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    printf("%s %s %d\n", name, safe, r <= 0 || copy[0] != 'z');
    return 0;
}
