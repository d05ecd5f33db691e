/* A sum over a loop; racy without the clause. */
#include "omp_test.h"
int main(void)
{
    int sum = 0;
#ifdef RACY
#pragma omp parallel for num_threads(4) shared(sum)
#else
#pragma omp parallel for num_threads(4) reduction(+ : sum)
#endif
    for (int i = 0; i < 16; i++)
        sum += i;
    return CHECK(sum == 120);
}
