#!/usr/bin/env bash
# --pairs-from: warnings of ThreadSanitizer, Helgrind, SARIF and plain lines, each answered from a trace or by a search.
. "$TESTS/cli/lib.sh" || exit 1
cat >multi.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int hits, level, guarded;
static void *one(void *p)
{
    hits++;
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    level = 1;
    return p;
}
static void *two(void *p)
{
    hits++;
    pthread_mutex_lock(&lock);
    guarded++;
    pthread_mutex_unlock(&lock);
    level = 2;
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, one, 0);
    pthread_create(&b, 0, two, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    level = 3;
    printf("%d %d\n", hits, level);
    return 0;
}
C
cat >tsan.txt <<'T'
==================
WARNING: ThreadSanitizer: data race (pid=8413)
  Write of size 4 at 0x5566 by thread T2:
    #0 two(void*) /builds/x/multi.c:16:9 (multi+0xcdaf5) (BuildId: 30)

  Previous write of size 4 at 0x5566 by thread T1 (mutexes: write M1):
    #0 memcpy <null> (multi+0x1)
    #1 one /builds/x/multi.c:7:9 (multi+0xcda35)

  Location is global 'hits' of size 4 at 0x5566 (multi+0x14)

  Thread T2 (tid=8416, running) created by main thread at:
    #0 pthread_create <null> (multi+0x4c)
    #1 main /builds/x/multi.c:27:5 (multi+0xc)

SUMMARY: ThreadSanitizer: data race /builds/x/multi.c:16:9 in two
==================
WARNING: ThreadSanitizer: lock-order-inversion (potential deadlock) (pid=8413)
    #0 f /builds/x/multi.c:3:9 (multi+0xc)
==================
WARNING: ThreadSanitizer: data race (pid=8413)
  Write of size 4 at 0x5570 by thread T2:
    #0 two multi.c:20:11 (multi+0xcdb1c)
  Previous write of size 4 at 0x5570 by thread T1:
    [failed to restore the stack]
T
cat >helgrind.txt <<'T'
==77== Possible data race during read of size 4 at 0x10C048 by thread #3
==77== Locks held: none
==77==    at 0x10929C: two (multi.c:20)
==77==    by 0x48F01F4: start_thread (pthread_create.c:442)
==77==
==77== This conflicts with a previous write of size 4 by thread #2
==77== Locks held: none
==77==    at 0x10922C: one (multi.c:11)
T
cat >plain.txt <<'T'
# two places on each line
a/multi.c:9 multi.c:18   # under the lock
multi.c:11 multi.c:30
multi.c:30:5 multi.c:11:5
other.c:1 multi.c:7
multi.c:9 multi.c:11
T
heddle cc -g multi.c -o multi -pthread
expect_code 0
heddle record -o t.hdt -- ./multi
expect_code 0

asked() { # asked FILE CODE ANSWERS...: what is printed for each pair of FILE
    local file=$1 want=$2 got
    shift 2
    heddle analyze --pairs-from "$file" --json=answers.json t.hdt
    expect_code "$want"
    got=$(jq -r '.asked[] | .answer' answers.json 2>/dev/null)
    [ "$got" = "$(printf '%s\n' "$@")" ] || fail "$file: $(tr '\n' ';' <<<"$got")"
}
asked tsan.txt 66 race 'not answered'
expect_out '1. /builds/x/multi.c:16 / /builds/x/multi.c:7: race: events'
asked helgrind.txt 66 race
asked plain.txt 66 impossible impossible 'not in this trace' 'not in this trace'
expect_out 'impossible: the accesses hold a common lock: lock'
expect_out 'impossible: creating, joining or waiting orders them in every schedule'
expect_out 'not in this trace: no access to shared memory at other.c:1'

# What Heddle itself writes as SARIF is answered the same way.
heddle run --runs 1 -o folder -- ./multi
expect_code 66
heddle report --format sarif folder
expect_code 0
cp out r.sarif
asked r.sarif 66 race race

