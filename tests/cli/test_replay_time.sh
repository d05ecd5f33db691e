#!/usr/bin/env bash
# heddle run --replay-time: which findings are replayed, and how often, when there is no time for all.
. "$TESTS/cli/lib.sh" || exit 1
cat >many.c <<'C'
#include <pthread.h>
static int x, b, c, d, e;
static void *work(void *arg)
{
    x = 1;
    x = 2;
    x = 3;
    x = 4;
    b++;
    c++;
    d++;
    e++;
    return arg;
}
int main(void)
{
    volatile int sum = 0;
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    for (int i = 0; i < 1000000; i++)
        sum += i;
    work(0);
    pthread_join(t, 0);
    return 0;
}
C
tried() { # tried FOLDER FILTER: executions of each finding that the filter selects, on one line
    jq -r "[.races[] | select($2) | .replays.tried] | sort | map(tostring) | join(\" \")" "$1/report.json"
}

# All of them, as often as asked for.
heddle run -q --runs 1 --replay-time none -o all many.c
expect_code 66
expect_err "14 races confirmed, 0 predicted only"
expect "not 6 executions each: $(tried all true)" [ "$(tried all true)" = "6 6 6 6 6 6 6 6 6 6 6 6 6 6" ]

# Time for one execution: one finding has it, and holds its read or write of x while the other thread makes its four
# writes. The others are said not to have been replayed. They count all the same.
heddle run -q --runs 1 --replay-time 1ms -o one -- all/many
expect_code 66
expect_err "4 races confirmed, 10 predicted only"
expect "more than one execution: $(tried one true)" [ "$(tried one true)" = "0 0 0 0 0 0 0 0 0 0 1 1 1 1" ]
expect "more than one execution: $(tried one '.replays.of == null')" [ "$(tried one '.replays.of == null')" = "0 0 0 0 0 0 0 0 0 0 1" ]
expect "no reason" [ "$(jq '[.races[] | select(.reason == "not replayed: the time for replays is used up" and .counts == "error")] | length' one/report.json)" = 10 ]
expect "no note" jq -e '.notes | any(startswith("10 findings were not replayed"))' one/report.json
heddle replay --times 1 --run one "$(jq -r '[.races[] | select(.status == "predicted")][0].id' one/report.json)"
expect_code 66
expect_out confirmed

# Time for six: each variable has its turn before the second finding of x.
six=$(jq '.seconds.replay / 84 * 6 * 1000 | ceil' all/report.json)
heddle run -q --runs 1 --replay-time "${six}ms" -o some -- all/many
expect_code 66
firsts=$(tried some '.variable != "x"') xs=$(tried some '.variable == "x" and .replays.of == null')
expect "a variable has none: $xs, $firsts" [ "${firsts%% *}" -gt 0 -o "$(tr ' ' '\n' <<<"$xs" | grep -cvx 0)" -le 1 ]

# With a budget replays have what it leaves.
heddle run -q --runs 1 --budget 1h -o budget -- all/many
expect "fewer with a budget: $(tried budget true)" [ "$(tried budget true)" = "6 6 6 6 6 6 6 6 6 6 6 6 6 6" ]

for bad in soon 0; do
    heddle run --replay-time $bad -- all/many
    expect_usage "--replay-time wants a time like 10s or 5m, or none, not '$bad'"
done
finish
