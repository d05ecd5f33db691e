#!/usr/bin/env bash
# The process ends while threads can still run. They run on, up to a bound: their race is confirmed. Output and exit
# status stay what they are natively, and a thread that would go on for ever costs little.
. "$TESTS/replay/lib.sh" || exit 1
start unjoined
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/unjoined.c" -o unjoined || fail "heddle cc"
cc -O1 -w -pthread "$TESTS/replay/unjoined.c" -o native || fail cc

for end in return exit quick thread two again; do
    for kind in run detached nap hour spin yield busy locked pool; do
        what="$end $kind"
        ./native $what >native.out </dev/null
        [ $? -eq 7 ] || fail "native: $what"
        for policy in fifo random pct; do
            timeout -k 5 60 "$HEDDLE" record -q --policy $policy -o $policy.hdt -- ./unjoined $what >out 2>err </dev/null
            code=$?
            [ $code -eq 7 ] || fail "$policy: $what: exit $code: $(cat err)"
            cmp -s out native.out || fail "$policy: $what: $(cat out)"
            size=$(stat -c %s $policy.hdt)
            # before its end, fifo lets a thread that never blocks run for a million hooks
            [ "$size" -le 1000000 ] || [ "$what" = "thread busy" ] || fail "$policy: $what: $size bytes"
        done
        # with one worker for all tasks there is no race to see
        "$HEDDLE" analyze fifo.hdt >analysis 2>&1
        [ $? -eq 66 ] || [ $kind = pool ] || fail "$what: no race: $(cat analysis)"
    done
done

# The races are confirmed, and replays end as the program does.
for what in 'return run' 'exit detached' 'quick nap' 'thread spin' 'two yield' 'return busy' 'exit locked'; do
    "$HEDDLE" record -q -o one.hdt -- ./unjoined $what >/dev/null 2>&1 </dev/null
    confirm one.hdt || fail "$what: not confirmed"
    [ "$confirmed" -ge 1 ] || fail "$what: no race"
done
"$HEDDLE" -q run -o run -- ./unjoined return run >/dev/null 2>&1 </dev/null
[ $? -eq 66 ] || fail "heddle run"

# One that sleeps wakes up first, though another one waits for a signal.
"$HEDDLE" cc -g -O1 -pthread "$TESTS/replay/sleeper.c" -o sleeper || fail "heddle cc"
timeout -k 5 60 "$HEDDLE" run --runs 1 -o sleeper.out -- ./sleeper >out 2>err </dev/null
[ $? -eq 66 ] || fail "sleeper: exit $?: $(cat err)"
jq -e '[.races[] | [.variable, .status]] == [["enabled", "confirmed"]]' sleeper.out/report.json >/dev/null || fail "sleeper: $(cat err)"

# _exit ends the process at once; so does exit when that is asked for.
"$HEDDLE" record -q -o one.hdt -- ./unjoined 'at once' run >/dev/null 2>&1 </dev/null
"$HEDDLE" analyze one.hdt >analysis 2>&1 || fail "_exit: $(cat analysis)"
"$HEDDLE" record -q --exit-steps 0 -o one.hdt -- ./unjoined exit run >/dev/null 2>&1 </dev/null
"$HEDDLE" analyze one.hdt >analysis 2>&1 || fail "no steps: $(cat analysis)"
"$HEDDLE" record -q --exit-steps 1000 -o one.hdt -- ./unjoined exit busy >/dev/null 2>&1 </dev/null
few=$(stat -c %s one.hdt)
"$HEDDLE" record -q --exit-steps 50000 -o one.hdt -- ./unjoined exit busy >/dev/null 2>&1 </dev/null
[ "$few" -lt "$(stat -c %s one.hdt)" ] || fail "--exit-steps does nothing"
exit 0
