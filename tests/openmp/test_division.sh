#!/usr/bin/env bash
# What OpenMP leaves open: which thread gets which part of a dynamic or guided loop, which section, which single, and how
# large a team is. Whatever the recorded run did, races between parts that could be with different threads are found.
. "$TESTS/cli/lib.sh" || exit 1
unset OMP_NUM_THREADS OMP_SCHEDULE
build() { "$HEDDLE" cc -fopenmp -g -O1 "$@" || fail "$* does not compile"; }

# ---- the rounds together have each two parts with different members ----
cat >owners.c <<'END'
#include <omp.h>
#include <stdio.h>
int owner[20];
int main(void)
{
#pragma omp parallel for schedule(KIND)
    for (int i = 0; i < 20; i++)
        owner[i] = omp_get_thread_num();
    for (int i = 0; i < 20; i++)
        printf("%d ", owner[i]);
    printf("\n");
    return 0;
}
END
together() { # ROUNDS: pairs of iterations that no round has with different members
    for ((r = 0; r < $1; r++)); do
        HEDDLE_RT_OMP_ROUND=$r "$HEDDLE" -q record --policy fifo -o t.hdt -- ./owners 2>>err
    done | awk '{ for (i = 1; i <= NF; i++) for (j = i + 1; j <= NF; j++) if ($i != $j) apart[i, j] = 1 }
        END { for (i = 1; i <= 20; i++) for (j = i + 1; j <= 20; j++) n += !apart[i, j]; print n + 0 }'
}
for case in "dynamic 2 5 0" "dynamic 3 3 0" "dynamic,3 2 3 $((6 * 3 + 1))" "guided 2 4 $((10 + 3 + 3 + 1))"; do
    read -r kind team rounds within <<<"$case" # within: pairs inside one part
    build "-DKIND=$kind" owners.c -o owners
    export OMP_NUM_THREADS=$team
    got=$(together "$rounds")
    expect "$kind, $team threads, $rounds rounds: $got pairs are always together, not $within" [ "$got" = "$within" ]
    got=$(together $((rounds - 1)))
    expect "$kind, $team threads: fewer rounds do, too" [ "$got" -gt "$within" ]
    unset OMP_NUM_THREADS
done

# ---- one heddle run finds them, however far apart; nothing that was recorded orders them ----
cat >pairs.c <<'END'
#include <stdlib.h>
int x, work[64];
int main(int argc, char **argv)
{
    int a = argc > 1 ? atoi(argv[1]) : 0, b = argc > 2 ? atoi(argv[2]) : 0;
#pragma omp parallel for schedule(KIND)
    for (int i = 0; i < 64; i++) {
        work[i] = i;
        if (i == a)
            x = 1;
        if (i == b)
            x = 2;
    }
    return 0;
}
END
export OMP_NUM_THREADS=2
for kind in dynamic guided static; do build "-DKIND=$kind" pairs.c -o $kind; done
heddle run --runs 1 --policy fifo -o far -- ./dynamic 0 63
expect_code 66
for pair in "0 63" "8 40" "30 62"; do
    rm -rf o
    heddle run -o o -- ./dynamic $pair
    expect_code 66
done
heddle run -o g -- ./guided 0 63
expect_code 66
heddle run -o same -- ./guided 0 1 # one part
expect_code 0
cat >loops.c <<'END'
int x;
int main(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 4; i++)
            if (i == A)
                x = 1;
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 4; i++)
            ;
#pragma omp for schedule(dynamic) nowait
        for (int i = 0; i < 4; i++)
            if (i == B)
                x = 2;
    }
    return 0;
}
END
for pair in "0 0" "3 0" "1 3" "2 2"; do # parts of different loops
    build -DA=${pair% *} -DB=${pair#* } loops.c -o loops
    rm -rf o
    heddle run -o o -- ./loops
    expect_code 66
    expect_err "confirmed 6 of 6"
done
heddle run -o block -- ./static 20 30
expect_code 0
unset OMP_NUM_THREADS
taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')" "$HEDDLE" run -o team -- ./static 20 30 >out 2>err # teams of 2, then 3
code=$? command_line="heddle run, teams of another size"
expect_code 66
heddle show --run team
expect_out "First shown by: fifo, with OMP_NUM_THREADS=3"
heddle replay --run team
expect_code 66

# ---- sections and single ----
cat >blocks.c <<'END'
int x, y[4];
int main(void)
{
#pragma omp parallel num_threads(2)
    {
#ifdef SINGLE
#pragma omp single nowait
        x = 1;
#pragma omp single nowait
        y[1] = 1;
#pragma omp single nowait
        x = 2;
#else
#pragma omp sections
        {
#pragma omp section
            y[0] = 1;
#pragma omp section
            y[1] = 1;
#pragma omp section
            x = 1;
#pragma omp section
            x = 2;
        }
#endif
    }
    return 0;
}
END
build blocks.c -o sections
build -DSINGLE blocks.c -o single
for name in sections single; do
    heddle run -o o.$name -- ./$name
    expect_code 66
    expect_err "confirmed 6 of 6"
done

# ---- a member that cannot come before the others have done its parts ----
cat >late.c <<'END'
#include <omp.h>
#include <stdatomic.h>
atomic_int flag;
int done[8];
int main(void)
{
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0)
            while (!flag)
                ;
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 8; i++) {
            done[i] = 1;
            if (i == 6)
                flag = 1;
        }
    }
    for (int i = 0; i < 8; i++)
        if (!done[i])
            return 1;
    return 0;
}
END
build late.c -o late
heddle run -o o.late -- ./late
expect_code 0
finish
