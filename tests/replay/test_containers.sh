#!/usr/bin/env bash
# The links of std::map, std::set and std::list are accesses of the program: races on them are found and confirmed, and
# under a lock nothing is left to code that is not seen. What replaces libstdc++'s functions does what they do.
. "$TESTS/replay/lib.sh" || exit 1
start containers
for options in "-O0 -std=c++20" "-O2 -std=c++14"; do
    cases="walk back erase list splice hash grow"
    [ "${options%% *}" = -O0 ] || cases="walk splice hash"
    "$HEDDLE" c++ $options -g "$TESTS/replay/container_links.cpp" -o links || fail "heddle c++"
    nm -u links | grep -qE '_Rb_tree_|_List_node_base' && fail "$options: libstdc++'s functions are used: $(nm -u links)"
    ./links || fail "$options: links"
    "$HEDDLE" c++ $options -g -pthread "$TESTS/replay/containers.cpp" -o containers || fail "heddle c++"
    for what in $cases; do
        "$HEDDLE" run --runs 1 --times 1 -o "$what.good" -- ./containers $what >out 2>err </dev/null ||
            fail "$options: $what: exit $?: $(cat err)"
        ! grep -q "not instrumented" err || fail "$options: $what: $(cat err)"
        "$HEDDLE" run --runs 1 --times 1 -o "$what.bad" -- ./containers $what racy >out 2>err </dev/null
        [ $? -eq 66 ] || fail "$options: $what racy: exit $?: $(cat err)"
        jq -e '[.races[] | select(.status == "confirmed")] != []' "$what.bad/report.json" >/dev/null ||
            fail "$options: $what racy is not confirmed: $(cat err)"
        jq -e '[.races[].accesses[].file | select(test("libstdcxx"))] == []' "$what.bad/report.json" >/dev/null ||
            fail "$options: $what racy: a place in our headers: $(cat err)"
    done
    rm -rf ./*.good ./*.bad
done
exit 0
