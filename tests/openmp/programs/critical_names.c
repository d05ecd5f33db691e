/* Two names are two locks. */
#include "omp_test.h"
int main(void)
{
    int x = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
#pragma omp critical(first)
            x++;
        } else {
#ifdef RACY
#pragma omp critical(second)
#else
#pragma omp critical(first)
#endif
            x++;
        }
    }
    return CHECK(x == 2);
}
