#!/usr/bin/env bash
# heddle analyze --property: atomicity violations and deadlocks of small traces whose answers are worked out by hand,
# every form of output, the witness files, and what is refused.
. "$TESTS/cli/lib.sh" || exit 1

max() { jq -c ".detectors.max$1" out; }

# expect_deadlocks TRACE LIST
expect_deadlocks() {
    heddle analyze --property deadlock --pairs --json "$1"
    expect "deadlocks $(max .deadlocks), expected $2" [ "$(max .deadlocks)" = "$2" ]
    [ "$2" = "[]" ] && expect_code 0 || expect_code 66
    expect "undecided" [ "$(max .undecided)" = "[]" ]
}

# expect_violations TRACE LIST
expect_violations() {
    heddle analyze --property atomicity --pairs --json "$1"
    expect "violations $(max .atomicity), expected $2" [ "$(max .atomicity)" = "$2" ]
    [ "$2" = "[]" ] && expect_code 0 || expect_code 66
    expect "undecided" [ "$(max .undecided)" = "[]" ]
}

# ---- deadlocks ----

cat >opposite.trace <<'END'
!control branches
t1|acq(a)|f.c:1
t1|acq(b)|f.c:2
t1|rel(b)|f.c:3
t1|rel(a)|f.c:4
t2|acq(b)|g.c:1
t2|acq(a)|g.c:2
t2|rel(a)|g.c:3
t2|rel(b)|g.c:4
END
expect_deadlocks opposite.trace '[[2,6]]'
heddle analyze --property deadlock opposite.trace
expect_code 66
expect_out "1. Deadlock of 2 threads"
expect_out "t1 at f.c:2 (event 2) waits for b, holding a"
expect_out "t2 at g.c:2 (event 6) waits for a, holding b"
expect_out "now none of them can go on"
expect_out "opposite.trace: 1 deadlock in 1 cycle of source places"
heddle analyze --property deadlock --witness-dir w opposite.trace
heddle witness check opposite.trace w/witness-deadlock-2-6.json
expect_code 0
expect_out "of a deadlock: event 2 (t1 f.c:2) and event 6 (t2 g.c:2), 2 entries"

# Each pair of eight locks in both orders by ten threads: cycles without number. The short ones are listed and decided;
# what is not listed is said.
awk 'BEGIN { print "!control branches"
    for (t = 0; t < 10; t++) for (a = 0; a < 8; a++) for (b = 0; b < 8; b++) if (a != b)
        printf "t%d|acq(l%d)|c.c:%d\nt%d|acq(l%d)|d.c:%d\nt%d|rel(l%d)\nt%d|rel(l%d)\n", t, a, 8 * a + b, t, b, 8 * a + b, t, b, t, a }' >many.trace
heddle analyze --property deadlock --quiet many.trace
expect_code 66
expect "all 28 pairs of locks" [ "$(grep -c 'Deadlock of 2 threads' out)" = 28 ]
expect_out "Undecided: deadlock: more candidates than can be listed"
expect_out "; 1 undecided;"

# Two semaphores let the threads take turns; the orders alone decide all of 160,000 cycles of events.
awk 'BEGIN { print "!control branches\n!sem s 0\n!sem u 1"
    for (i = 0; i < 400; i++) {
        print "t1|sem(u)|f.c:1\nt1|acq(a)|f.c:2\nt1|acq(b)|f.c:3\nt1|rel(b)|f.c:4\nt1|rel(a)|f.c:5\nt1|post(s)|f.c:6"
        print "t2|sem(s)|g.c:1\nt2|acq(b)|g.c:2\nt2|acq(a)|g.c:3\nt2|rel(a)|g.c:4\nt2|rel(b)|g.c:5\nt2|post(u)|g.c:6" } }' >turns.trace
heddle analyze --property deadlock turns.trace
expect_code 0
expect_out "160000 cycles of events impossible (must 160000); 0 undecided"

