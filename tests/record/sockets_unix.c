/* A connection of the program to itself through the file system: who comes before somebody listens
 * is sent away; who is let in sees what was written before listen; data order threads in both ways,
 * also when they are sent before anybody has accepted. Two connections are told apart by their
 * order. */
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static struct sockaddr_un addr = {.sun_family = AF_UNIX, .sun_path = "socket"};
static int ready, asked[2], answered[2];

static int enter(void)
{
    for (;;) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (connect(fd, (struct sockaddr *)&addr, sizeof addr) == 0)
            return fd;
        close(fd);
        usleep(1000);
    }
}

static void *client(void *arg)
{
    char c;
    int fds[2];
    for (int i = 0; i < 2; i++) {
        fds[i] = enter();
        asked[i] = ready + i;
        if (write(fds[i], "q", 1) != 1)
            return NULL;
    }
    for (int i = 2; i-- > 0;) {
        if (read(fds[i], &c, 1) != 1)
            return NULL;
        printf("answer %d: %d\n", i, answered[i]);
        close(fds[i]);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    char c;
    int ls = socket(AF_UNIX, SOCK_STREAM, 0), fds[2];
    unlink(addr.sun_path);
    pthread_create(&t, NULL, client, NULL);
    usleep(5000);
    ready = 1;
    if (bind(ls, (struct sockaddr *)&addr,
             offsetof(struct sockaddr_un, sun_path) + strlen(addr.sun_path) + 1) ||
        listen(ls, 4))
        return 1;
    for (int i = 0; i < 2; i++) {
        fds[i] = accept(ls, NULL, NULL);
        if (read(fds[i], &c, 1) != 1)
            return 2;
        answered[i] = asked[i] * 10;
    }
    for (int i = 0; i < 2; i++)
        if (write(fds[i], "a", 1) != 1)
            return 3;
    pthread_join(t, NULL);
    close(ls);
    unlink(addr.sun_path);
    return 0;
}
