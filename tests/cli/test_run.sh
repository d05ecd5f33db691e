#!/usr/bin/env bash
# heddle run and heddle report: files, exit codes, suppressions, baseline, refusals, interrupts.
. "$TESTS/cli/lib.sh" || exit 1
examples=$TESTS/../examples
valid() { # valid FILE...: against the schema
    python3 - "$TESTS/../docs/report.schema.json" "$@" <<'PY'
import json, sys, jsonschema
schema = json.load(open(sys.argv[1]))
jsonschema.Draft202012Validator.check_schema(schema)
for name in sys.argv[2:]:
    jsonschema.validate(json.load(open(name)), schema)
PY
}
cp "$examples/hidden.c" "$examples/half_built.c" "$examples/counter_fixed.c" .

# ---- one run: everything in one folder, the report on the standard error, the program's output its own ----
heddle run -v hidden.c
expect_code 66
expect "the output is not the program's" [ "$(cat out)" = "level 5 after 2 changes" ]
expect "no essence first: $(head -1 err)" grep -q '^1. data race on level \[confirmed' err
expect "the summary is not last" sh -c "tail -1 err | grep -qx 'heddle: 1 race confirmed, 0 predicted only; heddle-out/1'"
expect_err "events in 4 runs; 28 other pairs cannot race there, 0 undecided"
expect "more than 80 columns" sh -c "! grep -nE '.{81}' err"
expect "report.txt differs" cmp -s err heddle-out/1/report.txt
for file in 1/hidden 1/run.hdr 1/report.json latest/report.json; do
    expect "$file is missing" [ -e "heddle-out/$file" ]
done
expect "latest does not point to it" [ "$(readlink heddle-out/latest)" = 1 ]
expect "the folder holds $(ls heddle-out/1)" [ "$(cd heddle-out/1 && echo *)" = "hidden report.html report.json report.txt run-2.hdr run-3.hdr run-4.hdr run.hdr witness-$(jq -r ".races[0].id" heddle-out/1/report.json).json" ]
expect "the schema does not fit" valid heddle-out/1/report.json
"$HEDDLE" witness check heddle-out/1/run.hdr heddle-out/1/witness-R-*.json >/dev/null || fail "the witness is refused"
id=$(jq -r '.races[0].id' heddle-out/1/report.json)

# Printed in brief, with what to do next behind the summary.
heddle run --runs 4 -o brief hidden.c
expect "the summary is not before the last line" sh -c "tail -2 err | head -1 | grep -qx 'heddle: 1 race confirmed, 0 predicted only; brief'"
expect "no next step: $(tail -1 err)" [ "$(tail -1 err)" = "Next: heddle show $id --run brief" ]

# The next one leaves the first alone. Same program, other lines, other folder: same id.
cp heddle-out/1/report.json first.json
sed 's/^static int level/\n\n&/' hidden.c >moved.c
heddle run --quiet moved.c
expect_code 66
expect "not one line with --quiet" [ "$(wc -l <err)" = 1 ]
expect "the first run has changed" cmp -s first.json heddle-out/1/report.json
expect "latest is not the second" [ "$(readlink heddle-out/latest)" = 2 ]
expect "the id has changed with the lines" [ "$(jq -r '.races[0].id' heddle-out/2/report.json)" = "$id" ]

# ---- report and replay find it ----
heddle report
expect_code 0
expect_out "data race on level"
heddle report -v heddle-out/1
expect "report prints something else" diff <(sed 's/; heddle-out.*//' out) <(sed 's/; heddle-out.*//' heddle-out/1/report.txt)
heddle report --format json heddle-out/1/report.json
expect "JSON is not read back without loss" cmp -s out heddle-out/1/report.json
heddle report -o text.txt heddle-out/1
expect_no_out
expect "-o writes nothing" [ -s text.txt ]
"$HEDDLE" report --format json - <first.json >piped 2>&1
expect "- is not the standard input" cmp -s piped first.json
heddle report --color always heddle-out/1
expect "no colour" grep -q $'\033\[' out
NO_COLOR=1 heddle report heddle-out/1
expect "colour where there is none to be" sh -c "! grep -q $(printf '\033') out"
heddle replay "$id"
expect_code 66
expect_out "CONFIRMED race on level"
heddle replay "${id:0:5}"
expect_code 66
heddle replay --run heddle-out/1
expect_code 66
heddle replay R-000000
expect_code 3
expect_err "has no race R-000000"
heddle replay R-zzzz
expect_code 3
expect_err "R-zzzz: not an id"
heddle replay heddle-out/1
expect_code 3
expect_err "heddle-out/1: a folder; name a race of the run in it with --run"
heddle replay nothing.json
expect_code 3
expect_err "nothing.json: there is no such witness file"
heddle report nowhere
expect_code 3
expect_err "nowhere: No such file or directory"
heddle report hidden.c
expect_code 3
expect_err "hidden.c:1: not JSON"
echo '{"schema": "heddle-report-9"}' >later.json
heddle report later.json
expect_code 3
expect_err 'the schema is "heddle-report-9"'
heddle report -o no/such/file heddle-out/1
expect_code 4
mkdir empty
(cd empty && heddle report; expect_code 3; expect_err "there is no run here yet"; heddle replay; expect_code 3; exit "$failures") || failures=$((failures + 1))

