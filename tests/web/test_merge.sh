# heddle merge: the laws that make it safe to merge in any order and again, what is kept, what is refused.
. "$TESTS/web/lib.sh" || exit 1
cd "$out" || exit 1
mkdir -p a b c sub/dir
cp bank.json a/report.json
# b: another run. The confirmed race has a shorter schedule, the prediction came true, one race is gone, one is new.
jq '.events = 7 | .seconds.all = 1.5 | .threads = 9 | .notes = ["b"] | .program = ["./another"] | .unmodelled += ["fork"] |
    (.races[] | select(.id == "R-7f3a9c12")) |= (.schedule |= .[-2:] | .recorded = [0, 1] | .duplicates = 0 | .witness = "short.json") |
    (.races[] | select(.id == "R-0b44d1ee")) |= (.status = "confirmed" | .reason = null | .replays = {"confirmed": 3, "tried": 3}) |
    .races |= map(select(.id != "R-55e0a3b9")) | .races += [.races[0] | .id = "R-11111111" | .known = false] |
    (.races[] | select(.id == "R-a1a1a1a1")).known = false' bank.json >b/report.json
# c: a run without findings that was ended by a signal.
jq '.races = [] | .signal = 11 | .exit = -1 | .interrupted = true | .events = 1 | .rules[0].used = 5 | .rules[1].line = 9' bank.json >c/report.json

merge() { # merge INPUT... OUTPUT
    "$HEDDLE" merge "${@:1:$#-1}" -o "${!#}" || fail "heddle merge $*"
}
same() { cmp "$1" "$2" >/dev/null || { fail "$1 and $2 differ: $3"; diff <(jq -S . "$1") <(jq -S . "$2") | head -20; }; }

merge a b c abc.json
merge c b a cba.json
same abc.json cba.json "the order matters"
merge a a b c b abab.json
same abc.json abab.json "a report counts twice"
merge a b ab.json
merge b c bc.json
merge ab.json c ab_c.json
merge a bc.json a_bc.json
same abc.json ab_c.json "grouping matters"
same abc.json a_bc.json "grouping matters"
merge abc.json b again.json
same abc.json again.json "a report that is in already changes something"
merge abc.json abc.json twice.json
same abc.json twice.json "merging with itself changes something"
merge a one.json
merge one.json one2.json
same one.json one2.json "merging one again changes something"

expect "every race once" jq -e '[.races[].id] | sort == ["R-0b44d1ee","R-11111111","R-2c91f07a","R-55e0a3b9","R-7f3a9c12","R-a1a1a1a1"]' abc.json
expect "the shortest witness stays" jq -e '.races[] | select(.id == "R-7f3a9c12") | (.schedule | length) == 2 and .witness == "b/short.json"' abc.json
expect "its sightings are added up" jq -e '.races[] | select(.id == "R-7f3a9c12") | .duplicates == 4 and ([.seen[].times] | sort) == [1, 4]' abc.json
expect "what was confirmed once is confirmed" jq -e '.races[] | select(.id == "R-0b44d1ee") | .status == "confirmed" and .witness == "b/witness-R-7f3a9c12.json"' abc.json
expect "known means known to all" jq -e '.races[] | select(.id == "R-a1a1a1a1") | .known == false' abc.json
expect "figures are sums" jq -e '.events == 1234567 + 7 + 1 and .threads == 9 and .runs == 9 and .seconds.all == 7 and (.parts | length) == 3' abc.json
expect "lists are unions, sorted" jq -e '.notes == ["Inputs of the program were read from standard input.", "b"] and .unmodelled == ["fork", "pthread_setaffinity_np"]' abc.json
expect "the worst end shows" jq -e '.signal == 11 and .interrupted' abc.json
expect "rules are joined" jq -e '[.rules[] | [.line, .used]] == [[3, 5], [4, 0], [7, 0], [9, 0], [20, 2]] and ([.rules[] | select(.expired) | .until] == ["2026-01-31"])' abc.json

# What is gone in one part and found in another is not gone.
expect "gone in all is gone" jq -e '[.gone[].id] == ["R-90e1"] and .baseline == "main/report.json"' abc.json
jq '.gone = [{"id": "R-7f3a9c12", "variable": "balance"}, {"id": "R-00000001", "variable": "x"}]' c/report.json >gone.json
merge a gone.json gone1.json
merge gone.json a gone2.json
same gone1.json gone2.json "the order matters for what is gone"
expect "found in a part is not gone" jq -e '[.gone[].id] == ["R-00000001", "R-90e1"]' gone1.json
merge gone1.json gone.json gone3.json
same gone1.json gone3.json "gone is not idempotent"

# Paths are seen from the new report, wherever it is made.
merge a b sub/dir/ab.json
expect "a witness is found from the new folder" jq -e '.races[] | select(.id == "R-7f3a9c12") | .witness == "../../b/short.json"' sub/dir/ab.json
(cd sub && "$HEDDLE" merge ../a ../b -o dir/ab2.json) || fail "merge from another folder"
same sub/dir/ab.json sub/dir/ab2.json "the current folder matters"
merge sub/dir/ab.json back.json
same ab.json back.json "a way there and back changes paths"
"$HEDDLE" merge a b >stdout.json || fail "merge to the standard output"
same ab.json stdout.json "the standard output is as in the current folder"
"$HEDDLE" merge - b <a/report.json >/dev/null || fail "merge from the standard input"
merge a b ab.html
expect "other formats, by ending" grep -q '<!doctype html>' ab.html
"$HEDDLE" merge a b -f sarif | jq -e '.runs[0].results | length == 6' >/dev/null || fail "other formats, by name"

# Refusals.
refuse() { # refuse CODE REASON ARGUMENT...
    local want=$1 reason=$2 code=0
    shift 2
    "$HEDDLE" merge "$@" >stdout 2>stderr || code=$?
    [ $code = "$want" ] || fail "heddle merge $*: exit $code, expected $want"
    grep -qF -- "$reason" stderr || { fail "heddle merge $*: lacks: $reason"; cat stderr; }
}
refuse 2 'heddle merge' -o x.json
refuse 3 'nowhere' nowhere a -o x.json
echo '{"schema": "other"}' >other.json
refuse 3 'other.json' a other.json -o x.json
refuse 4 'nowhere' a -o nowhere/x.json
[ ! -e x.json ] || fail "a refused merge left a file"
echo 'my own words' >mine.txt
refuse 4 'is no report of heddle' a -o mine.txt
[ "$(cat mine.txt)" = 'my own words' ] || fail "a file that is no report was overwritten"
: >empty.json
merge a empty.json
same one.json empty.json "an empty file may be filled"
merge a b empty.json
same ab.json empty.json "a report may be replaced"
finish
