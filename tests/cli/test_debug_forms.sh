#!/usr/bin/env bash
# Locks in structs have the same names whatever form the debug information has: versions 2 to 5, compressed, with types in units
# of their own, or in one unit for all files. What is damaged costs names, and nothing else.
. "$TESTS/cli/lib.sh" || exit 1
cat >forms.h <<'C'
#include <pthread.h>
struct inner { int x; pthread_mutex_t m; };
typedef pthread_rwlock_t lock_t;
void other(void);
C
cat >forms.c <<'C'
#include "forms.h"
struct store { char name[16]; struct inner in[2]; const volatile lock_t rw; pthread_mutex_t grid[2][3]; };
static struct store stores[3];
static int counted(int k)
{
    static struct inner once;
    static pthread_spinlock_t spins[5];
    pthread_spin_init(&spins[k], 0);
    pthread_spin_lock(&spins[k]);
    pthread_mutex_lock(&once.m);
    pthread_mutex_unlock(&once.m);
    return pthread_spin_unlock(&spins[k]);
}
static void *work(void *arg)
{
    pthread_mutex_lock(&stores[2].in[1].m);
    pthread_mutex_lock(&stores[1].grid[1][2]);
    pthread_rwlock_rdlock((lock_t *)&stores[0].rw);
    counted(3);
    other();
    pthread_rwlock_unlock((lock_t *)&stores[0].rw);
    pthread_mutex_unlock(&stores[1].grid[1][2]);
    pthread_mutex_unlock(&stores[2].in[1].m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    work(0);
    return pthread_join(t, 0);
}
C
cat >other.c <<'C'
#include "forms.h"
struct store { char name[16]; pthread_mutex_t only; };
extern struct store away;
struct store away;
void other(void)
{
    pthread_mutex_lock(&away.only);
    pthread_mutex_unlock(&away.only);
}
C

# locks HOW: names of the locks of ./HOW, in order
locks() {
    heddle record -q -o "$1.hdr" -- "./$1"
    expect_code 0
    heddle trace cat "$1.hdr"
    sed -n 's/.*|r\{0,1\}acq(\([^)]*\)).*/\1/p' out | sort -u | tr '\n' ' '
}
names='away.only once.m spins[3] stores[0].rw stores[1].grid[5] stores[2].in[1].m '
n=0
for form in -gdwarf-2 -gdwarf-3 -gdwarf-4 -gdwarf-5 "-g -gz" "-g -fdebug-types-section" "-g -flto" "-g -gdwarf64"; do
    n=$((n + 1))
    heddle cc -O1 $form forms.c other.c -o "pass$n" -pthread
    expect_code 0
    expect "heddle cc $form: $(locks "pass$n")" [ "$(locks "pass$n")" = "$names" ]
    gcc -O1 -fsanitize=thread $form -c forms.c other.c 2>gcc.err || continue
    heddle cc $form forms.o other.o -o "gcc$n" -pthread
    [ "$code" = 0 ] || continue # clang's linker does not know gcc's form of -flto
    expect "gcc $form: $(locks "gcc$n")" [ "$(locks "gcc$n")" = "$names" ]
done

# Bytes that make no sense, anywhere in the entries, or in what says how they look.
for section in info abbrev; do
    read -r at size < <(readelf -SW pass4 | awk -v s=".debug_$section" '{ for (i = 1; i < NF; i++) if ($i == s) print $(i + 3), $(i + 4) }')
    for step in 1 2 3 4 5 6 7; do
        cp pass4 damaged
        printf '\377\377\377\001\200' | dd of=damaged bs=1 seek=$((0x$at + 0x$size * step / 8)) conv=notrunc 2>/dev/null
        locks damaged >/dev/null
    done
done
finish
