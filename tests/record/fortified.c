/* The checked functions of _FORTIFY_SOURCE are accesses too. needs: -O1 -D_FORTIFY_SOURCE=2 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char shared[32], copy[32];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *arg)
{
    size_t n = strlen(arg);
    pthread_mutex_lock(&lock);
    memcpy(shared, arg, n + 1);
    strcat(shared, arg);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t;
    char buffer[64], word[] = "ab";
    int fds[2];
    (void)argv;
    pthread_create(&t, NULL, work, word);
    pthread_mutex_lock(&lock);
    strcpy(copy, shared);
    memset(shared, 'x', (size_t)argc);
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    snprintf(buffer, sizeof buffer, "%s", word);
    printf("%s\n", buffer);
    sprintf(buffer, "%d%s", 4, word);
    fprintf(stdout, "%s\n", buffer);
    if (pipe(fds) || write(fds[1], buffer, 3) != 3)
        return 1;
    printf("read %zd\n", read(fds[0], buffer, (size_t)argc + 2));
    return 0;
}
