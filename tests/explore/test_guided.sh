#!/usr/bin/env bash
# Strategy guided, the default: what prediction from one run cannot find is found, replayed 20 of 20
# times, and nothing is reported of the corrected programs.
. "$SOURCE/lib.sh" || exit 1
build counter primes sort elevator queries tsp

# One recorded run is enough for the counter and for none of the others.
for p in counter primes sort elevator queries tsp; do
    "$HEDDLE" -q run --runs 1 -t 0 -o one -- "./$p.bad" 2 >/dev/null 2>one.err
    found=$(ids one | wc -l)
    [ "$p" = counter ] && want=1 || want=0
    [ "$found" = $want ] || fail "$p: heddle run predicts $found races instead of $want"
    rm -rf one
done

# Optimised they have fewer branches, so that one run may be enough: the answers stay.
for p in counter primes sort elevator queries tsp; do
    for q in "$p" "$p.O2"; do
        explore 66 out --first --runs 2000 -t 1 -- "./$q.bad" 2
        confirm out 1
        explore 0 out --runs 60 -t 1 -- "./$q.good" 2
        [ -z "$(ids out)" ] || fail "$q.good: something is reported"
    done
done

# The corrected counter has two spurious warnings, which the bound settles.
explore 0 out -- ./counter.good 2
tr -s '\n ' ' ' <out/report.txt | grep -q "no race was reached with 2 preemptions" || fail "no note of what was not reached"
tr -s '\n ' ' ' <out/report.txt | grep -q "2 were not reached, 0 were known, 0 are open" || fail "not all warnings are settled"

# In shares: each warning is searched by one of them, and together they find what one search does.
explore 66 whole --runs 2000 -t 1 -- ./queries.bad 2
for i in 1 2 3; do
    rm -rf "share-$i"
    "$HEDDLE" -q explore --shard $i/3 --runs 2000 -t 1 -o "share-$i" -- ./queries.bad 2 </dev/null >share.out 2>&1
    code=$?
    [ $code = 66 ] || [ $code = 0 ] || { fail "share $i ended with $code"; cat share.out; }
done
[ "$(cat share-[123]/report.json | grep -o '"id": *"R-[0-9a-f]*"' | sort -u)" = "$(ids whole)" ] ||
    fail "shares find something else than the whole search"
elsewhere=$(jq -r '.search_notes[]' share-[123]/report.json | sed -n 's/.*: \([0-9]*\) warnings are those of other shares/\1/p' | awk '{ n += $1 } END { print n }')
[ "$elsewhere" = 12 ] || fail "of 6 warnings $elsewhere instead of 12 are left to others in 3 shares"

# A warning whose executions are too long to be used is not settled; a run that switches often shows it.
"$HEDDLE" cc -g -O0 "$SOURCE/long.c" -o long -pthread || exit 1
explore 66 out --runs 30 -- ./long
tr -s '\n ' ' ' <out/report.txt >long.txt
grep -q "no race was reached" long.txt && fail "long: what was not searched is called not reached"
grep -q "0 were not reached, 0 were known, 1 are open" long.txt || fail "long: the warning is not open"
grep -q "not all was searched: an execution has too many steps" long.txt || fail "long: no reason is given"
[ -s out/run-2.hdr ] || fail "long: the run that switches often was not made"
exit $failed
