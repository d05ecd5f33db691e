# Every format through a parser: what is asked of its structure, and what hostile texts must not do to it.
. "$TESTS/web/lib.sh" || exit 1
need jq xmllint
reports="bank hostile many crowd sparse empty"

for name in $reports; do
    for file in "$out/$name".*; do
        expect "$file is UTF-8" iconv -f UTF-8 -t UTF-8 "$file" -o /dev/null
        # Tabs and line ends are ours; no other control character may reach a terminal or a parser.
        grep -qP '[\x00-\x08\x0b-\x1f\x7f]' "$file" && fail "$file has control characters"
    done
    for file in "$out/$name".{json,sarif,trace.json}; do
        expect "$file is JSON" jq -e . "$file"
    done
    expect "$name.xml is XML" xmllint --noout --nonet "$out/$name.xml"
done

# ---- SARIF ----
for name in bank hostile; do
    sarif=$out/$name.sarif
    expect "$name.sarif: one result for each finding" \
        jq -e --slurpfile r "$out/$name.json" '.runs[0].results | length == ($r[0].races | length)' "$sarif"
    expect "$name.sarif: fingerprints are the ids" \
        jq -e --slurpfile r "$out/$name.json" '[.runs[0].results[].partialFingerprints["raceId/v1"]] == [$r[0].races[].id]' "$sarif"
    expect "$name.sarif: the first code flow is one thread flow, in order from 0" \
        jq -e 'all(.runs[0].results[].codeFlows[0]; (.threadFlows | length) == 1 and
               ([.threadFlows[0].locations[].executionOrder] == [range(.threadFlows[0].locations | length)]))' "$sarif"
    expect "$name.sarif: numbers are unique in a thread flow" \
        jq -e 'all(.runs[0].results[].codeFlows[1].threadFlows[]; [.locations[].executionOrder] | length == (unique | length))' "$sarif"
    expect "$name.sarif: racing accesses happen at the same time, in two thread flows" \
        jq -e 'all(.runs[0].results[] | select(.ruleId == "data-race");
               [.codeFlows[1].threadFlows[] | [.locations[] | select(.kinds and (.kinds | index("danger"))) | .executionOrder]] | map(select(length > 0)) |
               length == 2 and .[0] == .[1])' "$sarif"
    expect "$name.sarif: no text makes a link" jq -e '[.. | .text? // empty | select(test("\\]\\("))] | length == 0' "$sarif"
done
expect "confirmed and seen findings are errors, predictions warnings" \
    jq -e '[.runs[0].results[] | [.properties.status, .level]] | unique ==
           [["confirmed","error"],["observed","error"],["predicted","warning"]]' "$out/bank.sarif"
expect "the baseline shows" jq -e '[.runs[0].results[] | .baselineState] | (map(select(. == "unchanged")) | length) == 1' "$out/bank.sarif"
expect "what is not covered is told" jq -e '.runs[0].invocations[0].toolExecutionNotifications | length == 4' "$out/bank.sarif"
expect "files are relative to the source root" \
    jq -e '.runs[0].results[0].locations[0].physicalLocation.artifactLocation == {"uri": "src/bank.c", "uriBaseId": "SRCROOT"}' "$out/bank.sarif"

# ---- JUnit ----
expect "one case for each finding, errors fail" \
    [ "$(xmllint --xpath 'concat(count(//testcase), " ", count(//failure), " ", count(//skipped), " ", /testsuites/@failures)' "$out/bank.xml")" = "6 3 2 3" ]
expect "what is not decided is an error of the test" \
    [ "$(xmllint --xpath 'concat(count(//error), " ", /testsuites/@errors, " ", /testsuites/@tests)' "$out/bank.xml")" = "1 1 6" ]
expect "nothing found is a case that passed" [ "$(xmllint --xpath 'concat(count(//testcase), " ", count(//failure))' "$out/empty.xml")" = "1 0" ]
expect "hostile texts add no element" \
    [ "$(xmllint --xpath 'concat(count(//*), " ", count(//img), " ", count(//script))' "$out/hostile.xml")" = "$(xmllint --xpath 'concat(count(//*), " 0 0")' "$out/bank.xml")" ]

# ---- GitHub and ThreadSanitizer lines ----
expect "one line for each finding, and one for what is not decided" [ "$(wc -l <"$out/hostile.github")" = 6 ]
expect "each is a command" [ "$(grep -cE '^::(error|warning|notice) .*::.' "$out/hostile.github")" = 6 ]
expect "the place stands in the properties" grep -qF '::error file=src/bank.c,line=17,col=9,title=Data race on ' "$out/bank.github"

# GitLab: what its parser wants of every entry.
for name in bank hostile empty; do
    expect "$name.gitlab is no code quality report" jq -e 'type == "array" and all(.[]; (.description | length > 0) and
        (.check_name | startswith("heddle-")) and (.fingerprint | length > 0) and (.location.path | length > 0) and
        (.location.lines.begin >= 1) and (.severity | IN("info", "minor", "major", "critical", "blocker")))' "$out/$name.gitlab"
