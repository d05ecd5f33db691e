#!/usr/bin/env bash
# Standard streams, files that cannot be read or written, signals.
. "$TESTS/cli/lib.sh" || exit 1
"$HEDDLE" trace gen --seed 5 >t.trace
"$HEDDLE" trace convert t.trace t.hdt

# Standard input, in every form.
command_line="trace check -"
gzip -c t.trace >t.trace.gz
zstd -q t.trace -o t.trace.zst
for file in t.trace t.hdt t.trace.gz t.trace.zst; do
    heddle trace check - <$file
    expect_code 0
    expect_out "<stdin>: consistent: 40 events"
    heddle trace check $file
    expect_out "$file: consistent: 40 events"
done
heddle trace check - </dev/null; expect_code 0; expect_out "0 events"
printf 'a|w(x,1)\nb|boom(x)\n' >bad.trace
heddle trace check - <bad.trace; expect_code 3; expect_err "heddle: <stdin>:2: "
heddle trace check - <&-; expect_code 3; expect_err "<stdin>: cannot read"

# Inputs that cannot be read: 3, with the reason, and nothing on stdout.
for verb in check stats cat enumerate; do
    heddle trace $verb missing.trace; expect_code 3; expect_no_out; expect_err "heddle: missing.trace: cannot open: No such file"
    heddle trace $verb .; expect_code 3; expect_no_out; expect_err "heddle: .: cannot read: Is a directory"
done
heddle trace convert missing.trace out.hdt; expect_code 3; expect "no output" [ ! -e out.hdt ]
heddle witness check t.trace missing.json; expect_code 3; expect_err "missing.json: "
cp t.trace secret.trace
chmod 000 secret.trace
if [ "$(id -u)" = 0 ]; then
    chmod 711 . && cp "$HEDDLE" ./tool && chmod 755 ./tool
    code=0
    setpriv --reuid=65534 --regid=65534 --clear-groups ./tool trace check secret.trace >out 2>err || code=$?
else
    heddle trace check secret.trace
fi
command_line="trace check of an unreadable file"
if grep -q "secret.trace: cannot open: Permission denied" err; then expect_code 3; expect_no_out
elif ! grep -q "tool: Permission denied" err; then fail "unexpected: $(head -1 err)"; fi

# Outputs that cannot be written: 4, with the reason. The old file stays, no temporary remains.
for arguments in "--help" "trace check t.trace" "trace stats t.trace" "trace cat t.trace" "trace cat -n t.trace" "trace gen" \
    "trace gen --to hdt" "trace convert t.trace -" "trace enumerate t.trace" "completion zsh" "--version"; do
    command_line="heddle $arguments >/dev/full" code=0
    # shellcheck disable=SC2086
    "$HEDDLE" $arguments >/dev/full 2>err || code=$?
    expect_code 4
    expect_err "standard output: No space left on device"
    command_line="heddle $arguments >&-" code=0
    # shellcheck disable=SC2086
    "$HEDDLE" $arguments >&- 2>err || code=$?
    expect_code 4
    expect_err "standard output: Bad file descriptor"
done
heddle trace convert t.trace /dev/full --to text; expect_code 4; expect_err "No space left on device"
heddle trace convert t.trace no/such/dir.hdt; expect_code 4; expect_err "No such file or directory"
heddle trace enumerate --witness-dir no/such t.trace; expect_code 4; expect_err "No such file or directory"
heddle trace convert t.trace .; expect_code 2; expect_err "cannot tell the format"
heddle trace convert t.trace . --to hdt; expect_code 4
echo old >old.std
heddle trace convert t.trace old.std; expect_code 3; expect_err "old.std: "
expect "the old file is gone" [ "$(cat old.std)" = old ]
(ulimit -f 1; trap '' XFSZ; exec "$HEDDLE" trace gen -e 100k -o old.trace) >out 2>err
code=$? command_line="gen to a file that may not grow"
expect_code 4
expect "there is half a file" [ ! -e old.trace ]
expect "a temporary remains" [ -z "$(find . -name '*.tmp*')" ]

# A reader that goes away is no error and nothing to talk about.
for arguments in "trace gen -e 200k" "trace gen -e 200k --to hdt"; do
    command_line="heddle $arguments | true"
    # shellcheck disable=SC2086
    { "$HEDDLE" $arguments 2>err; echo $? >status; } | true
    code=$(cat status)
    expect_code 0
    expect_no_err
done
"$HEDDLE" trace gen -e 200k >long.trace
{ "$HEDDLE" trace cat -n long.trace 2>err; echo $? >status; } | head -1 >out
code=$(cat status) command_line="cat | head"
expect_code 0
expect_no_err

# Ctrl-C: partial results. The search would need far more states than it gets time for.
"$HEDDLE" trace gen --seed 3 --threads 8 --events 200 --locks 0 --only read,write >big.trace
interrupted() { # interrupted SIGNAL
    command_line="enumerate, then SIG$1"
    rm -f err
    # An asynchronous command of a shell without job control ignores SIGINT; env gives it back.
    env --default-signal=INT "$HEDDLE" trace enumerate --states 8M big.trace >out 2>err &
    local pid=$!
    sleep 1
    kill "-$1" $pid
    code=0
    wait $pid 2>/dev/null || code=$?
}
for signal in INT TERM; do
    interrupted $signal
    expect_code 66
    expect_out "(not all states were visited)"
    expect_out "race on "
    expect_err "big.trace: interrupted; races may be missing"
done
interrupted HUP; expect_code 129; expect_no_out
heddle trace enumerate --states 100 big.trace
expect_code 66; expect_err "more than 100 states"; expect_out "(not all states were visited)"
printf 'a|acq(l)|\na|w(x,1)|\na|rel(l)|\nb|acq(l)|\nb|w(x,2)|\nb|rel(l)|\n' >safe.trace
heddle trace enumerate safe.trace; expect_code 0; expect_out "0 racing pairs"; expect_no_err
heddle trace enumerate --states 2 safe.trace; expect_code 0; expect_err "races may be missing"
heddle trace enumerate --states 2 --require-complete safe.trace; expect_code 5
heddle trace enumerate --require-complete safe.trace; expect_code 0

# The progress line: on a terminal only, with how to stop; not with -q.
progress() { # progress OPTIONS...: on a terminal, interrupted after a while
    command_line="progress on a terminal $*"
    rm -f pid shown
    TERM=xterm timeout 60 script -qfec \
        "echo \$\$ >pid; exec env --default-signal=INT '$HEDDLE' trace enumerate $* --states 8M big.trace" shown >/dev/null 2>&1 </dev/null &
    local job=$!
    wait_for "[ -s pid ]"
    if [ -z "$*" ]; then wait_for "grep -q 'enumerating: [0-9]* states, [0-9]*/s; Ctrl-C for partial results' shown"
    else sleep 1; fi
    kill -INT "$(cat pid)"
    wait $job
    expect "no results" grep -q "not all states were visited" shown
}
progress
progress -q
expect "a progress line in spite of -q" sh -c '! grep -q enumerating shown'
finish
