/* The lock of another variable does not help. */
#include "omp_test.h"
int main(void)
{
    omp_lock_t one, two;
    int x = 0;
    omp_init_lock(&one);
    omp_init_lock(&two);
#pragma omp parallel num_threads(4)
    {
#ifdef RACY
        omp_lock_t *l = omp_get_thread_num() == 2 ? &two : &one;
#else
        omp_lock_t *l = &one;
#endif
        omp_set_lock(l);
        x++;
        omp_unset_lock(l);
    }
    omp_destroy_lock(&one);
    omp_destroy_lock(&two);
    return CHECK(x == 4);
}
