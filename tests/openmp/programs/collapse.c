/* Two loops as one. */
#include "omp_test.h"
int main(void)
{
    int a[4][4] = {{0}};
#pragma omp parallel for num_threads(3) collapse(2)
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
#ifdef RACY
            a[0][j] += i;
#else
            a[i][j] = i + j;
#endif
    return CHECK(a[0][3] >= 0);
}
