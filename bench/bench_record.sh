#!/usr/bin/env bash
# Cost of recording: processor time (user and system) of one program, recorded and under ThreadSanitizer,
# at the same -O2, in one go. Prints CSV. The time includes turning the raw log into the trace.
#   bench_record.sh BUILD_DIR [RUNS]
set -eu
build=$(cd "$1" && pwd) runs=${2:-3}
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
cat >list.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; long v; };
static struct node *heads[4];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long total;
static void *walk(void *arg)
{
    for (int r = 0; r < 300; r++) {
        long sum = 0;
        for (struct node *n = *(struct node **)arg; n; n = n->next) {
            n->v = n->v * 3 + r;
            if (n->v & 1)
                sum += n->v;
        }
        pthread_mutex_lock(&lock);
        total += sum;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
int main(void)
{
    pthread_t t[4];
    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 1000; i++) {
            struct node *n = malloc(sizeof *n);
            *n = (struct node){heads[k], i};
            heads[k] = n;
        }
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, walk, &heads[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%ld\n", total);
    return 0;
}
END
clang -O2 -g -fsanitize=thread -pthread list.c -o tsan
clang -O2 -g -fsanitize=thread -c list.c -o list.o
clang -pthread list.o -o abi -L"$build/lib/heddle" -lheddle_rt -Wl,-rpath,"$build/lib/heddle"
"$build/heddle" cc -O2 -pthread list.c -o pass

# best CPU seconds of COMMAND...
cpu() {
    for _ in $(seq "$runs"); do
        TIMEFORMAT='%U %S'
        { time "$@" >out 2>err; } 2>time
        awk '{print $1 + $2}' time
    done | sort -g | head -1
}
base=$(cpu ./tsan)
echo "program,build,events,trace bytes/event,cpu s,tsan cpu s,ratio"
for exe in abi pass; do
    took=$(cpu "$build/heddle" record -o t.hdt -- ./$exe)
    events=$("$build/heddle" record -o t.hdt -- ./$exe 2>&1 >/dev/null | sed -nE 's/.*: ([0-9]+) events.*/\1/p')
    bytes=$(stat -c %s t.hdt)
    awk -v e="$events" -v b="$bytes" -v t="$took" -v s="$base" -v x=$exe \
        'BEGIN { printf "list,%s,%d,%.2f,%.2f,%.2f,%.1f\n", x, e, b / e, t, s, t / s }'
done
