/* Two levels of parallel regions. */
#include "omp_test.h"
int main(void)
{
    int x = 0, a[4] = {0};
    omp_set_max_active_levels(2);
#pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) shared(x)
        {
            a[outer * 2 + omp_get_thread_num()] = omp_get_level();
#ifndef RACY
#pragma omp critical
#endif
            x++;
        }
    }
    return CHECK(x == 4 && a[0] == 2 && a[3] == 2);
}
