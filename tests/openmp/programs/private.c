/* A scratch variable that every thread needs for itself. */
#include "omp_test.h"
int main(void)
{
    int tmp = 0, a[16] = {0};
#ifdef RACY
#pragma omp parallel for num_threads(4)
#else
#pragma omp parallel for num_threads(4) private(tmp)
#endif
    for (int i = 0; i < 16; i++) {
        tmp = i * 2;
        a[i] = tmp + 1;
    }
    return CHECK(a[5] == 11 && a[15] == 31);
}
