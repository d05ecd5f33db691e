#!/usr/bin/env bash
# Threads that only hand over to each other never use up a turn. Time passes for them too, so that a thread that sleeps
# meanwhile wakes up and ends them.
set -u
work=$TMP_DIR/record/handover
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL handover: $*; see $work" >&2
    exit 1
}
cat >handover.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turn_changed = PTHREAD_COND_INITIALIZER;
static sem_t sem[2];
static int there[2], back[2], turn;
static atomic_int over;

static void *by_condition(void *arg)
{
    int me = *(int *)arg;
    pthread_mutex_lock(&lock);
    while (!over) {
        while (turn != me && !over)
            pthread_cond_wait(&turn_changed, &lock);
        turn = 1 - me;
        pthread_cond_signal(&turn_changed);
    }
    pthread_cond_broadcast(&turn_changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *by_semaphore(void *arg)
{
    int me = *(int *)arg;
    while (!over) {
        sem_wait(&sem[me]);
        sem_post(&sem[1 - me]);
    }
    return NULL;
}

static void *by_pipe(void *arg)
{
    char c = 1;
    int in = *(int *)arg ? there[0] : back[0], out = *(int *)arg ? back[1] : there[1];
    while (!over && read(in, &c, 1) == 1 && write(out, &c, 1) == 1)
        ;
    return write(out, &c, 1) == 1 ? arg : NULL;
}

int main(int argc, char **argv)
{
    static int number[2] = {0, 1};
    const char *how = argc > 1 ? argv[1] : "";
    void *(*f)(void *) = !strcmp(how, "condition") ? by_condition : !strcmp(how, "pipe") ? by_pipe : by_semaphore;
    pthread_t t[2];
    sem_init(&sem[0], 0, 1);
    sem_init(&sem[1], 0, 0);
    if (pipe(there) || pipe(back) || write(back[1], "", 1) != 1)
        return 1;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, f, &number[i]);
    usleep(500000);
    over = 1;
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("over");
    return 0;
}
END
"$HEDDLE" cc -g -O1 -pthread handover.c -o handover || fail "it does not compile"
for how in condition semaphore pipe; do
    for policy in fifo sync random pct; do
        timeout 60 "$HEDDLE" record -q --policy $policy -o log.hdr -- ./handover $how >out 2>err || fail "$how, $policy: $? $(cat err)"
        [ "$(cat out)" = over ] || fail "$how, $policy: $(cat out)"
        [ "$(stat -c %s log.hdr)" -lt 20000000 ] || fail "$how, $policy: the log has $(stat -c %s log.hdr) bytes"
    done
done
