/* A sum over a taskloop. */
#include "omp_test.h"
int main(void)
{
    int sum = 0;
#pragma omp parallel num_threads(3)
#pragma omp single
    {
#ifdef RACY
#pragma omp taskloop shared(sum)
#else
#pragma omp taskloop reduction(+ : sum)
#endif
        for (int i = 0; i < 8; i++)
            sum += i;
    }
    return CHECK(sum == 28);
}
