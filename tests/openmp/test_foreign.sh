#!/usr/bin/env bash
# OpenMP on a runtime that is not ours: named, and no race is counted from it. And what heddle cc makes of -fopenmp.
set -u
dir=$(mktemp -d "$TMP_DIR/openmp-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "$1" >&2; cat out >&2; exit 1; }
cat >part.c <<'E'
int sum(const int *a, int n)
{
    int s = 0;
#pragma omp parallel for reduction(+ : s) num_threads(3)
    for (int i = 0; i < n; i++)
        s += a[i];
    return s;
}
E
cat >main.c <<'E'
#include <stdio.h>
int sum(const int *a, int n);
int main(void)
{
    int a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    printf("%d\n", sum(a, 8));
    return 0;
}
E
gcc -fopenmp -g -c part.c -o part.o >out 2>&1 || { echo "gcc has no OpenMP"; exit 77; }
"$HEDDLE" cc -g main.c part.o -lgomp -o foreign >out 2>&1 || fail "does not link with libgomp"
timeout 60 "$HEDDLE" run -o o -- ./foreign >out 2>&1
code=$?
[ $code = 5 ] || fail "libgomp: exit $code, not 5"
grep -q "GOMP_parallel" out || fail "GOMP_parallel is not named"
grep -q "Not instrumented: .*libgomp" out || fail "libgomp is not named"
if command -v clang-14 >/dev/null && clang-14 -fopenmp -g -fPIC -shared part.c -o libpart.so 2>/dev/null; then
    "$HEDDLE" cc -g main.c -L. -lpart -Wl,-rpath,"$dir" -o own >out 2>&1 || fail "does not link with a library on libomp"
    timeout 60 "$HEDDLE" run -o o.own -- ./own >out 2>&1
    code=$?
    [ $code = 5 ] || fail "a library on libomp: exit $code, not 5"
    grep -q "libomp" out || fail "libomp is not named"
fi

# Ours: no other OpenMP runtime in the program, -fno-openmp wins when it comes last, and both compilers agree.
for clang in clang-14 clang-19; do
    command -v $clang >/dev/null || continue
    export HEDDLE_CLANG=$clang
    "$HEDDLE" cc -fopenmp=libomp -g main.c part.c -o ours >out 2>&1 || fail "$clang: does not compile"
    [ "$(./ours)" = 36 ] || fail "$clang: wrong result"
    ldd ./ours >out
    grep -q libheddle_omp.so out && ! grep -Eq "libomp|libgomp" out || fail "$clang: another runtime is linked"
    timeout 60 "$HEDDLE" -q run -o o.$clang -- ./ours >out 2>&1 || fail "$clang: not quiet"
done
unset HEDDLE_CLANG
"$HEDDLE" cc -fopenmp -fno-openmp -g main.c part.c -o none >out 2>&1 || fail "-fno-openmp: does not compile"
ldd ./none | grep -q libheddle_omp && fail "-fno-openmp is not obeyed"
exit 0
