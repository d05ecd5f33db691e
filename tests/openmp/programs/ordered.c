/* The ordered part runs in the order of the iterations. */
#include "omp_test.h"
int main(void)
{
    int x = 0, good = 1;
#pragma omp parallel for num_threads(3) ordered schedule(dynamic)
    for (int i = 0; i < 6; i++) {
#ifndef RACY
#pragma omp ordered
#endif
        {
            good = good && x == i;
            x = i + 1;
        }
    }
    return CHECK(good && x == 6);
}