# ---- nothing found: the program's own status ----
cat >five.c <<'C'
int main(int argc, char **argv)
{
    (void)argv;
    return argc > 2 ? *(volatile int *)0 : 5 + argc;
}
C
heddle run five.c -- argument
expect_code 7
expect_err "heddle: 0 races confirmed"
heddle run five.c -- two arguments
expect_code 139
expect_err "heddle: 0 races confirmed, 0 predicted only; killed by SIGSEGV; heddle-out/"

# ---- where a report cannot go is told before the program runs ----
cat >shouts.c <<'C'
#include <stdio.h>
int main(void) { return puts("I was run") < 0; }
C
for option in --json= --report=; do
    heddle run ${option}nowhere/a.json shouts.c
    expect_code 4
    expect_err "nowhere/a.json"
    expect_no_out
    heddle run ${option}hidden.c/a.json shouts.c
    expect_code 4
    expect_no_out
done
heddle explore -r nowhere/a.html shouts.c
expect_code 4
expect_err "nowhere/a.html"
heddle merge -o nowhere/a.json heddle-out/1
expect_code 4
heddle run -o fresh -r fresh/a.html shouts.c
expect_code 0
expect "no report in the folder of the run" [ -s fresh/a.html ]
heddle run counter_fixed.c
expect_code 0

# ---- several runs; prediction only ----
heddle run --runs 3 --seed 7 -o many half_built.c
expect_code 66
expect "no three traces" [ -e many/run.hdr -a -e many/run-2.hdr -a -e many/run-3.hdr ]
expect "races of several runs are not merged" [ "$(jq '.races | length' many/report.json)" = 2 ]
expect "the schema does not fit" valid many/report.json
heddle run --times 0 --confirmed-only -o sure half_built.c
expect_code 0
heddle run --times 0 -o none half_built.c
expect_code 66
expect_err "0 races confirmed, 2 predicted only"
expect_err "Not confirmed: replay was not asked for"

# ---- suppressions and baseline ----
ids=$(jq -r '[.races[].id] | join(" ")' many/report.json)
printf '# known\n\nrace_top: ^builder$\nrace:nobody\nnonsense\nvar:x*\nwrong:y\n' >rules
heddle run -s rules -o hidden1 half_built.c
expect_code 0
expect_err "rules:5: there is no \"type:\" before the pattern; the line is left out"
expect_err "rules:7: the type is not one that is known"
expect_err "Unused suppression: rules:4: race:nobody"
expect_err "0 races confirmed, 0 predicted only, 2 suppressed"
expect "the schema does not fit" valid hidden1/report.json
echo "race:builder <-> reader" >pair
echo "id:${ids%% *}" >one
heddle run --suppressions one --suppressions pair -o hidden2 half_built.c
expect_code 0
expect "rules of the first file do not come first" [ "$(jq -c '[.rules[].used]' hidden2/report.json)" = '[1,1]' ]
heddle run -s one -o hidden3 half_built.c
expect_code 66
expect_err "1 race confirmed, 0 predicted only, 1 suppressed"
heddle run --baseline many/report.json -o known half_built.c
expect_code 0
expect_err "0 races confirmed, 0 predicted only, 2 known"
expect "not known" [ "$(jq -c '[.races[].known]' known/report.json)" = '[true,true]' ]
heddle run --baseline hidden3/report.json -o known2 half_built.c
expect_code 66
expect_err "1 race confirmed, 0 predicted only, 1 known"
heddle run --json=copy.json -o known3 half_built.c
expect "--json writes something else" cmp -s copy.json known3/report.json

