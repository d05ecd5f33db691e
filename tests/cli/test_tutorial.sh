#!/usr/bin/env bash
# heddle tutorial: every step does what its text says; what it refuses; the terminal; steps that differ.
. "$TESTS/cli/lib.sh" || exit 1
export HOME=$work # no settings of the user's for gdb
shopt -s nullglob

# All steps, without a terminal. The commands' own words are on both streams.
command_line="heddle tutorial"
code=0
"$HEDDLE" tutorial >out 2>&1 </dev/null || code=$?
cp out err
expect_code 0
expect_out "data race on left [confirmed 6 of 6]"
expect_out "+FAILED: 2 sold, 9 left"
expect_out "2 of 2 executions confirmed"
expect_out "heddle: 0 races confirmed, 0 predicted only"
expect_out "The files of the tutorial are in heddle-tutorial."
if command -v gdb >/dev/null; then
    expect "gdb saw the failure" grep -q '^FAILED: 2 sold, 9 left' out
    expect_out "heddle: both threads stand before their accesses"
fi
expect "a line is longer than 80: $(awk '/^== 7 /, /^== 8 / { next } length > 80' out)" \
    [ -z "$(awk '/^== 7 /, /^== 8 / { next } length > 80' out)" ]
expect "the bundled test is not the example" cmp -s heddle-tutorial/flaky_test.c "$TESTS/../examples/flaky_test.c"
expect "the bundled fix is not the example's" \
    cmp -s heddle-tutorial/flaky_test_fixed.c "$TESTS/../examples/flaky_test_fixed.c"

# The commands that are shown, typed by hand in a folder with the same files, end as shown.
awk '/^== / { step = 1 } step && /^    [a-z.]/ { print substr($0, 5); step = 0 }' out >shown
sed -n 's/^\[exit code \([0-9]*\)\]$/\1/p' out >codes
if command -v gdb >/dev/null; then
    mkdir typed bin
    ln -s "$HEDDLE" bin/heddle
    cp heddle-tutorial/*.c heddle-tutorial/gdb-commands typed
    while IFS= read -r line; do
        (cd typed && PATH=$work/bin:$PATH bash -c "$line" >/dev/null 2>&1 </dev/null)
        echo $?
    done <shown >typed.codes
    expect "nine commands are shown: $(cat shown)" [ "$(wc -l <shown)" = 9 ]
    # The third is the flaky test itself.
    expect "typed by hand they end otherwise: $(paste shown codes typed.codes)" \
        cmp -s <(sed 3d codes) <(sed 3d typed.codes)
fi

# A folder that is there is left alone.
find heddle-tutorial | sort >before
heddle tutorial
expect_code 3
expect_no_out
expect_err "heddle: 'heddle-tutorial' is there already: remove it, or choose a new folder with --dir"
expect "the folder changed" cmp -s before <(find heddle-tutorial | sort)
heddle tutorial --dir nowhere/new
expect_code 4
expect_err "cannot make the folder 'nowhere/new': No such file or directory"
heddle tutorial now
expect_usage "now"

# Without a compiler nothing is made.
HEDDLE_CLANG=no-such-compiler heddle tutorial --dir none
expect_code 77
expect_err "HEDDLE_CLANG: 'no-such-compiler' was not found"
expect "a folder was made" [ ! -e none ]

# On a terminal it waits; q ends it.
if command -v script >/dev/null; then
    command_line="heddle tutorial --dir tty, on a terminal"
    code=0
    printf '\nq\n' | timeout -k 5 120 script -qec "'$HEDDLE' tutorial --dir tty" /dev/null >out 2>err || code=$?
    expect_code 0
    expect_out "[Enter runs it, q ends]"
    expect_out "== 2 of 9"
    expect "it went on after q" [ ! -e tty/flaky_test ]
    expect "the first step was not run" grep -q '^static void \*seller' out
    command_line="heddle tutorial --no-wait --dir quick, on a terminal"
    timeout -k 5 120 script -qec "'$HEDDLE' tutorial --no-wait --dir quick" /dev/null >out 2>err </dev/null || code=$?
    expect_code 0
    expect_out "That is all."
    expect "it waited" [ "$(grep -c 'Enter runs it' out)" = 0 ]
fi

# A step that differs is named; without gdb its step is left out.
mkdir farm
IFS=: read -ra folders <<<"$PATH"
for folder in "${folders[@]}"; do
    ln -s "$folder"/* farm 2>/dev/null
done
rm -f farm/gdb farm/diff
printf '#!/bin/sh\nexit 0\n' >farm/diff
chmod +x farm/diff
PATH=$work/farm heddle tutorial --dir differs
expect_code 4
expect_err "heddle: step 8 (The fix) ended with 0, not 1 as it should"
expect_out "gdb is not installed here: this step is left out."
expect "it went on" [ "$(grep -c '^== 9 ' out)" = 0 ]
rm farm/diff
PATH=$work/farm heddle tutorial --dir missing
expect_code 4
expect_err "heddle: step 8 (The fix) did not come to its end"
finish
