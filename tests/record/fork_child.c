/* fork in a program with threads: the child must not hang, its output and status are its own. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int n;

static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    n++;
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;
    int status;
    pthread_create(&t, NULL, work, NULL);
    pid_t pid = fork();
    if (pid == 0) {
        pthread_t u;
        pthread_mutex_lock(&lock);
        n = 5;
        pthread_mutex_unlock(&lock);
        pthread_create(&u, NULL, work, NULL);
        pthread_join(u, NULL);
        _exit(n == 6 ? 3 : 4);
    }
    waitpid(pid, &status, 0);
    pthread_join(t, NULL);
    printf("child %d n %d\n", WEXITSTATUS(status), n);
    printf("system %d\n", WEXITSTATUS(system("exit 4")));
    return 0;
}
