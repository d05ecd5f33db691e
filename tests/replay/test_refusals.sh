#!/usr/bin/env bash
# What replay refuses or notices: edited witnesses, other traces, changed programs, programs that do something
# else, death and interruption in the middle.
set -u
. "$TESTS/replay/lib.sh" || exit 1
start refusals
cp "$TESTS/replay/effects.c" .
"$HEDDLE" cc -g -O0 effects.c -o effects || fail "heddle cc"
predict effects output
w=$witness

# The same schedule as runs of threads: read as well, and refused when they are wrong.
"$HEDDLE" trace cat effects.hdt | python3 -c '
import itertools, json, sys
threads = [l.split("|")[0] for l in sys.stdin if l.strip() and l[0] not in "#!"]
w = json.load(open(sys.argv[1]))
order = [threads[e - 1] for e in w.pop("schedule")]
w["runs"] = {"form": 1, "entries": len(order), "list": [[t, len(list(g))] for t, g in itertools.groupby(order)]}
json.dump(w, open("runs.json", "w"))
w["runs"]["list"][0][1] += 1
json.dump(w, open("wrong.json", "w"))' "$w"
replay 66 runs.json --trace effects.hdt
replay 3 wrong.json --trace effects.hdt

# An edited schedule: the checker refuses it, nothing runs.
sed -E 's/"schedule": \[1, /"schedule": [/' "$w" >edited.json
cmp -s "$w" edited.json && fail "nothing was edited"
replay 3 edited.json --trace effects.hdt
has err 'not a witness'
sed -E 's/"digest": "hd1-../"digest": "hd1-zz/' "$w" >other.json
replay 3 other.json --trace effects.hdt
has err 'belongs to another trace'
echo '{"schema": 3' >broken.json
replay 3 broken.json --trace effects.hdt
replay 3 missing.json
sed -E 's/"trace": "[^"]*", //' "$w" >nameless.json
replay 3 nameless.json
has err 'give --trace FILE'
replay 66 nameless.json --trace effects.hdt

# Text has no place for what a replay needs.
"$HEDDLE" trace convert effects.hdt effects.trace
replay 3 nameless.json --trace effects.trace
has err 'use the \.hdt file that heddle record wrote'
"$HEDDLE" trace convert effects.hdt again.hdt
replay 66 nameless.json --trace again.hdt

# Another program: other arguments make it do other things; another build is noticed before it runs.
replay 6 "$w" -- ./effects output detour
has out '^diverged: at step [0-9]+ of [0-9]+: expected event [0-9]+, T1.2 acq at effects.c:[0-9]+; but T1.2 did w at effects.c:[0-9]+$'
has out '^0 of 1 execution confirmed$'
replay 3 "$w" -- ./nowhere
cp effects same
replay 66 "$w" -- ./same output
sed 's/before/earlier/' effects.c >changed.c
"$HEDDLE" cc -g -O0 changed.c -o changed || fail "heddle cc"
replay 6 "$w" -- ./changed output
has out '^changed: .*changed is not the file that was recorded'
cp effects kept && cp changed effects
replay 6 "$w"
has out '^changed: '
cp kept effects
printf '#!/bin/sh\nexit 0\n' >script && chmod +x script
replay 6 "$w" -- ./script
mv effects elsewhere
replay 3 "$w"
mv elsewhere effects

# A program that dies before the schedule is done, one that does not get there in time, and Ctrl-C.
cat >early.c <<'END'
#include <pthread.h>
#include <signal.h>
#include <unistd.h>
int x;
static void *run(void *arg)
{
    if (access("hang", F_OK) == 0)
        raise(SIGSTOP);
    if (access("die", F_OK) == 0)
        raise(SIGKILL);
    if (access("interrupt", F_OK) == 0) {
        kill(getppid(), SIGINT);
        pause();
    }
    x++;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    x = 5;
    pthread_join(t, NULL);
    return 0;
}
END
"$HEDDLE" cc -g -O1 early.c -o early || fail "heddle cc"
predict early
replay 66 "$witness"
touch die
replay 6 "$witness"
has out '^diverged: the program ended before the schedule was done \(killed by SIGKILL\)$'
mv die hang
replay 6 "$witness" --timeout 2
has out '^timeout: the time ran out before the schedule was done'
mv hang interrupt
mkdir tmp
TMPDIR=$PWD/tmp "$HEDDLE" replay "$witness" --times 5 >out 2>err </dev/null
[ $? -eq 130 ] || fail "after Ctrl-C: $(cat out err)"
has err 'interrupted'
[ -z "$(ls tmp)" ] || fail "files were left behind: $(ls tmp)"
TMPDIR=$PWD/nowhere replay 4 "$witness"
exit 0
