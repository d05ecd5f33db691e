/* The parent uses what its children computed. */
#include "omp_test.h"
static int fib(int n)
{
    int a, b;
    if (n < 2)
        return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#ifndef RACY
#pragma omp taskwait
#else
    a = b = 0;
#endif
    return a + b;
}
int main(void)
{
    int r = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    r = fib(4);
    return CHECK(r == 3);
}
