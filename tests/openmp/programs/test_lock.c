/* omp_test_lock: only the thread that got the lock may write. */
#include "omp_test.h"
int main(void)
{
    omp_lock_t l;
    int x = 0;
    omp_init_lock(&l);
#pragma omp parallel num_threads(3)
    {
        int got = omp_test_lock(&l);
#ifdef RACY
        x++;
#else
        if (got)
            x++;
#endif
        if (got)
            omp_unset_lock(&l);
    }
    omp_destroy_lock(&l);
    return CHECK(x >= 1);
}
