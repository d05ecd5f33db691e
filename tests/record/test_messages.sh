#!/usr/bin/env bash
# What a socket orders: messages that are cut, empty or sent to an address, servers on all addresses, copies of descriptors.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/record-messages
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

# Jobs that are filled before (with a second argument: after) their number is sent.
cat >jobs.c <<'SOURCE'
#include <netinet/in.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int fds[2], slots[4];
static const char *how;
static bool late, to_address;
static struct sockaddr_storage address;
static socklen_t address_len;

static void check(bool ok)
{
    if (!ok)
        abort();
}

static void put(int n)
{
    char message[100] = {0}; /* more than is read */
    size_t len = strcmp(how, "empty") ? sizeof message : 0;
    memcpy(message, &n, sizeof n);
    if (to_address)
        check(sendto(fds[1], message, len, 0, (void *)&address, address_len) == (ssize_t)len);
    else
        check(send(fds[1], message, len, 0) == (ssize_t)len);
}

static int get(void)
{
    int n = 0;
    ssize_t got = recv(fds[0], &n, sizeof n, 0);
    check(got == (strcmp(how, "empty") ? (ssize_t)sizeof n : 0));
    return n;
}

static void *writer(void *arg)
{
    int base = *(int *)arg;
    for (int i = base; i < base + 2; i++) {
        if (!late)
            slots[i] = i + 1;
        put(i);
        if (late)
            slots[i] = i + 1;
    }
    return NULL;
}

static void make_sockets(void)
{
    struct sockaddr_in *in = (void *)&address;
    struct sockaddr_un *un = (void *)&address;
    bool unix_path = !strcmp(how, "path");
    to_address = strncmp(how, "udp", 3) == 0 || unix_path;
    if (!to_address) {
        check(!socketpair(AF_UNIX, strcmp(how, "packet") ? SOCK_DGRAM : SOCK_SEQPACKET, 0, fds));
        return;
    }
    for (int i = 0; i < 2; i++)
        fds[i] = socket(unix_path ? AF_UNIX : AF_INET, SOCK_DGRAM, 0);
    address_len = unix_path ? sizeof *un : sizeof *in;
    address.ss_family = unix_path ? AF_UNIX : AF_INET;
    if (unix_path)
        strcpy(un->sun_path, "mailbox");
    else if (strcmp(how, "udp-any"))
        in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    unlink("mailbox");
    check(!bind(fds[0], (void *)&address, address_len));
    check(!getsockname(fds[0], (void *)&address, &address_len));
    if (!strcmp(how, "udp-any"))
        in->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    to_address = strcmp(how, "udp-connected") != 0;
    check(to_address || !connect(fds[1], (void *)&address, address_len));
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    int base[2] = {0, 2}, seen = 0, sum = 0;
    how = argv[1];
    late = argc > 2;
    make_sockets();
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, &base[i]);
    for (int i = 0; i < 4; i++)
        seen |= get(); /* an empty message says only that there is one more */
    for (int i = 0; i < 4; i++)
        sum += slots[i];
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum > 10 || seen > 3;
}
SOURCE

# A server on all addresses, or (copy) on one that is used through a copy of its descriptors.
cat >server.c <<'SOURCE'
#include <netinet/in.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static int box, late;
static struct sockaddr_in at;
static int pair[2];
static void *client(void *arg)
{
    char c = 'x';
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    box = 7;
    if (connect(fd, (void *)&at, sizeof at))
        abort();
    if (late)
        box = 8;
    if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 1)
        abort();
    close(fd);
    return arg;
}
static void *copy(void *arg)
{
    int fd = dup(pair[1]);
    close(pair[1]);
    if (!late)
        box = 7;
    if (write(fd, "x", 1) != 1)
        abort();
    if (late)
        box = 8;
    close(fd);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char c;
    socklen_t n = sizeof at;
    late = argc > 2;
    if (!strcmp(argv[1], "copy")) {
        if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
            abort();
        int fd = dup(pair[0]);
        close(pair[0]);
        pthread_create(&t, NULL, copy, NULL);
        if (read(fd, &c, 1) != 1)
            abort();
        box++;
        pthread_join(t, NULL);
        return 0;
    }
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_ANY);
    if (bind(fd, (void *)&at, n) || listen(fd, 4) || getsockname(fd, (void *)&at, &n))
        abort();
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    pthread_create(&t, NULL, client, NULL);
    int conn = accept(fd, NULL, NULL);
    box++;
    if (read(conn, &c, 1) != 1 || write(conn, &c, 1) != 1)
        abort();
    close(conn);
    pthread_join(t, NULL);
    return 0;
}
SOURCE

# A stream of stdio on a socket; the reader's descriptor may be a copy.
cat >stream.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
static int pair[2], box, late;
static const char *how;
static void *writer(void *arg)
{
    FILE *f = fdopen(pair[1], "w");
    if (!late)
        box = 7;
    fprintf(f, "hello %d\n", 5);
    if (strcmp(how, "close"))
        fflush(f);
    if (late && strcmp(how, "close"))
        box = 7;
    fclose(f);
    if (late && !strcmp(how, "close"))
        box = 7;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char line[99];
    how = argv[1];
    late = argc > 2;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair))
        abort();
    int fd = strcmp(how, "copy") ? pair[0] : dup(pair[0]);
    if (fd != pair[0])
        close(pair[0]);
    pthread_create(&t, NULL, writer, NULL);
    FILE *f = fdopen(fd, "r");
    if (!fgets(line, sizeof line, f) || strcmp(line, "hello 5\n"))
        abort();
    box++;
    pthread_join(t, NULL);
    return fclose(f);
}
SOURCE

expect() { # CODE PROGRAM ARGUMENTS...
    local want=$1 code=0
    shift
    timeout 60 "$HEDDLE" run -- "$@" >out 2>err || code=$?
    [ $code = "$want" ] || { fail "$*: exit code $code, expected $want"; head -12 err; }
    [ "$want" = 66 ] && want='[12] races\{0,1\} confirmed, 0 predicted only' || want="0 races confirmed, 0 predicted only"
    grep -q "^heddle: $want;" err || { fail "$*: not: $want"; tail -4 err; }
}

"$HEDDLE" cc -g -O1 jobs.c -o jobs -pthread && "$HEDDLE" cc -g -O1 server.c -o server -pthread || exit 1
"$HEDDLE" cc -g -O1 stream.c -o stream -pthread || exit 1
for how in datagram packet empty udp udp-any udp-connected path; do
    expect 0 ./jobs $how
    expect 66 ./jobs $how late
done
for how in any copy; do
    expect 0 ./server $how
    expect 66 ./server $how late
done
for how in flush close copy; do
    expect 0 ./stream $how
    expect 66 ./stream $how late
done
exit $failed
