#!/usr/bin/env bash
# Nothing comes between an atomic operation and its event, however many reads its value depends on: else a later read
# finds a value that no event wrote, and a write "outside" is invented for it.
# Environment: HEDDLE, TMP_DIR.
set -eu
work=$TMP_DIR/record-rmw-switch
rm -rf "$work" && mkdir -p "$work" && cd "$work"
cat >prog.c <<'C'
#include <pthread.h>
#include <stdatomic.h>
static _Atomic long total, extra;
static long base[4] = {1, 2, 3, 4}, step[4] = {0, 2, 4, 6};

static void *work(void *arg)
{
    for (int i = 0; i < 6; i++) {
        long old = total, sum;
        do
            sum = old + base[i & 3] + step[(i + 1) & 3] + extra;
        while (!atomic_compare_exchange_strong(&total, &old, sum));
        if (i == 3)
            atomic_fetch_add(&extra, base[i & 3] + step[(long)arg]);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++) {
        base[i] += i;
        step[i] += i;
        pthread_create(&t[i], NULL, work, (void *)i);
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
C
"$HEDDLE" cc -g -O1 -pthread prog.c -o prog
for quantum in 1 2 3 5; do
    for seed in 1 2 3; do
        "$HEDDLE" record -q --policy random --quantum $quantum --seed $seed -o run.hdt -- ./prog
        "$HEDDLE" trace cat run.hdt >text
        ! grep -m 1 '|outside' text || { echo "FAIL quantum $quantum, seed $seed: a write that nobody made"; exit 1; }
        [ "$(grep -c 'rmw(total,' text)" = 18 ] || { echo "FAIL: the exchanges are not all there"; exit 1; }
    done
done
