#!/usr/bin/env bash
# The plain command records several schedules: what no order of the first run's events shows is found, and correct twins
# stay quiet. A program whose input cannot be had again runs once.
. "$TESTS/replay/lib.sh" || exit 1
start several
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/pool.c" -o pool.bad || fail "heddle cc"
"$HEDDLE" cc -g -O1 -pthread -DGOOD "$TESTS/replay/pool.c" -o pool.good || fail "heddle cc"
"$HEDDLE" c++ -std=c++20 -g -O1 -pthread "$TESTS/replay/coroutines.cpp" -o coroutines.bad || fail "heddle c++"
"$HEDDLE" c++ -std=c++20 -g -O1 -pthread -DGOOD "$TESTS/replay/coroutines.cpp" -o coroutines.good || fail "heddle c++"

for name in pool:total coroutines:counter; do
    program=${name%:*}
    # one recording does not show it
    "$HEDDLE" run -v --runs 1 -o "$program.once" -- "./$program.bad" >out 2>err </dev/null
    [ $? -eq 0 ] || fail "$program: one recording is enough: $(cat err)"
    [ $program = coroutines ] || grep -q "^Note: no work was left for T1.2" err || fail "nothing about idle workers: $(cat err)"
    "$HEDDLE" run -v -o "$program.out" -- "./$program.bad" >out 2>err </dev/null
    [ $? -eq 66 ] || fail "$program: exit $?: $(cat err)"
    [ "$(wc -l <out)" = 1 ] || fail "$program: its output came more than once: $(cat out)"
    ! grep -q "no work was left" err || fail "$program: all had work: $(cat err)"
    grep -q "First shown by: sync" err || fail "$program: $(cat err)"
    grep -q "first shown by sync<" "$program.out/report.html" || fail "$program: the page does not say which schedule"
    jq -e --arg v "${name#*:}" '[.races[] | [.variable, .status, .shown_by, .trace]] == [[$v, "confirmed", "sync", "run-2.hdr"]]' \
        "$program.out/report.json" >/dev/null || fail "$program: $(jq -c '.races[] | [.variable, .status, .shown_by]' "$program.out/report.json")"
    "$HEDDLE" run -v -o "$program.good.out" -- "./$program.good" >out 2>err </dev/null
    [ $? -eq 0 ] || fail "$program, correct: exit $?: $(cat err)"
    jq -e '.races == [] and .runs == 4' "$program.good.out/report.json" >/dev/null || fail "$program, correct: $(cat err)"
done
ls pool.out | grep -qx run-4.hdr || fail "pool.out holds $(ls pool.out)"
"$HEDDLE" replay --run pool.out >out 2>err || [ $? -eq 66 ] || fail "replay: $(cat err)"
grep -q CONFIRMED out || fail "replay: $(cat out err)"

# A race of those that find a lock taken: nobody does when each thread runs until it blocks.
for kind in 0 1 2 3 4 5; do
    "$HEDDLE" cc -g -O1 -pthread -DKIND=$kind "$TESTS/replay/tries.c" -o "try$kind" || fail "heddle cc"
    "$HEDDLE" -q run -o "try$kind.out" -- "./try$kind" >out 2>err </dev/null
    [ $? -eq 66 ] || fail "kind $kind of a try: no race: $(cat err)"
done

# A run that ends in the deadlock that is confirmed is no other finding, though the first thread waits there, too.
cat >orders.c <<'END'
#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}
static void *two(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, one, NULL);
    pthread_create(&u, NULL, two, NULL);
    pthread_join(t, NULL);
    return pthread_join(u, NULL);
}
END
"$HEDDLE" cc -g -O1 -pthread orders.c -o orders || fail "heddle cc"
"$HEDDLE" -q run --runs 8 --property deadlock -o orders.out -- ./orders >out 2>err </dev/null
[ $? -eq 66 ] || fail "orders: exit $?: $(cat err)"
jq -e '[.races[] | [.status, (.accesses | length)]] == [["confirmed", 2]]' orders.out/report.json >/dev/null ||
    fail "orders: $(jq -c '.races[] | [.status, .variable]' orders.out/report.json)"

# Another hang in which threads wait for the same locks is a finding of its own.
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/stuck_apart.c" -o apart || fail "heddle cc"
"$HEDDLE" -q run --runs 4 --property deadlock -o apart.out -- ./apart >out 2>err </dev/null
jq -e '[.races[] | select(.status == "observed") | .accesses[].kind] | index("wait for semaphore")' apart.out/report.json >/dev/null ||
    fail "apart: $(jq -c '.races[] | [.status, .variable]' apart.out/report.json)"

# --runs N is exact, a named policy is one run, one thread is one run.
"$HEDDLE" run -v --runs 6 -o six -- ./pool.good >out 2>err </dev/null || fail "six: $(cat err)"
[ "$(jq .runs six/report.json)" = 6 ] || fail "six: $(jq .runs six/report.json)"
"$HEDDLE" run -v --policy pct -o pct -- ./pool.good >out 2>err </dev/null || fail "pct: $(cat err)"
[ "$(jq .runs pct/report.json)" = 1 ] || fail "pct: $(jq .runs pct/report.json)"
echo 'int main(void) { return 0; }' >alone.c
"$HEDDLE" run -v -o alone alone.c >out 2>err </dev/null || fail "alone: $(cat err)"
[ "$(jq .runs alone/report.json)" = 1 ] || fail "alone: $(jq .runs alone/report.json)"

