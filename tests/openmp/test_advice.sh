#!/usr/bin/env bash
# Advice in the words of OpenMP, with the place of the construct; threads and shared variables have their names.
. "$TESTS/cli/lib.sh" || exit 1
unset OMP_NUM_THREADS OMP_SCHEDULE
cp "$TESTS/openmp/advice.c" .
line() { grep -n "CASE == $1\$" advice.c | cut -d: -f1; }
case_of() { # NUMBER SENTENCE...: in the report, whatever its line breaks
    local number=$1
    shift
    "$HEDDLE" cc -fopenmp -g -O1 -DCASE="$number" advice.c -o "case$number" || fail "case $number does not compile"
    heddle run -o "o$number" -- "./case$number"
    expect_code 66
    heddle show --run "o$number"
    tr -s '\n ' '  ' <out >flat
    for sentence; do
        expect "case $number lacks: $sentence; $(grep -o 'Advice: .\{100\}' flat)" grep -qF -- "$sentence" flat
    done
}
at() { echo "advice.c:$(($(line "$1") + $2))"; }
case_of 0 "Add reduction(+:sum) to the parallel loop at $(at 0 1)" "'sum of main (advice.c:13)' (local of main, shared in the parallel loop" \
    "by thread OpenMP-1 (T1.1)"
case_of 1 "private(tmp) in the parallel loop at $(at 1 1)"
case_of 2 "The loop at $(at 2 3) has nowait: remove it, or put '#pragma omp barrier' before $(at 2 8)"
case_of 3 "Iterations of the parallel loop at $(at 3 1) use what others write"
case_of 4 "Put '#pragma omp atomic' before the update of sum"
case_of 5 "Add reduction(max:max) to the parallel loop at $(at 5 1)"
case_of 6 "Put '#pragma omp barrier' behind the master construct at $(at 6 3)"
case_of 7 "depend(out: tmp) at the one that writes and depend(in: tmp) at the other"
case_of 8 "Put '#pragma omp taskwait' before $(at 8 6): the task at $(at 8 4) may still run"
expect "the advice is not in JSON" grep -q '"text": "Add reduction' o0/report.json
finish
