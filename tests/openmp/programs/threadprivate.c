/* Each thread keeps its own counter from region to region. */
#include "omp_test.h"
static int counter = 10;
#ifndef RACY
#pragma omp threadprivate(counter)
#endif
int main(void)
{
    int sum = 0;
    for (int round = 0; round < 2; round++) {
#pragma omp parallel num_threads(3)
        counter++;
    }
#pragma omp parallel num_threads(3) reduction(+ : sum)
    sum += counter;
    return CHECK(sum >= 3);
}
