#!/usr/bin/env bash
# `make install PREFIX=...` gives a tool that runs from there, its headers and its completions, and what other projects
# find it by: heddle.pc and find_package(Heddle).
set -u
build=$(dirname "$HEDDLE")
prefix=$TMP_DIR/install.$$
trap 'rm -rf "$prefix"' EXIT
fail() { echo "FAIL $*"; exit 1; }

cmake --install "$build" --prefix "$prefix" >"$TMP_DIR/install.log" 2>&1 || { cat "$TMP_DIR/install.log"; fail "cmake --install"; }
[ "$("$prefix/bin/heddle" --version | head -1)" = "$("$HEDDLE" --version | head -1)" ] || fail "the installed tool does not run"
for header in annotate.h trace_fmt.h; do
    cmp -s "$TESTS/../include/heddle/$header" "$prefix/include/heddle/$header" || fail "header $header"
    echo "#include <heddle/$header>" | cc -std=c17 -Wall -Werror -fsyntax-only -I"$prefix/include" -xc - ||
        fail "$header does not stand alone"
done
[ "$(ls "$prefix/include/heddle")" = "$(printf 'annotate.h\nlibstdcxx\nopenmp\ntrace_fmt.h')" ] || fail "other headers: $(ls "$prefix/include/heddle")"
for script in bash-completion/completions/heddle zsh/site-functions/_heddle fish/vendor_completions.d/heddle.fish; do
    grep -q trace "$prefix/share/$script" || fail "completion $script"
done
bash -n "$prefix/share/bash-completion/completions/heddle" || fail "the bash completion does not parse"
pages=$(find "$TESTS/../docs/man" -name "*.[1-8].md" 2>/dev/null | wc -l)
installed=$(find "$prefix" -path '*/man/man[1-8]/*' | wc -l)
[ "$pages" = "$installed" ] || fail "$installed of $pages man pages installed"

# pkg-config finds the header in the tree that was installed, not in the one that was configured.
pc=$(find "$prefix" -name heddle.pc)
[ -n "$pc" ] || fail "no heddle.pc"
flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags heddle) || fail "pkg-config"
# shellcheck disable=SC2086
echo '#include <heddle/annotate.h>' | cc -fsyntax-only $flags -xc - || fail "heddle.pc: $flags"

# A project that uses find_package: its test fails by exit 66 on a race, and the corrected twin passes.
compgen -G "$build/lib/heddle/heddle-pass-*.so" >/dev/null || { echo "no compiler pass in this build"; exit 0; }
mkdir "$prefix/project" && cd "$prefix/project" || exit 1
cp "$TESTS"/../examples/hidden.c "$TESTS"/../examples/hidden_fixed.c .
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.20)
project(uses_heddle C)
find_package(Heddle 0.1 REQUIRED)
find_package(Threads REQUIRED)
enable_testing()
foreach(name hidden hidden_fixed)
  add_executable(${name} ${name}.c)
  target_link_libraries(${name} PRIVATE Threads::Threads Heddle::annotate)
endforeach()
heddle_add_test(hidden OPTIONS --times 1)
heddle_add_test(hidden_fixed NAME fixed ARGS one two)
END
configure() { # configure FOLDER COMPILER
    cmake -G Ninja -S . -B "$1" -DCMAKE_C_COMPILER="$2" -DCMAKE_PREFIX_PATH="$prefix" >"$1.log" 2>&1 &&
        cmake --build "$1" >>"$1.log" 2>&1 || { cat "$1.log"; fail "the project does not build with $2"; }
}
configure checked "$prefix/bin/heddle-cc"
ctest --test-dir checked -V >ctest.log 2>&1 && { cat ctest.log; fail "ctest did not see the race"; }
grep -q 'heddle/hidden (Failed)' ctest.log || { cat ctest.log; fail "heddle/hidden did not fail"; }
grep -q '1 race confirmed' ctest.log || { cat ctest.log; fail "no race in the log of ctest"; }
grep -qE 'fixed \.+ +Passed' ctest.log || { cat ctest.log; fail "the corrected program did not pass"; }
# Compiled by another compiler nothing is checked, and ctest says so.
configure plain cc
ctest --test-dir plain >ctest.log 2>&1
[ "$(grep -c 'Not Run (Disabled)' ctest.log)" = 2 ] || { cat ctest.log; fail "the tests are not listed as disabled"; }
