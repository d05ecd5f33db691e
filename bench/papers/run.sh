#!/usr/bin/env bash
# The experiments of the five papers:
#   bench/papers/run.sh [-b BUILD] [-t SECONDS] [-s] [-r FOLDER] [maximal|witnesses|graphs|search|inputs]...
# Without a name: the first three, which take a minute. maximal, witnesses and graphs record the programs of bench/papers/maximal
# and bench/papers/deadlocks (policy fifo, -O0, all events kept) and ask `heddle compare --json` once; search and inputs run bench/explore and bench/concolic.
# Tables go to the standard output and to bench/results/papers_NAME.csv (-s: they do not). SECONDS (20) is for each of max, rv and
# said on a trace. -r adds the traces that bench/real/run.sh left in FOLDER (HEDDLE_REAL_DIR) to the first three.
# Exit 1 if max misses a pair that rv, said, shb or syncp has, or graphs of whole traces leave other candidates than chopped ones.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$here/../../build seconds=20 save=1 real=
while getopts 'b:t:sr:' option; do
    case $option in
        b) build=$OPTARG ;;
        t) seconds=$OPTARG ;;
        s) save=0 ;;
        r) real=$(cd "$OPTARG" && pwd) ;;
        *) exit 2 ;;
    esac
done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- maximal witnesses graphs
build=$(cd "$build" && pwd)
heddle=$build/heddle
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
status=0

table() { # table NAME: shows the rows of the standard input, and keeps them
    if [ $save = 1 ]; then tee "$here/../results/papers_$1.csv"; else cat; fi
}

# all.json: every program of the comparison, recorded once.
compare_all() {
    [ ! -s all.json ] || return 0
    local source name traces=()
    for source in "$here"/maximal/*.c "$here"/deadlocks/*.c; do
        name=$(basename "$source" .c)
        cp "$source" . # so that places have short names
        "$heddle" cc -g -O0 -pthread "$name.c" -o "$name"
        "$heddle" record -q --keep-all-events -o "$name.hdt" -- "./$name" >out 2>err || { cat err; return 1; }
        traces+=("$name.hdt")
    done
    for source in ${real:+"$real"/run/*/heddle/trace.hdt}; do
        name=$(basename "$(dirname "$(dirname "$source")")")
        ln -sf "$source" "$name.hdt"
        traces+=("$name.hdt")
    done
    names=("${traces[@]%.hdt}")
    "$heddle" -q compare --json --whole-graphs --budget "${seconds}s" -d quick "${traces[@]}" >whole.json
    "$heddle" -q compare --json --budget "${seconds}s" -d quick,max,rv,said,cp,hb,shb,syncp,lockset,mhb,lah "${traces[@]}" >all.json
}

# Pairs of places by each technique, and the time of each.
maximal() {
    compare_all
    jq -r '
        def cell($d): .detectors[$d] | if .done then "\(.places)\(if .undecided > 0 then "+\(.undecided)?" else "" end)" else "-" end;
        def time($d): .detectors[$d].seconds * 1000 | round / 1000;
        ["program", "threads", "events", "accesses", "sync", "branches"] +
            (["quick", "max", "rv", "said", "cp", "hb", "shb", "syncp"] | . + map(. + " s")),
        (.traces[] | [(.trace | sub(".hdt$"; "")), .threads, .events, .accesses, .sync, .branches] +
            [cell("quick", "max", "rv", "said", "cp", "hb", "shb", "syncp")] + [time("quick", "max", "rv", "said", "cp", "hb", "shb", "syncp")])
        | @csv' all.json | tr -d '"' | table maximal
    # What others report beside max: for sound detectors a fault. hb and cp are sound for the first race only; why max has not
    # the others is asked of max itself.
    jq -r '.traces[] | .trace as $t | .detectors.max.pairs as $max | .detectors | to_entries[] |
        select(.key | IN("rv", "said", "shb", "syncp", "hb", "cp")) | .key as $d | (.value.pairs - $max)[] |
        "\($t) \($d) \(.[0]) \(.[1])"' all.json | sort >beside
    while read -r trace detector a b; do
        echo "$a $b" >asked
        "$heddle" -q analyze --budget "${seconds}s" --pairs-from asked --json=answer "$trace" >out 2>&1 || true
        echo "# ${trace%.hdt}: only $detector reports $a / $b: $(jq -r '.asked[0] | "\(.answer): \(.reason)"' answer)"
    done <beside
    ! grep -qE ' (rv|said|shb|syncp) ' beside || { echo "max misses pairs"; status=1; }
}

