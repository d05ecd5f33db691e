#!/usr/bin/env bash
# heddle replay --gdb and --gdbserver, driven by commands from a file.
set -u
. "$TESTS/replay/lib.sh" || exit 1
command -v gdb >/dev/null && command -v gdbserver >/dev/null || { echo "no gdb"; exit 77; }
start gdb
export HOME=$work # no settings of the user's
cp "$TESTS/replay/effects.c" .
"$HEDDLE" cc -g -O0 effects.c -o effects || fail "heddle cc"
predict effects output
writer=$(grep -n 'flag = 1;' effects.c | cut -d: -f1) reader=$(grep -n 'show(flag);' effects.c | cut -d: -f1)

debug() { # debug COMMAND...: output in out
    printf '%s\n' "$@" quit | timeout -k 5 120 "$HEDDLE" replay --gdb "$witness" >out 2>&1
    code=$?
}

debug 'info threads' heddle-schedule 'heddle-schedule all' heddle-next heddle-next heddle-next continue
[ $code -eq 0 ] || fail "exit $code: $(cat out)"
has out '^heddle: both threads stand before their accesses'
has out "^heddle: thread [0-9]+ \(T1.1\) stands at effects.c:$writer \(writer\), and goes first"
has out "^heddle: thread [0-9]+ \(T1.2\) stands at effects.c:$reader \(reader\), and goes second"
has out '"T1.1, goes first"'
has out '"T1.2, goes second"'
[ "$(grep -Ec '^[* ] +[0-9]+ +Thread ' out)" -ge 3 ] || fail "info threads: $(cat out)"
has out "^=> +[0-9]+  T1.1 +w\(flag\) effects.c:$writer  \(racing\)"
has out "^.*heddle: done: T1.1 +w\(flag\)"
has out "^.*heddle: done: T1.2 +r\(flag\)"
has out 'heddle: the schedule is done: use continue'
has out '^the flag is up$'
has out 'exited normally'

debug heddle-other heddle-next heddle-other continue
has out "heddle: thread [0-9]+ \(T1.2\) stands at effects.c:$reader \(reader\), and goes first"
has out "heddle: done: T1.2 +r\(flag\)"
has out 'heddle: the order is fixed'
has out '^the flag is down$'

debug bt 'bt -no-filters'
grep -q 'not defined' out && fail "gdb complains: $(grep 'not defined' out)"
has out "^\(gdb\) #[0-9]+ .* writer .*at effects.c:$writer" # no frame of the runtime before it
has out "^\(gdb\) #0 +(0x[0-9a-f]+ in )?(hd_rt|__hd)_"

debug frame
has out "^\(gdb\) #[0-9]+ .* writer .*at effects.c:$writer" # the program's own frame, not the runtime's

timeout -k 5 120 "$HEDDLE" replay --core moment.core "$witness" >out 2>&1 </dev/null
[ $? -eq 0 ] || fail "--core: $(cat out)"
has out 'moment.core is written'
[ "$(stat -c %a moment.core)" = 600 ] || fail "others can read the core file"
gdb -q -batch -ex 'thread apply all bt' effects moment.core >out 2>&1
has out " reader .*at effects.c:$reader"
has out " writer .*at effects.c:$writer"
rm moment.core
"$HEDDLE" replay --gdb --core x "$witness" >out 2>&1
[ $? -eq 2 ] || fail "--gdb and --core: $(cat out)"

debug 'p flag' 'kill'
has out '\$1 = 0' # nobody has written it yet

"$HEDDLE" replay --gdb --gdbserver 1 "$witness" >out 2>&1
[ $? -eq 2 ] || fail "both debuggers: $(cat out)"

port=$((20000 + $$ % 20000))
timeout -k 5 120 "$HEDDLE" replay --gdbserver $port "$witness" >server.out 2>&1 </dev/null &
server=$!
script=$(dirname "$HEDDLE")/lib/heddle/heddle-gdb.py
timeout -k 5 60 gdb -q -batch -x "$script" -ex "target remote localhost:$port" -ex continue -ex 'p flag' -ex continue \
    effects >out 2>&1 </dev/null
wait $server
has out 'both threads stand before their accesses'
has out '\$1 = 0'
has server.out "connect with: gdb -x .*heddle-gdb.py -ex 'target remote localhost:$port'"
exit 0
