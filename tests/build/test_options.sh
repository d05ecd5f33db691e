#!/usr/bin/env bash
# heddle cc as a drop-in: modes, several files, languages, levels, refusals, exit codes.
. "$(dirname "$0")/common.sh" || exit 1
cd "$work"
cc=$bin/heddle-cc
cxx=$bin/heddle-c++
src=$projects

instrumented() {
    nm "$1" | grep -q __hd_module_init || fail "$1 is not instrumented"
}

for level in 0 1 2 3 s; do
    "$cc" -Werror "-O$level" "$src/main.c" "$src/lib.c" -o prog
    check_program ./prog "counter 3"
done
"$cc" "$src/main.c" "$src/lib.c" && check_program ./a.out "counter 3"

# Modes that do not link must neither link nor warn.
"$cc" -Werror -c "$src/lib.c" && instrumented lib.o
"$cc" -Werror -c "$src/lib.c" "$src/main.c" && instrumented main.o
"$cc" -Werror -S -o lib.s "$src/lib.c" && grep -q __hd_read4 lib.s || fail "-S"
"$cc" -Werror -E "$src/lib.c" | grep -q shared_counter || fail "-E"
"$cc" -Werror -M "$src/lib.c" | grep -q 'lib.c' || fail "-M"
"$cc" -Werror -fsyntax-only "$src/lib.c"
"$cc" --version | grep -q clang || fail "--version"
"$cc" -v 2>&1 | grep -q Target || fail "-v alone"
"$cc" -print-file-name=libc.so >/dev/null
echo 'int main(void) { return 0; }' | "$cc" -Werror -x c - -o stdin_prog && ./stdin_prog

# Libraries, objects, response files, both languages in one command.
ar rcs libsmall.a lib.o
"$cc" -Werror -o prog main.o -L. -lsmall && check_program ./prog "counter 3"
"$cc" -Werror -fPIC -shared -o libdyn.so "$src/lib.c" -Wl,-z,defs
"$cc" -Werror -o prog "$src/main.c" ./libdyn.so && check_program ./prog "counter 3"
printf '%s\n' "$src/main.c" "$src/lib.c" -o resp_prog >args
"$cc" -Werror @args && check_program ./resp_prog "counter 3"
"$cxx" -Werror -std=c++17 -O1 -c "$src/more.cpp" -o more.o && instrumented more.o
"$cc" -Werror -c "$src/use_more.c"
"$cxx" -Werror -o prog use_more.o more.o && check_program ./prog "list 5"
nm -C more.o | grep -q __tsan_read && fail "ThreadSanitizer's pass ran as well"

# -g is on unless the user says no.
objdump -h lib.o | grep -q debug_info || fail "no debug info"
"$cc" -g0 -c "$src/lib.c" -o nodebug.o
objdump -h nodebug.o | grep -q debug_info && fail "-g0 was not obeyed"

# ThreadSanitizer's switch is ours; the rest of the list stays.
"$cc" -Werror -fsanitize=thread,undefined -c "$src/lib.c" -o ub.o
nm ub.o | grep -q ubsan || fail "undefined was dropped from the list"
"$cc" -Werror -fsanitize=thread "$src/main.c" "$src/lib.c" -o prog && check_program ./prog "counter 3"
"$cc" -Werror -flto -O2 "$src/main.c" "$src/lib.c" -o prog && check_program ./prog "counter 3"
echo 'fun:bump' >ignore
"$cc" -Werror -fsanitize-ignorelist=ignore -c "$src/lib.c" -o ignored.o
nm ignored.o | grep -q __hd_read4 && fail "the ignore list was not obeyed"

refused() { # refused CODE WORDS COMMAND...
    local want=$1 words=$2 code=0
    shift 2
    "$@" >out 2>&1 || code=$?
    [ "$code" = "$want" ] || fail "'$*' exits $code, not $want: $(cat out)"
    grep -q -- "$words" out || fail "'$*' does not say '$words': $(cat out)"
}
refused 2 "cannot link with -static" "$cc" -static "$src/main.c" "$src/lib.c"
refused 2 "cannot be in one program" "$cc" -fsanitize=address -c "$src/lib.c"
# Objects that a plain compiler made for another sanitizer, alone and in an archive.
if ${CC:-clang} -fsanitize=address -c "$src/lib.c" -o asan.o 2>/dev/null; then
    refused 3 "asan.o was compiled with -fsanitize=address" "$cc" "$src/main.c" asan.o
    ar rc libasan_made.a asan.o
    refused 3 "libasan_made.a was compiled with -fsanitize=address" "$cc" "$src/main.c" libasan_made.a
fi
"$cc" -static -c "$src/lib.c" -o static.o
refused 1 "undefined reference" "$cc" "$src/main.c"
echo 'broken' >bad.c
refused 1 "error:" "$cc" -c bad.c
refused 77 "HEDDLE_CLANG: 'no-such-clang' was not found" env HEDDLE_CLANG=no-such-clang "$cc" -c "$src/lib.c"
mkdir -p fake
printf '#!/bin/sh\necho 3.0.0\n' >fake/clang && chmod +x fake/clang
refused 77 "is clang 3, for which this heddle has no plugin" env HEDDLE_CLANG="$work/fake/clang" "$cc" -c "$src/lib.c"
refused 77 "clang was not found" env PATH="$work/empty" "$cc" -c "$src/lib.c"
mkdir -p alone/bin
cp "$HEDDLE" alone/bin/heddle
refused 77 "built without the compiler pass" alone/bin/heddle cc -c "$src/lib.c"
mkdir -p alone/lib/heddle
cp "$bin"/lib/heddle/heddle-pass-*.so alone/lib/heddle/
alone/bin/heddle cc -c "$src/lib.c" -o installed.o && instrumented installed.o
refused 77 "libheddle_rt.so is missing" alone/bin/heddle cc "$src/main.c" "$src/lib.c"
"$HEDDLE" cc --help | grep -q CLANG-ARGUMENTS || fail "--help"

# Every version that has a plugin, by name.
for plugin in "$bin"/lib/heddle/heddle-pass-*.so; do
    version=${plugin##*-}
    version=${version%.so}
    command -v "clang-$version" >/dev/null || continue
    HEDDLE_CLANG=clang-$version "$cc" -O2 "$src/main.c" "$src/lib.c" -o "prog$version"
    check_program "./prog$version" "counter 3"
    HEDDLE_CLANG=$(command -v "clang-$version") "$cxx" -c "$src/more.cpp" -o more.o && instrumented more.o
done
