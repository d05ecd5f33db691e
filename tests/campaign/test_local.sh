#!/usr/bin/env bash
# The local engine: the same report from any number of workers and after any interruption; sources of units.
. "$TESTS/cli/lib.sh" || exit 1
src=$TESTS/campaign
"$HEDDLE" cc -g "$src/late.c" -o late -pthread || exit 1
"$HEDDLE" cc -g "$src/quiet.c" -o quiet -pthread || exit 1

# ---- one answer ----
runs=${HEDDLE_TEST_LONG:+100}
runs=${runs:-12}
units=$((runs * 2))
printf '%s\n' '# two tests' './late x "a b"' '' './quiet # nothing' >tests.txt
heddle campaign --tests tests.txt --runs $runs --times 1 -j 1 -o one
expect_code 66
expect_out "$units of $units units done"
expect_out "./late x a b: in "
expect "no report" [ -s one/report.html ]
expect "no times" grep -q '"seconds"' one/times.json
expect "work is left" [ ! -e one/work ]
expect "units of a quiet test keep more than a report" \
    [ "$(find one/units -name 'run*.hdr' | wc -l)" = "$(find one/units -name 'witness-*' -printf '%h\n' | sort -u | wc -l)" ]
# The page: by test, with a link to each finding, in how many units, and under what it was seen first.
row() { sed -n '/id="tests"/,/<\/table>/p' one/report.html | grep -F "<td class=\"mono\">$1</td>"; }
first=$(jq -r '.races[0].seen[0] | "in \(.units) of '$runs', first under \(.first)"' one/report.json)
expect "the page has no findings of a test" [ -n "$(row './late x a b' | grep -F "href=\"#$(jq -r '.races[0].id' one/report.json)\"" | grep -F "$first")" ]
expect "the page has findings of a quiet test" [ -n "$(row ./quiet | grep -F "$runs units</td><td>nothing found</td>")" ]
heddle campaign --tests tests.txt --runs $runs --times 1 -j 3 -o three
expect_code 66
expect "the report depends on the number of workers" cmp one/report.json three/report.json
expect "the plan depends on the folder" cmp one/plan.jsonl three/plan.jsonl
# Counted by hand: in how many units, and which is the first in the plan.
seen=$(jq -r '.races[0].seen[] | "\(.units) \(.first)"' one/report.json)
shown=$(grep -l '"races": \[{' one/units/*/*/report.json | wc -l)
expect "seen in '$seen', not in $shown units" [ "${seen%% *}" = "$shown" ]
expect "no part for each test" [ "$(jq -r '[.parts[] | "\(.test) \(.units)"] | sort | join(",")' one/report.json)" = "./late x a b $runs,./quiet $runs" ]

# ---- killed at ten moments, and resumed ----
heddle campaign --tests tests.txt --runs $runs --times 1 --plan-only -o killed
expect_code 0
for delay in 0.05 0.31 0.12 0.44 0.02 0.27 0.38 0.09 0.21 0.16; do
    "$HEDDLE" campaign resume killed -j 2 >/dev/null 2>&1 &
    sleep "$delay"
    kill -9 $! 2>/dev/null
    wait $! 2>/dev/null
done
heddle campaign status killed --json
expect_code 0
expect "units are lost" [ "$(jq '.done + .open + .failed' out)" = $units ]
heddle campaign resume killed -j 2
expect_code 66
expect "the report depends on interruptions" cmp one/report.json killed/report.json
expect "work is left" [ ! -e killed/work ]

# ---- interrupted politely ----
heddle campaign --runs 400 --plan-only -o polite -- ./quiet
"$HEDDLE" campaign resume polite -j 2 >out 2>err &
pid=$!
for ((i = 0; i < 200; i++)); do [ -d polite/units ] && break; sleep 0.05; done
kill -TERM $pid
wait $pid
code=$? command_line="SIGTERM"
expect_code 143
expect_err "go on with: heddle campaign resume"
expect "work is left" [ -z "$(ls polite/work 2>/dev/null)" ]
heddle campaign status polite
expect_out "not run"
heddle campaign report polite
expect_code 5

# ---- shares put together ----
heddle campaign --tests tests.txt --runs $runs --times 1 --plan-only -o shares
cp -r shares copy
heddle campaign work shares --shard 1/2 -j 2
expect_code 0
SLURM_ARRAY_TASK_ID=8 SLURM_ARRAY_TASK_MIN=7 SLURM_ARRAY_TASK_COUNT=2 "$HEDDLE" campaign work copy --shard auto -j 2
expect "a share has too much" [ "$(find copy/units -name report.json | wc -l)" = $runs ]
cp -r copy/units shares/
heddle campaign report shares
expect_code 66
expect "the report depends on who ran what" cmp one/report.json shares/report.json
heddle campaign work shares --shard 3/2
expect_code 2
heddle campaign work shares --shard auto
expect_code 2

