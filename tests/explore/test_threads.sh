#!/usr/bin/env bash
# The same with 3 and 4 threads: searches that take longer.
. "$SOURCE/lib.sh" || exit 1
build counter primes sort elevator queries tsp
for n in 3 4; do
    for p in counter primes sort elevator queries tsp; do
        explore 66 out --first --runs 10000 -- "./$p.bad" $n
        confirm out 1
        explore 0 out --runs 400 -- "./$p.good" $n
        [ -z "$(ids out)" ] || fail "$p.good $n: something is reported"
    done
done
exit $failed
