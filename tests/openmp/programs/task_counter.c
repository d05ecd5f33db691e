/* Tasks that count in one variable. */
#include "omp_test.h"
int main(void)
{
    int n = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    for (int i = 0; i < 6; i++) {
#pragma omp task shared(n)
        {
#ifndef RACY
#pragma omp atomic
#endif
            n++;
        }
    }
    return CHECK(n == 6);
}
