# Shared by the tests of build systems. Environment: HEDDLE, TESTS, TMP_DIR. Each test has a folder of its own.
set -eu
work=$TMP_DIR/build-$(basename "$0" .sh)
rm -rf "$work"
mkdir -p "$work"
bin=$(dirname "$HEDDLE")
projects=$TESTS/build

fail() {
    echo "FAIL: $*" >&2
    exit 1
}

[ -e "$bin/lib/heddle/libheddle_rt.so" ] || { echo "no runtime in this build"; exit 77; }
compgen -G "$bin/lib/heddle/heddle-pass-*.so" >/dev/null || { echo "no compiler pass in this build"; exit 77; }

# The program runs, prints what it should, and is instrumented.
check_program() { # check_program PROGRAM OUTPUT
    local out
    out=$("$1") || fail "$1: exit $?"
    [ "$out" = "$2" ] || fail "$1 printed '$out', not '$2'"
    objdump -h "$1" | grep -q heddle_sites || fail "$1 is not instrumented"
}
