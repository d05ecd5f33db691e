/* An undeferred task runs where it is, with children, dependences and settings of its own: its
 * taskwait waits for its children and not for those of the task around it. */
#include "omp_test.h"
static int outer, inner, chain;
static int settings(void)
{
    int before = omp_get_max_threads(), inside = 0, in_final = 0;
#pragma omp task if (0) shared(inside)
    {
        omp_set_num_threads(before + 3);
        inside = omp_get_max_threads();
    }
#pragma omp task if (0) final(1) shared(in_final)
    in_final = omp_in_final();
    return inside == before + 3 && omp_get_max_threads() == before && in_final && !omp_in_final();
}
int main(void)
{
    int ok = 0, sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    {
#pragma omp task
        outer = 1;
#pragma omp task if (0)
        {
#pragma omp task if (0)
            {
#pragma omp task
                inner = 2;
#ifndef RACY
#pragma omp taskwait
#endif
                sum += inner;
            }
#pragma omp task depend(out : chain)
            chain = 4;
#pragma omp task depend(in : chain)
            chain += 0;
        }
        ok = settings();
#pragma omp taskwait
        sum += outer;
    }
    sum += chain;
#ifdef RACY
    return CHECK(ok);
#else
    return CHECK(ok && sum == 7);
#endif
}
