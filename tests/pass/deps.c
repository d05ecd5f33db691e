/* Tokens: each write to out_N has exactly the dependences that the comment says. The ids are those
 * of the reads before, which the same comments pin down. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

volatile int a, b, c;
int out_1, out_2, out_3, out_4, out_5, out_6, out_7, out_8, out_9;
int table[8] = {0, 1, 2, 3, 4, 5, 6, 7};
int *ptr = &table[2];

#define NOINLINE __attribute__((noinline))

NOINLINE static int add(int x, int y)
{
    return x + y;
}

NOINLINE static int second(int x, int y)
{
    (void)x;
    return y;
}

NOINLINE static void direct(void)
{
    int x = a; /* 1 */
    int y = b; /* 2 */
    out_1 = y;
    out_2 = 4;
    out_3 = x + 1;
}
// LOG: ^1 read4 a direct
// LOG: ^2 read4 b direct
// LOG: write4 out_1 direct:[0-9]+ addr=- val=2
// LOG: write4 out_2 direct:[0-9]+ addr=- val=-
// LOG: write4 out_3 direct:[0-9]+ addr=- val=1

NOINLINE static void calls(void)
{
    int x = a; /* 6 */
    int y = b; /* 7 */
    int z = c; /* 8 */
    out_4 = second(y, x);
    out_5 = add(y, z);
    out_6 = add(3, 4);
}
// LOG: ^6 read4 a calls
// LOG: ^7 read4 b calls
// LOG: ^8 read4 c calls
// LOG: write4 out_4 calls:[0-9]+ addr=- val=6
// LOG: write4 out_5 calls:[0-9]+ addr=- val=7-8
// LOG: write4 out_6 calls:[0-9]+ addr=- val=-

NOINLINE static void control(void)
{
    int x = a; /* 12 */
    int y = b; /* 13 */
    if (y > 100)
        abort();
    for (int i = 0; i < 3; i++)
        table[i] = i;
    out_7 = x;
}
// LOG: ^12 read4 a control
// LOG: ^13 read4 b control
// LOG: ^14 branch . control:[0-9]+ dep=13$
// NOT: branch . control:[0-9]+ dep=(-|all|.*12)
// LOG: write4 out_7 control:[0-9]+ addr=- val=12

NOINLINE static void address(void)
{
    int k = c;
    out_8 = table[k & 7];
    *ptr = 5;
}
// LOG: ^([0-9]+) read4 c address
// LOG: read4 table\[\] address:[0-9]+ addr=[0-9]+ =
// LOG: write4 out_8 address:[0-9]+ addr=- val=[0-9]+
// LOG: read8 ptr address:[0-9]+ addr=- =
// LOG: write4 \*ptr address:[0-9]+ addr=[0-9]+ val=- = 5

NOINLINE static void loop(int n)
{
    int sum = 0;
#pragma clang loop vectorize(disable) unroll(disable)
    for (int i = 0; i < n; i++)
        sum += table[i];
    out_9 = sum;
}
// LOG: read4 table\[\] loop
// LOG: write4 out_9 loop:[0-9]+ addr=- val=[0-9]+(-|\+)
// NOT: branch . loop

/* More tokens than a set holds, twice in one operation: joined into ranges that cover them. */
volatile int many[8], out_10;
NOINLINE static void joins(void)
{
    int e0 = many[0], e1 = many[1], e2 = many[2], e3 = many[3];
    int e4 = many[4], e5 = many[5], e6 = many[6], e7 = many[7];
    out_10 = (e0 * e1 * e2 * e3) ^ (e4 * e5 * e6 * e7);
}
// LOG: read4 many\[7\] joins
// LOG: write4 out_10 joins:[0-9]+ addr=- val=[0-9]+(-|\+)

/* Reads that follow each other are one range; one in between is not taken in. */
int out_11, out_12;
NOINLINE static void runs(void)
{
    int x = a, y = b, z = c;
    out_11 = x + y + z;
    x = a, y = b, z = c;
    out_12 = x + z;
    (void)y;
}
// LOG-O1+: ^([0-9]+) write4 out_11 runs:[0-9]+ addr=- val=[0-9]+-[0-9]+ =
// LOG-O1+: write4 out_12 runs:[0-9]+ addr=- val=[0-9]+\+[0-9]+-[0-9]+ =

/* An access whose address depended on a read settles it for what it dominates, and for nothing
 * else. */
struct node {
    int x, y, z;
} node = {1, 2, 3}, *volatile top = &node;
volatile int out_13;
NOINLINE static void settled(void)
{
    struct node *p = top;
    p->y = p->x + 1;
    out_13 = p->z;
}
// LOG-O1+: ^([0-9]+) read8 top settled
// LOG-O1+: read4 node.x settled:[0-9]+ addr=[0-9]+ =
// LOG-O1+: write4 node.y settled:[0-9]+ addr=- val=[0-9]+ =
// LOG-O1+: read4 node.z settled:[0-9]+ addr=- =

NOINLINE static void open_still(int some)
{
    struct node *p = top;
    if (some)
        ((volatile struct node *)p)->x = 0;
    ((volatile struct node *)p)->z = 7;
}
// LOG-O1+: ^([0-9]+) read8 top open_still
// LOG-O1+: write4 node.z open_still:[0-9]+ addr=[0-9]+ val=- = 7

/* A fill of no length is no event: it settles nothing. */
volatile int none;
char filled[8];
NOINLINE static void nothing(void)
{
    int n = none;
    memset(filled, 1, (size_t)n);
    if (n)
        out_13 = 1;
}
// LOG: ^([0-9]+) read4 none nothing
// LOG: branch . nothing

/* In the first rounds the value is not there yet, so its reads are not those of the first one. */
volatile int when[3] = {0, 1, 0}, what = 4, out_14;
NOINLINE static void later(int n)
{
    int value, known = 0;
    for (int i = 0; i < n; i++) {
        if (!known && when[i]) {
            value = what;
            known = 1;
        }
        out_14 = i;
        if (known && when[i])
            out_14 = value;
    }
}
// LOG-O1+: ^([0-9]+) read4 what later
// LOG-O1+: write4 out_14 later:[0-9]+ addr=- val=[0-9]+ = 4

/* The result depends on more values than are kept apart, and on what the call itself read. */
volatile int part[7] = {1, 2, 3, 4, 5, 6, 7}, out_15;
char line[32];
NOINLINE static void printed(void)
{
    int p = part[0], q = part[1], r = part[2], s = part[3];
    int t = part[4], u = part[5], v = part[6];
    out_15 = sprintf(line, "%d%d%d%d%d%d%d", p, q, r, s, t, u, v);
}
// LOG: ^70 read4 part.0. printed
// LOG: write4 out_15 printed:[0-9]+ addr=- val=70-76.* = 7

int main(void)
{
    direct();
    calls();
    control();
    address();
    loop(3);
    joins();
    runs();
    settled();
    open_still(out_13 == 0);
    nothing();
    later(3);
    printed();
    return 0;
}
