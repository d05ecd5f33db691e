#!/usr/bin/env bash
# Instrumented libraries: linked, loaded while the program runs, and one without instrumentation that starts threads.
set -u
work=$TMP_DIR/record/modules
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fails=0
check() { # WHAT EXPECTED GOT
    [ "$2" = "$3" ] || { echo "FAIL $1: expected '$2', got '$3'" >&2; fails=1; }
}
cat >plug.c <<'END'
static int count;
int plug_add(int n)
{
    count += n;
    return count;
}
END
cat >foreign.c <<'END'
#include <pthread.h>
static void *alone(void *p) { return p; }
void foreign_start(void)
{
    pthread_t t;
    pthread_create(&t, 0, alone, 0);
    pthread_join(t, 0);
}
END
cat >main.c <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
void foreign_start(void);
static int (*add)(int);
static void *run(void *p)
{
    add(2);
    return p;
}
int main(void)
{
    pthread_t t;
    void *lib = dlopen("./libplug.so", RTLD_NOW);
    if (!lib)
        return 1;
    *(void **)&add = dlsym(lib, "plug_add");
    pthread_create(&t, NULL, run, NULL);
    pthread_join(t, NULL);
    printf("sum %d\n", add(3));
    foreign_start();
    void *late = dlopen("./liblate.so", RTLD_NOW);
    void (*start)(void);
    if (!late)
        return 1;
    *(void **)&start = dlsym(late, "foreign_start");
    start();
    return dlclose(late) || dlclose(lib);
}
END
clang -shared -fPIC foreign.c -o libforeign.so && clang -shared -fPIC foreign.c -o liblate.so || exit 1
try() { # HOW: records ./main and looks at what it says
    "$HEDDLE" record -o main.hdt -- ./main >out 2>err
    check "$1: status" 0 $?
    check "$1: output" 'sum 5' "$(cat out)"
    "$HEDDLE" trace check main.hdt >/dev/null 2>&1 || check "$1: check" ok bad
    check "$1: writes in the library" 2 "$("$HEDDLE" trace cat --keep-all-events main.hdt | grep -c '|w(count,[25])|plug.c:4')"
    grep -q 'main is not instrumented' err && check "$1: words" none "$(cat err)"
    for lib in libforeign liblate; do # linked, and loaded while the program runs
        grep -q "$lib.so is not instrumented, and starts threads" err || check "$1: note on $lib" yes "$(cat err)"
    done
    "$HEDDLE" analyze main.hdt >/dev/null || check "$1: races" none some
}
clang -g -fsanitize=thread -fPIC -c plug.c -o plug.o && clang -shared plug.o -o libplug.so &&
    clang -g -fsanitize=thread -c main.c -o main.o &&
    clang -pthread main.o -o main -L. -lforeign -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" -Wl,-rpath,. || exit 1
try clang
# gcc's optimiser makes the start of a module a jump into the runtime.
gcc -g -O2 -fsanitize=thread -fPIC -c plug.c -o plug.o && gcc -shared plug.o -o libplug.so &&
    gcc -g -O2 -fsanitize=thread -c main.c -o main.o &&
    gcc -pthread main.o -o main -L. -lforeign -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" -Wl,-rpath,. || exit 1
try gcc
if "$HEDDLE" cc --version >/dev/null 2>&1; then
    "$HEDDLE" cc -shared -fPIC plug.c -o libplug.so && "$HEDDLE" cc main.c -o main -L. -lforeign -Wl,-rpath,. || exit 1
    try pass
fi

# What library functions read and write is seen, whoever compiled the calls.
cat >copies.c <<'END'
#include <pthread.h>
#include <string.h>
static char text[64];
__attribute__((noinline)) static void *run(void *p)
{
    return strcpy(text, p);
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, "one");
    run("two");
    pthread_join(t, 0);
    return 0;
}
END
for cc in clang gcc; do
    for o in -O0 -O2; do
        $cc -g $o -fsanitize=thread -c copies.c -o copies.o &&
            $cc -pthread copies.o -o copies -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
        "$HEDDLE" record -q -o copies.hdt -- ./copies 2>err || check "$cc $o: copies" 0 1
        "$HEDDLE" analyze copies.hdt >out
        check "$cc $o: race of strcpy" 66 $?
    done
done

# Threads have names in what is said about them.
cat >named.c <<'END'
#include <pthread.h>
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *p)
{
    pthread_setname_np(pthread_self(), "the-worker");
    pthread_mutex_lock(&lock);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_mutex_lock(&lock);
    pthread_create(&t, 0, run, 0);
    pthread_join(t, 0);
    return 0;
}
END
clang -g -D_GNU_SOURCE -fsanitize=thread -c named.c -o named.o &&
    clang -pthread named.o -o named -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
"$HEDDLE" record -o named.hdt -- ./named 2>err
check 'deadlock' 66 $?
grep -q 'deadlock: T1.1 (the-worker) waits for lock lock at named.c:6' err || check 'name' the-worker "$(cat err)"

# A file that another version of heddle compiled is refused, not left out.
cat >other.c <<'END'
static struct { unsigned version, n_sites; void *sites, *strings; unsigned long size; void *next; } module = {99};
void __hd_module_init(void *module), __hd_leave(void); /* the second is a hook of version 3 */
__attribute__((constructor)) static void begin(void) { __hd_module_init(&module); }
int main(void)
{
    __hd_leave();
    return 0;
}
END
clang -c other.c -o other.o && clang -pthread other.o -o other -L"$RT_DIR" -lheddle_rt -Wl,-rpath,"$RT_DIR" || exit 1
"$HEDDLE" record -o other.hdt -- ./other 2>err
check 'another version' 3 $?
grep -q 'compiled by another version of heddle: compile it again' err || check 'sentence' 'another version' "$(cat err)"
exit $fails
