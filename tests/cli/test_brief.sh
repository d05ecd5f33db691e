#!/usr/bin/env bash
# What a terminal gets: ten lines for each finding, a list when there are many, what to do next; heddle show.
. "$TESTS/cli/lib.sh" || exit 1
examples=$TESTS/../examples

# many N: a program with N races, each on a variable and at lines of its own.
many() {
    echo '#include <pthread.h>'
    seq "$1" | sed 's/.*/static int v&;/'
    echo 'static void *work(void *arg) {'
    seq "$1" | sed 's/.*/    v&++;/'
    echo '    return arg; }'
    echo 'int main(void) { pthread_t a, b; pthread_create(&a, 0, work, 0); pthread_create(&b, 0, work, 0);'
    echo '    pthread_join(a, 0); pthread_join(b, 0); return 0; }'
}
# longest: the lines of the longest finding in err, counted from its number to the empty line.
longest() { awk '/^[0-9]+\. / { n = 0; on = 1 } /^$/ { on = 0 } on { if (++n > most) most = n } END { print most }' err; }

# ---- some findings: all in ten lines, in 80 columns ----
cp "$examples"/*.c .
for name in hidden half_built refcount cond lost_wakeup bank; do
    [ -e "$name.c" ] || continue
    heddle run --times 1 --runs 1 -o "$name" "$name.c"
    expect "$name: a finding takes $(longest) lines" [ "$(longest)" -le 10 ]
    expect "$name: more than 80 columns" sh -c "! grep -nE '.{81}' err"
done
heddle run --times 1 -o one hidden.c
expect_err "   write by higher (T1.1) hidden.c:16:11; locks: lock"
expect_err "     > level = 10;"
expect_err '   Effect: it writes "level 5 after 2 changes" or "level 10 after 2 changes"'
expect_err "   Fix: 1 of 3 accesses to 'level' hold 'lock'."
expect "report.txt is not the long form" grep -q '^  Schedule (' one/report.txt
expect "the long form says what is next" sh -c '! grep -q ^Next: one/report.txt'

# ---- the sources of a program that is run in its own folder, which is below that where it was built ----
mkdir -p built/bin built/src && cp hidden.c built/src
(cd built && "$HEDDLE" cc -g src/hidden.c -o bin/hidden -pthread) || exit 1
(cd built/bin && "$HEDDLE" run -q --times 1 --runs 1 -o ../../below -- ./hidden >/dev/null 2>&1)
expect "the source is not found from a folder below" grep -q '> *16 | *level = 10;' below/report.txt

# ---- 21 findings fit in 200 lines; with -v all is there ----
many 21 >many.c
heddle run --times 1 --runs 1 -o many many.c
expect_code 66
expect "only $(jq '.races | length' many/report.json) findings" [ "$(jq '.races | length' many/report.json)" -ge 21 ]
expect "$(wc -l <err) lines" [ "$(wc -l <err)" -le 200 ]
expect "not all are listed" [ "$(grep -cE '^[0-9]+\. data race on v' err)" -ge 21 ]
heddle report -v many
expect "-v does not show the whole" [ "$(grep -c '^  Schedule (' out)" -ge 21 ]
many 60 >more.c
heddle run --times 0 --runs 1 -o more more.c
expect_err "more findings"
expect "a list of 60 findings takes $(wc -l <err) lines" [ "$(wc -l <err)" -le 200 ]

# ---- what next ----
id=$(jq -r '.races[0].id' many/report.json)
heddle report many
expect "no next step: $(tail -1 out)" [ "$(tail -1 out)" = "Next: heddle show $id --run many" ]
heddle run --runs 1 counter_fixed.c
expect "no next step: $(tail -1 err)" [ "$(tail -1 err)" = "Next: heddle explore -- heddle-out/1/counter_fixed" ]
heddle explore --runs 2 -o searched counter_fixed.c
expect "explore after explore" sh -c '! grep -q ^Next: err'
heddle cc -g0 hidden.c -o bare -pthread
heddle run --times 1 --runs 1 -o poor -- ./bare
expect_code 66
expect "no next step: $(tail -1 err)" sh -c "tail -1 err | grep -q '^Next: compile with -O1 -g: '"

# ---- paths as seen from here ----
mkdir -p below
(cd below && heddle run --times 1 --runs 1 ../hidden.c; expect_err " ../hidden.c:16:11"; exit "$failures") || failures=$((failures + 1))

# ---- heddle show ----
heddle show --run one
expect_code 0
expect_out "  Schedule ("
expect_out "Thread higher (T1.1) created by T1 in main hidden.c:34:5"
heddle show --run many "$id"
expect_out "id=$id"
heddle show --run many R-
expect_usage "'R-' is no id such as R-7f3a9c"
heddle show --run many R-000000
expect_code 3
expect_err "many/report.json has no race R-000000"
heddle show --run nowhere
expect_code 3
expect_err "nowhere: No such file or directory"
# What is undecided for want of time gets more time; what no step proves does not.
cat >quiet.c <<'END'
int main(void)
{
    return 0;
}
END
heddle run -q --runs 1 -o quiet quiet.c
expect_code 0
for why in "the time ran out" "memory orders not proved for all schedules"; do
    jq --arg why "$why" '.decided.undecided = 2 | .undecided = ["a.c:1 and a.c:2: " + $why]' quiet/report.json >why.json
    heddle report why.json
    case $why in
    memory*) expect_out "Next: heddle explore" ;;
    *) expect_out "Next: heddle run --budget 30m" ;;
    esac
done
finish
