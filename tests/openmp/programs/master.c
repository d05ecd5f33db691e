/* master has no barrier at its end. */
#include "omp_test.h"
int main(void)
{
    int x = 0, seen[4];
#pragma omp parallel num_threads(4)
    {
#pragma omp master
        x = 7;
#ifndef RACY
#pragma omp barrier
#endif
        seen[omp_get_thread_num()] = x;
    }
    return CHECK(seen[0] == 7 && seen[3] == 7);
}