# ---- a deadlock of the recorded run ----
cat >dead.c <<'C'
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static void *one(void *arg)
{
    pthread_mutex_lock(&a);
    usleep(1000);
    pthread_mutex_lock(&b);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, one, NULL);
    pthread_mutex_lock(&b);
    usleep(2000);
    pthread_mutex_lock(&a);
    return 0;
}
C
heddle run -v -o dead dead.c
expect_code 66
expect_err "deadlock on a, b [observed]"
expect_err "Thread T1.1: wait for lock b (locks: a):"
expect_err "heddle: 0 races confirmed, 1 deadlock"
expect "the schema does not fit" valid dead/report.json
heddle run -o dead2 --baseline dead/report.json dead.c
expect_err "1 known"

# ---- refusals ----
heddle run; expect_usage "missing argument"
heddle run -- ; expect_usage "missing argument"
heddle run hidden.c argument; expect_usage "'argument' is no source file; arguments follow --"
heddle run --runs 0 -- ./x; expect_usage "--runs: 0 is"
heddle run --budget soon -- ./x; expect_usage "--budget wants a time"
heddle run --json --format html shouts.c; expect_usage "two formats"
heddle run --json -o as-json shouts.c; expect_code 0; expect "no JSON on the standard error" jq -e ".schema == \"heddle-report-1\"" err
expect "--json without a file made one" [ ! -e ./-- ]
heddle run -- ./missing
expect_code 3
expect_no_out
expect_err "missing"
cc -x c - -o plain <<<'int main(void) { return 0; }'
heddle run -- ./plain
expect_code 3
expect_err "./plain is not instrumented: compile and link it with heddle cc"
heddle run -o shell -- sh -c true
expect_code 3
expect_err 'If it only starts your program, build that one so (for example make CC="heddle cc") and run it itself'
"$HEDDLE" cc -g hidden.c -o started -pthread
heddle run -o shell -- sh -c './started; true'
expect_code 66
expect_err "only started the recorded program"
echo 'int main(void) { return }' >bad.c
heddle run bad.c
expect_code 3
expect_err "the compiler failed"
heddle run -s nowhere hidden.c
expect_code 3
expect_err "nowhere: No such file or directory"
heddle run --baseline rules hidden.c
expect_code 3
expect_err "rules:1: not JSON"
mkdir full && touch full/file
heddle run -o full hidden.c
expect_code 3
expect_err "full is not an empty folder; an earlier run is never overwritten"
heddle run -o no/such/folder hidden.c
expect_code 4
expect_err "cannot make the folder no/such/folder: No such file or directory"
heddle run -o /proc/heddle hidden.c
expect_code 4
expect "failed runs leave folders: $(ls heddle-out)" [ "$(ls heddle-out | sort | tr '\n' ' ')" = "1 2 3 4 5 latest " ]
(cd empty && echo file >heddle-out && heddle run ../hidden.c; expect_code 4; expect_err "cannot make the folder"; exit "$failures") || failures=$((failures + 1))

# A witness that was edited, and a program that was built anew, are noticed.
jq -c '.schedule |= [.[0]] + .[2:]' heddle-out/1/witness-R-*.json >heddle-out/1/edited.json
heddle replay heddle-out/1/edited.json
expect_code 3
expect_err "not a witness"
sed -i 's/= 5/= 6/' hidden.c
"$HEDDLE" cc -g -pthread hidden.c -o heddle-out/1/hidden
heddle replay --run heddle-out/1
expect_code 6
expect_out "changed"

