#!/usr/bin/env bash
# Memory that every schedule hands over in the same order leaves no events (docs/algorithms/building.md): buffers that go through
# queues under locks, there and back, with enough uses that it is looked for. What is no handing over is found as before.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/record-handed
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "$*"; failed=1; }

# LATE: the buffer is written after it was given away. EARLY: it is given away before it is filled. FREED: it is freed by the giver.
# WEAK: an atomic that orders nothing. BACK: it comes back, and is used on. ADDED: LATE, by an rmw. ATOMIC, besides: its bytes are atomics, most of them weak.
# OTHERS, besides: so many more threads look at the queue, each under a lock of its own as well.
cat >p.c <<'SOURCE'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#define SIZE 8000
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
#ifdef ATOMIC
typedef _Atomic unsigned char cell;
#define GET(b, k) ((k) % 5 ? atomic_load_explicit(&(b)[k], memory_order_relaxed) : atomic_load_explicit(&(b)[k], memory_order_acquire))
#define PUT(b, k, v) \
    ((k) % 3 ? atomic_store_explicit(&(b)[k], v, memory_order_relaxed) : atomic_store_explicit(&(b)[k], v, memory_order_release))
#define ADD(b, k, v) atomic_fetch_add_explicit(&(b)[k], v, memory_order_relaxed)
#else
typedef unsigned char cell;
#define GET(b, k) (b)[k]
#define PUT(b, k, v) ((b)[k] = (v))
#define ADD(b, k, v) ((b)[k] += (v))
#endif
static cell *queue[8];
static int given, taken, note;
static cell *_Atomic slot;
static void give(cell *b)
{
#ifdef WEAK
    atomic_store_explicit(&slot, b, memory_order_relaxed);
#else
    pthread_mutex_lock(&lock);
    queue[given++] = b;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&lock);
