#!/usr/bin/env bash
# C++: what a std::string holds is followed, an index outside of a vector is found, and a line of std::cin is followed.
. "$SOURCE/common.sh" || exit 1
enter cxx
cat >words.cpp <<'C'
#include <iostream>
#include <string>
#include <thread>
#include <vector>
static int level, total;
int main(int argc, char **argv)
{
    std::thread t([] { total += level; });
    std::string arg = argc > 1 ? argv[1] : "", rest;
#if KIND == 0
    if (arg.rfind("-n=", 0) == 0 && arg.size() == 5 && arg.substr(3) == "42")
        level = 42;
#elif KIND == 1
    std::vector<int> list(8);
    if (!arg.empty() && arg[0] > 'a' && list[(unsigned char)arg[1] & 15])
        level = 1;
#else
    if (std::getline(std::cin, rest) && rest == "set")
        level = 1;
#endif
    t.join();
    return 0;
}
C
for kind in 0 1 2; do
    "$HEDDLE" c++ --concolic -std=c++17 -g -O1 -DKIND=$kind words.cpp -o words$kind || exit 1
done
hunt words0 --first --input argv --max-paths 300 -- ./words0 aaaaa
check "a string: exit code" 66 "$status"
check "a string: a race" race "$(field words0 '.findings[0].kind')"
test=$(field words0 '.findings[0].input')
check "a string: the input" "-n=42" "$(head -c 5 "${test%.input}.argv1")"
hunt words1 --input argv --max-paths 300 -- ./words1 aa
check "a vector: exit code" 66 "$status"
check "a vector: an index outside ends the run" true "$(field words1 '[.findings[].kind] | any(. == "assertion" or . == "crash")')"
hunt words2 --first --input stdin -- ./words2
check "a stream: exit code" 66 "$status"
check "a stream: all is modelled" "[]" "$(field words2 ".not_modelled | tostring")"
finish
