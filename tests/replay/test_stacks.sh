# Stacks of findings come from a second run in the recorded order: of the accesses, confirmed or not, of the threads, of
# what made the lock, of the allocation. Where the program does not run again, the report says so.
. "$TESTS/replay/lib.sh" || exit 1
start stacks
cp "$TESTS/replay/stacks.c" .
build_all stacks

stack() { # stack FILTER: "function:line" of each frame that has a line
    jq -r "[$1 | .[] | select(.file) | \"\(.function):\(.line)\"] | join(\" \")" report.json
}
is() { # is WHAT FILTER EXPECTED
    local got
    got=$(stack "$2")
    [ "$got" = "$3" ] || fail "$program: $1: '$got', expected '$3'"
}

for program in pass clang gcc; do
    "$HEDDLE" run -v -t 1 --json=report.json -- "./$program" >out 2>err
    [ $? = 66 ] || fail "$program: no race confirmed: $(cat err)"
    jq -e '[.races[].stacks] == [.races[] | null]' report.json >/dev/null || fail "$program: $(jq -c '[.races[].stacks]' report.json)"
    add='.races[] | select(.accesses[0].function == "add" and .accesses[1].function == "add")'
    for i in $(jq -r "[$add] | keys[]" report.json); do
        race="[$add][$i]"
        is "count" "$race.accesses | sort_by(.stack[1].line) | .[0].stack" "add:22 first:48"
        is "count" "$race.accesses | sort_by(.stack[1].line) | .[1].stack" "add:22 second:57"
        is "block" "$race.block.stack" "box_new:15 main:73"
        is "thread" "$race.threads[1].stack" "start:66 main:74"
        is "thread" "$race.threads[2].stack" "start:66 main:77"
    done
    text='[.races[] | select(.accesses[0].function == "put")][0]'
    is "memcpy" "$text.accesses | sort_by(.stack[1].line) | .[1].stack" "put:27 second:58"
    dead='[.races[] | select(.property == "deadlock")][0]'
    is "deadlock" "$dead.accesses | sort_by(.line) | .[0].stack" "forth:33 first:50"
    is "deadlock" "$dead.accesses | sort_by(.line) | .[1].stack" "back:41 second:56"
    is "lock on the heap" "$dead.locks[] | select(.name != \"other\") | .stack" "box_new:16 main:73"
    jq -e "$dead.locks[] | select(.name == \"other\") | (.made | not) and (.stack | length) > 1" report.json >/dev/null ||
        fail "$program: where the static lock was first taken"
    jq -e "$dead.accesses[0].held[0].stack | length == 2" report.json >/dev/null || fail "$program: where a lock was taken"
done

# Predictions that no replay was asked for have no second run either.
program=pass
"$HEDDLE" run -v --runs 1 -t 0 --json=report.json -- ./pass >out 2>err
jq -e 'all(.races[]; .stacks != null and (.accesses[0].stack | length) == 1)' report.json >/dev/null || fail "stacks without a run"
grep -q 'Innermost frames only: ' err || fail "the text does not say that stacks are missing"

# A program that does something else the second time.
cat >fickle.c <<'C'
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>
static int x, noise;
static void touch(void) { x++; }
static void *work(void *arg) { touch(); return arg; }
int main(void)
{
    pthread_t a, b;
    if (mkdir("again", 0700))
        noise++, noise++;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
C
"$HEDDLE" cc -g fickle.c -o fickle || fail "fickle"
"$HEDDLE" run -v --runs 1 -t 1 --json=report.json -- ./fickle >out 2>err
jq -e '(.races | length) > 0 and all(.races[]; .status == "predicted" and (.stacks | test("something else")))' report.json >/dev/null ||
    fail "a program that is not the same: $(jq -c '[.races[] | [.status, .stacks]]' report.json)"
echo "ok"
