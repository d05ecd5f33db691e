/* Waiting for children lets other threads run; statuses come through. */
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static sem_t go;
static int ran;

static void *work(void *arg)
{
    ran = 1;
    sem_post(&go);
    return arg;
}

int main(void)
{
    pthread_t t;
    int status = 0;
    siginfo_t info;
    sem_init(&go, 0, 0);
    pthread_create(&t, NULL, work, NULL);
    pid_t pid = fork();
    if (pid == 0)
        _exit(12);
    pid_t got = wait(&status);
    printf("wait %d %d\n", got == pid, WEXITSTATUS(status));
    pid = fork();
    if (pid == 0)
        _exit(13);
    waitid(P_PID, (id_t)pid, &info, WEXITED);
    printf("waitid %d\n", info.si_status);
    sem_wait(&go);
    printf("ran %d system %d\n", ran, WEXITSTATUS(system("exit 6")));
    FILE *p = popen("echo from a child", "r");
    char line[32];
    printf("%s", fgets(line, sizeof line, p));
    printf("pclose %d\n", pclose(p));
    pthread_join(t, NULL);
    return 0;
}