#endif
}
static cell *take(int i)
{
#ifdef WEAK
    cell *b;
    while (!(b = atomic_load_explicit(&slot, memory_order_relaxed)))
        ;
    atomic_store_explicit(&slot, NULL, memory_order_relaxed);
    return b;
#else
    pthread_mutex_lock(&lock);
    while (given <= i)
        pthread_cond_wait(&cond, &lock);
    cell *b = queue[i];
    pthread_mutex_unlock(&lock);
    return b;
#endif
}
static void *reader(void *arg)
{
    for (int i = 0; i < 4; i++) {
        cell *b = take(i);
        unsigned sum = 0;
        for (int k = 0; k < SIZE; k++)
            sum += GET(b, k); /* reads */
        if (i == 3)
            sum += (unsigned)note; /* written before the buffer was given away */
        for (int k = 0; k < SIZE; k++)
            ADD(b, k, (unsigned char)sum);
        pthread_mutex_lock(&lock);
        taken = i + 1;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
#ifdef OTHERS
static pthread_mutex_t own[OTHERS];
static int looks; /* and at the end without a lock: no lock is held at all accesses */
static void *look(void *mine)
{
    pthread_mutex_lock(mine);
    pthread_mutex_lock(&lock);
    int n = given;
    looks++;
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(mine);
    return n > 8 ? mine : NULL;
}
#endif
int main(void)
{
    pthread_t t;
    cell *all[4];
#ifdef OTHERS
    pthread_t others[OTHERS];
    for (int i = 0; i < OTHERS; i++)
        pthread_mutex_init(&own[i], NULL);
    for (int i = 0; i < OTHERS; i++)
        pthread_create(&others[i], NULL, look, &own[i]);
#endif
    pthread_create(&t, NULL, reader, NULL);
    for (int i = 0; i < 4; i++) {
        cell *b = all[i] = malloc(SIZE);
#ifdef EARLY
        give(b);
#endif
        for (int k = 0; k < SIZE; k++)
            PUT(b, k, (unsigned char)(k * 7 + i)); /* fills */
        if (i == 3)
            note = 1;
#ifndef EARLY
        give(b);
#endif
#ifdef FREED
        usleep(1000);
        free(b); /* the reader is done, and nothing says so */
        all[i] = NULL;
#endif
#ifdef LATE
        *((unsigned char *)b + SIZE / 2) = 1; /* late */
#endif
#ifdef ADDED
        __atomic_fetch_add((unsigned char *)b + SIZE / 2, 1, __ATOMIC_RELAXED); /* late */
#endif
#if defined(BACK) || defined(WEAK)
        pthread_mutex_lock(&lock);
        while (taken <= i)
            pthread_cond_wait(&cond, &lock);
        pthread_mutex_unlock(&lock);
        for (int k = 1; k < SIZE; k++)
            ADD(b, k, GET(b, k - 1));
#endif
    }
    pthread_join(t, NULL);
    for (int i = 0; i < 4; i++)
        free(all[i]);
#ifdef OTHERS
    for (int i = 0; i < OTHERS; i++)
        pthread_join(others[i], NULL);
    return looks != OTHERS;
#endif
    return 0;
}
SOURCE

# answer FILE: pairs of lines that race or are unordered, and how much is undecided
answer() {
    "$HEDDLE" analyze -q -j 1 "$1" >analyze.out 2>analyze.err
    awk '/^  (read|write|atomic|free).* by .* at .*:[0-9]+ / { match($0, /:[0-9]+ /); line = substr($0, RSTART + 1, RLENGTH - 2)
             if (first) { print (first + 0 < line + 0 ? first " " line : line " " first); first = 0 } else first = line }
         match($0, /[0-9]+ undecided/) { print substr($0, RSTART, RLENGTH) }' analyze.out | sort -u
}
events() { "$HEDDLE" trace stats "$1" | awk '$1 == "events" { print $2 }'; }

for form in GOOD BACK LATE ADDED EARLY WEAK FREED "GOOD -DOTHERS=20" "LATE -DOTHERS=20" "GOOD -DOTHERS=80" "GOOD -DATOMIC" "BACK -DATOMIC" "LATE -DATOMIC" "EARLY -DATOMIC" "WEAK -DATOMIC" "FREED -DATOMIC"; do
    # shellcheck disable=SC2086
    "$HEDDLE" cc -g -O1 -D$form p.c -o p 2>build.err || { cat build.err; exit 1; }
    "$HEDDLE" record -q -o t.hdt -- ./p >out 2>err </dev/null || fail "$form: $(cat err)"
    "$HEDDLE" trace check -q t.hdt >out 2>&1 || fail "$form: $(cat out)"
    answer t.hdt >reduced
    "$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt || failed=1
    answer all.hdt >all
    [ -s reduced ] && cmp -s reduced all || fail "$form: with all events, and reduced: $(diff all reduced)"
    n=$(events t.hdt)
    case $form in
    GOOD* | BACK*)
        [ "$n" -lt 2500 ] || fail "$form: $n events are left"
        grep -q '[1-9] *[0-9]* [0-9]' reduced && fail "$form: $(cat reduced)" ;;
    *) grep -q '^[0-9]* [0-9]*$' reduced || fail "$form: no race is found" ;;
    esac
done

# Data that each stage works on under a lock of its own hand nothing over: they are no events of the skeleton. SAME: the stages
# have one lock, so that they may be.
cat >stages.c <<'SOURCE'
#include <pthread.h>
#include <stdlib.h>
#define SIZE 8000
static struct queue {
    pthread_mutex_t lock;
    pthread_cond_t cond;
    unsigned char *list[4];
    int given;
} queues[2] = {{PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL}, 0},
               {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, {NULL}, 0}};
