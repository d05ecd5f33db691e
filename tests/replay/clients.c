/* clients PORT ROUNDS [messages]: two clients of server.c, PORT 0 for its UNIX socket. Not
 * instrumented. */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int connected(int port, int type)
{
    struct sockaddr_un u = {.sun_family = AF_UNIX, .sun_path = "server.sock"};
    struct sockaddr_in a = {.sin_family = AF_INET,
                            .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
                            .sin_port = htons((unsigned short)port)};
    int fd = socket(port ? AF_INET : AF_UNIX, type, 0);
    if (port ? connect(fd, (void *)&a, sizeof a) : connect(fd, (void *)&u, sizeof u))
        exit(1);
    return fd;
}

int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0, rounds = argc > 2 ? atoi(argv[2]) : 1, fd[2];
    char text[8];
    for (int i = 0; i < 2; i++)
        fd[i] = connected(port, argc > 3 ? SOCK_DGRAM : SOCK_STREAM);
    for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 2; i++)
            if (write(fd[i], "hello", 5) != 5 || read(fd[i], text, sizeof text) != 5)
                return 1;
    return 0;
}
