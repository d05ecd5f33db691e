/* Another program is started: named, not recorded. vfork is a fork. */
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
static char *words[] = {"true", NULL};

static void *start(void *arg)
{
    if (posix_spawnp(NULL, "true", NULL, NULL, words, environ))
        return NULL;
    return arg;
}

int main(void)
{
    pthread_t t;
    void *done;
    int status = -1;
    pthread_create(&t, NULL, start, &status);
    pthread_join(t, &done);
    wait(&status);
    printf("%d %d\n", done == &status, status);
    fflush(stdout);
    pid_t child = vfork();
    if (child == 0)
        _exit(3);
    waitpid(child, &status, 0);
    printf("%d\n", WEXITSTATUS(status));
    return 0;
}
