# Shared by the tests of the report formats. $out holds the hand-made reports in every format.
# shellcheck shell=bash
set -u
unset NO_COLOR CLICOLOR_FORCE HD_LOG TSAN_OPTIONS
export TERM=dumb LC_ALL=C
web=$TESTS/web
out=$(mktemp -d "$TMP_DIR/web.XXXXXX") || exit 1
trap 'rm -rf "$out"' EXIT
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

expect() { # expect "what" COMMAND...: the command succeeds
    local what=$1
    shift
    "$@" >"$out/log" 2>&1 || { fail "$what"; head -20 "$out/log" | sed 's/^/      | /'; }
}

finish() {
    [ $failures = 0 ] || exit 1
}

# Node's packages and the browser are installed by scripts/deps.sh --ci. CI must have them; elsewhere the test is skipped.
need() { # need COMMAND-OR-PATH...
    local what
    for what in "$@"; do
        if ! command -v "$what" >/dev/null 2>&1 && [ ! -e "$what" ]; then
            echo "SKIP: $what is not there; scripts/deps.sh --ci installs it"
            [ "${CI:-}" != true ] || { echo "FAIL: CI must have it"; exit 1; }
            exit 77
        fi
    done
}

"$MAKE_REPORT" "$out" || exit 1
