#!/usr/bin/env bash
# Rounds of polling that are left out change no answer (docs/algorithms/building.md, "Rounds of polling"): threads that poll each
# other's flags, with and without all events. PLAIN: flags that are no atomics. RELAXED: they order nothing. LATE: a race behind
# the flag. BACK: a thread brings back what was there. UNSEEN: code without hooks writes a flag. BRANCHES: each flag is looked
# at. KEEPS: what was read is kept. LOCKED: a lock besides. LOOKS: memory that others handed over is read in the rounds, EARLY: they use it longer than they should. Two of
# three recordings are made with a skeleton. HEDDLE, TESTS, TMP_DIR are in the environment.
set -u
exec 3>&- 4>&- 5>&- 6>&- 7>&- 8>&- 9>&-
"$HEDDLE" cc --version >/dev/null 2>&1 || { echo "no pass"; exit 77; }
work=$TMP_DIR/differential-polls
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
failed=0 left=0 races=0 marked=0 passed=0
fail() { echo "$*"; failed=1; }
echo 'void unseen_put(void *to, int value) { *(volatile int *)to = value; }' >unseen.c
cc -O1 -c unseen.c || exit 1

# answer FILE: pairs of lines that race, and how much is undecided
answer() {
    "$HEDDLE" analyze -q -j 1 "$1" >analyze.out 2>analyze.err
    awk '/^  (read|write|atomic|free).* by .* at / { line = match($0, /:[0-9]+ /) ? substr($0, RSTART + 1, RLENGTH - 2) : "outside"
             if (first) { print (first < line ? first " " line : line " " first); first = "" } else first = line }
         match($0, /[0-9]+ undecided/) { print substr($0, RSTART, RLENGTH) }' analyze.out | sort -u
}

events() { "$HEDDLE" trace stats "$1" | awk '$1 == "events" { print $2 }'; }

for form in "" PLAIN RELAXED LATE "BACK" UNSEEN BRANCHES "BRANCHES LATE" KEEPS "KEEPS LATE" LOCKED "BACK LATE" "UNSEEN LATE" "KEEPS UNSEEN" LOOKS "LOOKS LATE" "LOOKS EARLY" EARLY; do
    read -ra words <<<"$form"
    for level in 0 2; do
        "$HEDDLE" cc -g -O$level ${words[@]/#/-D} "$TESTS/differential/polls.c" unseen.o -pthread -o p 2>build.err || { cat build.err; exit 1; }
        for options in "--policy fifo" "--policy random --quantum 40 --seed 3" "--policy random --quantum 40 --seed 4"; do
            # The environment has the same length both times, so that the stack is where it was.
            from=$((${#options} > 20 ? 1 : 0)) what="$form, -O$level, $options"
            # shellcheck disable=SC2086
            HEDDLE_SIFTED__L=1 HEDDLE_HANDED_FROM=$from timeout 60 "$HEDDLE" record -q $options --limit 30000 -o t.hdt -- ./p >out 2>err </dev/null
            # shellcheck disable=SC2086
            HEDDLE_WHOLE_LOG=1 HEDDLE_HANDED_FROM=$from timeout 60 "$HEDDLE" record -q $options --limit 30000 -o whole.hdt -- ./p >out 2>err </dev/null
            cmp -s <("$HEDDLE" trace cat t.hdt 2>/dev/null) <("$HEDDLE" trace cat whole.hdt 2>/dev/null) || fail "$what: rounds that are passed over change the trace"
            HD_LOG=build:debug "$HEDDLE" trace convert -q t.hdt less.hdt 2>less.err || fail "$what: $(cat less.err)"
            [ "$form" != BACK ] || grep -q "again: rounds" less.err || [ "$level$options" != "2--policy fifo" ] || fail "$what: rounds that are needed were not missed"
            grep -q "(mark).*[0-9]\{4\} in rounds" less.err && marked=$((marked + 1))
            grep -q "(build).*[0-9]\{4\} in rounds" less.err && passed=$((passed + 1))
            "$HEDDLE" trace convert -q --keep-all-events t.hdt all.hdt 2>/dev/null || fail "$what: no trace with all events"
            "$HEDDLE" trace check -q less.hdt >check.out 2>&1 || fail "$what: $(cat check.out)"
            answer less.hdt >less
            answer all.hdt >all
            [ -s less ] && cmp -s less all || fail "$what: with all events, and without: $(diff all less)"
            [ $(($(events less.hdt) * 4)) -ge "$(events all.hdt)" ] || left=$((left + 1))
            races=$((races + $(grep -vc undecided all)))
        done
    done
done

# Rounds that read two flags, and then others at the same sites, of as many bytes, that read one: they are no repetition. How
# many rounds come before depends on how many stay.
cat >turns.c <<'SOURCE'
#include <pthread.h>
#include <stdatomic.h>
atomic_int first, second, hits;
static __attribute__((noinline)) int get_first(void) { return atomic_load(&first); }
static __attribute__((noinline)) int get_second(void) { return atomic_load(&second); }
static __attribute__((noinline)) void check(int value)
{
    if (value == 7)
        hits++;
}
static void *poll(void *arg)
{
    for (int i = 0; i < BOTH; i++) {
        check(get_first());
        check(get_second());
    }
    for (int i = 0; i < 100; i++) {
        check(get_second());
        check(get_second());
    }
    return arg;
}
static void *put(void *arg)
{
    atomic_store(&first, 1);
    atomic_store(&second, 1);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, poll, NULL);
    pthread_create(&t[1], NULL, put, NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
SOURCE
for both in 34 35 36 37 38 39; do
    "$HEDDLE" cc -g -O1 -DBOTH=$both turns.c -pthread -o p 2>build.err || { cat build.err; exit 1; }
    HEDDLE_SIFTED__L=1 "$HEDDLE" record -q --policy fifo -o t.hdt -- ./p || fail "turns, $both"
    HEDDLE_WHOLE_LOG=1 "$HEDDLE" record -q --policy fifo -o whole.hdt -- ./p || fail "turns, $both"
    cmp -s <("$HEDDLE" trace cat t.hdt) <("$HEDDLE" trace cat whole.hdt) || fail "turns, $both: rounds of another kind are passed over"
done
[ $marked -gt 10 ] && [ $passed -gt 10 ] || fail "a thousand records in rounds were passed over in $marked and $passed walks only"
[ $left -gt 10 ] && [ $races -gt 10 ] || fail "$left traces got much smaller, $races races: the comparison says nothing"
echo "$left traces got much smaller, $races races; rounds passed over in $marked and $passed walks"
exit $failed
