#!/usr/bin/env bash
# What goes wrong in a campaign is named, and costs no more than it must.
. "$TESTS/cli/lib.sh" || exit 1
src=$TESTS/campaign
for name in late quiet killer; do
    "$HEDDLE" cc -g "$src/$name.c" -o "$name" -pthread || exit 1
done

# ---- the command line ----
heddle campaign
expect_code 2
heddle campaign --tests a --ctest b
expect_code 2
heddle campaign status
expect_code 2
heddle campaign resume nowhere
expect_code 3
heddle campaign resume .
expect_code 3
expect_err "there is no campaign here"
heddle campaign -o c -- ./none
expect_code 3
expect_err "there is no program"
printf './quiet "x\n' >tests.txt
heddle campaign --tests tests.txt -o c
expect_code 3
expect_err "tests.txt:1: a quote does not end"
heddle campaign --ctest nowhere -o c
expect_code 3
expect "a refused campaign left a folder" [ ! -e c ]

# ---- a plan that was changed ----
heddle campaign --runs 3 --plan-only -o plan -- ./quiet
cp plan/plan.jsonl good
refused() {
    heddle campaign resume plan
    expect_code 3
    expect_err "$1"
}
sed -i 's/"--seed", "2"/"--seed", "9"/' plan/plan.jsonl
refused "the plan was changed"
sed '3d' good >plan/plan.jsonl
refused "the plan was changed"
sed '$d' good >plan/plan.jsonl
refused "the plan was changed"
{ cat good; echo '{}'; } >plan/plan.jsonl
refused "lines follow the end"
echo nothing >plan/plan.jsonl
refused "this is not a line of a plan"
sed 's/"version": "[^"]*"/"version": "0.0.1"/' good >plan/plan.jsonl
refused "the plan is of heddle 0.0.1"
cp good plan/plan.jsonl
heddle campaign resume plan
expect_code 0

# ---- a unit that always crashes the tool ----
printf './killer\n./quiet\n' >tests.txt
heddle campaign --tests tests.txt --runs 2 -o crash
expect_code 4
expect_out "failed: ./killer, fifo: heddle was killed by SIGABRT"
expect_out "2 of 4 units done, 2 failed"
heddle campaign status crash --json
expect "tries are not counted" [ "$(cat crash/units/*/*.failed | jq -s 'map(.tries) | unique[]')" = 2 ]
expect "its log is missing" [ -e "crash/$(jq -r '.failures[0].log' out)" ]
expect "the report hides it" grep -q "2 of 4 units failed" crash/report.json
# With a race beside it, the race decides.
printf './killer\n./late x\n' >tests.txt
heddle campaign --tests tests.txt --runs 2 --times 1 -o both
expect_code 66

# ---- too long ----
cat >spinner.c <<'EOF'
int main(void) { for (volatile long i = 0; i >= 0; i++); return 0; }
EOF
"$HEDDLE" cc spinner.c -o "spinner"
heddle campaign --runs 1 --retries 0 --unit-timeout 0.5 -o long -- ./spinner "$PWD"
expect_code 4
expect_out "it took longer than a unit may"
expect "the program still runs" [ -z "$(pgrep -f "^./spinner $PWD")" ]

# ---- another build, or none ----
heddle campaign --runs 2 --plan-only -o build -- ./quiet
"$HEDDLE" cc -g -DOTHER "$src/late.c" -o quiet -pthread
heddle campaign resume build
expect_code 4
expect_out "quiet is another build: build-id"
rm quiet
heddle campaign resume build
expect_code 4
expect_out "quiet cannot be read: No such file or directory"
"$HEDDLE" cc -g "$src/quiet.c" -o quiet -pthread
heddle campaign resume build
expect_code 0
expect "old failures are left" [ -z "$(find build/units -name '*.failed' -o -name '*.log')" ]

# ---- a full disk ----
mkdir small
if mount -t tmpfs -o size=300k none small 2>/dev/null; then
    heddle campaign --runs 30 -j 1 --times 1 -o small/c -- ./late x
    expect_code 4
    expect_err "No space left on device"
    expect_err "go on with"
    mount -o remount,size=40M small
    heddle campaign resume small/c -j 1
    expect_code 66
    expect_out "30 of 30 units done"
    umount small
fi
finish
