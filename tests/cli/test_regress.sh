#!/usr/bin/env bash
# Runs every regression of tests/regress (its README.md gives the form), or those whose names are given.
set -u
dir=$TESTS/regress
scratch=$TMP_DIR/regress.$$
mkdir -p "$scratch"
trap 'rm -rf "$scratch"' EXIT
failures=0 count=0

fail() {
    echo "FAIL $1"
    failures=$((failures + 1))
}

run_line() { # run_line INPUT LINE
    local input=$1 line=$2 want text='' words
    [[ $line == *' | '* ]] && text=${line#* | } && line=${line%% | *}
    read -r want line <<<"$line"
    read -r -a words <<<"$line"
    words=("${words[@]//@/$input}")
    words=("${words[@]//\~/$scratch/out}")
    timeout 60 "$HEDDLE" "${words[@]}" >"$scratch/said" 2>&1 </dev/null
    local got=$?
    count=$((count + 1))
    if [ "$got" != "$want" ]; then
        fail "$(basename "$input"): exit $got instead of $want; repeat: heddle ${words[*]}"
        head -5 "$scratch/said"
    elif [ -n "$text" ] && ! grep -qF -- "$text" "$scratch/said"; then
        fail "$(basename "$input"): the output lacks '$text'; repeat: heddle ${words[*]}"
        head -5 "$scratch/said"
    fi
}

for input in "$dir"/*; do
    name=$(basename "$input")
    case $name in README.md | *.expect) continue ;; esac
    [ $# = 0 ] || [[ " $* " == *" $name "* ]] || continue
    [[ $name =~ ^(reg[0-9]{4}|iss[0-9]{3,})\. ]] || fail "$name: call it regNNNN or issNNN"
    [ -f "$input.expect" ] || { fail "$name: $name.expect is missing"; continue; }
    head -1 "$input.expect" | grep -q '^# ..........' || fail "$name.expect: the first line says what broke"
    before=$count
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in '' | '#'*) continue ;; esac
        run_line "$input" "$line"
    done <"$input.expect"
    [ "$count" -gt "$before" ] || fail "$name.expect: no command"
done
for expect in "$dir"/*.expect; do
    [ -f "${expect%.expect}" ] || fail "$(basename "$expect"): its input is missing"
done
[ "$count" -gt 0 ] || fail "no regression was run"
echo "$count commands, $failures failures"
[ $failures = 0 ]