# ---- inputs ----
mkdir in
echo alpha >in/a
echo beta >in/b
heddle campaign --inputs in --runs 1 -o inputs -- ./late -
expect_out "2 of 2 units done"
expect "inputs are not in the plan" [ "$(jq -r 'select(.unit) | .how' inputs/plan.jsonl | tr '\n' ,)" = "input a, fifo,input b, fifo," ]
heddle campaign --inputs in --runs 1 --plan-only -o named -- ./late x @@.
expect "@@ is not replaced" grep -q '"x", "[^"]*/in/b\."' named/plan.jsonl

# ---- variables ----
SECRET=hush OTHER=7 "$HEDDLE" campaign --runs 1 --plan-only --env OTHER --env MORE=8 -o variables -- ./quiet >/dev/null
expect "a secret is in the plan" [ "$(grep -c hush variables/plan.jsonl)" = 0 ]
expect "a variable is missing" grep -q 'OTHER=7.*MORE=8' variables/plan.jsonl

# ---- a search in parts ----
heddle campaign --explore 3 --executions 4 --strategy random --times 1 -j 2 -o search -- ./late x
expect_code 66
heddle campaign --explore 3 --executions 4 --strategy random --times 1 -j 1 -o again -- ./late x
expect "a search depends on the number of workers" cmp search/report.json again/report.json

# All schedules, by prefixes: the shares together find and count what one search does.
heddle campaign --explore 3 --strategy dpor --times 1 -j 2 -o prefixes -- ./late x
expect_code 66
heddle explore --strategy dpor --times 1 -o undivided -- ./late x
expect_code 66
schedules() { jq -r '.search_notes[]' "$1/report.json" | sed -n 's/^search: all \([0-9]*\) schedules.*/\1/p' | awk '{ n += $1 } END { print n }'; }
found() { jq -c '[.races[].id] | unique' "$1/report.json"; }
expect "no schedules are counted" [ "$(schedules undivided)" -gt 0 ]
expect "shares have $(schedules prefixes) schedules instead of $(schedules undivided)" [ "$(schedules prefixes)" = "$(schedules undivided)" ]
expect "shares find something else" [ "$(found prefixes)" = "$(found undivided)" ]
heddle explore --shard 1/2 --strategy pct -- ./late x
expect_code 2
expect_err "needs --strategy guided or dpor"

cat >doors.c <<'END'
#include <pthread.h>
static int total;
static void *work(void *arg) { total++; return arg; }
int main(int argc, char **argv)
{
    pthread_t t;
    const char *s = argc > 1 ? argv[1] : "";
    if (s[0] != 'a' || s[1] != 'b' || s[2] == 'c')
        return 0;
    pthread_create(&t, 0, work, 0);
    work(0);
    return pthread_join(t, 0);
}
END
"$HEDDLE" cc --concolic -g doors.c -o doors -pthread || fail "doors does not build"
heddle campaign --hunt 3 --with --input=argv:1 --with --size=3 --times 1 -j 2 -o inputs2 -- ./doors xyc
expect_code 66
expect_out "3 of 3 units done"
expect_out "Data race on 'total'"
heddle campaign --hunt 3 --with --input=argv:1 --with --size=3 --times 1 -j 1 -o again2 -- ./doors xyc
expect "a search over inputs depends on the number of workers" cmp inputs2/report.json again2/report.json
heddle campaign --hunt 2 --runs 3 -o none -- ./doors xyc
expect_code 2
heddle campaign --hunt 2 --retries 0 -o plain -- ./late
expect_code 4
expect_out "was not built for a search over inputs"

# ---- one trace in parts ----
"$HEDDLE" record -o late.hdt -- ./late x >/dev/null 2>&1
heddle campaign --analyze late.hdt --shards 3 -o shards
expect_code 66
expect_out "3 of 3 units done"
heddle analyze late.hdt -o whole
expect_code 66
ids() { jq -c '[.races[].id] | sort' "$1"; }
expect "shards find something else" [ "$(ids shards/report.json)" = "$(ids whole/report.json)" ]
expect "figures do not add up" [ "$(jq -c '.decided' shards/report.json)" = "$(jq -c '.decided' whole/report.json)" ]
heddle analyze late.hdt --shard 4/3
expect_code 2

# ---- ctest ----
mkdir project
cat >project/CMakeLists.txt <<EOF
cmake_minimum_required(VERSION 3.18)
project(p NONE)
enable_testing()
add_test(NAME alpha COMMAND $PWD/late x)
add_test(NAME beta COMMAND $PWD/quiet)
add_test(NAME gamma COMMAND /bin/true)
set_tests_properties(beta PROPERTIES ENVIRONMENT "MODE=7" WORKING_DIRECTORY /)
EOF
cmake -S project -B build >/dev/null || fail "no CMake"
heddle campaign --ctest build --runs 2 --plan-only -o ctest
expect_code 0
expect_err "test gamma is left out: it is not instrumented"
expect "tests are missing" [ "$(jq -r 'select(.unit) | .test' ctest/plan.jsonl | tr '\n' ' ')" = "alpha alpha beta beta " ]
expect "environment or folder is missing" [ "$(jq -c 'select(.test == "beta") | [.environment, .folder]' ctest/plan.jsonl | sort -u)" = '[["MODE=7"],"/"]' ]
heddle campaign resume ctest
expect_out "4 of 4 units done"
finish
