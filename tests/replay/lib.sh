# Sourced by the scripts here. HEDDLE, RT_DIR, TESTS and TMP_DIR are in the environment.
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
. "$TESTS/replay/confirm.sh" || exit 1

fail() {
    echo "FAIL: $*; see $PWD" >&2
    exit 1
}

start() { # start NAME: an empty folder to work in
    work=$TMP_DIR/replay-$1
    rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
    "$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
}

build_all() { # build_all NAME: pass, clang and gcc
    "$HEDDLE" cc -g -O1 "$1.c" -o pass || fail "heddle cc"
    clang -g -O0 -pthread -fsanitize=thread -c "$1.c" -o clang.o &&
        clang -pthread clang.o -o clang -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail clang
    gcc -g -O2 -pthread -fsanitize=thread -c "$1.c" -o gcc.o &&
        gcc -pthread gcc.o -o gcc -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || fail gcc
}

predict() { # predict NAME ARG...: records ./NAME, leaves its only witness in $witness
    local exe=$1
    "$HEDDLE" record -q -o "$exe.hdt" -- "./$@" >record.out 2>record.err </dev/null || fail "recording $*: $(cat record.err)"
    rm -rf "w-$exe"
    "$HEDDLE" analyze "$exe.hdt" --witness-dir "w-$exe" >analyze.out 2>&1
    [ $? -eq 66 ] || fail "no race in $*: $(cat analyze.out)"
    set -- "w-$exe"/*.json
    [ $# -eq 1 ] || fail "not one race: $*"
    witness=$1
}

replay() { # replay CODE ARG...: output in out and err
    local want=$1
    shift
    timeout -k 5 200 "$HEDDLE" replay "$@" >out 2>err </dev/null
    local got=$?
    [ $got -eq "$want" ] || fail "replay $*: exit $got instead of $want: $(cat out err)"
}

has() { # has FILE REGEX
    grep -Eq -- "$2" "$1" || fail "no '$2' in $1: $(cat "$1")"
}
