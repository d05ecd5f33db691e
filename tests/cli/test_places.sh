#!/usr/bin/env bash
# A source with an absolute path, compiled in a folder beside it, as CMake does: it has one name in all places, with which
# it is found, also where no stack was taken. (clang names it relative to what the two paths have in common.)
. "$TESTS/cli/lib.sh" || exit 1
rm -rf project && mkdir -p project/src project/build
cat >project/src/both.h <<'END'
static int total;
static inline void add(int n)
{
    total += n; /* in a header */
}
END
cat >project/src/both.c <<'END'
#include <pthread.h>
#include "both.h"
static void *work(void *arg)
{
    add(1);
    total += 2; /* in the source */
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
END
src=$(cd project/src && pwd)
cd project/build || exit 1
for level in 0 2; do
    heddle cc -g -O$level -pthread "$src/both.c" -o both
    expect_code 0
    heddle record -o both.hdt ./both
    heddle trace cat both.hdt
    expect_code 0
    names=$(grep -oE '[^|]*both\.[ch]:[0-9]+' out | sed 's/:[0-9]*$//' | sort -u | tr '\n' ' ')
    [ "$names" = "$src/both.c $src/both.h " ] || fail "-O$level: the names are $names"
done
heddle run --times 0 -o run.out ./both
expect_code 66
expect_err "> total += "
finish
