#!/usr/bin/env bash
# Every sort of value: integers, structs by value, memory, library functions, threads. What expressions follow is reached
# by a search that calls itself complete; what becomes concrete (floats, wide values, library code without a model) is counted and named, and the search does not call itself complete.
. "$SOURCE/common.sh" || exit 1
enter values
names=$(sed -n '/followed\[\]/,/};/s/.*{"\([a-z0-9_]*\)".*/\1/p' "$SOURCE/values.c")
[ "$(wc -w <<<"$names")" -gt 40 ] || { echo "FAIL: too few computations in values.c" >&2; exit 1; }
for level in 0 2; do
    build values -O$level -I"$SOURCE/../../include" "$SOURCE/values.c"
    hunt all$level --no-predict --keep-all --at-once 2 --input none --symbolic-call none -- ./values
    for name in $names; do
        check "-O$level reaches $name" true "$(cat all$level.d/*.out | grep -qx "REACHED $name" && echo true)"
    done
    check "-O$level is complete" true "$(field all$level .complete)"
    check "-O$level loses nothing" 0 "$(field all$level '[.concretised[]] | add')"
    check "-O$level runs go where they should" 0 "$(field all$level .diverged)"
    check "-O$level expressions are sound" 0 "$(field all$level .damaged)"
done

lost() { # NAME REASON FUNCTION
    hunt "$1" --no-predict --input none --symbolic-call none -- ./values "$1"
    check "$1 is counted as $2" true "$(field "$1" ".concretised.$2 > 0")"
    check "$1 is not complete" false "$(field "$1" .complete)"
    [ -z "${3:-}" ] || check "$1 names $3" true "$(field "$1" ".not_modelled | map(startswith(\"$3\")) | any")"
}
for level in 0 2; do
    build values -O$level -I"$SOURCE/../../include" "$SOURCE/values.c"
    lost float float
    lost fmem float
    lost int128 wide
    lost printf_float call printf
done
lost double float
lost strtod call strtod

# What streams of C++ read is followed; floats and buffers that are read by hand are not, and that is named.
cat >text.cc <<'END'
#include <iostream>
#include <iterator>
#include <string>
int main(int argc, char **)
{
    double d = 0;
    if (argc > 1)
        std::cin >> d;
    else
        d = std::string(std::istreambuf_iterator<char>(std::cin), {}).size();
    return d > 1;
}
END
for level in 0 2; do
    "$HEDDLE" c++ --concolic -g -O$level text.cc -o text || exit 1
    hunt text$level --no-predict --max-paths 20 --input stdin -- ./text 1
    check "C++ -O$level is counted" true "$(field text$level '.concretised.call > 0')"
    check "C++ -O$level names the stream" true "$(field text$level '.not_modelled | map(contains("_ZNSi")) | any')"
    check "C++ -O$level is not complete" false "$(field text$level .complete)"
    hunt hand$level --no-predict --max-paths 20 --input stdin -- ./text
    check "C++ -O$level by hand is named" true "$(field hand$level '.not_modelled | map(contains("reads standard input")) | any')"
    check "C++ -O$level by hand is not complete" false "$(field hand$level .complete)"
done

# In plain words too.
rm -rf text.d
"$HEDDLE" hunt --quiet -o text.d --no-predict --input none -- ./values strtod >text.out 2>&1 </dev/null
check "the text names it" 1 "$(grep -c '^not modelled: strtod$' text.out)"
check "the text says why it ended" 1 "$(grep -c 'ended by: every path that could be followed was tried' text.out)"
finish
