#!/usr/bin/env bash
# bench/concolic/flow.sh [BUILD] [ROUNDS]: the 76 programs of tests/concolic/flow.sh, searched with loops of ROUNDS (1000000)
# rounds. Prints CSV; status 66 is a race, 0 is none. Wall times depend on the machine and its load, user times less so.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "${1:-$here/build}" && pwd)
rounds=${2:-1000000}
flow=$here/tests/concolic/flow.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
TIMEFORMAT=%U,%S
echo "variant,place,kind,status,paths,complete,covered,outcomes,undecided,diverged,seconds,run_s,solver_s,predict_s,first_race_s,user_s,system_s"
for variant in $("$flow" list); do
    for place in global stack; do
        for kind in faulty correct; do
            rm -rf src d
            "$flow" "$variant" "$place" "$kind" src
            "$build/heddle" cc --concolic -g -O0 -DROUNDS="$rounds" src/*.c -o prog
            status=0
            { time "$build/heddle" hunt --quiet --json -o d --input argv:1 --size 1 --first -- ./prog a >json 2>/dev/null \
                </dev/null; } 2>time || status=$?
            figures=$(jq -r 'def r: if . == null then "" else . * 100 | round / 100 end;
                [.paths, .complete, .covered, .outcomes, .undecided, .diverged, (.seconds | r), (.run_seconds | r),
                 (.solver_seconds | r), (.predict_seconds | r), (.first_race_seconds | r)] | @csv' json)
            echo "$variant,$place,$kind,$status,$figures,$(tail -n 1 time)"
        done
    done
done
