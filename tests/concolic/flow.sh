#!/usr/bin/env bash
# flow.sh VARIANT global|stack faulty|correct DIR: writes main.c, other.c and third.c, a program of 5 to 7 threads.
# Two threads of `act` add to one variable; the faulty program takes no lock there. What leads to `act` is the variant:
# constant and variable conditions, loops, jumps, functions, files. `flow.sh list` names them.
set -eu
variants="baseline const_true const_compare static_const static_var static_function extern_const extern_var
extern_function random_function switch_const switch_input while_break do_once for_once goto_over static_flag
function_pointer through_files"
[ "$1" != list ] || { printf '%s\n' $variants; exit 0; }
variant=$1 place=$2 kind=$3 dir=$4
mkdir -p "$dir"

declare -A flow=(
    [baseline]='act();'
    [const_true]='if (1) act(); else guarded();'
    [const_compare]='if (5 == 5) act(); if (5 != 5) guarded();'
    [static_const]='if (always) act(); else guarded();'
    [static_var]='if (five == 5) act(); else guarded();'
    [static_function]='if (yes()) act(); else guarded();'
    [extern_const]='if (other_const == 9) act(); else guarded();'
    [extern_var]='if (other_var) act(); else guarded();'
    [extern_function]='if (other_yes(c)) act(); else guarded();'
    [random_function]='if (other_random()) act(); else guarded();'
    [switch_const]='switch (6) { case 6: act(); break; default: guarded(); break; }'
    [switch_input]='switch (c) { case 0x41: guarded(); break; case 0x57: act(); break; default: puts("none"); }'
    [while_break]='while (c != 0x61) { act(); break; }'
    [do_once]='int i = c & 7; do { if (i == 5) act(); i++; } while (i < 3);'
    [for_once]='for (int i = 0; i < 1; i++) if (c > 0x70 && c < 0x73) act();'
    [goto_over]='if (c != 0x21) goto out; act(); out: puts("out");'
    [static_flag]='flag = c == 0x30; if (test_flag()) act(); else guarded();'
    [function_pointer]='void (*f[3])(void) = {guarded, nothing, act}; f[(unsigned)c % 3]();'
    [through_files]='if (third_pass(other_pass(c)) == 1189) act(); else guarded();'
)
[ -n "${flow[$variant]:-}" ] || { echo "no variant $variant" >&2; exit 2; }
[ "$kind" = faulty ] && work=unlocked || work=locked
if [ "$place" = global ]; then
    declare_shared='static int shared;' local_shared='' pass='&shared'
else
    declare_shared='' local_shared='int local = 0;' pass='&local'
fi

cat >"$dir/main.c" <<END
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef ROUNDS
#define ROUNDS 1000000
#endif
extern const int other_const;
extern int other_var;
int other_yes(int c);
int other_random(void);
int other_pass(int c);
int third_pass(int c);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int calm;
$declare_shared
static const int always = 1;
static int five = 5, flag;
static int yes(void) { return 1; }
static int test_flag(void) { return flag; }
static void nothing(void) {}
static void *unlocked(void *p)
{
    int *v = p;
    for (int i = 0; i < ROUNDS; i++)
        *v = *v + 1;
    return NULL;
}
static void *locked(void *p)
{
    int *v = p;
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        *v = *v + 1;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}
static void two(void *(*f)(void *), int *v)
{
    pthread_t a, b;
    pthread_create(&a, NULL, f, v);
    pthread_create(&b, NULL, f, v);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", *v);
}
static void guarded(void) { two(locked, &calm); }
static void act(void)
{
    $local_shared
    two($work, $pass);
}
int main(int argc, char **argv)
{
    int c = argc > 1 ? argv[1][0] : 0x61;
    (void)always; (void)five; (void)yes; (void)test_flag; (void)nothing; (void)unlocked; (void)c;
    guarded();
    ${flow[$variant]}
    return 0;
}
END
cat >"$dir/other.c" <<'END'
#include <stdlib.h>
extern const int other_const;
const int other_const = 9;
int other_var = 1;
int other_yes(int c);
int other_random(void);
int other_pass(int c);
int other_yes(int c) { return c * 3 == 0xf9; }
int other_random(void) { return rand() % 2 == 0; }
int other_pass(int c) { return c * 7 + 3; }
END
cat >"$dir/third.c" <<'END'
int third_pass(int c);
static int *cell(void) { static int kept; return &kept; }
int third_pass(int c) { *cell() = c ^ 0x55; return *cell() + 512; }
END
