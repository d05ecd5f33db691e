#!/usr/bin/env bash
# Ctrl-C keeps what was found, and the search can go on.
. "$SOURCE/lib.sh"
build queries
"$HEDDLE" -q explore -o out --strategy random -n 3000 -t 1 -- ./queries.bad 2 </dev/null 2>err &
pid=$!
for _ in $(seq 600); do
    ls out/witness-*.json >/dev/null 2>&1 && break
    sleep 0.1
done
kill -TERM $pid # counts as Ctrl-C, which shells let background jobs ignore
wait $pid
[ $? = 66 ] || fail "the interrupted search does not end with 66"
grep -q '"interrupted": *true' out/report.json || fail "the report does not say that parts are missing"
confirm out 1
before=$(sed -n 's/.*"done": *\([0-9]*\).*/\1/p' out/explore.json)
"$HEDDLE" -q explore --resume -o out -n 5 -t 1 2>err || [ $? = 66 ] || fail "it does not go on"
after=$(sed -n 's/.*"done": *\([0-9]*\).*/\1/p' out/explore.json)
[ "$after" = $((before + 5)) ] || fail "it went on from $before to $after"
for rest in out/*.tmp* out/*.raw-* out/output-*; do
    [ -e "$rest" ] && fail "$rest stayed behind"
done
exit $failed
