#!/usr/bin/env bash
# What the trace verbs print.
. "$TESTS/cli/lib.sh" || exit 1
bank=$TESTS/../examples/bank.trace
cp "$bank" bank.trace

# check
heddle trace check bank.trace
expect_code 0
expect_no_err
expect "not one line" [ "$(cat out)" = "bank.trace: consistent: 19 events, 3 threads, 4 locations, 1 lock" ]
printf '# a comment\n\na|acq(l)|p:1\n!init x 1\nb|r(x,1)|p:2\nb|acq(l)|p:3\n' >blocked.trace
heddle trace check blocked.trace
expect_code 3
expect_no_out
expect_err "heddle: blocked.trace:6: " # event 3 stands in line 6
gzip -c blocked.trace >blocked.gz
heddle trace check blocked.gz; expect_code 3; expect_err "heddle: blocked.gz:6: "
heddle trace convert blocked.trace blocked.hdt; expect_code 0
heddle trace check blocked.hdt; expect_code 3; expect_err "heddle: blocked.hdt: event 3"
heddle trace enumerate blocked.trace; expect_code 3; expect_no_out
head -c 100 <("$HEDDLE" trace gen -e 5000 --to hdt) >cut.hdt
"$HEDDLE" trace gen -e 200k --to hdt >whole.hdt
head -c $(($(wc -c <whole.hdt) - 100)) whole.hdt >cut.hdt
heddle trace check cut.hdt; expect_code 0; expect_err "warning: the file is cut short"

# stats
heddle trace stats bank.trace
expect_code 0
for row in "events                 19" "  shared               4" "locks                  1" "threads                3" "  r                    6" \
    "longest section        3 events of lock lock, from event 6 to event 10" "deepest lock nesting   1"; do
    expect_out "$row"
done
heddle trace stats --json bank.trace
expect "not JSON as expected" python3 - <<'PY'
import json
s = json.load(open("out"))
assert s["schema"] == "heddle-trace-stats-1" and s["events"] == 19 == sum(s["by_kind"].values())
assert s["longest_section"] == {"events": 3, "lock": "lock", "from": 6, "to": 10}
assert s["shared_locations"] == 4 and s["locks"] == 1 and s["memory_bytes"] > 19 * 20
PY
printf 'a|w(x,1)|\n' >one.trace
heddle trace stats --json one.trace; expect_out '"longest_section": null'

# cat: whole, it reads back; in part, it is what was asked for
heddle trace cat bank.trace; cp out whole.trace
heddle trace cat whole.trace; expect "cat of cat differs" cmp -s out whole.trace
heddle trace check whole.trace; expect_code 0
heddle trace cat --thread teller bank.trace
expect "not the teller's 8 events" [ "$(grep -c '^teller|' out)/$(wc -l <out)" = 8/8 ]
heddle trace cat --from 3 --to 4 bank.trace
expect "not events 3 and 4" [ "$(cat out)" = $'teller|r(balance,100)|bank.c:13\nteller|w(balance,150)|bank.c:13|val=3' ]
heddle trace cat --numbers --from 19 bank.trace; expect "no number" [ "$(cat out)" = "      19  main|join(auditor)|bank.c:41" ]
heddle trace cat --to 99 bank.trace; expect "not all" [ "$(wc -l <out)" = 19 ]
heddle trace cat --from 20 bank.trace; expect_code 2; expect_err "--from 20: the trace has 19 events"
heddle trace cat --from 5 --to 4 bank.trace; expect_code 2; expect_err "--from 5 is after --to 4"
heddle trace cat --thread tellr bank.trace; expect_code 2; expect_err "no thread 'tellr'; did you mean 'teller'?"

# convert: by suffix, by --to, in place, to stdout; what STD cannot say is refused
for name in a.hdt a.trace a.txt a.hdt.zst a.trace.gz a.trace.zst; do
    heddle trace convert bank.trace $name; expect_code 0; expect_no_out
    heddle trace cat $name; expect "$name lost something" cmp -s out whole.trace
done
heddle trace convert bank.trace noname; expect_code 2; expect_err "give --to"

