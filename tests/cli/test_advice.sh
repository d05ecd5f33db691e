#!/usr/bin/env bash
# Advice about locks: the one that most accesses hold, in an order that does not deadlock with what the run did.
. "$TESTS/cli/lib.sh" || exit 1
cat >advice.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t inner = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static int total, nested;
static void add(void)
{
    pthread_mutex_lock(&outer);
    total++;
    pthread_mutex_unlock(&outer);
}
static void *careful(void *arg)
{
    for (int i = 0; i < 4; i++)
        add();
    if (nested) {
        pthread_mutex_lock(&outer);
        pthread_mutex_lock(&inner);
        pthread_mutex_unlock(&inner);
        pthread_mutex_unlock(&outer);
    }
    return arg;
}
static void *careless(void *arg)
{
    pthread_mutex_lock(&inner);
    total++; /* here */
    pthread_mutex_unlock(&inner);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t a, b;
    nested = argc > 1;
    pthread_create(&a, NULL, careful, argv);
    pthread_create(&b, NULL, careless, argv);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
place="advice.c:$(grep -n 'here' advice.c | cut -d: -f1):[0-9]*"
heddle cc -g -O1 advice.c -o advice -pthread
expect_code 0
advice() { heddle run --times 1 --runs 1 -o "$1" -- ./advice $2 && :; tr -s ' \n' ' ' <err >flat; }
advice free ""
expect "no lock is advised: $(grep -o 'Fix:.*' flat | head -c 300)" grep -qE "hold 'outer'\. Take it around $place too\. " flat
expect "an order is advised where there is none" sh -c "! grep -q deadlock flat"
# Elsewhere the other lock is taken inside: to take this one inside of it would be a deadlock.
advice nested yes
expect "the order is not advised: $(grep -o 'Fix:.*' flat | head -c 300)" \
    grep -qE "Take it around $place too, before 'inner': elsewhere 'inner' is taken inside it" flat
# The page and the list for other tools say the same.
expect "the page does not say so" grep -q "taken inside it, and the opposite order could deadlock" nested/report.html

# A write under the read side of a lock, which several threads may hold.
cat >side.c <<'C'
#include <pthread.h>
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static int hits;
static void *look(void *arg)
{
    for (int i = 0; i < 4; i++) {
        pthread_rwlock_rdlock(&lock);
        hits = i; /* here */
        pthread_rwlock_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, look, NULL);
    pthread_create(&b, NULL, look, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
place="side.c:$(grep -n 'here' side.c | cut -d: -f1):[0-9]*"
heddle cc -g -O0 side.c -o side -pthread
expect_code 0
heddle run --times 1 --runs 1 -- ./side && :
tr -s ' \n' ' ' <err >flat
expect "the write side is not advised: $(grep -o 'Fix:.*' flat | head -c 300)" \
    grep -qE "hold 'lock'\. Take its write side around $place\. " flat
finish
