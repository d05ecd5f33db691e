#!/usr/bin/env bash
# One program of this folder: built in several ways, run natively and recorded.
# The output and the exit status must be the same, every trace must pass `trace check`, and the trace
# of the clang -O0 build under fifo must be the golden one (NAME.golden; UPDATE=1 writes it).
# `heddle analyze` must find in the trace of our own build exactly the races that the source marks, and
# in no trace any other.
#   run.sh NAME.c|NAME.cpp      with HEDDLE, RT_DIR, TMP_DIR in the environment
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&- # numbers of descriptors are values in traces
here=$(cd "$(dirname "$0")" && pwd)
source=$1 name=${1%.*}
work=$TMP_DIR/record/$name
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
cp "$here/$source" . || exit 1

fail() {
    echo "FAIL $name: $*; see $work" >&2
    exit 1
}

case $source in
*.cpp) clang=clang++ gcc=g++ std=-std=c++20 ;;
*) clang=clang gcc=gcc std=-std=gnu17 ;;
esac
common=(-g -pthread -D_GNU_SOURCE $std)
read -ra extra <<<"$(sed -n 's/.*needs: \(-[^*]*\).*/\1/p' "$source" | head -1)" # options of the source's own

# What is natural. C++ takes long to compile: there the instrumented program runs by itself.
if [ $clang = clang ]; then
    $gcc "${common[@]}" -O1 "${extra[@]}" "$source" -o native || fail "the native build"
else
    $clang "${common[@]}" -O0 "${extra[@]}" -fsanitize=thread -c "$source" -o plain.o &&
        $clang -pthread plain.o -o native -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail "the native build"
fi
timeout -k 5 60 ./native >native.out 2>native.err </dev/null
status=$?

# build NAME COMPILER FLAG...
build() {
    local out=$1 cc=$2
    shift 2
    [ "$out.o $clang" = "plain.o clang++" ] || # built above
        "$cc" "${common[@]}" "$@" "${extra[@]}" -fsanitize=thread -c "$source" -o "$out.o" &&
        "$cc" -pthread "$out.o" -o "$out" -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" ||
        fail "the build with $cc $*"
}

# record NAME OPTION...
record() {
    local exe=$1
    shift
    rm -f "$exe.hdt"
    timeout -k 5 60 "$HEDDLE" record -o "$exe.hdt" "$@" -- "./$exe" >"$exe.out" 2>"$exe.err" </dev/null
    local got=$?
    [ $got -eq $status ] || fail "$exe $*: exit status $got, natively $status: $(tail -3 "$exe.err")"
    # Natively, sleeps do not order threads on a busy machine as they do under the virtual clock.
    for _ in 1 2 3; do
        cmp -s native.out "$exe.out" && break
        timeout -k 5 60 ./native >native.out 2>native.err </dev/null
    done
    cmp -s native.out "$exe.out" || fail "$exe $*: output differs: $(diff native.out "$exe.out" | head -5)"
    for trace in "$exe".hdt "$exe".child*.hdt "$exe".exec*.hdt; do # other processes of the program, too
        [ ! -e "$trace" ] || "$HEDDLE" trace check "$trace" >check.out 2>&1 || fail "$trace $*: $(cat check.out)"
    done
}

# Pairs of lines that race: those with the same mark RACE x in the source, or one line with itself.
awk 'match($0, /RACE [a-z ]+/) { n = split(substr($0, RSTART + 5, RLENGTH - 5), marks, " ")
         for (i = 1; i <= n; i++) at[marks[i]] = at[marks[i]] " " NR }
     END { for (m in at) { n = split(at[m], l, " "); print l[1], (n > 1 ? l[2] : l[1]) } }' "$source" | sort -u >races.expected

# races TRACE: the analysis works on the trace; its pairs of lines go to races.found
races() {
    "$HEDDLE" analyze -j 1 "$1" >analyze.out 2>analyze.err
    local got=$?
    [ $got -eq 0 ] || [ $got -eq 66 ] || fail "analyze $1: $got $(cat analyze.err)"
    awk '/^  (read|write|atomic|free).* by .* at .*:[0-9]+ / { match($0, /:[0-9]+ /); line = substr($0, RSTART + 1, RLENGTH - 2)
             if (first) { print (first + 0 < line + 0 ? first " " line : line " " first); first = 0 } else first = line }' \
        analyze.out | sort -u >races.found
}

