#!/usr/bin/env bash
# Small programs whose races are known, that Heddle once judged wrongly. HEDDLE and TMP_DIR are in the environment.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/differential-verdicts
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0

verdict() { # verdict CODE NAME FLAGS
    timeout 200 "$HEDDLE" run -q --times 1 --cflags "$3" "$2.c" >"$2.out" 2>&1 </dev/null
    local code=$?
    [ $code -eq "$1" ] && return
    echo "$2 ($3): exit $code instead of $1: $(tail -3 "$2.out")"
    failed=1
}

# Three reads decide together, with N other instructions between them: the branch depends on all three.
far_reads() {
    echo '#include <pthread.h>
int a = 1, b = 1, c, x;
volatile int out[2000];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *other(void *arg) {
    pthread_mutex_lock(&m);
    int one = a;'
    for i in $(seq "$1"); do echo "    out[$((i * 7))] = $i;"; done
    echo '    int two = b;'
    for i in $(seq "$1"); do echo "    out[$((i * 7 + 3))] = $i;"; done
    echo '    int sum = one + two + c;
    pthread_mutex_unlock(&m);
    if (sum == 3) x = 2;
    return arg;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    x = 1;
    pthread_mutex_lock(&m);
    c = 1;
    pthread_mutex_unlock(&m);
    pthread_join(t, 0);
    return 0;
}'
}
for n in 20 30 40 60; do
    far_reads $n >far$n.c
    verdict 0 far$n -O1
done

# The block is freed before anybody used it.
echo '#include <pthread.h>
#include <stdlib.h>
static struct { int descriptor, bytes; } *c;
static void *use(void *arg) {
    c->bytes += 10;
    return arg;
}
int main(void) {
    pthread_t t;
    c = calloc(1, sizeof *c);
    pthread_create(&t, 0, use, 0);
    free(c);
    pthread_join(t, 0);
    return 0;
}' >freed.c
verdict 66 freed -O0

# Two variables in one line are two races; what the optimiser has no line for is not in line 0.
echo '#include <pthread.h>
#include <stdlib.h>
int one, two;
static struct pair { int a, b; } *p;
static void *use(void *arg) {
    one = 1; two = 1;
    if (!p) {
        struct pair *q = malloc(sizeof *q);
        q->a = 1; q->b = 2;
        p = q;
    }
    p->a++;
    return (void *)(long)p->b;
}
int main(void) {
    pthread_t t;
    pthread_create(&t, 0, use, 0);
    one = 2; two = 2;
    pthread_join(t, 0);
    pthread_t u;
    pthread_create(&t, 0, use, 0);
    pthread_create(&u, 0, use, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return 0;
}' >lines.c
for level in -O0 -O2; do
    verdict 66 lines $level
    json=heddle-out/latest/report.json
    for variable in one two; do
        found=$(jq -r --arg v $variable '[.races[] | select(.variable == $v) | .accesses[].line] | sort | join(" ")' $json)
        [ -n "$found" ] || { echo "lines ($level): no race on $variable"; failed=1; }
    done
    # A sanitizer that starts before the C library does.
    verdict 66 lines "$level -fsanitize=undefined"
    [ "$(jq '[.races[].accesses[] | select(.line == 0)] | length' $json)" = 0 ] || { echo "lines ($level): line 0"; failed=1; }
done

# A library orders its threads by means that are not seen: what is predicted in spite of it is doubted.
echo '#include <pthread.h>
#include <sched.h>
static int done;
static void (*first)(void), (*second)(void);
static void *a(void *arg) {
    first();
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return arg;
}
static void *b(void *arg) {
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE)) sched_yield();
    second();
    return arg;
}
void run_both(void (*f)(void), void (*g)(void)) {
    pthread_t t, u;
    first = f;
    second = g;
    pthread_create(&t, 0, a, 0);
    pthread_create(&u, 0, b, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
}' >unseen.c
echo 'int x;
void run_both(void (*)(void), void (*)(void));
static void one(void) { x = 1; }
static void two(void) { x = 2; }
int main(void) {
    run_both(one, two);
    return 0;
}' >orders.c
cc -O1 -shared -fPIC unseen.c -o libunseen.so -pthread &&
    "$HEDDLE" cc -g -O1 orders.c -o orders -L. -lunseen -Wl,-rpath,'$ORIGIN' || exit 1
timeout 100 "$HEDDLE" run -q --times 1 --timeout 1 -- ./orders >orders.out 2>&1 </dev/null
code=$?
[ $code -eq 5 ] || { echo "orders: exit $code: $(tail -3 orders.out)"; failed=1; }
jq -e '[.races[] | select(.status == "predicted" and (.reason | test("may be no race: libunseen.so")))] | length == 1' \
    heddle-out/latest/report.json >/dev/null || { echo "orders: no doubt is told"; failed=1; }
exit $failed