# A common outer lock guards the cycle.
sed -e 's/^\(t[12]\)|acq(\(a)|f.c:1\|b)|g.c:1\)/\1|acq(g)|h.c:1\n&/' -e 's/^\(t[12]\)|rel(\(a)|f.c:4\|b)|g.c:4\)/&\n\1|rel(g)|h.c:2/' \
    opposite.trace >guarded.trace
heddle trace check guarded.trace
expect_code 0
expect_deadlocks guarded.trace '[]'

# The second thread begins when the first is done.
{ sed 2,5p\;d opposite.trace | sed 1i\!control\ branches; echo 't1|fork(t2)|f.c:9'; sed 6,9p\;d opposite.trace; } >forked.trace
heddle trace check forked.trace
expect_code 0
expect_deadlocks forked.trace '[]'

# The second thread is notified when the first is done, by the only one that can notify it.
cat >notified.trace <<'END'
!control branches
t2|acq(m)|g.c:1
t2|wait(c,m)|g.c:2
t1|acq(a)|f.c:1
t1|acq(b)|f.c:2
t1|rel(b)|f.c:3
t1|rel(a)|f.c:4
t1|acq(m)|f.c:5
t1|sig(c)|f.c:6
t1|rel(m)|f.c:7
t2|wake(c,m)|g.c:2
t2|rel(m)|g.c:3
t2|acq(b)|g.c:4
t2|acq(a)|g.c:5
t2|rel(a)|g.c:6
t2|rel(b)|g.c:7
END
expect_deadlocks notified.trace '[]'

# A branch on a flag that the first thread sets when it is done.
cat >flag.trace <<'END'
!control branches
!init done 0
t1|acq(a)|f.c:1
t1|acq(b)|f.c:2
t1|rel(b)|f.c:3
t1|rel(a)|f.c:4
t1|aw(done,1)|f.c:5
t2|ar(done,1)|g.c:0
t2|br|g.c:0
t2|acq(b)|g.c:1
t2|acq(a)|g.c:2
END
expect_deadlocks flag.trace '[]'
grep -v '|br|' flag.trace >no_branch.trace
expect_deadlocks no_branch.trace '[[2,8]]'

# Three in a circle; readers among themselves do not wait, a writer waits for a reader.
cat >circle.trace <<'END'
!control branches
t1|acq(a)|f.c:1
t1|acq(b)|f.c:2
t1|rel(b)|f.c:3
t1|rel(a)|f.c:4
t2|acq(b)|f.c:1
t2|acq(c)|f.c:2
t2|rel(c)|f.c:3
t2|rel(b)|f.c:4
t3|acq(c)|f.c:1
t3|acq(a)|f.c:2
t3|rel(a)|f.c:3
t3|rel(c)|f.c:4
END
expect_deadlocks circle.trace '[[2,6,10]]'
sed -e 's/acq(/racq(/' -e 's/rel(/rrel(/' opposite.trace >readers.trace
expect_deadlocks readers.trace '[]'
sed -e '2s/acq(/racq(/' -e '5s/rel(/rrel(/' opposite.trace >reader.trace
expect_deadlocks reader.trace '[[2,6]]'

# ---- atomicity ----

cat >marked.trace <<'END'
!control branches
!init x 0
t1|begin|f.c:1
t1|r(x,0)|f.c:2
t1|w(x,1)|f.c:3
t1|end|f.c:4
t2|w(x,5)|g.c:1
t2|r(x,5)|g.c:2
END
expect_violations marked.trace '[[2,5,3]]'
heddle analyze --property atomicity marked.trace
expect_code 66
expect_out "1. Atomicity violation on x (marked block)"
expect_out "write by t2 at g.c:1 (event 5), holding no lock"
heddle analyze --property atomicity --witness-dir w marked.trace
heddle witness check marked.trace w/witness-atomicity-2-5-3.json
expect_code 0
expect_out "of an atomicity violation on x: event 2 (t1 f.c:2), event 5 (t2 g.c:1) and event 3 (t1 f.c:3), 4 entries"

