#!/usr/bin/env bash
# Several threads write into one pipe: a reader comes after the writes whose bytes it got, and after those before them. Writers that
# always write the same may change places.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/record-writers
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

# Jobs that are filled before (LATE: after) their number is sent.
cat >jobs.c <<'SOURCE'
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>
static int fds[2], slots[6];
static void *writer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        int n = *(int *)arg + i;
#ifndef LATE
        slots[n] = n * 10;
#endif
#ifdef STREAM
        FILE *f = fdopen(dup(fds[1]), "w");
        fwrite(&n, sizeof n, 1, f);
        fclose(f);
#else
        if (write(fds[1], &n, sizeof n) != sizeof n)
            return NULL;
#endif
#ifdef LATE
        slots[n] = n * 10;
#endif
    }
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    int base[2] = {0, 3}, n, sum = 0;
#ifdef SOCKET
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, fds))
        return 1;
#else
    if (pipe(fds))
        return 1;
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, writer, &base[i]);
    for (int i = 0; i < 6; i++) {
        if (read(fds[0], &n, sizeof n) != sizeof n)
            return 1;
        sum += slots[n];
    }
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return sum != 150 && sum != 0;
}
SOURCE
# Two threads wake the main thread by the same byte: either may have done it. ORDER: they always come one after the other.
cat >wake.c <<'SOURCE'
#include <pthread.h>
#include <unistd.h>
static int fds[2];
int value;
static void *first(void *arg)
{
    value = 1;
    return write(fds[1], "w", 1) == 1 ? arg : NULL;
}
static void *second(void *arg)
{
    return write(fds[1], "w", 1) == 1 ? arg : NULL;
}
int main(void)
{
    pthread_t t, u;
    char c;
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, first, NULL);
#ifdef ORDER
    pthread_join(t, NULL);
#endif
    pthread_create(&u, NULL, second, NULL);
    if (read(fds[0], &c, 1) != 1)
        return 1;
    value = 2;
#ifndef ORDER
    pthread_join(t, NULL);
#endif
    pthread_join(u, NULL);
    return 0;
}
SOURCE

expect() { # CODE SUMMARY SOURCE FLAGS...
    local want=$1 summary=$2 source=$3 code=0
    shift 3
    "$HEDDLE" cc -g "$@" "$source" -o program -pthread || exit 1
    timeout 60 "$HEDDLE" run -- ./program >out 2>err || code=$?
    [ $code = "$want" ] || { fail "$source $*: exit code $code, expected $want"; head -12 err; }
    grep -q "^heddle: $summary;" err || { fail "$source $*: not: $summary"; tail -4 err; }
}

for flag in -O0 -O2; do
    for how in -DPIPE -DSOCKET -DSTREAM; do
        expect 0 "0 races confirmed, 0 predicted only" jobs.c $flag $how
        expect 66 "1 race confirmed, 0 predicted only" jobs.c $flag $how -DLATE
    done
    expect 66 "1 race confirmed, 0 predicted only" wake.c $flag
    expect 0 "0 races confirmed, 0 predicted only" wake.c $flag -DORDER
done
exit $failed
