/* Each iteration waits for the one before it. */
#include "omp_test.h"
int main(void)
{
    int a[9] = {1};
#pragma omp parallel for num_threads(3) ordered(1) schedule(static, 1)
    for (int i = 1; i < 9; i++) {
#ifdef RACY
#pragma omp ordered depend(sink : i - 2)
#else
#pragma omp ordered depend(sink : i - 1)
#endif
        a[i] = a[i - 1] + 1;
#pragma omp ordered depend(source)
    }
    return CHECK(a[8] == 9);
}