# Both accesses at one place.
cat >same.c <<'C'
#include <pthread.h>
static int hits;
static void *work(void *p)
{
    hits++;
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
heddle cc -g same.c -o same -pthread
cp t.hdt kept.hdt
heddle run --runs 1 --times 1 -o same-folder -- ./same
heddle report --format sarif same-folder
cp out same.sarif
heddle record -o t.hdt -- ./same
asked same.sarif 66 race
cp kept.hdt t.hdt

# Another tool names the file by its address.
cat >uri.sarif <<S
{"version": "2.1.0", "runs": [{"results": [{"message": {"text": "race"}, "locations": [{"physicalLocation": {"artifactLocation":
{"uri": "file://$PWD/multi.c"}, "region": {"startLine": 7}}}, {"physicalLocation": {"artifactLocation":
{"uri": "file://$PWD/multi.c"}, "region": {"startLine": 16}}}]}]}]}
S
asked uri.sarif 66 race

# A correct program: what was answered decides between 0 and 5.
sed 's/^    hits++;$//; s/^    level = [12];$//' multi.c >safe.c
heddle cc -g safe.c -o safe -pthread
heddle record -o t.hdt -- ./safe
echo 'safe.c:9 safe.c:18' >plain.txt
asked plain.txt 0 impossible
echo 'safe.c:9 other.c:18' >plain.txt
asked plain.txt 5 'not in this trace'
heddle analyze --allow-undecided --pairs-from plain.txt t.hdt
expect_code 0

# A search answers as well.
printf 'multi.c:7 multi.c:16\nmulti.c:7 other.c:1\n' >plain.txt
heddle explore --pairs-from plain.txt --strategy pct -n 3 -- ./multi
expect_code 66
expect_err 'asked 1. multi.c:7 / multi.c:16: race R-'
expect_err 'asked 2. multi.c:7 / other.c:1: not found in the schedules that were searched'
echo 'safe.c:9 other.c:18' >plain.txt
heddle explore --pairs-from plain.txt --strategy pct -n 3 -- ./safe
expect_code 5

# A finding does not end the search for the others: the first run shows none of these places, and each needs schedules of its own.
cat >stages.c <<'C'
#include <pthread.h>
static int stage, late, later;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *first(void *p)
{
    for (int i = 1; i < 4; i++) {
        pthread_mutex_lock(&m);
        stage = i;
        pthread_mutex_unlock(&m);
    }
    late++;
    later++;
    return p;
}
static int get(void)
{
    pthread_mutex_lock(&m);
    int s = stage;
    pthread_mutex_unlock(&m);
    return s;
}
static void *second(void *p)
{
    int s = get(), t = get();
    if (s == 1 && t == 2)
        late++;
    if (s == 2 && t == 3)
        later++;
    if (s == 3 && t == 2)
        late++;
    return p;
}
int main(void)
{
    pthread_t a, b;
    pthread_create(&a, 0, first, 0);
    pthread_create(&b, 0, second, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    return 0;
}
C
heddle cc -g -O0 stages.c -o stages -pthread
printf 'stages.c:11 stages.c:26\nstages.c:12 stages.c:28\nstages.c:11 stages.c:30\n' >plain.txt
heddle explore --pairs-from plain.txt --times 1 -- ./stages
expect_code 66
expect_err 'asked 1. stages.c:11 / stages.c:26: race R-'
expect_err 'asked 2. stages.c:12 / stages.c:28: race R-'
expect_err 'asked 3. stages.c:11 / stages.c:30: in no schedule of the program with this input'
heddle explore --pairs-from plain.txt --times 1 --strategy guided --shard 1/2 -- ./stages
expect_err 'asked 3. stages.c:11 / stages.c:30: not found in the schedules that were searched'

# Refusals.
for text in 'foo bar' 'multi.c:3' 'a.c:1 b.c:2 c.c:3' '' '{"runs": ' '{"runs": []}'; do
    printf '%s\n' "$text" >bad.txt
    heddle analyze --pairs-from bad.txt t.hdt
    expect_code 3
done
# A tool that found nothing, and one whose warnings have one place only.
printf '==7== Helgrind, a thread error detector\n==7== ERROR SUMMARY: 0 errors from 0 contexts\n' >bad.txt
heddle analyze --pairs-from bad.txt t.hdt
expect_code 3
expect_err 'no warning of a data race is in it'
printf '==7== drd, a thread error detector\n==7== Conflicting load by thread 3 at 0x0010c040 size 4\n==7==    at 0x1: w (multi.c:7)\n' >bad.txt
heddle analyze --pairs-from bad.txt t.hdt
expect_code 3
expect_err 'the text of DRD names one place of each conflict'
heddle analyze --pairs-from missing.txt t.hdt
expect_code 3
heddle analyze --detector hb --pairs-from plain.txt t.hdt
expect_code 2
finish
