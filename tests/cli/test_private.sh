#!/usr/bin/env bash
# What is kept of a run and who may read it; what a replay sets and refuses.
. "$TESTS/cli/lib.sh" || exit 1
cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static int n;
static void *work(void *arg) { n++; return arg; }
int main(void)
{
    pthread_t a, b;
    const char *mode = getenv("MY_MODE"), *token = getenv("MY_TOKEN");
    pthread_create(&a, 0, work, 0);
    pthread_create(&b, 0, work, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
    printf("mode %s, token %s\n", mode ? mode : "none", token ? "there" : "none");
    return 0;
}
C
umask 022
export MY_MODE=fast MY_TOKEN=hunter2 MY_OTHER=unread-value LD_LIBRARY_PATH=/nowhere-at-all GLIBC_TUNABLES=
heddle run --times 1 --runs 1 prog.c
expect_code 66
id=$(jq -r '.races[0].id' heddle-out/1/report.json)

# ---- modes ----
for name in heddle-out heddle-out/1; do
    expect "$name has mode $(stat -c %a "$name")" [ "$(stat -c %a "$name")" = 700 ]
done
for name in report.json report.txt report.html run.hdr "witness-$id.json"; do
    expect "$name has mode $(stat -c %a "heddle-out/1/$name")" [ "$(stat -c %a "heddle-out/1/$name")" = 600 ]
done

# ---- the environment: names, what was read, no secrets ----
heddle trace convert heddle-out/1/run.hdr plain.hdt
python3 - heddle-out/1/run.hdr plain.hdt >kept <<'PY'
import re, subprocess, sys
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    at, out = 0, [data]
    while (at := data.find(b"\x28\xb5\x2f\xfd", at)) >= 0:  # every zstd frame
        run = subprocess.run(["zstd", "-dcq"], input=data[at:], capture_output=True)
        out.append(run.stdout)
        at += 4
    for text in re.findall(rb"[A-Z_]+(?:=[^\0]*)?\0", b"\0".join(out)):
        print(text[:-1].decode("latin-1"))
PY
expect "what was read is not kept" grep -qx 'MY_MODE=fast' kept
expect "a name is not kept" grep -qx 'MY_OTHER' kept
for text in hunter2 unread-value nowhere-at-all; do
    expect "'$text' is in the recording" sh -c "! grep -q '$text' kept"
done

# ---- a replay sets what was kept, and takes the rest from here ----
MY_MODE=slow heddle replay -v "$id"
expect_code 66
cat out err >both
expect "the recorded value is not set: $(head -3 both)" grep -q 'mode fast, token there' both
env -u MY_TOKEN "$HEDDLE" replay -v "$id" >both 2>&1
expect "a secret comes from nowhere" grep -q 'mode fast, token none' both

# ---- a run of somebody else ----
if [ "$(id -u)" = 0 ]; then
    chown 12345 heddle-out/1/run.hdr
    heddle replay "$id"
    expect_code 3
    expect_err "it belongs to another user, and replay runs the program that it names"
    heddle replay --trust "$id"
    expect_code 66
    chown 0 heddle-out/1/run.hdr
fi

# ---- record replaces traces only ----
cp prog.c precious.c
heddle record -o precious.c -- heddle-out/1/prog
expect_code 4
expect_err "precious.c: it is there already and is no trace"
expect "the file has changed" cmp -s prog.c precious.c
heddle record -o again.hdt -- heddle-out/1/prog
heddle record -o again.hdt -- heddle-out/1/prog
expect_code 0

# ---- a report for others ----
cat >shown.c <<'C'
#include <pthread.h>
#include <stdio.h>
static int balance;
static void *pay(void *arg) { balance += 4711; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, pay, 0);
    pay(0);
    pthread_join(t, 0);
    printf("balance %d\n", balance);
    return 0;
}
C
"$HEDDLE" cc -g "$PWD/shown.c" -o shown -pthread
heddle run -o mine -- "$PWD/shown" confidential
for format in json html text sarif junit github gitlab tsan; do
    heddle report --redact -v --format $format mine
    expect_code 0
    expect_out "balance"
    expect "$format shows: $(grep -o "4711\|$PWD\|confidential\|pthread_join(t" out | head -1)" \
        [ "$(grep -c "4711\|$PWD\|confidential\|pthread_join(t" out)" = 0 ]
done
heddle report --redact --format json -o others.json mine
heddle report others.json
expect_code 0
cat >claims.c <<'C'
#include <assert.h>
#include <pthread.h>
static int balance;
static void *pay(void *arg) { balance++; return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, pay, 0);
    balance++;
    pthread_join(t, 0);
    assert(balance == 2 && "confidential");
}
C
heddle run --times 1 -o claims claims.c
for format in text html json; do
    heddle report --redact -v --format $format claims
    expect "$format shows what an assertion says" [ "$(grep -c confidential out)" = 0 ]
done
heddle report --redact claims
expect_out "assertion failed when "

# ---- limits are errors, not signals ----
(ulimit -f 1 && exec "$HEDDLE" run -o small -- "$PWD/shown") >out 2>err
code=$? command_line="heddle run with ulimit -f"
expect_code 4
expect_err "File too large"
(ulimit -s 100 && exec "$HEDDLE" run -o deep -- "$PWD/shown") >out 2>err
code=$? command_line="heddle run with ulimit -s"
expect_code 77
expect_err "the stack is limited to 100 kB (ulimit -s), and heddle needs 1024 kB"
env -i bash -c 'ulimit -s 48 && exec "$0" --version' "$HEDDLE" >out 2>err # the environment has to fit, too
code=$? command_line="heddle --version with ulimit -s 48"
expect_code 77
expect_err "the stack is limited (ulimit -s), heddle needs 1024 kB"
finish
