/* Tasks that exclude each other without an order. */
#include "omp_test.h"
#ifdef RACY
#define KIND in
#else
#define KIND mutexinoutset
#endif
int main(void)
{
    int x = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#pragma omp task shared(x) depend(out : x)
        x = 1;
        for (int i = 0; i < 3; i++) {
#pragma omp task shared(x) depend(KIND : x)
            x += 2;
        }
#pragma omp task shared(x) depend(in : x)
        x += 0;
    }
    return CHECK(x == 7);
}
