# Shared by the tests of heddle hunt. shellcheck shell=bash
# Environment: HEDDLE, TMP_DIR, SOURCE (this folder).
set -u
fails=0
check() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || { echo "FAIL $1: expected '$2', got '$3'" >&2; fails=$((fails + 1)); }
}
enter() { # NAME: a fresh folder
    work=$TMP_DIR/concolic/$1
    rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
}
finish() { exit $((fails > 0)); }

build() { # OUT ARGUMENTS...
    local out=$1
    shift
    "$HEDDLE" cc --concolic -g "$@" -o "$out" || exit 1
}

# hunt NAME ARGUMENTS...: within HUNT_SECONDS (280); leaves $status and NAME.json; the folder is NAME.d.
hunt() {
    local name=$1
    shift
    rm -rf "$name.d"
    timeout -k 5 "${HUNT_SECONDS:-280}" "$HEDDLE" hunt --quiet --json -o "$name.d" "$@" >"$name.json" 2>"$name.err" </dev/null
    status=$?
    [ -s "$name.json" ] || { echo "FAIL $name: $(cat "$name.err")" >&2; fails=$((fails + 1)); }
}
field() { jq -r "$2" "$1.json"; }
