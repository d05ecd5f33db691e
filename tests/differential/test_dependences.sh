#!/usr/bin/env bash
# Random programs of rounds with other inputs (depend.c): whatever is different in a round must depend on a read that is.
# docs/algorithms/dependences.md: while no read on which a branch, an address or a written value depends
# returned anything else, the same way is taken, the same location touched, the same value written.
# HEDDLE, TESTS and TMP_DIR are in the environment; SEEDS, to try others.
set -eu
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/differential-dependences
rm -rf "$work" && mkdir -p "$work" && cd "$work"
cc -O1 "$TESTS/differential/depend.c" -o depend

# A trace as text. Compares each round with the last one and the last one with each, by the dependences of the first of
# both, until something that is different decides. A branch is left out if it is remembered that its reads are decided,
# which is not the same in all rounds.
cat >compare.awk <<'EOF'
function attribute(text, name, otherwise,   part, n, k) {
    n = split(text, part, ";")
    for (k = 1; k <= n; k++)
        if (index(part[k], name "=") == 1)
            return substr(part[k], length(name) + 2)
    return otherwise
}
function is_stale(list,   part, n, k) {
    if (list == "all")
        return n_stale > 0
    n = split(list, part, ",")
    for (k = 1; k <= n; k++)
        if (part[k] in stale)
            return 1
    return 0
}
function wrong(what, i, k) {
    print "event " i " " what ": " event[i] " / " k " " event[k]
    exit 1
}
function compare(i, k,   p, q, x, y) {
    split("", stale)
    n_stale = 0
    for (; !(i in ends) || !(k in ends); i++ && k++) {
        compared++
        for (split(event[i], p, "|"); p[2] == "br"; split(event[++i], p, "|"))
            if (is_stale(attribute(p[4], "deps", "all")))
                return
        for (split(event[k], q, "|"); q[2] == "br"; split(event[++k], q, "|"))
            continue
        if (is_stale(attribute(p[4], "addr", "")))
            return
        split(p[2], x, /[(,)]/)
        split(q[2], y, /[(,)]/)
        if (x[1] != y[1] || p[3] != q[3] || x[2] != y[2])
            wrong("is another one", i, k)
        if ((x[1] == "r" || x[1] == "ar" || x[1] == "rmw") && x[3] != y[3]) {
            stale[i] = 1
            n_stale++
        } else if (x[1] != "r" && x[1] != "ar" && p[2] != q[2]) {
            changed++
            if (!is_stale(attribute(p[4], "val", "all")))
                wrong("has another value", i, k)
        }
    }
}
/^[!#]/ { next }
{ event[++n] = $0 }
/\|w\(mark,/ { begins[rounds++] = n + 1 }
/\|w\(done,/ { ends[n] = 1 }
END {
    last = rounds - 1
    for (r = 0; r < last; r++) {
        compare(begins[r], begins[last])
        compare(begins[last], begins[r])
    }
    print compared, changed + 0
}
EOF

compared=0 changed=0
for seed in ${SEEDS:-$(seq 1 16)}; do
    ./depend "$seed" >program.c
    "$HEDDLE" cc -w "-O$((seed % 4))" program.c -o program
    "$HEDDLE" record -q -o trace.hdt -- ./program >out 2>&1 </dev/null || { cat out; exit 1; }
    "$HEDDLE" trace cat --keep-all-events trace.hdt >text
    awk -f compare.awk text >result || { echo "seed $seed: $(cat result)"; exit 1; }
    read -r events values <result
    compared=$((compared + events)) changed=$((changed + values))
done
echo "$compared events compared, $changed values were different"
[ -n "${SEEDS:-}" ] || [ "$changed" -ge 1000 ] || { echo "too few"; exit 1; }
