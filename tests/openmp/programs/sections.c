/* Sections run side by side. */
#include "omp_test.h"
int main(void)
{
    int x = 0, y = 0;
#pragma omp parallel sections num_threads(3)
    {
#pragma omp section
        x = 1;
#pragma omp section
#ifdef RACY
        x += 2;
#else
        y = 2;
#endif
#pragma omp section
        (void)y;
    }
    return CHECK(x >= 1);
}
