/* A nestable lock, taken twice; racy when the inner part gives it up once too often. */
#include "omp_test.h"
int main(void)
{
    omp_nest_lock_t l;
    int x = 0;
    omp_init_nest_lock(&l);
#pragma omp parallel num_threads(3)
    {
        omp_set_nest_lock(&l);
        omp_set_nest_lock(&l);
        x++;
        omp_unset_nest_lock(&l);
#ifdef RACY
        omp_unset_nest_lock(&l);
        x++;
#else
        x++;
        omp_unset_nest_lock(&l);
#endif
    }
    omp_destroy_nest_lock(&l);
    return CHECK(x == 6);
}
