/* A producer, two readers, a writer; racy when a clause names another variable. */
#include "omp_test.h"
#ifdef RACY
#define READS(v) depend(in : y)
#else
#define READS(v) depend(in : v)
#endif
int main(void)
{
    int x = 0, y = 0, a = 0, b = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 5;
#pragma omp task shared(x, a) READS(x)
        a = x + 1;
#pragma omp task shared(x, b) READS(x)
        b = x + 2;
#pragma omp task shared(x) depend(inout : x)
        x = 9;
    }
    (void)y;
    return CHECK(a == 6 && b == 7 && x == 9);
}
