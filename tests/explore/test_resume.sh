#!/usr/bin/env bash
# Searches in parts, by budget and by Ctrl-C: the same schedules and findings as in one go.
. "$SOURCE/lib.sh" || exit 1
build tsp
"$HEDDLE" cc -g -O1 "$SOURCE/../dpor/programs.c" -o programs -pthread || exit 1

same() {
    [ "$(ids one)" = "$(ids part)" ] || fail "$*: other findings in parts"
    [ "$(grep 'search: ' one/report.txt)" = "$(grep 'search: ' part/report.txt)" ] ||
        fail "$*: $(grep 'search: ' part/report.txt) instead of $(grep 'search: ' one/report.txt)"
}

for p in "lastzero 5" "increment 2" "notify 3" "crossed 2"; do
    # shellcheck disable=SC2086
    "$HEDDLE" -q explore -o one --strategy dpor -t 1 -- ./programs $p </dev/null 2>err
    # shellcheck disable=SC2086
    "$HEDDLE" -q explore -o part --strategy dpor -t 1 -n 2 -- ./programs $p </dev/null 2>err
    for i in $(seq 40); do
        grep -q "search: all" part/report.txt && break
        # In another environment, and with other numbers of jobs.
        PART=$(head -c "$i" /dev/zero | tr '\0' x) \
            "$HEDDLE" -q explore --resume -o part -t 1 -n 3 --at-once $((1 + i % 2)) </dev/null 2>err
    done
    same "$p"
    rm -rf one part
done

# A share of a search goes on as that share, and looks for its prefixes in parts, too.
share="--strategy dpor --shard 2/3"
# shellcheck disable=SC2086
"$HEDDLE" -q explore -o one $share -t 1 -- ./programs writers 5 </dev/null 2>err
# shellcheck disable=SC2086
"$HEDDLE" -q explore -o part $share -t 1 -n 2 -- ./programs writers 5 </dev/null 2>err
"$HEDDLE" -q explore --resume -o part -t 1 -n 3 </dev/null 2>err
[ $? = 3 ] || fail "a share went on as something else"
for i in $(seq 100); do
    grep -q "search: all" part/report.txt && break
    # shellcheck disable=SC2086
    "$HEDDLE" -q explore --resume $share -o part -t 1 -n 7 </dev/null 2>err
done
same "share 2 of 3"
rm -rf one part

# Interrupted in the middle, again and again.
explore 0 one --strategy dpor -t 1 -- ./tsp.good 2
says one "search: all [0-9]* schedules explored"
i=0
"$HEDDLE" explore -o part --strategy dpor -t 1 -n 5 -- ./tsp.good 2 </dev/null >/dev/null 2>err
while ! grep -q "search: all" part/report.txt && [ $i -lt 200 ]; do
    timeout -s INT "0.$((3 + i % 7))" "$HEDDLE" -q explore --resume -o part -t 1 </dev/null 2>err
    i=$((i + 1))
done
same "interrupted"
# A search that is through stays so.
"$HEDDLE" -q explore --resume -o part -t 1 </dev/null 2>err
same "over"

# Strategy guided: the same states; each part runs the program once by itself, too.
counts() { tr -s '\n ' ' ' <"$1/report.txt" | sed -n 's/.*search: \([0-9]*\) executions, \([0-9]*\) states; of.* 0 are open.*/\1 \2/p'; }
build queries
rm -rf one part
explore 0 one --strategy guided -t 1 -n 3000 -- ./queries.good 2
explore 0 part --strategy guided -t 1 -n 60 -- ./queries.good 2
parts=1
while [ -z "$(counts part)" ] && [ $parts -lt 50 ]; do
    "$HEDDLE" -q explore --resume -o part -t 1 -n 60 --at-once $((1 + parts % 2)) </dev/null 2>err
    parts=$((parts + 1))
done
[ $parts -gt 2 ] || fail "guided: it was not interrupted"
# shellcheck disable=SC2046
set -- $(counts one) $(counts part)
[ $# = 4 ] && [ "$2" = "$4" ] && [ $(($1 + parts - 1)) = "$3" ] ||
    fail "guided in $parts parts: $3 executions and $4 states instead of $1 and $2"
rm -rf part
explore 0 part --strategy guided -t 1 -n 50 -- ./queries.good 2
cp part/explore.guided kept
for at in 8 16 24 32 40 48 80; do # the first five numbers tell which search it is
    { head -c $at kept; printf '\377\376\375'; tail -c +$((at + 4)) kept; } >part/explore.guided
    "$HEDDLE" -q explore --resume -o part -t 1 -n 50 </dev/null >out.txt 2>err
    [ $? = 3 ] && grep -q "is damaged" err || fail "guided: a state damaged at $at is not refused"
done
head -c 500 kept >short
cp short part/explore.guided
"$HEDDLE" -q explore --resume -o part -t 1 -n 50 </dev/null >out.txt 2>err
[ $? = 3 ] && grep -q "is damaged" err || fail "guided: a damaged state is not refused"

# What cannot go on says why.
refused() {
    "$HEDDLE" -q explore --resume -o part -t 1 "${@:2}" </dev/null >out.txt 2>err
    [ $? = 3 ] || fail "$1: not refused"
    grep -q "$1" err || {
        fail "$1: not said"
        cat err
    }
}
rm -rf part
explore 0 part --strategy dpor -t 1 -n 5 -- ./tsp.good 2
refused "another bound" --preemptions 1
cp part/explore.dpor kept
head -c 1000 kept >part/explore.dpor
refused "is damaged"
{
    head -c 3000 kept
    printf x
    tail -c +3002 kept
} >part/explore.dpor
refused "is damaged"
# A length that the file cannot hold is refused before memory is taken for it.
for at in 2000 2200 2400 2600 2800 3000; do
    { head -c $at kept; printf '\377\377\377\017\0\0\0\0'; tail -c +$((at + 9)) kept; } >part/explore.dpor
    ([ -n "${HEDDLE_TEST_SANITIZED:-}" ] || ulimit -v 1500000; "$HEDDLE" -q explore --resume -o part -t 1 </dev/null >out.txt 2>err)
    [ $? = 3 ] && grep -q "is damaged" err || fail "a damaged length at $at: $(cat err)"
done
echo nothing >part/explore.dpor
refused "is not the state of a search"
cp kept part/explore.dpor
touch tsp.good
refused "the program has changed"
exit $failed