static pthread_mutex_t of_stage[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
#ifdef SAME
#define STAGE(n) (&of_stage[0])
#else
#define STAGE(n) (&of_stage[n])
#endif
static unsigned total;
static void give(struct queue *q, unsigned char *b)
{
    pthread_mutex_lock(&q->lock);
    q->list[q->given++] = b;
    pthread_cond_signal(&q->cond);
    pthread_mutex_unlock(&q->lock);
}
static unsigned char *take(struct queue *q, int i)
{
    pthread_mutex_lock(&q->lock);
    while (q->given <= i)
        pthread_cond_wait(&q->cond, &q->lock);
    unsigned char *b = q->list[i];
    pthread_mutex_unlock(&q->lock);
    return b;
}
static void *change(void *arg)
{
    for (int i = 0; i < 4; i++) {
        unsigned char *b = take(&queues[0], i);
        pthread_mutex_lock(STAGE(0));
        for (int k = 0; k < SIZE; k++)
            b[k] += (unsigned char)i;
        pthread_mutex_unlock(STAGE(0));
        give(&queues[1], b);
    }
    return arg;
}
static void *add(void *arg)
{
    for (int i = 0; i < 4; i++) {
        unsigned char *b = take(&queues[1], i);
        pthread_mutex_lock(STAGE(1));
        for (int k = 0; k < SIZE; k++)
            total += b[k];
        pthread_mutex_unlock(STAGE(1));
    }
    return arg;
}
int main(void)
{
    pthread_t t[2];
    unsigned char *all[4];
    pthread_create(&t[0], NULL, change, NULL);
    pthread_create(&t[1], NULL, add, NULL);
    for (int i = 0; i < 4; i++) {
        all[i] = calloc(SIZE, 1);
        for (int k = 0; k < SIZE; k++)
            all[i][k] = (unsigned char)k;
        give(&queues[0], all[i]);
    }
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    for (int i = 0; i < 4; i++)
        free(all[i]);
    return total == 0;
}
SOURCE
for form in OWN SAME; do
    "$HEDDLE" cc -g -O1 -D$form stages.c -o p && "$HEDDLE" record -q -o t.hdt -- ./p || failed=1
    answer t.hdt >reduced
    "$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt || failed=1
    answer all.hdt >all
    cmp -s reduced all || fail "stages $form: with all events, and reduced: $(diff all reduced)"
    n=$(events t.hdt)
    if [ $form = OWN ]; then
        [ "$n" -lt 1000 ] || fail "stages: $n events are left"
    else
        [ "$n" -gt 10000 ] || fail "stages under one lock: $n events are left, and carriers were to be"
    fi
done

# However many sets of locks there are, one lock is held by all that look, and the last look comes behind them.
"$HEDDLE" cc -g -O1 -DGOOD -DOTHERS=40 p.c -o p && "$HEDDLE" record -q -o t.hdt -- ./p || failed=1
HD_LOG=predict:debug "$HEDDLE" trace cat t.hdt 2>log >t.txt || failed=1
grep -q 'order of points' log && ! grep 'accesses to .* may race' log || fail "40 sets of locks: $(cat log)"

# Few uses are not looked at, whatever they are.
sed -i 's/#define SIZE 8000/#define SIZE 30/' p.c
"$HEDDLE" cc -g -O1 p.c -o p && "$HEDDLE" record -q -o t.hdt -- ./p || failed=1
[ "$(events t.hdt)" -gt 200 ] || fail "small: $(events t.hdt) events"
HEDDLE_HANDED_FROM=1 "$HEDDLE" record -q -o t.hdt -- ./p || failed=1
[ "$(events t.hdt)" -lt 200 ] || fail "small, looked at: $(events t.hdt) events"

# A race beside it is found in the reduced trace, and its schedule is confirmed.
sed -i 's/#define SIZE 30/#define SIZE 8000/' p.c
"$HEDDLE" cc -g -O1 -DLATE p.c -o p && "$HEDDLE" run --runs 1 -q -o run -- ./p >out 2>err
grep -qE '[1-9] races? confirmed, 0 predicted' out err || fail "LATE: $(cat out err)"

# Walks that build once more read the records that matter only, and come to the same trace: values of shared memory go through
# private memory and decide branches; an unseen write makes the last walk. HEDDLE_WHOLE_LOG: all walks read the whole log.
cat >w.c <<'SOURCE'
#include <pthread.h>
#include <stdlib.h>
#define SIZE 3000
void outside(int *p); /* built without hooks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static unsigned char *queue[8], *result;
static int given, odd, seen;
static void *worker(void *arg)
{
    static __thread unsigned table[256];
    for (int i = 0; i < 4; i++) {
        pthread_mutex_lock(&lock);
        while (given <= i)
            pthread_cond_wait(&cond, &lock);
        unsigned char *b = queue[i];
        int flag = odd;
        outside(&seen); /* an unseen write of shared memory */
        flag += seen;
        pthread_mutex_unlock(&lock);
        unsigned *own = calloc(256, sizeof *own);
        for (int k = 0; k < SIZE; k++) {
            table[b[k]] += (unsigned)k;
            if (table[b[k]] % 7 == 3)
                own[k % 256] += (unsigned)flag;
        }
        unsigned char *out = malloc(SIZE);
        for (int k = 0; k < SIZE; k++)
            out[k] = (unsigned char)(own[k % 256] + table[k % 256]);
        free(own);
        pthread_mutex_lock(&lock);
        free(result);
        result = out;
        if (out[5] > 100)
            odd = out[7];
        pthread_mutex_unlock(&lock);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, worker, NULL);
    for (int i = 0; i < 4; i++) {
        unsigned char *b = malloc(SIZE);
        for (int k = 0; k < SIZE; k++)
            b[k] = (unsigned char)(k * 7 + i);
        pthread_mutex_lock(&lock);
        queue[given++] = b;
        odd += seen;
        pthread_cond_broadcast(&cond);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(t, NULL);
    for (int i = 0; i < 4; i++)
        free(queue[i]);
    free(result);
    return 0;
}
SOURCE
echo 'void outside(int *p); void outside(int *p) { *p += 2; }' >o.c
cc -O1 -c o.c || exit 1
for level in 0 2; do
    "$HEDDLE" cc -g -O$level w.c o.o -o w 2>build.err || { cat build.err; exit 1; }
    HEDDLE_HANDED_FROM=1 "$HEDDLE" record -q -o t.hdt -- ./w || failed=1
    HEDDLE_WHOLE_LOG=1 HEDDLE_HANDED_FROM=1 "$HEDDLE" record -q -o whole.hdt -- ./w || failed=1
    HD_LOG=build:debug "$HEDDLE" trace cat t.hdt >sifted.txt 2>log || fail "$(cat log)"
    "$HEDDLE" trace cat -q whole.hdt >whole.txt || failed=1
    cmp whole.txt sifted.txt || fail "-O$level: by the sieve, and by the whole log: $(diff whole.txt sifted.txt | head)"
    grep -q 'steps are kept, [0-9]* bytes$' log && grep -q 'again: [1-9][0-9]* events for writes' log || fail "-O$level: no sieve was read"
