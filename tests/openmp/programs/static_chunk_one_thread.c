/* Iterations of one chunk depend on each other, chunks do not; racy when chunks are smaller. */
#include "omp_test.h"
#ifdef RACY
#define CHUNK 2
#else
#define CHUNK 4
#endif
int main(void)
{
    int a[16];
#pragma omp parallel for num_threads(4) schedule(static, CHUNK)
    for (int i = 0; i < 16; i++)
        a[i] = i % 4 ? a[i - 1] + 1 : 0;
    return CHECK(a[3] == 3 && a[15] == 3);
}
