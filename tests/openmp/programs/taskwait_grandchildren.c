/* taskwait waits for children, not for their children; a taskgroup does. */
#include "omp_test.h"
int main(void)
{
    int x = 0;
#pragma omp parallel num_threads(4)
#pragma omp single
    {
#ifdef RACY
#pragma omp task shared(x)
        {
#pragma omp task shared(x)
            x = 1;
        }
#pragma omp taskwait
#else
#pragma omp taskgroup
        {
#pragma omp task shared(x)
            {
#pragma omp task shared(x)
                x = 1;
            }
        }
#endif
        x += 2;
    }
    return CHECK(x == 3);
}