# Under one lock nothing comes between; over two sections it does.
sed -e 's/^t1|begin.*/t1|acq(l)|f.c:1/' -e 's/^t1|end.*/t1|rel(l)|f.c:4/' -e 's/^t2|w/t2|acq(l)|g.c:0\n&/' marked.trace >locked.trace
expect_violations locked.trace '[]'
cat >check.trace <<'END'
!control branches
!init x 0
t1|acq(l)|f.c:1
t1|r(x,0)|f.c:2
t1|rel(l)|f.c:3
t1|br|f.c:4|deps=2
t1|acq(l)|f.c:5
t1|w(x,1)|f.c:6|val=
t1|rel(l)|f.c:7
t2|acq(l)|g.c:1
t2|w(x,5)|g.c:2
t2|rel(l)|g.c:3
END
expect_violations check.trace '[[2,9,6]]'
heddle analyze --property atomicity check.trace
expect_out "(check, then act)"
sed 's/deps=2/deps=/' check.trace >unrelated.trace
expect_violations unrelated.trace '[]'
# A wait gives the lock up on purpose.
cat >waits.trace <<'END'
!control branches
!init x 0
t1|acq(l)|f.c:1
t1|r(x,0)|f.c:2
t1|wait(c,l)|f.c:3
t2|acq(l)|g.c:1
t2|w(x,1)|g.c:2
t2|sig(c)|g.c:3
t2|rel(l)|g.c:4
t1|wake(c,l)|f.c:3
t1|w(x,2)|f.c:4
t1|rel(l)|f.c:5
END
expect_violations waits.trace '[]'

# ---- together, and what is refused ----

heddle analyze --property race,atomicity,deadlock --json marked.trace
expect_code 66
expect "not all arrays" jq -e '.detectors.max | has("pairs") and has("atomicity") and has("deadlocks") and
    (.properties | has("atomicity") and has("deadlock")) and ([.witnesses[].property] | unique) == ["atomicity", "race"]' out >/dev/null
heddle analyze --json marked.trace
expect "more than was asked for" jq -e '.detectors.max | has("pairs") and (has("atomicity") or has("deadlocks") or has("properties") | not)' out >/dev/null
heddle analyze --property atomicity --budget 0s --json marked.trace
expect_code 5
expect "not undecided" [ "$(max '.undecided[0] | [.property, .reason]')" = '["atomicity","time budget of the run"]' ]
heddle analyze --property atomicity --budget 0s --require-complete marked.trace
expect_code 5
expect_out "Undecided: atomicity violation of events 2 (f.c:2)"
# Stages: the filters one by one, and what is left in the end.
heddle compare -d hb marked.trace guarded.trace opposite.trace
expect_code 0
expect "stages of marked" grep -qE '^  atomicity +1 +1 +1 +1 +1 +1 +0 ' out
expect "stages of guarded" grep -qE '^  deadlock +1 +0 +1 +0 +0 +0 +0 ' out
expect "stages of opposite" grep -qE '^  deadlock +1 +1 +1 +1 +1 +1 +0 ' out
heddle compare --json -d max,hb marked.trace guarded.trace
expect_code 0
expect "compare --json: $(jq -c . out)" jq -e '(.traces | length) == 2 and (.traces[0].detectors | has("max") and has("hb")) and
    ([.traces[].detectors[] | (.pairs | length) == .places] | all) and .traces[1].stages.atomicity.candidates >= 0' out
heddle compare --csv -d hb marked.trace
expect "other columns" [ "$(head -1 out | tr , '\n' | grep -c _stage_)" = 27 ]
expect "columns and values differ" [ "$(head -1 out | tr , '\n' | wc -l)" = "$(sed -n 2p out | tr , '\n' | wc -l)" ]
heddle analyze --property magic marked.trace
expect_usage "--property wants some of race, atomicity, deadlock, not 'magic'"
heddle analyze --property deadlock --detector hb marked.trace
expect_usage "only max knows other properties"
finish
