#!/usr/bin/env bash
# --symbolic-call: results of functions that the runtime models are inputs, or the function is named; a search that tried
# nothing for it is not called complete. At -O0 results go over locals.
. "$SOURCE/common.sh" || exit 1
enter calls
cat >calls.c <<'C'
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int level;
static void *other(void *p)
{
    level++;
    return p;
}
int main(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_t t;
    (void)lock;
    int failed = CALL;
    if (failed) {
        pthread_create(&t, 0, other, 0);
        level++;
        pthread_join(t, 0);
    }
    return 0;
}
C
try() { # try NAME CALL STATUS COMPLETE
    for o in 0 1; do
        build "$1$o" -O$o "-DCALL=($2)" calls.c -pthread
        hunt "$1$o" --input none --symbolic-call "$1" --times 1 -- "./$1$o"
        check "-O$o $1: exit code" "$3" "$status"
        check "-O$o $1: no misuse of memory" "" "$(field "$1$o" '.findings[].kind | select(. == "assertion")')"
        check "-O$o $1: complete" "$4" "$(field "$1$o" .complete)"
    done
}
try pthread_mutex_trylock 'pthread_mutex_trylock(&lock) == EBUSY' 66 true
try getpid 'getpid() == 4711' 66 true
try poll 'poll(0, 0, 0) == 3' 66 true
try open 'open("/dev/null", O_RDONLY) < 0 && errno == ENOENT' 66 true
try fopen '!fopen("/dev/null", "r") && errno == ENOENT' 66 true
try pthread_create 'pthread_create(&t, 0, other, 0) == EAGAIN' 66 true
try read 'read(0, &level, 4) < 0 && errno == EIO' 66 true
try fgets '!fgets((char[4]){0}, 4, stdin) && errno == EIO' 5 false
check "what was not input is named" fgets "$(field fgets0 '.not_input[]')"
"$HEDDLE" hunt --symbolic-call calloc -- ./open0 >out 2>err </dev/null
check "a function that gives memory is refused" 2 $?
check "no folder is left" "" "$(ls -d heddle-out 2>/dev/null)"
"$HEDDLE" hunt --symbolic-call opne -- ./open0 >out 2>err </dev/null
check "a name that the program does not call is refused" 3 $?
check "the refusal says so" "heddle: --symbolic-call opne: ./open0 calls no function of this name" "$(head -n 1 err)"
check "no run was made" "" "$(ls -d heddle-out 2>/dev/null)"
strip -s -o stripped open0
"$HEDDLE" hunt --input none --symbolic-call open --times 0 -o stripped-out -- ./stripped >out 2>err </dev/null
check "a stripped program keeps the names of its calls" 66 $?
cat >own.c <<'C'
int given(void) { return 3; }
C
cat >user.c <<'C'
int given(void);
int main(void) { return given() != 3; }
C
"$HEDDLE" cc --concolic -g -shared -fPIC own.c -o libown.so
build linked user.c -L. -lown -Wl,-rpath,.
"$HEDDLE" hunt --symbolic-call elsewhere -o linked-out -- ./linked >out 2>err </dev/null
check "with a library of its own any name may be called" 5 $?
finish
