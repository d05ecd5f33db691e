/* Streams over a pipe order their threads like the pipe itself. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int fds[2], data;

static void *writer(void *arg)
{
    FILE *f = fdopen(fds[1], "w");
    data = 5;
    fprintf(f, "go %d\n", data);
    fclose(f);
    return arg;
}

int main(void)
{
    pthread_t t;
    char line[16];
    int n = 0;
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, writer, NULL);
    FILE *f = fdopen(fds[0], "r");
    if (fgets(line, sizeof line, f))
        n = data;
    printf("%s%d\n", line, n);
    printf("end %d\n", fgets(line, sizeof line, f) == NULL);
    data = 6;
    pthread_join(t, NULL);
    fclose(f);
    return 0;
}
