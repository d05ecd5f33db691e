#!/usr/bin/env bash
# Synchronisation that is made of values is understood: programs of tests/values are race free, and nothing of them
# is left undecided, without the solver; their twins with one fault have a race, which is confirmed.
. "$TESTS/cli/lib.sh" || exit 1

# correct NAME SOURCE FLAGS POLICY: every pair is proved impossible by the steps before the solver.
correct() {
    # shellcheck disable=SC2086
    heddle cc -g -O1 -pthread $3 "$TESTS/values/$2.c" -o "$1"
    # shellcheck disable=SC2086
    heddle record $4 -o "$1.hdt" "./$1"
    heddle analyze --steps filters,greedy,syncp,closure "$1.hdt"
    expect_code 0
    expect_out "; 0 undecided"
}

# faulty NAME SOURCE FLAGS POLICY
faulty() {
    # shellcheck disable=SC2086
    heddle cc -g -O1 -pthread $3 -DFAULT "$TESTS/values/$2.c" -o "$1"
    # shellcheck disable=SC2086
    heddle run --times 1 -o "$1.out" $4 "./$1"
    expect_code 66
    expect_err "confirmed 2 of 2"
    expect_err ", 0 undecided"
}

sliced="--policy random --quantum 5"
many=300
[ -z "${HEDDLE_TEST_SANITIZED:-}" ] || many=30 # the tool is several times slower then
for kind in 0 1 2 3 4; do
    correct spin$kind spin_lock "-DKIND=$kind -DN=$many" "$sliced"
    faulty spin${kind}f spin_lock "-DKIND=$kind -DN=5" "$sliced"
done
for kind in 0 1; do
    correct barrier$kind counter_barrier "-DKIND=$kind -DROUNDS=$many" ""
    faulty barrier${kind}f counter_barrier "-DKIND=$kind" ""
done
correct pending pending_counter "-DN=100" "--policy random --quantum 20 --seed 3"
faulty pendingf pending_counter "-DN=20" "--policy random --quantum 20 --seed 3"

for kind in 0 1 2; do # a semaphore with one token; one that gets it later; a pipe with one byte
    correct semaphore$kind semaphore_lock "-DKIND=$kind -DN=$((many / 10))" "$sliced"
    faulty semaphore${kind}f semaphore_lock "-DKIND=$kind -DN=4" "$sliced"
done

# What the only source of a value was computed from comes first, too.
heddle analyze --pairs --steps must "$TESTS/predict/value_chain.trace"
expect_out "(must 2)"
heddle analyze --pairs --steps lockset,must "$TESTS/predict/count_life.trace"
expect_code 0
expect_out "; 0 undecided"
for kind in 0 1 2 3 4; do # queue lock, latch, turns, list hand over hand, sequence number
    correct kind$kind value_kinds "-DKIND=$kind -DN=$many" "$sliced"
    faulty kind${kind}f value_kinds "-DKIND=$kind -DN=5" "$sliced"
done
for kind in 0 1 2; do
    correct rw$kind rw_counter "-DKIND=$kind -DN=$many" "$sliced"
    faulty rw${kind}f rw_counter "-DKIND=$kind -DN=5" "$sliced"
done
for kind in 0 1 2 3 4 5; do # queue lock with recycled nodes, counted readers, first reader, sense, slot, flags
    correct protocol$kind protocols "-DKIND=$kind -DN=$many" "$sliced"
    faulty protocol${kind}f protocols "-DKIND=$kind -DN=5" "$sliced"
done
# Too many states for so few pairs, until closure has failed.
correct rare protocols "-DKIND=0 -DRARE -DN=100" "--policy random --quantum 20 --seed 3"
expect_out "protocol 9"
heddle analyze "$TESTS/predict/pool_link_kept.trace"
expect_code 66
expect_out "1 race"
# Found among links; used in the list under the lock; found behind another one; beside old pointers.
for trace in pool_link_written pool_looked_at pool_look_link_sure pool_old_pointers; do
    heddle analyze --steps lockset "$TESTS/predict/$trace.trace"
    expect_code 0
    expect_out "; 0 undecided"
