#!/usr/bin/env bash
# What strategy dpor finds is kept as a recording and a witness that heddle replay confirms.
set -u
dir=$TMP_DIR/dpor_witness
rm -rf "$dir"
mkdir -p "$dir"
"$HEDDLE" cc -g -O1 "$SOURCE/programs.c" -o "$dir/programs" || exit 1
failed=0

# confirm "ARGS" KIND COUNT "WORDS": so many witnesses; each is confirmed every time, and the
# replay says these words.
confirm() {
    rm -rf "$dir/kept"
    mkdir "$dir/kept"
    # shellcheck disable=SC2086
    out=$(KEEP=$dir/kept "$COUNT" dpor "$dir/programs" $1 2>&1)
    n=0
    for w in "$dir/kept/$2"-*.json; do
        [ -f "$w" ] || break
        n=$((n + 1))
        times=20
        [ "$2" = race ] && times=10 # of each order
        got=$("$HEDDLE" replay "$w" --times $times 2>&1)
        [ $? = 66 ] || {
            echo "$1: heddle replay does not end with 66"
            failed=1
        }
        case $got in *"$4"*"20 of 20 executions confirmed, all repetitions alike"*) ;; *)
            printf '%s: expected ... %s ... 20 of 20, got\n%s\n' "$1" "$4" "$got"
            failed=1
            ;;
        esac
    done
    [ $n = "$3" ] && return
    printf '%s: %s witnesses instead of %s\n%s\n' "$1" $n "$3" "$out"
    failed=1
}

confirm "increment 2" race 2 "write of 4 bytes"
confirm "crossed 2" deadlock 1 "deadlock: T1 holds m2"
confirm "assert 2" assertion 1 "assertion failed: "
confirm "crash 2" crash 1 "killed by SIGSEGV"
confirm "woken 3" assertion 1 "assertion failed: "
exit $failed
