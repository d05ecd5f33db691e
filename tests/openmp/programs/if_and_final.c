/* Tasks that must not be deferred run at once, in order. */
#include "omp_test.h"
int main(void)
{
    int x = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#ifdef RACY
#pragma omp task shared(x)
#else
#pragma omp task shared(x) if (0)
#endif
        x = 1;
#pragma omp task shared(x) final(1)
        {
#pragma omp task shared(x)
            x += 2;
            x += 4;
        }
#pragma omp taskwait
        x += 8;
    }
    return CHECK(x == 15);
}
