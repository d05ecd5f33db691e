#!/usr/bin/env bash
# Members of std::string are compiled with the program, up to C++17 too: concurrent uses of a string are confirmed, and
# right uses are quiet. Options that change libstdc++'s configuration keep their meaning.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)/strings
work=$TMP_DIR/record-strings
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0
fail() { echo "FAIL $*"; failed=1; }

# racy FOUND START A B OPTION...
racy() {
    local found=$1
    "$HEDDLE" c++ -g "-DSTART=$2" "-DA=$3" "-DB=$4" "${@:5}" "$here/racy.cpp" -o prog || exit 1
    timeout 60 "$HEDDLE" run --times 1 -o out -- ./prog >text 2>err </dev/null
    local code=$?
    rm -rf out
    [ $code = 66 ] && grep -q "$found.*confirmed" err || fail "$*: exit $code: $(cat err)"
}

long='"a text that is on the heap"'
for options in "-O0 -std=c++11" "-O0 -std=c++17" "-O2 -std=c++17" "-O0 -std=c++20"; do
    read -ra words <<<"$options"
    racy 'operator+= on s' '"short"' 's += "y"' 's += "z"' "${words[@]}"
    racy 'append and size on s' '"short"' 's.append(other)' 'sink = s.size()' "${words[@]}"
    racy 'on ' "$long" 's.clear()' 'sink = s.find("r")' "${words[@]}"
    racy 'on ' "$long" 's = "new"' 'std::string c(s); sink = c.size()' "${words[@]}"
    "$HEDDLE" c++ -g "${words[@]}" "$here/right.cpp" -o prog || exit 1
    timeout 100 "$HEDDLE" run --runs 2 -o out -- ./prog >text 2>err </dev/null
    code=$?
    rm -rf out
    [ $code = 0 ] && grep -q '^heddle: 0 races confirmed, 0 predicted' err || fail "right $options: exit $code: $(cat err)"
done

# Strings alone come from the program: streams stay in the library. Nothing warns, and the checks of libstdc++ can be asked for.
"$HEDDLE" c++ -std=c++17 -O0 -Wall -Wextra -pedantic -Werror "$here/right.cpp" -o prog || fail "warnings"
nm -uC prog >undefined
! grep -q '__cxx11::basic_string<.*::append' undefined && grep -q 'std::ostream::operator<<' undefined || fail "members of the library: $(cat undefined)"
printf '#include <string>\nint main() { std::string s; return s[5]; }\n' >index.cpp
"$HEDDLE" c++ -D_GLIBCXX_ASSERTIONS index.cpp -o index && "$HEDDLE" record -q -o r.hdr -- ./index 2>err
grep -qi 'assert' err || fail "no assertion: $(cat err)"
exit $failed
