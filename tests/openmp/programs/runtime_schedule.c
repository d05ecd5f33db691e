/* schedule(runtime), set by the program. */
#include "omp_test.h"
int main(void)
{
    int x = 0, n = 0;
    omp_set_schedule(omp_sched_dynamic, 2);
#pragma omp parallel for num_threads(3) schedule(runtime) reduction(+ : n)
    for (int i = 0; i < 12; i++) {
        n++;
#ifdef RACY
        x = i;
#endif
    }
    return CHECK(n == 12 && x >= 0);
}
