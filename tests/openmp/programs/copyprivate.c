/* One thread reads, all get the value. */
#include "omp_test.h"
static int source = 42;
int main(void)
{
    int good = 1;
#pragma omp parallel num_threads(3) reduction(&& : good)
    {
        int x = 0;
#pragma omp single copyprivate(x)
        x = source;
        good = good && x == 42;
#ifdef RACY
        source = x;
#endif
    }
    return CHECK(good);
}
