/* firstprivate and lastprivate. */
#include "omp_test.h"
int main(void)
{
    int first = 5, last = 0;
#ifdef RACY
#pragma omp parallel for num_threads(3) firstprivate(first)
#else
#pragma omp parallel for num_threads(3) firstprivate(first) lastprivate(last)
#endif
    for (int i = 0; i < 9; i++)
        last = first + i;
    return CHECK(last == 13);
}
