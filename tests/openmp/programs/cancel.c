/* A search that stops when it has found something (with OMP_CANCELLATION=true, else it goes on). */
#include "omp_test.h"
int main(void)
{
    int found = -1;
#pragma omp parallel num_threads(3)
    {
#pragma omp for schedule(dynamic)
        for (int i = 0; i < 12; i++) {
            if (i == 5) {
#ifdef RACY
                found = i;
#else
#pragma omp atomic write
                found = i;
#endif
#pragma omp cancel for
            }
#ifdef RACY
            if (found > 100)
                found = 0;
#endif
#pragma omp cancellation point for
        }
    }
    return CHECK(found == 5);
}