# ---- Ctrl-C while the program runs: what it did is analysed, and we end as it did ----
cat >waits.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int x;
static void *set(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    char c;
    pthread_create(&a, NULL, set, NULL);
    pthread_create(&b, NULL, set, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("waiting");
    fflush(stdout);
    return read(0, &c, 1) == 1;
}
C
mkfifo keyboard
command_line="heddle run waits.c, interrupted"
env --default-signal=INT "$HEDDLE" run --times 0 -o waits waits.c <keyboard >out 2>err &
pid=$!
exec 8>keyboard
wait_for 'grep -q waiting out'
kill -INT "$pid"
code=0
wait "$pid" || code=$?
exec 8>&-
expect_code 130
expect_err "0 races confirmed, 1 predicted only"
expect "no report" [ -s waits/report.json ]
# One that never ends is not replayed for a minute each time.
cat >endless.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int beats;
static void *beat(void *arg)
{
    for (;;) {
        beats++;
        usleep(1000);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, beat, NULL);
    puts("beating");
    fflush(stdout);
    beat(NULL);
}
C
command_line="heddle run endless.c, interrupted"
env --default-signal=INT "$HEDDLE" run --runs 1 -o endless endless.c >out 2>err &
pid=$!
wait_for 'grep -q beating out'
kill -INT "$pid"
code=0
wait "$pid" || code=$?
expect_code 130
expect_err "did not end in time"
expect "its replays take a minute" [ "$(jq '.seconds.replay < 50' endless/report.json)" = true ]

# Deadlocks are looked for unless told otherwise, atomicity violations when asked for; both are confirmed by replay.
heddle run -q -o hungry "$TESTS/property/philosophers.c"
expect_code 66
expect_err "0 races confirmed, 1 deadlock, 0 predicted only"
expect "the deadlock is not confirmed" [ "$(jq -r '.races[0]|"\(.property) \(.status) \(.effects.first)"' hungry/report.json)" = "deadlock confirmed deadlock" ]
expect "the command does not name the folder" grep -q "Replay: heddle replay hungry/witness-" hungry/report.txt
heddle replay --run hungry
expect_code 66

# A deadlock at the end of a wait, which a later recording comes to as well, with main in its join: it is one.
cat >wakes.c <<'C'
#include <pthread.h>
static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER;
static int items;
static void *taker(void *a)
{
    pthread_mutex_lock(&inner);
    pthread_mutex_lock(&outer);
    while (!items)
        pthread_cond_wait(&full, &inner);
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    return a;
}
static void *giver(void *a)
{
    pthread_mutex_lock(&inner);
    items++;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&inner);
    pthread_mutex_lock(&inner);
    pthread_mutex_lock(&outer);
    pthread_mutex_unlock(&outer);
    pthread_mutex_unlock(&inner);
    return a;
}
int main(void)
{
    pthread_t t, g;
    pthread_create(&t, 0, taker, 0);
    pthread_create(&g, 0, giver, 0);
    pthread_join(g, 0);
    pthread_join(t, 0);
    return 0;
}
C
heddle run -q -o wakes wakes.c
expect_code 66
expect_err "0 races confirmed, 1 deadlock, 0 predicted only"
expect "the deadlock is not that of the wake" [ "$(jq -r '.races[0].accesses[0].kind' wakes/report.json)" = "wake and wait for lock" ]
expect "its hang was not seen" [ "$(jq -r '.races[0].duplicates > 0' wakes/report.json)" = true ]

heddle run -q --property race -o hungry2 "$TESTS/property/philosophers.c"
expect_code 0
heddle run -q --property atomicity -o bank "$TESTS/property/bank.c"
expect_code 66
expect_err "0 races confirmed, 1 atomicity violation"
expect "the violation has no three accesses" [ "$(jq -r '.races[0].accesses|length' bank/report.json)" = 3 ]
heddle run --property luck "$TESTS/property/bank.c"
expect_code 2
expect_err "--property wants"
# Of a long schedule the report has the ends, and says how much is missing; the witness has all of it.
cat >long.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int turns, late;
static void *work(void *arg)
{
    for (int i = 0; i < 6000; i++) {
        pthread_mutex_lock(&lock);
        turns++;
        pthread_mutex_unlock(&lock);
    }
    late++;
    return arg;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    return pthread_join(b, 0);
}
END
heddle run -q --runs 1 -t 1 -o long long.c
expect_code 66
expect "long schedule" jq -e '[.races[] | select(.variable == "late")][0] | .left_out > 20000 and
    (.schedule | length) <= 20000 and (.schedule | length) == (.recorded | length) and
    ([.schedule[] | select(.op == "fork")] | length) == 2 and .schedule[-1].racing' long/report.json
expect "the text counts what it has" grep -q "context switches*; only some are here" long/report.txt
heddle report -o again.json long
expect "read back without loss" test "$(jq -S '.races' long/report.json)" = "$(jq -S '.races' again.json)"
# What a maintainer asks: why was it confirmed, or not?
HD_LOG=all:debug heddle run --runs 1 -t 1 -o logged hidden.c
expect_err "[record debug] start"
expect_err "[replay debug] first order: confirmed"
expect_err "[session debug] R-"
for room in base symbols recording build trace predict cli; do
    expect_err "[$room debug] "
done
finish
