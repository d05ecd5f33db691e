/* A dependence between iterations of a guided loop. */
#include "omp_test.h"
int main(void)
{
    int a[17], b[17];
    for (int i = 0; i < 17; i++)
        a[i] = b[i] = i;
#pragma omp parallel for num_threads(4) schedule(guided)
    for (int i = 0; i < 16; i++)
#ifdef RACY
        a[i] = a[i + 1] + 1;
#else
        a[i] = b[i + 1] + 1;
#endif
    return CHECK(a[0] == 2 && a[15] == 17);
}
