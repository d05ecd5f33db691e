/* Locals: private ones are not hooked and carry tokens; those that escape are hooked. Structs and
 * arrays on the stack carry one token for all their parts. */
#include <stdio.h>
#include <string.h>

volatile int a, b, out_1, out_2, out_3, out_4, out_5, out_6;
volatile int *leak;

#define NOINLINE __attribute__((noinline))

struct pair {
    int x, y;
};
struct pair shared = {1, 2}, target;

NOINLINE static void parts(int k)
{
    volatile int local[4] = {0, 0, 0, 0};
    local[1] = a;
    out_1 = local[k & 3];
}
// LOG: ^1 read4 a parts
// LOG: write4 out_1 parts:[0-9]+ addr=- val=1
// NOT: (read4|write4) local

NOINLINE static void index_counts(void)
{
    volatile int local[4] = {5, 6, 7, 8};
    int i = b;
    local[i & 3] = 1;
    out_2 = local[2];
}
// LOG: ^3 read4 b index_counts
// LOG: write4 out_2 index_counts:[0-9]+ addr=- val=3

NOINLINE static void escapes(void)
{
    volatile int kept = 3;
    leak = &kept;
    *leak = a;
    out_3 = kept;
}
// LOG: write4 kept escapes:[0-9]+ addr=- val=- = 3
// LOG: write8 leak escapes
// LOG: write4 .* escapes:[0-9]+ addr=.* val=[0-9]+
// LOG: write4 out_3 escapes:[0-9]+ addr=- val=[0-9]+

NOINLINE static void copies(void)
{
    struct pair p;
    memcpy(&p, &shared, sizeof p);
    out_4 = p.y;
    memcpy(&target, &p, sizeof p);
}
// LOG-O0: memcpy . copies:[0-9]+ n=8 private=to
// LOG: write4 out_4 copies:[0-9]+ addr=- val=[0-9]+ = 2

/* Fixed bounds: no branch of this loop depends on a read. */
NOINLINE static void counts(void)
{
    for (volatile int i = 0; i < 3; i++)
        out_5 = i;
}
// LOG: write4 out_5 counts:[0-9]+ addr=- val=- = 0
// LOG: write4 out_5 counts:[0-9]+ addr=- val=- = 2
// NOT: branch . counts
// NOT: branch . main

NOINLINE static void select_of(void)
{
    int x = a, y = b;
    out_6 = x ? y : 7;
}
// LOG: read4 a select_of
// LOG: read4 b select_of
// LOG: out_6 select_of:[0-9]+ addr=- val=.

int main(void)
{
    parts(1);
    index_counts();
    escapes();
    copies();
    counts();
    select_of();
    return 0;
}