# Standard input: a file is read again, a pipe that was read is not, a pipe that nobody reads does not matter.
cat >reads.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static void *nothing(void *arg)
{
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t;
    char line[64] = "nothing";
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    if (argc > 1 && argv[1][0] == 'f')
        fgets(line, sizeof line, stdin);
    else if (argc > 1 && read(0, line, sizeof line - 1) <= 0)
        return 1;
    if (argc > 1 && line[0] != 'h')
        _exit(9); /* read again, and not there */
    return 0;
}
END
"$HEDDLE" cc -g -O1 -pthread reads.c -o reads || fail "heddle cc"
printf 'skipped\nhello\n' >input
runs() { # runs WANT NAME ARG...: with the standard input that it has
    local want=$1 name=$2
    shift 2
    "$HEDDLE" run -v -o "$name" -- ./reads "$@" >out 2>err || fail "$name: exit $?: $(cat err)"
    [ "$(jq .runs "$name/report.json")" = "$want" ] || fail "$name: $(jq .runs "$name/report.json") runs: $(cat err)"
    jq -e '.notes | any(startswith("under "))' "$name/report.json" >/dev/null && fail "$name: $(jq -c .notes "$name/report.json")"
    return 0
}
{ read -r _; runs 4 file f; } <input
echo hello | runs 1 pipe f
grep -q "recorded once: it read its standard input" err || fail "pipe: $(cat err)"
echo hello | runs 1 piped_read r
echo hello | runs 4 unread
# A server that asks poll for connections, whose client is a thread of its own: there is nobody else.
cat >own_client.c <<'END'
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sys/socket.h>
#include <unistd.h>
static struct sockaddr_in at = {.sin_family = AF_INET};
static void *client(void *arg)
{
    char byte = 0;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(fd, (struct sockaddr *)&at, sizeof at) == 0 && write(fd, "x", 1) == 1 && read(fd, &byte, 1) == 1)
        close(fd);
    return arg;
}
int main(void)
{
    pthread_t t;
    char byte = 0;
    socklen_t n = sizeof at;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) || listen(fd, 1) || getsockname(fd, (struct sockaddr *)&at, &n))
        return 1;
    pthread_create(&t, NULL, client, NULL);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (poll(&p, 1, 60000) != 1)
        return 1;
    int to = accept(fd, NULL, NULL);
    if (read(to, &byte, 1) != 1 || write(to, &byte, 1) != 1)
        return 1;
    close(to);
    return pthread_join(t, NULL);
}
END
"$HEDDLE" cc -g -O1 -pthread own_client.c -o own_client || fail "heddle cc"
"$HEDDLE" -q run -o own_client.out -- ./own_client >out 2>err </dev/null || fail "own_client: exit $?: $(cat err)"
[ "$(jq .runs own_client.out/report.json)" = 4 ] || fail "own_client: $(jq -c '[.runs, .notes]' own_client.out/report.json)"

# The user's signal, and clients, are not to be had again.
cat >waits.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
static volatile sig_atomic_t over;
static void *nothing(void *arg)
{
    return arg;
}
static void end(int sig)
{
    over = sig;
}
int main(void)
{
    pthread_t t;
    signal(SIGTERM, end);
    signal(SIGUSR1, end);
    pthread_create(&t, NULL, nothing, NULL);
    pthread_join(t, NULL);
    if (write(2, "waits\n", 6) != 6)
        return 1;
    while (!over)
        pause();
    return 0;
}
END
"$HEDDLE" cc -g -O1 -pthread waits.c -o waits || fail "heddle cc"
told() { # told SIGNAL WHOM REASON
    "$HEDDLE" run -v -o "told-$1" -- ./waits >out 2>err </dev/null &
    local pid=$! to
    for _ in $(seq 200); do
        grep -q waits err && break
        sleep 0.1
    done
    to=$pid
    [ "$2" = heddle ] || to=$(pgrep -P $pid -x waits)
    kill -"$1" "$to"
    wait $pid || fail "$1: exit $?: $(cat err)"
    [ "$(jq .runs "told-$1/report.json")" = 1 ] || fail "$1: $(jq .runs "told-$1/report.json") runs"
    jq -e --arg r "recorded once: $3" '.notes | any(startswith($r))' "told-$1/report.json" >/dev/null || fail "$1: $(cat err)"
}
told TERM heddle "it was told to end"

# Of a recording that stops early it is not known who had no work.
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/late.c" -o late || fail "heddle cc late"
"$HEDDLE" run --runs 1 --max-size 100000 -- ./late >out 2>err </dev/null
[ $? -eq 5 ] || fail "late: exit $?: $(cat err)"
grep -q 'the recording stopped' err || fail "late: it did not stop early: $(cat err)"
grep -q 'no work was left' err && fail "late: a part says who was idle: $(cat err)"
told USR1 program "it got signals from outside"
exit 0