done
expect "the place is not that of the access" jq -e '[.[] | select(.location == {"path": "src/bank.c", "lines": {"begin": 17}})] | length >= 1' "$out/bank.gitlab"
expect "fingerprints are not unique" jq -e '(map(.fingerprint) | unique | length) == length' "$out/hostile.gitlab"
expect "what is not decided is not told" jq -e 'any(.check_name == "heddle-undecided")' "$out/hostile.gitlab"
for name in bank hostile; do
    expect "$name.tsan: CTest counts errors only" [ "$(grep -cE 'WARNING: ThreadSanitizer: (.*) \(pid=.*\)$' "$out/$name.tsan")" = 3 ]
    expect "$name.tsan: CodeChecker sees as many" [ "$(grep -cE '^==[0-9]+==(ERROR|WARNING): ThreadSanitizer: ' "$out/$name.tsan")" = 3 ]
done
# CodeChecker takes the place of a report from the lines between its heading and the next empty one.
expect "bank.tsan: each heading is followed by a place, then by an empty line" \
    awk '/^==[0-9]+==WARNING/ { open = 1; n = 0; next } open && /^$/ { bad += !n; open = 0 } open && /[^ ]+:[0-9]+/ { n++ } END { exit bad || open }' "$out/bank.tsan"
# What its converter stores: one report for each heading, at a place of the program; nothing when the words are not ThreadSanitizer's.
python3 "$web/codechecker.py" "$out/bank.tsan" >"$out/stored"
expect "bank.tsan: CodeChecker stores three reports" [ "$(wc -l <"$out/stored")" = 3 ]
expect "bank.tsan: all in the program" [ "$(grep -cE '^(data race|atomicity violation|lock-order-inversion .*) \(pid=[0-9]+\)	src/bank\.c:[0-9]+$' "$out/stored")" = 3 ]
sed 's/==WARNING: Thr/==WARNING: Fred/' "$out/bank.tsan" >"$out/other.tsan"
expect "other words: CodeChecker stores nothing" [ -z "$(python3 "$web/codechecker.py" "$out/other.tsan")" ]
sed 's/:[0-9][0-9]*//g' "$out/bank.tsan" >"$out/placeless.tsan"
expect "no places: CodeChecker stores nothing" [ -z "$(python3 "$web/codechecker.py" "$out/placeless.tsan")" ]
expect "a frame has its place" grep -qE '^    #0 withdraw src/bank\.c:17:9' "$out/bank.tsan"
expect "no finding, no word" [ ! -s "$out/empty.tsan" ]

# ---- rules ----
for name in bank hostile many; do
    n=$(jq '.races | length' "$out/$name.json")
    expect "$name.supp: a rule for each finding, all else comments" [ "$(grep -cE '^id:R-[0-9a-f]+$' "$out/$name.supp") $(grep -cvE '^(#.*|id:R-[0-9a-f]+)?$' "$out/$name.supp")" = "$n 0" ]
done

# ---- Chrome trace ----
for name in bank hostile; do
    trace=$out/$name.trace.json
    expect "$name: two processes for each finding" \
        jq -e --slurpfile r "$out/$name.json" '[.traceEvents[] | select(.name == "process_name")] | length == 2 * ($r[0].races | length)' "$trace"
    expect "$name: each event is a slice in both orders" \
        jq -e --slurpfile r "$out/$name.json" '[.traceEvents[] | select(.ph == "X")] | length == 2 * ([$r[0].races[].schedule | length] | add)' "$trace"
    expect "$name: arrows have two ends inside slices" \
        jq -e '.traceEvents | ([.[] | select(.ph == "X") | [.pid, .tid, .ts]] | unique) as $slices |
               ([.[] | select(.ph == "s") | .id] == [.[] | select(.ph == "f") | .id]) and
               all(.[] | select(.ph == "s" or .ph == "f") | [.pid, .tid, .ts - 400]; . as $e | $slices | bsearch($e) >= 0)' "$trace"
    expect "$name: held locks begin and end" \
        jq -e '[.traceEvents[] | select(.ph == "b") | .id] == [.traceEvents[] | select(.ph == "e") | .id]' "$trace"
    expect "$name: slices of a thread do not overlap" \
        jq -e '[.traceEvents[] | select(.ph == "X") | [.pid, .tid, .ts]] | length == (unique | length)' "$trace"
done
expect "the racing slices of a witness begin together" \
    jq -e '[.traceEvents[] | select(.ph == "X" and .cname and .pid == 5) | .ts] | length == 2 and .[0] == .[1]' "$out/bank.trace.json"

# ---- HTML, before any browser ----
for name in $reports; do
    html=$out/$name.html
    expect "$name.html has two scripts (one marks the page while it loads) and one style" [ "$(grep -c '<script' "$html") $(grep -c '<style' "$html")" = "2 1" ]
    grep -qiE '<(img|iframe|link|object|embed)|src="|url\(|@import' "$html" && fail "$name.html refers to something outside"
done
expect "100 findings stay below 2 MB" [ "$(stat -c %s "$out/many.html")" -lt 2000000 ]
finish
