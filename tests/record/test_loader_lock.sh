#!/usr/bin/env bash
# A callback of dl_iterate_phdr runs under the loader's lock. A thread that uses new locks meanwhile does not wait for it.
set -u
work=$TMP_DIR/record/loader-lock
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL loader lock: $*; see $work" >&2
    exit 1
}
cat >p.c <<'END'
#define _GNU_SOURCE
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int seen, made;
static int look(struct dl_phdr_info *info, size_t n, void *arg)
{
    (void)n, (void)arg;
    seen += info->dlpi_phnum;
    usleep(10); /* others run */
    return 0;
}
static void *walk(void *arg)
{
    for (int i = 0; i < 20; i++)
        dl_iterate_phdr(look, NULL);
    return arg;
}
static void *make(void *arg)
{
    for (int i = 0; i < 200; i++) {
        pthread_mutex_t *m = malloc(sizeof *m);
        pthread_mutex_init(m, NULL);
        pthread_mutex_lock(m);
        made++;
        pthread_mutex_unlock(m);
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, walk, NULL);
    pthread_create(&t[1], NULL, make, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return made != 200;
}
END
cc -g -O1 p.c -o native -pthread && ./native || fail native
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
"$HEDDLE" cc -g -O1 p.c -o p -pthread || fail build
for policy in fifo random; do
    timeout 60 "$HEDDLE" record -q --policy $policy -o t.hdt -- ./p >out 2>&1 || fail "$policy: exit $?: $(cat out)"
done
exit 0
