# Shared by the command line tests: run the tool, then say what must hold. A test ends with `finish`; one that does not fails all
# the same if something did not hold.
# shellcheck shell=bash
set -u
unset NO_COLOR CLICOLOR_FORCE HD_LOG
export TERM=dumb LC_ALL=C
work=$(mktemp -d "$TMP_DIR/cli.XXXXXX") || exit 1
# A child that gets a signal before it has become its program runs this trap as well: only the test itself removes.
trap '[ "$BASHPID" != $$ ] || { rm -rf "$work"; [ "$failures" = 0 ] || exit 1; }' EXIT
cd "$work" || exit 1
failures=0
code=0
command_line=

fail() {
    echo "FAIL: $command_line"
    echo "      $*"
    failures=$((failures + 1))
}

# heddle ARGUMENTS...: leaves $code, and the files out and err. Input is empty unless redirected.
heddle() {
    command_line="heddle $*"
    code=0
    "$HEDDLE" "$@" >out 2>err || code=$?
}

expect_code() { # expect_code N
    [ "$code" = "$1" ] || { fail "exit code $code, expected $1"; head -8 err | sed 's/^/      | /'; }
}

expect_out() { # expect_out TEXT: the output holds it
    grep -qF -- "$1" out || { fail "the output lacks: $1"; head -8 out | sed 's/^/      | /'; }
}

expect_err() {
    grep -qF -- "$1" err || { fail "the standard error lacks: $1"; head -8 err | sed 's/^/      | /'; }
}

expect_no_out() {
    [ ! -s out ] || { fail "there is output"; head -5 out | sed 's/^/      | /'; }
}

expect_no_err() {
    [ ! -s err ] || { fail "there is something on the standard error"; head -5 err | sed 's/^/      | /'; }
}

# A usage error: code 2, nothing on stdout, the reason, and where to read on.
expect_usage() { # expect_usage REASON
    expect_code 2
    expect_no_out
    expect_err "$1"
    expect_err "heddle: see 'heddle "
}

expect() { # expect "what" COMMAND...: the command succeeds
    local what=$1
    shift
    "$@" || fail "$what"
}

# Waits up to 150 s, on a loaded machine, for a condition: a shell command as one string.
wait_for() {
    local i
    for i in $(seq 1500); do
        eval "$1" && return 0
        sleep 0.1
    done
    fail "waited in vain for: $1"
    return 1
}

finish() {
    [ "$failures" = 0 ] || { echo "$failures failed"; exit 1; }
    exit 0
}
