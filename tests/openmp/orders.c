/* Two locks that two threads take in different orders. */
#include <omp.h>

static omp_lock_t left, right;

static void both(omp_lock_t *a, omp_lock_t *b)
{
    omp_set_lock(a);
    omp_set_lock(b);
    omp_unset_lock(b);
    omp_unset_lock(a);
}

int main(void)
{
    omp_init_lock(&left);
    omp_init_lock(&right);
#pragma omp parallel num_threads(2)
    both(omp_get_thread_num() ? &left : &right, omp_get_thread_num() ? &right : &left);
    omp_destroy_lock(&left);
    omp_destroy_lock(&right);
    return 0;
}
