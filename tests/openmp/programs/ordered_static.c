/* ordered in a static loop, skipped by some iterations. */
#include "omp_test.h"
int main(void)
{
    int x = 0;
#pragma omp parallel for num_threads(3) ordered schedule(static, 1)
    for (int i = 0; i < 6; i++) {
        if (i % 2 == 0)
            continue;
#ifndef RACY
#pragma omp ordered
#endif
        x = x * 10 + i;
    }
    return CHECK(x == 135);
}
