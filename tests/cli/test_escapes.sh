#!/usr/bin/env bash
# Nothing that a program or a file brings along acts on the terminal: no control bytes, no C1 codes, no turned lines.
set -u
. "$TESTS/cli/lib.sh" || exit 1
esc=$'\033' c1=$'\302\233' turn=$'\342\200\256' raw=$'\233'

bad() { # bad FILE: holds something that must not be shown
    LC_ALL=C grep -nP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\xaa-\xae]|(^|[\x20-\x7e])[\x80-\x9f]' "$1"
}

# Traces as text: refused, and the message is clean.
for name in "x${esc}[31m" "x${c1}31m" "x${turn}" "x${raw}31m"; do
    printf 't1|w(%s,1)|a.c:1\nt2|w(%s,2)|b.c:2\n' "$name" "$name" >t.txt
    "$HEDDLE" analyze t.txt >out 2>&1
    [ $? = 3 ] || fail "a name with control characters is not refused: $(cat -v out)"
    bad out && fail "in the message"
    printf 't1|w(x,1)|a%s.c:1\nt2|w(x,2)|b.c:2\n' "$name" >t.txt
    "$HEDDLE" analyze t.txt >out 2>&1
    [ $? = 3 ] || fail "a place with control characters is not refused: $(cat -v out)"
    bad out && fail "in the message about a place"
done

# Names of files, and what an option is given.
"$HEDDLE" analyze "no${esc}]0;owned.txt" >out 2>&1
bad out && fail "the name of a file"
printf 'q%s|zz|\n' "$esc" >"f${esc}[1m.txt"
"$HEDDLE" analyze "f${esc}[1m.txt" >out 2>&1
bad out && fail "a parse error"
"$HEDDLE" analyze --detector "hb${esc}[1m" t.txt >out 2>&1
bad out && fail "a wrong option"
printf 't1|w(x,1)|a.c:1\nt2|w(x,2)|b.c:2\n' >t.txt
printf '{"schema":"heddle-witness-1\\u001b[1m","pair":[1,2],"schedule":[1,2]}' >w.json
"$HEDDLE" witness check t.txt w.json >out 2>&1
bad out && fail "a witness"

# A program: names of variables, of threads, of its source file.
"$HEDDLE" cc --version >/dev/null 2>&1 || finish
cat >"evil${esc}[7m${turn}.c" <<END
#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
int evil asm("x\\033]0;owned\\007\\033[31m");
static void *set(void *p) { pthread_setname_np(pthread_self(), "\\033[1mT\\302\\2331m"); evil = 1; return p; }
int main(void) {
    pthread_t h; pthread_create(&h, 0, set, 0); evil = 2; pthread_join(h, 0);
    assert(evil != 2 && "\\033[2J cleared");
    return 0;
}
END
for debug in -g0 -g; do
    "$HEDDLE" cc $debug -pthread evil*.c -o evil || fail "heddle cc"
    rm -rf heddle-out
    "$HEDDLE" run -- ./evil >out 2>err </dev/null
    "$HEDDLE" report >report 2>&1
    "$HEDDLE" analyze heddle-out/latest/run.hdr >analysis 2>&1
    [ $? = 66 ] || fail "no race: $(cat analysis)"
    "$HEDDLE" replay >replay 2>&1
    "$HEDDLE" trace cat heddle-out/latest/run.hdr >cat 2>&1
    # the program's own message goes to the terminal as it is: it is not ours
    LC_ALL=C grep -av "Assertion .* failed\.$" err >ours
    for f in out ours report analysis replay cat; do
        bad $f && fail "$debug: $f"
    done
done
finish
