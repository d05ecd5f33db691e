#!/usr/bin/env bash
# Ctrl-C keeps what was found, and the search can go on.
. "$SOURCE/lib.sh" || exit 1
build queries
"$HEDDLE" -q explore -o out --strategy random -n 3000 -t 1 -- ./queries.bad 2 </dev/null 2>err &
pid=$!
# A later run than that of the first finding is going on: then the finding is confirmed.
later() {
    local found last
    found=$(ls out/witness-*.json 2>/dev/null | wc -l)
    last=$(ls out 2>/dev/null | sed -n 's/^output-\([0-9]*\)\.txt$/\1/p' | sort -n | tail -1)
    first=$(ls out 2>/dev/null | sed -n 's/^run-\([0-9]*\)\.hdr$/\1/p' | sort -n | head -1)
    [ "$found" -gt 0 ] && [ "${last:-0}" -gt "${first:-0}" ]
}
for _ in $(seq 3000); do
    later && break
    sleep 0.02
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
