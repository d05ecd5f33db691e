#!/usr/bin/env bash
# What the sites of a file are called is recorded when the first of them is met: not of files that do not run.
set -u
work=$TMP_DIR/record/site_tables
rm -rf "$work" && mkdir -p "$work" && cd "$work" || exit 1
fail() {
    echo "FAIL site_tables: $*; see $work" >&2
    exit 1
}
{
    echo 'volatile int unused_value; void unused(void) {'
    for ((i = 0; i < 20000; i++)); do echo "unused_value = $i;"; done
    echo '}'
} >unused.c
echo 'void unused(void) {}' >empty.c
cat >used.c <<'END'
extern int value;
void touch(void)
{
    value = 1;
}
END
cat >main.c <<'END'
#include <pthread.h>
void unused(void);
void touch(void);
int value;
static void *run(void *p)
{
    touch();
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc > 5)
        unused();
    pthread_create(&t, NULL, run, NULL);
    value++;
    pthread_join(t, NULL);
    return value < 0;
}
END
for with in unused empty; do
    "$HEDDLE" cc -g -O1 -pthread main.c used.c $with.c -o $with || fail "cc $with"
    "$HEDDLE" record -q -o $with.hdr -- ./$with || fail "record $with"
    "$HEDDLE" trace cat $with.hdr >$with.txt || fail "cat $with"
done
cmp -s empty.txt unused.txt || fail "a file that does not run changes the trace: $(diff empty.txt unused.txt)"
for place in main.c:16 used.c:4; do
    grep -q "|w(value,[0-9]*)|$place" empty.txt || fail "no write at $place: $(cat empty.txt)"
done
# What it has more is the names of its variable and function.
read -r small big < <(stat -c %s empty.hdr unused.hdr | tr '\n' ' ')
[ "$((big - small))" -lt 2000 ] || fail "a file that does not run takes $((big - small)) bytes"

# A library that lies where another one lay before has names of its own.
for lib in first second; do
    echo "extern int *shared; void touch(void) { *shared = 1; }" >$lib.c
    [ $lib = first ] || sed -i 's/extern/\n\nextern/' $lib.c
    "$HEDDLE" cc -g -O1 -shared -fPIC $lib.c -o lib$lib.so || fail "cc $lib"
done
cat >loads.c <<'END'
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
int value, *shared = &value;
static void (*touch)(void);
static void *run(void *p)
{
    touch();
    return p;
}
int main(void)
{
    const char *names[] = {"./libfirst.so", "./libsecond.so"};
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        void *lib = dlopen(names[i], RTLD_NOW);
        if (!lib)
            return 1;
        *(void **)&touch = dlsym(lib, "touch");
        fprintf(stderr, "%lx\n", (unsigned long)((struct link_map *)lib)->l_addr);
        pthread_create(&t, NULL, run, NULL);
        value++;
        pthread_join(t, NULL);
        if (dlclose(lib))
            return 2;
    }
    return 0;
}
END
"$HEDDLE" cc -g -O1 -pthread -Wl,-E loads.c -o loads || fail "cc loads"
"$HEDDLE" record -q -o loads.hdr -- ./loads 2>at || fail "record loads"
[ "$(sort -u at | wc -l)" = 1 ] || { echo "the libraries did not get one address here: not tested" >&2; exit 0; }
for how in "" --keep-all-events; do
    "$HEDDLE" trace convert $how loads.hdr loads.std --to text || fail "convert $how"
    for place in first.c:1 second.c:3; do
        [ "$(grep -c "|w(value,1)|$place" loads.std)" = 1 ] || fail "not one write at $place: $(cat loads.std)"
    done
done
exit 0
