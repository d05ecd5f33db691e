# Shared by the scripts here: a folder of their own, compiled programs, checks.
# $HEDDLE, $SOURCE and $TMP_DIR come from CTest.
set -u
dir=$TMP_DIR/$(basename "$0" .sh)
rm -rf "$dir"
mkdir -p "$dir"
cd "$dir" || exit 1
failed=0

fail() {
    echo "FAILED: $*"
    failed=1
}

# build PROGRAM...: PROGRAM.bad and PROGRAM.good; the same with .O2 in between
build() {
    for p in "$@"; do
        "$HEDDLE" cc -g -O0 -DFAULTY "$SOURCE/$p.c" -o "$p.bad" -pthread || exit 1
        "$HEDDLE" cc -g -O0 -DFIXED "$SOURCE/$p.c" -o "$p.good" -pthread || exit 1
        "$HEDDLE" cc -g -O2 -DFAULTY "$SOURCE/$p.c" -o "$p.O2.bad" -pthread || exit 1
        "$HEDDLE" cc -g -O2 -DFIXED "$SOURCE/$p.c" -o "$p.O2.good" -pthread || exit 1
    done
}

# says DIR WORDS: the report says so, whatever the line breaks
says() {
    tr -s '\n ' ' ' <"$1/report.txt" | grep -q -- "$2" || {
        fail "$1: the report does not say: $2"
        cat "$1/report.txt"
    }
}

# number DIR KEY: of explore.json
number() {
    sed -n "s/.*\"$2\": *\([0-9]*\).*/\1/p" "$1/explore.json"
}

# explore CODE OUT OPTIONS...: a search that has to end with this code; its report is OUT/report.txt
explore() {
    local want=$1 out=$2 got
    shift 2
    rm -rf "$out"
    "$HEDDLE" -q explore -o "$out" "$@" </dev/null 2>"$out.err"
    got=$?
    [ $got = "$want" ] || {
        fail "explore $* ended with $got instead of $want"
        cat "$out.err"
    }
}

# ids DIR: what was confirmed, one line each
ids() {
    grep -o '"id": *"R-[0-9a-f]*"' "$1/report.json" | sort
}

# confirm DIR AT_LEAST: every witness in it is confirmed 20 of 20 times, and there are so many
confirm() {
    local n=0 w got times
    for w in "$1"/witness-*.json; do
        [ -f "$w" ] || break
        n=$((n + 1))
        times=20
        grep -q '"pair"' "$w" && times=10 # of each order
        got=$("$HEDDLE" replay --times $times "$w" 2>&1)
        case $got in *"20 of 20 executions confirmed"*) ;; *)
            fail "$w: not confirmed 20 of 20 times"
            printf '%s\n' "$got"
            ;;
        esac
    done
    [ "$n" -ge "$2" ] || fail "$1: $n witnesses instead of at least $2"
}
