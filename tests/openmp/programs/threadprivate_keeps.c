/* What a thread wrote in one region it finds in the next; copyin starts all from the master's. */
#include "omp_test.h"
static int mine = 1;
#pragma omp threadprivate(mine)
int main(void)
{
    int good = 1, shared = 0;
#pragma omp parallel num_threads(3)
    mine = 100 + omp_get_thread_num();
#pragma omp parallel num_threads(3) reduction(&& : good)
    good = good && mine == 100 + omp_get_thread_num();
#pragma omp parallel num_threads(3) copyin(mine) reduction(&& : good)
    good = good && mine == 100;
#pragma omp parallel num_threads(3)
    {
#ifdef RACY
        shared += mine;
#else
#pragma omp atomic
        shared += mine;
#endif
    }
    return CHECK(good && shared == 300);
}
