#!/usr/bin/env bash
# What the sites of a file are called is recorded when the first of them is met: not of files that do not run.
set -u
work=$TMP_DIR/record/site_tables
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL site_tables: $*; see $work" >&2
    exit 1
}
{
    echo 'volatile int unused_value; void unused(void) {'
    for ((i = 0; i < 20000; i++)); do echo "unused_value = $i;"; done
    echo '}'
} >unused.c
echo 'void unused(void) {}' >empty.c
cat >used.c <<'END'
extern int value;
void touch(void)
{
    value = 1;
}
END
cat >main.c <<'END'
#include <pthread.h>
void unused(void);
void touch(void);
int value;
static void *run(void *p)
{
    touch();
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 5)
        unused();
    pthread_create(&t, NULL, run, NULL);
    value++;
    pthread_join(t, NULL);
    return value < 0;
}
END
for with in unused empty; do
    "$HEDDLE" cc -g -O1 -pthread main.c used.c $with.c -o $with || fail "cc $with"
    "$HEDDLE" record -q -o $with.hdr -- ./$with || fail "record $with"
    "$HEDDLE" trace cat $with.hdr >$with.txt || fail "cat $with"
done
cmp -s empty.txt unused.txt || fail "a file that does not run changes the trace: $(diff empty.txt unused.txt)"
for place in main.c:16 used.c:4; do
    grep -q "|w(value,[0-9]*)|$place" empty.txt || fail "no write at $place: $(cat empty.txt)"
done
# What it has more is the names of its variable and function.
read -r small big < <(stat -c %s empty.hdr unused.hdr | tr '\n' ' ')
[ "$((big - small))" -lt 2000 ] || fail "a file that does not run takes $((big - small)) bytes"
exit 0