done

# A carrier that code without hooks writes as well hands nothing over: the writer may come late. It shows behind the first round.
cat >s.c <<'SOURCE'
#include <pthread.h>
#include <unistd.h>
#define SIZE 3000
void outside(int *p); /* built without hooks */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int ready;
static unsigned char buffer[SIZE];
static void *reader(void *arg)
{
    unsigned sum = 0;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&lock);
        while (!ready)
            pthread_cond_wait(&cond, &lock);
        ready = 0;
        pthread_mutex_unlock(&lock);
        for (int k = 0; k < SIZE; k++)
            sum += buffer[k]; /* reads */
    }
    return sum ? arg : NULL;
}
static void *writer(void *arg)
{
    for (int k = 0; k < SIZE; k++)
        buffer[k] = (unsigned char)(k * 7); /* fills */
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&lock);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, reader, NULL);
    pthread_create(&t[1], NULL, writer, NULL);
    usleep(1000); /* the first round is over, and nothing says so */
    pthread_mutex_lock(&lock);
    outside(&ready);
    pthread_cond_broadcast(&cond);
    pthread_mutex_unlock(&lock);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
SOURCE
echo 'void outside(int *p); void outside(int *p) { *p = 1; }' >o.c
cc -O1 -c o.c && "$HEDDLE" cc -g -O1 s.c o.o -o s && HEDDLE_HANDED_FROM=1 "$HEDDLE" record -q -o t.hdt -- ./s || failed=1
answer t.hdt >reduced
"$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt || failed=1
answer all.hdt >all
cmp -s reduced all || fail "spoilt: with all events, and reduced: $(diff all reduced)"
grep -q '^[0-9]* [0-9]*$' reduced || fail "spoilt: no race is found"
HD_LOG=build:debug "$HEDDLE" trace cat t.hdt 2>&1 >t.txt | grep -q 'written unseen: [1-9]' || fail "spoilt: not noticed"