# Pairs of places that filters leave, witnesses, and the time of the solver on all pairs of events, with and without filters and
# increments.
witnesses() {
    compare_all
    echo "program,events,candidates,lockset,must-order,both,acquisition histories,witnesses,s with filters,s with filters without increments,s without filters,s without both" >rows
    local name counts times
    for name in "${names[@]}"; do
        counts=$(jq -r --arg t "$name.hdt" '.traces[] | select(.trace == $t) | [.events, .candidates, .detectors.lockset.places,
            .detectors.mhb.places, .detectors.quick.places, .detectors.lah.places, .detectors.max.places] | @csv' all.json)
        times=$(seconds_of "$name.hdt" lockset,must,ucg,smt)
        times+=,$(seconds_of "$name.hdt" lockset,must,ucg,smt --no-increments)
        times+=,$(seconds_of "$name.hdt" smt)
        times+=,$(seconds_of "$name.hdt" smt --no-increments)
        echo "$name,$counts,$times" >>rows
    done
    table witnesses <rows
}

# seconds_of TRACE STEPS [OPTION]: of max on all pairs of events with these steps, or how many pairs are open when time runs out.
seconds_of() {
    "$heddle" -q analyze --pairs --json --budget "${seconds}s" --steps "$2" ${3:+"$3"} "$1" >answer || true
    jq -r '.detectors.max | if (.undecided | length) > 0 then "\(.undecided | length) open" else .seconds * 1000 | round / 1000 end' answer
}

# What locks alone, must-order (create, join, wait) alone and causality graphs leave of the candidates of each property.
graphs() {
    compare_all
    jq -rn --slurpfile chopped all.json --slurpfile whole whole.json '
        def ms: . * 1000 | round / 1000;
        ["program", "property", "candidates", "locks alone", "waits alone", "both", "graph with the property", "witnesses", "undecided",
            "s", "graph chopped s", "graph whole s"],
        ($chopped[0].traces[] as $c | $whole[0].traces[] | select(.trace == $c.trace) | .stages as $w | $c.stages | to_entries[] |
            [($c.trace | sub(".hdt$"; "")), .key, .value.candidates, .value.lockset, .value.mhb, .value.both, .value.ucg,
            .value.witnesses, .value.undecided, (.value.seconds | ms), (.value.filter_seconds | ms),
            ($w[.key].filter_seconds | ms)]) | @csv' | tr -d '"' | table graphs
    jq -rn --slurpfile chopped all.json --slurpfile whole whole.json '$chopped[0].traces[] as $c | $whole[0].traces[] |
        select(.trace == $c.trace) | .stages | to_entries[] | select(.value.ucg != $c.stages[.key].ucg) |
        "\($c.trace): \(.key): the graph of the whole trace leaves \(.value.ucg), the chopped one \($c.stages[.key].ucg)"' >differ
    [ ! -s differ ] || { cat differ; status=1; }
}

for paper; do
    case $paper in
        maximal | witnesses | graphs) "$paper" ;;
        search) "$here/../explore/run.sh" "$build" "${seconds}s" ;;
        inputs)
            "$here/../concolic/run.sh" "$build"
            "$here/../concolic/flow.sh" "$build" 10000
            ;;
        *) echo "there is no experiment '$paper'" >&2 && exit 2 ;;
    esac
done
exit $status
