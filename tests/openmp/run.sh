#!/usr/bin/env bash
# run.sh NAME: one program of tests/openmp/programs, twice. Without RACY it is correct: right result, no race,
# nothing undecided. With RACY one `heddle run` finds and confirms a race.
set -u
name=$1
dir=$(mktemp -d "$TMP_DIR/openmp-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
fail() { echo "$name: $1" >&2; cat out >&2; exit 1; }
source=$TESTS/openmp/programs/$name
cc=cc
case $name in *.cpp) cc=c++ ;; esac
unset OMP_NUM_THREADS OMP_SCHEDULE OMP_NESTED OMP_CANCELLATION
"$HEDDLE" $cc -fopenmp -g -O1 "$source" -o good >out 2>&1 || fail "does not compile"
"$HEDDLE" $cc -fopenmp -g -O1 -DRACY "$source" -o racy >out 2>&1 || fail "does not compile with -DRACY"
./good >out 2>&1 || fail "wrong result without heddle run"
timeout 120 "$HEDDLE" -q run -o o.good -- ./good >out 2>&1
[ $? = 0 ] || fail "the correct program is not quiet" # 66: a race, 5: something undecided
timeout 120 "$HEDDLE" -q run -o o.racy -- ./racy >out 2>&1
[ $? = 66 ] || fail "the race is not found"
grep -q "confirmed" out || fail "the race is not confirmed"