done
for kind in 0 1 2; do
    correct pool$kind pool "-DKIND=$kind -DN=$many" "$sliced"
    faulty pool${kind}f pool "-DKIND=$kind -DN=5" "--policy random --quantum $((kind ? 5 : 2))"
done
for kind in 0 1 2; do # links both ways, from the end of a list, from a pool through a queue
    correct lists$kind pool_lists "-DKIND=$kind -DN=$many" "$sliced"
    faulty lists${kind}f pool_lists "-DKIND=$kind -DN=5" ""
done
for kind in 0 1 2 3; do # taken whole, batches, trees, built from single nodes
    correct owned$kind owned_lists "-DKIND=$kind -DN=$many" "$sliced"
    faulty owned${kind}f owned_lists "-DKIND=$kind -DN=5" "$([ $kind != 2 ] || echo --runs 4)"
done
for kind in 0 1 2 3 4; do # counted under two locks, under one, by atomics; with malloc and free
    correct counted$kind counted "-DKIND=$kind -DN=$many" "$sliced"
    faulty counted${kind}f counted "-DKIND=$kind -DN=5" ""
done
for kind in 0 1 2; do # locks of nodes hand over hand: from a pool, from list to list, with entries
    correct locked$kind locked_lists "-DKIND=$kind -DN=$many" "$sliced"
    faulty locked${kind}f locked_lists "-DKIND=$kind -DN=10" "$sliced"
done
# Lists that are emptied in the end without a lock, when all other threads are joined: no search is needed.
for program in owned_lists locked_lists; do
    heddle cc -g -O1 -pthread -DKIND=1 -DN=100 -DEMPTIED "$TESTS/values/$program.c" -o emptied
    # shellcheck disable=SC2086
    heddle record $sliced -o emptied.hdt ./emptied
    heddle analyze --steps filters,greedy,syncp emptied.hdt
    expect_code 0
    expect_out "; 0 undecided"
done
correct buffer bounded_buffer "-DITEMS=100" "--policy random --quantum 3"
faulty bufferf bounded_buffer "" "--policy random --quantum 3"

# Detached threads that nobody joins, but whose number somebody waits for: a counter of 300 users.
cat >many.c <<'END'
#include <pthread.h>
#include <sched.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int done;
int sum;
static void *work(void *arg)
{
    pthread_mutex_lock(&lock);
    if (!LATE)
        sum++;
    done++;
    pthread_mutex_unlock(&lock);
    if (LATE && arg)
        sum++;
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 300; i++) {
        pthread_create(&t, 0, work, i == 299 ? &sum : 0);
        pthread_detach(t);
    }
    for (int seen = 0; seen < 300;) {
        pthread_mutex_lock(&lock);
        seen = done;
        pthread_mutex_unlock(&lock);
        sched_yield();
    }
    return sum < 0;
}
END
heddle cc -g -O1 -pthread -DLATE=0 many.c -o many
heddle record -o many.hdt ./many
heddle analyze many.hdt
expect_code 0
expect_out "; 0 undecided"
heddle cc -g -O1 -pthread -DLATE=1 many.c -o many
heddle record -o many.hdt ./many
heddle analyze many.hdt
expect_code 66

# Atomicity: a bounded buffer has none that is violated, which takes no solver; nor have a check and an act in one
# section, or an act that checks again. A check in one section and the act in the next is one, though the check
# stands in another function.
heddle analyze --property atomicity --steps filters,greedy,syncp,closure buffer.hdt
expect_code 0
expect_out "0 atomicity violations"
expect_out "; 0 undecided"
for kind in 0 1 2; do
    heddle cc -g -O0 -pthread -DKIND=$kind "$TESTS/values/check_then_act.c" -o act$kind
    found=0
    for seed in 1 2 3 4 5 6; do
        heddle record --policy random --quantum 1 --seed $seed -o act$kind.hdt ./act$kind
        heddle analyze --property atomicity act$kind.hdt
        expect_out "; 0 undecided"
        [ "$code" != 66 ] || found=$((found + 1))
    done
    if [ $kind = 0 ]; then [ $found -gt 0 ]; else [ $found -eq 0 ]; fi || fail "check_then_act $kind: found $found times"
done
heddle run --property atomicity --policy random --quantum 1 --runs 6 -o act0.out ./act0
expect_code 66
expect_err "1 atomicity violation"
finish
