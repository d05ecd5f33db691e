/* load KIND SOCKET CLIENTS ROUNDS: a small load for a server on a local socket; KIND is memcached
 * or redis. Each round, every client sends a few requests in one go, then all replies are read.
 * Keys belong to one client or are read by all after they were written, so the replies do not
 * depend on who is served first. Prints them. Last of all the server is asked to stop (redis) or
 * left to a signal (memcached). Exit status 1: the server went away or did not come up.
 *
 * Compiled with -DINSIDE and linked into the server, it is a thread of the server itself, so that
 * server and clients are one program that does the same in each run under one schedule. The
 * environment gives REAL_LOAD="0|1 SOCKET CLIENTS ROUNDS" (1 for redis); the replies go to `out`.
 */
#ifdef INSIDE
#include <pthread.h>
#endif
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define CLIENTS 64

static int redis;
static int fds[CLIENTS];
static FILE *out;

static int open_socket(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    for (int i = 0; i < 3000; i++) {
        int fd = socket(AF_UNIX, SOCK_STREAM, 0);
        if (fd >= 0 && connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
            return fd;
        close(fd);
        nanosleep(&(struct timespec){0, 20000000}, NULL);
    }
    fprintf(stderr, "load: nobody listens on %s\n", path);
    exit(1);
}

static void sends(int fd, const char *fmt, ...)
{
    char text[4096];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    for (int done = 0; done < n;) {
        ssize_t w = write(fd, text + done, (size_t)(n - done));
        if (w <= 0)
            exit(1);
        done += (int)w;
    }
}

static char line(int fd, char *text, size_t size)
{
    size_t n = 0;
    char c;
    while (n + 1 < size) {
        if (read(fd, &c, 1) != 1) {
            fprintf(stderr, "load: the server went away\n");
            exit(1);
        }
        if (c == '\n')
            break;
        if (c != '\r')
            text[n++] = c;
    }
    text[n] = 0;
    return *text;
}

/* One reply, however many lines it has. */
static void reply(int who)
{
    char text[4096];
    char kind = line(fds[who], text, sizeof text);
    fprintf(out, "%d %s\n", who, text);
    if (redis && kind == '$' && text[1] != '-') {
        line(fds[who], text, sizeof text);
        fprintf(out, "  %s\n", text);
    } else if (redis && kind == '*') {
        for (int n = atoi(text + 1); n > 0; n--)
            reply(who);
    } else if (!redis && strncmp(text, "VALUE ", 6) == 0) {
        line(fds[who], text, sizeof text);
        fprintf(out, "  %s\n", text);
        reply(who);
    }
}

static int ask_memcached(int fd, int who, int round, int clients)
{
    sends(fd, "set k%d-%d 0 0 8\r\nv%07d\r\n", who, round % 7, round);
    sends(fd, "get k%d-%d\r\n", who, round % 7);
    sends(fd, "get k%d-none\r\n", (who + 1) % clients);
    if (round == 0)
        sends(fd, "set n%d 0 0 1\r\n5\r\n", who);
    else
        sends(fd, "incr n%d %d\r\n", who, round);
    sends(fd, round % 5 == 4 ? "delete k%d-%d\r\n" : "touch k%d-%d 1000\r\n", who, round % 7);
    sends(fd, "append k%d-%d 0 0 1\r\nx\r\n", who, (round + 1) % 7);
    return 6;
}

static int ask_redis(int fd, int who, int round, int clients)
{
    sends(fd, "SET k%d:%d v%07d\r\n", who, round % 7, round);
    sends(fd, "GET k%d:%d\r\n", who, round % 7);
    sends(fd, "GET k%d:none\r\n", (who + 1) % clients);
    sends(fd, "INCRBY n%d %d\r\n", who, round);
    sends(fd, "LPUSH l%d %d\r\n", who, round);
    sends(fd, "LRANGE l%d 0 3\r\n", who);
    sends(fd, "HSET h%d f%d %d\r\n", who, round, round * 3);
    sends(fd, round % 5 == 4 ? "UNLINK l%d\r\n" : "LLEN l%d\r\n", who);
    return 8;
}

static void load(const char *socket, int clients, int rounds)
{
    for (int i = 0; i < clients; i++)
        fds[i] = open_socket(socket);
    for (int round = 0; round < rounds; round++) {
        int n = 0;
        for (int i = 0; i < clients; i++)
            n = (redis ? ask_redis : ask_memcached)(fds[i], i, round, clients);
        for (int i = 0; i < clients; i++)
            for (int k = 0; k < n; k++)
                reply(i);
    }
    fclose(out);
    if (redis)
        sends(fds[0], "SHUTDOWN NOSAVE\r\n");
    for (int i = redis; i < clients; i++)
        close(fds[i]);
    char last;
    if (redis) /* until the server has closed it */
        while (read(fds[0], &last, 1) > 0)
            continue;
}

#ifdef INSIDE
static void *client(void *arg)
{
    char socket[100];
    int clients, rounds;
    if (sscanf(arg, "%d %99s %d %d", &redis, socket, &clients, &rounds) != 4 || clients < 1 ||
        clients > CLIENTS || !(out = fopen("out", "w")))
        exit(1);
    load(socket, clients, rounds);
    if (!redis) { /* by no signal: when one comes is not part of a schedule */
        sleep(2); /* the server's clock ticks */
        exit(0);
    }
    return NULL;
}

__attribute__((constructor)) static void start(void)
{
    pthread_t t;
    char *what = getenv("REAL_LOAD");
    what = what ? strdup(what) : NULL; /* redis writes over its environment */
    if (what && pthread_create(&t, NULL, client, what) == 0)
        pthread_detach(t);
}
#else
int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    redis = strcmp(argv[1], "redis") == 0;
    out = stdout;
    int clients = atoi(argv[3]);
    if (clients < 1 || clients > CLIENTS)
        return 2;
    load(argv[2], clients, atoi(argv[4]));
    return 0;
}
#endif
