#!/usr/bin/env bash
# run.sh FILE: compiles FILE with the plugin at each -O level, runs it with the logging runtime and compares
# the log with the comments of FILE:
#   // LOG: regex     must come, after the line that matched the comment before
#   // LOG-O0: regex  the same, at that level only (LOG-O1+: at 1 to 3)
#   // NOT: regex     must not come at all; NOT-O1+ likewise
#   // IR: regex      must be in the instrumented IR; NOIR: must not
#   // FLAGS: words   for the compiler; ENV: NAME=VALUE in its environment
# Environment: CLANG, PLUGIN, LOGRT_LIB, SOURCE_DIR, TMP_DIR.
set -u
file=$1
name=$(basename "$file")
work=$TMP_DIR/pass-$(basename "$CLANG")-${name//./-}
mkdir -p "$work" || exit 1
driver=$CLANG
[[ $file == *.cpp ]] && driver=${CLANG/clang/clang++}
flags=$(sed -n 's|^// FLAGS: ||p' "$file")
setting=$(sed -n 's|^// ENV: ||p' "$file")
[ -z "$setting" ] || export "${setting?}"
status=0

applies() { # applies TAG LEVEL: does LOG-O1+ apply at this level
    case $1 in
    *-O1+) [ "$2" -ge 1 ] ;;
    *-O[0-3]) [ "${1: -1}" = "$2" ] ;;
    *) true ;;
    esac
}

complain() {
    echo "$name -O$level: $1"
    sed 's/^/    /' "$work/log"
    status=1
}

check_log() {
    local from=1 tag regex found
    while read -r tag regex; do
        tag=${tag%:}
        applies "$tag" "$level" || continue
        case $tag in
        LOG*)
            found=$(tail -n "+$from" "$work/log" | grep -nE -m1 -- "$regex" | cut -d: -f1)
            if [ -z "$found" ]; then
                complain "no line after line $((from - 1)) matches: $regex"
                return
            fi
            from=$((from + found))
            ;;
        NOT*)
            if grep -qE -- "$regex" "$work/log"; then complain "must not be there: $regex"; fi
            ;;
        IR*) grep -qE -- "$regex" "$work/ir.ll" || complain "not in the IR: $regex" ;;
        NOIR*) if grep -qE -- "$regex" "$work/ir.ll"; then complain "in the IR: $regex"; fi ;;
        esac
    done < <(sed -nE 's|^// ((LOG\|NOT\|IR\|NOIR)(-O[0-3]\+?)?: )|\1|p' "$file")
}

for level in 0 1 2 3; do
    # shellcheck disable=SC2206
    options=(-g -O$level $flags "-fpass-plugin=$PLUGIN")
    # clang reads IR, and so compiles it a second time, only when it is valid.
    if ! "$driver" "${options[@]}" -S -emit-llvm "$file" -o "$work/ir.ll" ||
        ! "$driver" -S "$work/ir.ll" -o /dev/null ||
        ! "$driver" "${options[@]}" "$file" -o "$work/prog" -pthread "$LOGRT_LIB" \
            "-Wl,-rpath,$(dirname "$LOGRT_LIB")"; then
        echo "$name -O$level: does not compile"
        status=1
        continue
    fi
    LOGRT=$work/log "$work/prog" >"$work/out" 2>&1 || complain "exit $?"
    check_log
done
exit $status
