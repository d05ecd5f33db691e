#!/usr/bin/env bash
# An instrumented library and a program that is not: the runtime comes before the C library all the same, or nothing is recorded.
# Else locks and threads are the C library's, which no record shows: there were false races, and crashes.
set -u
work=$TMP_DIR/record/preload
rm -rf "$work" && mkdir -p "$work/good" "$work/bad" && cd "$work" || exit 1
fail() {
    echo "FAIL preload: $*; see $work" >&2
    exit 1
}
cat >good.c <<'END'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter, safe;
long bump(int n)
{
    for (int i = 0; i < n; i++) {
#ifdef BAD
        counter++;
#endif
        pthread_mutex_lock(&mutex);
        safe++;
        pthread_mutex_unlock(&mutex);
    }
    return counter;
}
END
cat >driver.c <<'END'
#include <pthread.h>
#ifdef LATER
#include <dlfcn.h>
#include <stdio.h>
static long (*bump)(int);
#else
long bump(int n);
#endif
static void *work(void *arg)
{
    bump(5);
    return arg;
}
int main(void)
{
    pthread_t t[2];
#ifdef LATER
    puts("before");
    fflush(stdout);
    void *lib = dlopen("libcount.so", RTLD_NOW | RTLD_LOCAL);
    if (!lib)
        return 1;
    *(void **)&bump = dlsym(lib, "bump");
#endif
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
END
"$HEDDLE" cc -g -O1 -shared -fPIC good.c -o good/libcount.so || fail "cc"
"$HEDDLE" cc -g -O1 -shared -fPIC -DBAD good.c -o bad/libcount.so || fail "cc"
gcc -O1 driver.c -Lgood -lcount -pthread -o linked || fail "gcc"
gcc -O1 -DLATER driver.c -pthread -ldl -o later || fail "gcc"

# run WHICH CODE ARGUMENTS...: heddle run with that library
run() {
    local which=$1 code=$2
    shift 2
    rm -rf out
    LD_LIBRARY_PATH=$which timeout -k 5 120 "$HEDDLE" run -o out "$@" >stdout 2>stderr </dev/null
    local got=$?
    [ $got = "$code" ] || fail "$which $*: exit $got, not $code: $(cat stderr)"
}
# confirmed: one race, on counter, which a replay of its own makes again, too
confirmed() {
    jq -e '[.races[].variable] | unique == ["counter"]' out/report.json >/dev/null || fail "races: $(jq -c '[.races[].variable]' out/report.json)"
    jq -e '.races[0].status == "confirmed"' out/report.json >/dev/null || fail "not confirmed: $(cat stderr)"
    LD_LIBRARY_PATH=bad timeout -k 5 120 "$HEDDLE" replay "out/$(jq -r '.races[0].witness' out/report.json)" >replayed 2>&1
    [ $? = 66 ] || fail "replay: $(cat replayed)"
}

LD_LIBRARY_PATH=bad ./linked || fail "does not run without heddle"
run good 0 -- ./linked
run bad 66 -- ./linked
confirmed
LD_LIBRARY_PATH=bad LD_PRELOAD=libpthread.so.0 timeout -k 5 120 "$HEDDLE" record -q -o also.hdr -- ./linked || fail "with another LD_PRELOAD"

# What is loaded later is not in the file. The runtime ends the program before it is too late.
LD_LIBRARY_PATH=bad ./later >/dev/null || fail "does not run without heddle"
run good 3 -- ./later
grep -q "later is not linked with heddle cc .*--preload" stderr || fail "no advice: $(cat stderr)"
grep -q "race" stderr && fail "something was found: $(cat stderr)"
LD_LIBRARY_PATH=good "$HEDDLE" record -q -o later.hdr -- ./later >stdout 2>stderr
[ $? = 3 ] && [ ! -e later.hdr ] || fail "recorded: $(cat stderr)"
run good 0 --preload -- ./later
run bad 66 --preload -- ./later
confirmed
run good 3 --preload -- env -u LD_PRELOAD ./later
grep -q "was started without LD_PRELOAD" stderr || fail "nothing said: $(cat stderr)"
LD_LIBRARY_PATH=bad timeout -k 5 120 "$HEDDLE" explore --preload --runs 20 -o explored -- ./later >stdout 2>stderr
[ $? = 66 ] || fail "explore: $(cat stderr)"
run good 3 --preload -- sort /dev/null
grep -q "sort loaded no library that heddle cc compiled" stderr || fail "nothing said: $(cat stderr)"
cat >script.sh <<'END'
sort /dev/null
exec ./later
END
run bad 66 --preload -- bash script.sh
jq -e '[.notes[] | select(startswith("Not modelled: an instrumented program"))] == []' out/report.json >/dev/null || fail "sort counts as instrumented: $(cat stderr)"
confirmed

# Linked by hand, in the wrong order.
gcc -fsanitize=thread -O1 -c driver.c good.c -DBAD || fail "gcc -c"
gcc driver.o good.o -lc "$RT_DIR/libheddle_rt.so" -Wl,-rpath,"$RT_DIR" -o behind || fail "link"
run bad 66 -- ./behind
confirmed

# Tests of a CMake build that are linked with it count as instrumented, others do not.
mkdir -p tests_of
cat >tests_of/CTestTestfile.cmake <<END
add_test(linked "$work/linked")
add_test(plain "$(command -v true)")
END
LD_LIBRARY_PATH=$work/bad timeout -k 5 120 "$HEDDLE" campaign --ctest tests_of --runs 2 -o campaign >stdout 2>stderr
grep -q "test plain is left out: it is not instrumented" stderr || fail "plain is not left out: $(cat stderr)"
grep -q "Data race on 'counter'.*\[confirmed\]" stdout || fail "campaign: $(cat stdout stderr)"

# A debugger and its shell are not preloaded.
command -v gdb >/dev/null && command -v gdbserver >/dev/null || exit 0
run bad 66 -- ./linked
witness=out/$(jq -r '.races[0].witness' out/report.json)
printf 'bt 2\nkill\nquit\n' | LD_LIBRARY_PATH=bad timeout -k 5 120 "$HEDDLE" replay --gdb "$witness" >gdb.out 2>&1
grep -q "both threads stand before their accesses" gdb.out || fail "gdb: $(cat gdb.out)"
port=$((20000 + ($$ + 7000) % 20000))
LD_LIBRARY_PATH=bad timeout -k 5 120 "$HEDDLE" replay --gdbserver $port "$witness" >server.out 2>&1 </dev/null &
for ((i = 0; i < 100; i++)); do
    grep -q "Listening on port" server.out && break
    sleep 0.1
done
timeout -k 5 60 gdb -q -batch -x "$(dirname "$HEDDLE")/lib/heddle/heddle-gdb.py" -ex "target remote localhost:$port" -ex continue \
    -ex kill linked >gdb.out 2>&1 </dev/null
wait
grep -q "both threads stand before their accesses" gdb.out || fail "gdbserver: $(cat gdb.out server.out)"
exit 0
