/* Calls: tokens of arguments and results, callbacks from code that is not instrumented, variable
 * arguments, blocks passed by value, indirect calls, longjmp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

volatile int a, b, out_1, out_2, out_3, out_4, out_5, out_6, out_7;
struct big {
    long v[6];
};
struct big big = {{1, 2, 3, 4, 5, 6}};

#define NOINLINE __attribute__((noinline))

/* qsort is not instrumented: arguments and results may depend on every read before. */
NOINLINE static int compare(const void *x, const void *y)
{
    out_1 = *(const int *)x - *(const int *)y;
    return out_1;
}
NOINLINE static void callback(void)
{
    static int list[2] = {2, 1};
    out_7 = a;
    qsort(list, 2, sizeof list[0], compare);
}
// LOG: ^1 read4 a callback
// LOG: ^2 write4 out_7 callback:[0-9]+ addr=- val=1
// LOG: read4 \*[xy]? ?compare:[0-9]+ addr=0-2
// LOG: write4 out_1 compare

NOINLINE static int count(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += va_arg(ap, int);
    va_end(ap);
    return sum;
}
NOINLINE static void variable(void)
{
    out_2 = count(2, a, 5);
}
// LOG: ^([0-9]+) read4 a variable
// LOG: branch . variable:[0-9]+ dep=[0-9]+$
// LOG: write_n .* count:[0-9]+ n=24 addr=- val=-
// LOG: write4 out_2 variable

long by_value(struct big x);
NOINLINE long by_value(struct big x)
{
    return x.v[2];
}
NOINLINE static void pass_value(void)
{
    out_3 = (int)by_value(big);
}
// LOG: read_n big pass_value:[0-9]+ n=48 addr=-
// LOG: write_n .* by_value:[0-9]+ n=48 addr=- val=[0-9]+
// LOG: read8 .* by_value:[0-9]+ addr=- = 3
// LOG: write4 out_3 pass_value:[0-9]+ addr=- val=[0-9]+ = 3

NOINLINE static int twice(int x)
{
    return 2 * x;
}
NOINLINE static int thrice(int x)
{
    return 3 * x;
}
int (*volatile chosen)(int) = twice;
int (*table[2])(int) = {twice, thrice};
NOINLINE static void indirect(void)
{
    out_4 = chosen(b);
    out_5 = table[a & 1](4);
}
// LOG: read8 chosen indirect
// LOG: icall . indirect:[0-9]+ dep=[0-9]+$
// LOG: write4 out_4 indirect:[0-9]+ addr=- val=[0-9]+
// LOG: icall . indirect
// LOG: write4 out_5 indirect:[0-9]+ addr=- val=- = 8

static jmp_buf env;
NOINLINE static void deep(int n)
{
    if (n == 0)
        longjmp(env, 1);
    deep(n - 1);
    out_6 = n;
}
NOINLINE static void jumps(void)
{
    if (setjmp(env) == 0)
        deep(3);
    out_6 = 100;
}
// LOG: write4 out_6 jumps:[0-9]+ addr=- val=- = 100

int main(void)
{
    callback();
    variable();
    pass_value();
    indirect();
    jumps();
    return 0;
}