# reduced TRACE: when all accesses are events, the same pairs of lines race
reduced() {
    races "$1"
    mv races.found races.reduced
    "$HEDDLE" trace convert --keep-all-events "$1" all.hdt || fail "trace convert --keep-all-events $1"
    "$HEDDLE" trace check all.hdt >check.out 2>&1 || fail "$1 with all events: $(cat check.out)"
    races all.hdt
    cmp -s races.found races.reduced || fail "$1: races without reduction, and with it: $(diff races.found races.reduced)"
}

# No analysis of any build may find what cannot be.
no_more_races() {
    reduced "$1"
    [ -z "$(comm -13 races.expected races.found)" ] || fail "$1: races that are none: $(comm -13 races.expected races.found)"
}

# Pointers as values, stack offsets and unnamed memory depend on the compiler and libc, not on us.
normalise() {
    sed -E -e 's/,[0-9]{13,}/,P/g' -e 's/stack:(T[0-9.]+)-[0-9]+/stack:\1/g' -e 's/mem\+0x[0-9a-f]+/mem/g' -e 's/,1[789][0-9]{8}([,)])/,DATE\1/g' \
        -e 's/,4[01][0-9]{8}([,)])/,P\1/g' -e 's/w\(addr\+2,[0-9]+\)/w(addr+2,PORT)/' # half of a handle; a port
}

build plain $clang -O0
record plain
"$HEDDLE" trace cat --keep-all-events plain.hdt | normalise >plain.trace
if [ -n "${UPDATE:-}" ] && [ "$clang" = clang ]; then # C++ traces show the insides of libstdc++
    cp plain.trace "$here/$name.golden"
    for trace in plain.child*.hdt plain.exec*.hdt; do
        [ ! -e "$trace" ] || "$HEDDLE" trace cat --keep-all-events "$trace" | normalise >"$here/$name${trace#plain}.golden"
    done
elif [ -e "$here/$name.golden" ]; then
    diff "$here/$name.golden" plain.trace >golden.diff || fail "the events differ: $(head -20 golden.diff)"
    for golden in "$here/$name".*.hdt.golden; do
        other=plain${golden#"$here/$name"}
        [ ! -e "$golden" ] || "$HEDDLE" trace cat --keep-all-events "${other%.golden}" | normalise | diff "$golden" - >golden.diff ||
            fail "the events of $other differ: $(head -20 golden.diff)"
    done
fi
grep -q '|outside$' plain.trace && grep -q 'no outside writes' "$source" &&
    fail "writes from outside: $(grep '|outside$' plain.trace)"
no_more_races plain.hdt
record plain --policy random --seed 3 --quantum 5
no_more_races plain.hdt
record plain --policy pct --seed 4 --steps 60
build fast $gcc -O2
record fast
no_more_races fast.hdt
problems=$(. "$here/../replay/confirm.sh" && confirm fast.hdt) || fail "replay: $problems"
record fast --policy random --seed 11 --quantum 20
# ours NAME FLAG...: built with our pass, where exactly the marked races are to be found
ours() {
    local out=$1 pass=cc
    shift
    [ $clang = clang ] || pass=c++
    "$HEDDLE" $pass "${common[@]}" "$@" "${extra[@]}" "$source" -o "$out" || fail "heddle $pass $*"
    record "$out"
    reduced "$out.hdt"
    cmp -s races.expected races.found || fail "$out: races: $(diff races.expected races.found)"
    problems=$(. "$here/../replay/confirm.sh" && confirm "$out.hdt") || fail "$out: replay: $problems"
}

"$HEDDLE" cc --version >/dev/null 2>&1 || exit 0
ours passed -O2
record passed --policy random --seed 5 --quantum 10
record passed --policy sync
no_more_races passed.hdt
if [ $clang = clang ]; then
    ours passed0 -O0
fi
case $name in
mutex_two | cond_pingpong | sem_basic | atomics | try_guards | stdio_buffers | cxx_threads)
    if HEDDLE_CLANG=clang-19 "$HEDDLE" cc --version >/dev/null 2>&1; then
        export HEDDLE_CLANG=clang-19
        ours passed19 -O2
    fi
    ;;
esac
exit 0