# What a thread keeps in an atomic of its own depends on what it read before: without that the last read would race.
cat >a.c <<'SOURCE'
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int given, common;
static volatile int seen;
static void *use(void *arg)
{
    _Atomic int *mine = malloc(64);
    atomic_store_explicit(mine, 7, memory_order_relaxed);
    seen = atomic_load_explicit(mine, memory_order_relaxed);
    pthread_mutex_lock(&lock);
    int v = given;
    pthread_mutex_unlock(&lock);
    atomic_store_explicit(mine, v, memory_order_relaxed);
    if (atomic_load_explicit(mine, memory_order_relaxed))
        seen = common;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, use, NULL);
    common = 1;
    pthread_mutex_lock(&lock);
    given = 1;
    pthread_mutex_unlock(&lock);
    pthread_join(t, NULL);
    return 0;
}
SOURCE
"$HEDDLE" cc -g -O1 a.c -o a && "$HEDDLE" record -q -o t.hdt -- ./a || failed=1
"$HEDDLE" analyze -q t.hdt >out 2>&1 || fail "an atomic of its own: $(cat out)"

# A lock in a block that its maker clears first: calls use that memory, too. The end of the lock is ordered with one user only.
cat >l.c <<'SOURCE'
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
static struct box {
    pthread_mutex_t lock;
    long sum;
} *box;
static void *use(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&box->lock);
        box->sum++;
        pthread_mutex_unlock(&box->lock);
    }
    return arg;
}
int main(void)
{
    pthread_t a, b;
    box = malloc(sizeof *box);
    memset(box, 0, sizeof *box);
    pthread_mutex_init(&box->lock, NULL);
    pthread_create(&a, NULL, use, NULL);
    pthread_create(&b, NULL, use, NULL);
    pthread_join(b, NULL);
#ifndef FAULT
    pthread_join(a, NULL);
#endif
    pthread_mutex_destroy(&box->lock);
    free(box);
#ifdef FAULT
    pthread_join(a, NULL);
#endif
    return 0;
}
SOURCE
for fault in "" -DFAULT; do
    "$HEDDLE" cc -g -O1 $fault l.c -o l || exit 1
    HEDDLE_HANDED_FROM=1 "$HEDDLE" record -q -o t.hdt -- ./l || failed=1
    "$HEDDLE" analyze -q t.hdt >out 2>&1
    code=$?
    line=$(grep -n mutex_destroy l.c | cut -d: -f1)
    ends=$(grep -c "^ *write .*l\\.c:$line " out)
    [ -z "$fault" ] || [ "$code $ends" = "66 2" ] || fail "a lock that ends too early: exit $code: $(cat out)"
    [ -n "$fault" ] || [ $code = 0 ] || fail "a lock that ends in time: exit $code: $(cat out)"
done

# A thread that takes thousands of locks, and writes shared memory under each set of them: the sets take no memory by the square.
cat >sets.c <<'SOURCE'
#include <pthread.h>
enum { LOCKS = 12000 };
static pthread_mutex_t lock[LOCKS];
static int written, times[LOCKS];
static void *take_all(void *arg)
{
    for (int i = 0; i < LOCKS; i++) {
        pthread_mutex_lock(&lock[i]);
        times[i]++;
        written++;
    }
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_unlock(&lock[i]);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < LOCKS; i++)
        pthread_mutex_init(&lock[i], NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, take_all, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return written != 2 * LOCKS;
}
SOURCE
"$HEDDLE" cc -g -O1 sets.c -o sets && "$HEDDLE" record -q -o t.hdt -- ./sets || failed=1
([ "${HEDDLE_TEST_SANITIZED:-0}" = 1 ] || ulimit -v 500000; exec "$HEDDLE" trace convert -q t.hdt sets.hdt) 2>err || fail "many locks: $(cat err)"
exit $failed