# What fork and join alone order is left out; an inconsistent trace is refused.
printf 'm|w(c,1)\nm|fork(u)\nm|w(x,1)\nu|w(c,2)\nu|w(x,2)\nm|join(u)\nm|r(c,2)\n' >owned.trace
heddle trace reduce owned.trace -; expect_code 0; expect_out "w(x,2)"; expect_no_err
expect "accesses to c are left" sh -c '! grep -q "(c" out'
heddle trace reduce owned.trace owned.hdt; expect_code 0; expect_no_out
heddle analyze owned.hdt; expect_code 66; expect_out "Race on x"
# So is what a lock and a value hand over, unless nobody looks at the value.
handed='!control branches\n!init q 0\nm|fork(u)\nm|w(b,1)||val=\nm|acq(l)\nm|w(q,1)||val=\nm|rel(l)\nu|acq(l)\nu|r(q,1)\n'
printf "${handed}u|br||deps=7\nu|rel(l)\nu|r(b,1)\n" >handed.trace
heddle trace reduce handed.trace -; expect_code 0; expect_out "w(q,1)"
expect "accesses to b are left" sh -c '! grep -q "(b" out'
printf "${handed}u|rel(l)\nu|r(b,1)\n" >unseen.trace
heddle trace reduce unseen.trace -; expect_code 0; expect_out "r(b,1)"
printf 'm|w(c,1)\nm|r(c,2)\n' >bad.trace
heddle trace reduce bad.trace -; expect_code 3; expect_err "bad.trace"
heddle trace convert --to hdt bank.trace noname; expect_code 0
heddle trace cat noname; expect "--to hdt" cmp -s out whole.trace
heddle trace convert a.hdt a.hdt; expect_code 0
heddle trace cat a.hdt; expect "in place" cmp -s out whole.trace
heddle trace convert a.hdt -; expect "to stdout" cmp -s out whole.trace
heddle trace convert --to hdt bank.trace - ; expect_code 0; cp out piped.hdt
heddle trace check - <piped.hdt; expect_code 0
heddle trace convert bank.trace bank.std; expect_code 3; expect "an .std appeared" [ ! -e bank.std ]
printf 'a|acq(l)|1\na|w(x)|2\na|rel(l)|3\n' >plain.std
heddle trace convert plain.std b.hdt; expect_code 0
heddle trace convert b.hdt c.std; expect_code 0; expect "STD differs" cmp -s plain.std c.std

# enumerate
heddle trace enumerate bank.trace
expect_code 66
expect_out "race on balance: event 4 (teller w bank.c:13) and event 15 (auditor r bank.c:28)"
expect_out "bank.trace: 1 racing pair in "
heddle trace enumerate --json --witnesses bank.trace
expect_code 66
expect "not JSON as expected" python3 - <<'PY'
import json
a = json.load(open("out"))
e = a["detectors"]["enumerate"]
assert a["schema"] == "heddle-analysis-1" and a["trace"] == {"events": 19, "threads": 3, "locations": 4, "locks": 1}
assert e["pairs"] == [[4, 15]] and e["complete"] is True and e["states"] > 19
assert e["witnesses"][0]["pair"] == [4, 15] and e["witnesses"][0]["schedule"][-2:] == [4, 15]
PY

# witness check
mkdir w
heddle trace enumerate --witness-dir w bank.trace; expect_code 66
heddle witness check bank.trace w/witness-4-15.json
expect_code 0
expect_out "witness of a race on balance"
heddle witness check - w/witness-4-15.json <bank.trace; expect_code 0
heddle witness check bank.trace - <w/witness-4-15.json; expect_code 0
sed 's/11, 12/12, 11/' w/witness-4-15.json >wrong.json
heddle witness check bank.trace wrong.json; expect_code 3; expect_no_out; expect_err "wrong.json: not a witness: entry 4 of the schedule (event 12)"
heddle witness check blocked.trace w/witness-4-15.json; expect_code 3
heddle witness check one.trace w/witness-4-15.json; expect_code 3; expect_err "trace"
echo '{' >broken.json
heddle witness check bank.trace broken.json; expect_code 3; expect_err "broken.json"
: >empty.trace
heddle trace check empty.trace
expect_code 0
expect_err "empty.trace: warning: the trace has no events"
finish
