#!/usr/bin/env bash
# Advice that would not help is not given: a deadlock at a wake does not show the lock that the wait gave up as held, and a lock
# that is to be taken at one more place is not to be taken in an order that deadlocks.
. "$TESTS/cli/lib.sh"
cat >wake.c <<'C'
#include <pthread.h>
/* T1 waits on c with m while holding n; T2 takes m then n: after the wake T1 has n and wants m. */
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int ready;
static void *waiter(void *p)
{
    pthread_mutex_lock(&n);
    pthread_mutex_lock(&m);
    while (!ready)
        pthread_cond_wait(&c, &m);
    pthread_mutex_unlock(&m);
    pthread_mutex_unlock(&n);
    return p;
}
static void *setter(void *p)
{
    pthread_mutex_lock(&m);
    ready = 1;
    pthread_cond_signal(&c);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    pthread_mutex_lock(&n);
    pthread_mutex_unlock(&n);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, waiter, 0);
    pthread_create(&b, 0, setter, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
cat >inv.c <<'C'
#include <pthread.h>
/* count is guarded by outer; one place forgets it, and holds inner there. Elsewhere inner is taken inside outer. */
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int count, other;
static void *good(void *p)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&outer);
        count++;
        pthread_mutex_lock(&inner);
        other++;
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return p;
}
static void *bad(void *p)
{
    pthread_mutex_lock(&inner);
    other++;
    count++;
    pthread_mutex_unlock(&inner);
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, good, 0);
    pthread_create(&b, 0, bad, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return count + other == 0;
}
C
for p in wake inv; do
    heddle cc -g -O1 $p.c -o $p -pthread
    expect_code 0
done

heddle run --property deadlock --json=report.json -v -- ./wake
expect_code 66
jq -e '[.races[].accesses[] | select(.kind | startswith("wake")) | .locks] | length > 0 and all(.[]; . == ["n"])' report.json >/dev/null ||
    fail "the lock that the wait gave up counts as held"
expect_err 'A wait gives up only its own lock'

heddle run --json=report.json -v -- ./inv
expect_code 66
jq -e 'any(.races[]; .advice.lock == "outer" and .advice.outside == "inner")' report.json >/dev/null ||
    fail "the advice makes a deadlock"
expect_err "too, before 'inner'"
finish
