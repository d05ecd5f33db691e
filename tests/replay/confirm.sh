# Sourced by tests: confirm TRACE [ALLOWED]
# Analyses the trace and replays each predicted race ten times in each order: all twenty must be confirmed and
# alike, or all ten when the accesses can only be made in turn. Counts them in $confirmed. Races with writes from outside cannot be replayed: no program makes them.
# Prints what is wrong and returns 1.
confirm() {
    local dir=witnesses.$$ bad=0 witness
    confirmed=0
    rm -rf "$dir"
    "$HEDDLE" analyze "$1" --witness-dir "$dir" >confirm.analysis 2>&1
    for witness in "$dir"/*.json; do
        [ -e "$witness" ] || break
        timeout -k 5 120 "$HEDDLE" replay "$witness" --times 10 >confirm.out 2>confirm.err </dev/null
        local code=$?
        if [ $code -eq 66 ] && grep -Eq '^(20 of 20|10 of 10) executions confirmed, all repetitions alike$' confirm.out; then
            confirmed=$((confirmed + 1))
        elif ! grep -q 'was not made by the program itself' confirm.out; then
            echo "$1: $witness: exit $code: $(cat confirm.out confirm.err)"
            bad=1
        fi
    done
    [ $bad = 0 ] && rm -rf "$dir"
    return $bad
}
