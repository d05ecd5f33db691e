/* single has a barrier at its end, unless nowait. */
#include "omp_test.h"
int main(void)
{
    int x = 0, seen[4];
#pragma omp parallel num_threads(4)
    {
#ifdef RACY
#pragma omp single nowait
#else
#pragma omp single
#endif
        x = 7;
        seen[omp_get_thread_num()] = x;
    }
    return CHECK(seen[1] == 7);
}
