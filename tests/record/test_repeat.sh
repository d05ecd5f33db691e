#!/usr/bin/env bash
# The same seed gives the same trace, byte for byte, 100 times; other seeds give other orders.
set -u
work=$TMP_DIR/record/repeat
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cat >many.c <<'END'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int *list[8], n, racy;
static void *work(void *arg)
{
    for (int i = 0; i < 20; i++) {
        int *p = malloc(sizeof *p);
        *p = i;
        pthread_mutex_lock(&lock);
        free(list[n % 8]);
        list[n++ % 8] = p;
        pthread_mutex_unlock(&lock);
        racy++;
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    pthread_detach(t[2]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
clang -g -fsanitize=thread -c many.c -o many.o &&
    clang -pthread many.o -o many -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
for i in $(seq 100); do
    policy=$([ $((i % 2)) = 0 ] && echo random || echo pct)
    "$HEDDLE" record -q -o "$policy.hdt" --policy $policy --seed 42 --quantum 7 -- ./many || exit 1
    [ -e first-$policy.hdt ] || cp $policy.hdt first-$policy.hdt
    cmp first-$policy.hdt $policy.hdt || { echo "FAIL run $i of $policy differs" >&2; exit 1; }
done
for seed in 1 2 3 4 5; do
    "$HEDDLE" record -q -o seed.hdt --policy random --seed $seed --quantum 7 -- ./many || exit 1
    "$HEDDLE" trace check seed.hdt >/dev/null || exit 1
    md5sum <seed.hdt
done | sort -u | [ "$(wc -l)" -eq 5 ] || { echo "FAIL seeds give the same runs" >&2; exit 1; }
